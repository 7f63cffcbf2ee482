import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../problems/problems.js';
import { FORMS, type EventForm } from './event-form.js';

/** Bodies up to this length always find room: live play is not held up by loads. */
const SMALL_BYTES = 64 * 1024;
/** What the larger bodies under way may take together: sixteen of the largest. */
const LARGE_BYTES_MAX = 256 * 1024 * 1024;

/** Bounds the memory of bodies under way, before any of it is taken in. */
export class BodyRoom {
  private taken = 0;

  constructor(private readonly bytesMax = LARGE_BYTES_MAX) {}

  /** Keeps room for a request's body until it is answered or gone; a problem where there is none. */
  keep(request: FastifyRequest, reply: FastifyReply, form: EventForm): Problem | undefined {
    const bytes = bytesOf(request, form);
    if (bytes <= SMALL_BYTES) return undefined;
    if (this.taken + bytes > this.bytesMax)
      return new Problem(
        'not-recorded',
        'Too many large requests are under way. Nothing of this one was recorded; send it again.',
        { headers: { 'Retry-After': '1' } },
      );
    this.taken += bytes;
    reply.raw.once('close', () => {
      this.taken -= bytes;
    });
    return undefined;
  }
}

/** The most that a body may come to: what it announces, or its form's limit where it is packed or announces nothing. */
function bytesOf({ headers }: FastifyRequest, form: EventForm): number {
  const { bytesMax } = FORMS[form];
  const announced = Number(headers['content-length']);
  return headers['content-encoding'] === undefined && announced >= 0
    ? Math.min(announced, bytesMax)
    : bytesMax;
}

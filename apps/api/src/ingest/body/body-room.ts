import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../problems/problems.js';
import { FORMS, type EventForm } from './event-form.js';

/** Bodies up to this length need no room, so that loads do not hold up live play. */
const SMALL_BYTES = 64 * 1024;
/** The most bytes that larger bodies in progress may take together: sixteen of the largest. */
const LARGE_BYTES_MAX = 256 * 1024 * 1024;

/** Bounds the memory of bodies in progress, before any of a body is read. */
export class BodyRoom {
  private taken = 0;

  constructor(private readonly bytesMax = LARGE_BYTES_MAX) {}

  /**
   * Reserves room for a request's body until it is answered or aborted. Returns a problem if the
   * room is used up.
   */
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

/**
 * Returns the most bytes that a body may have: the length that it announces, or the limit of its
 * form if it is compressed or announces no length.
 */
function bytesOf({ headers }: FastifyRequest, form: EventForm): number {
  const { bytesMax } = FORMS[form];
  const announced = Number(headers['content-length']);
  return headers['content-encoding'] === undefined && announced >= 0
    ? Math.min(announced, bytesMax)
    : bytesMax;
}

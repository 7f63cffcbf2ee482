import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../problems/problems.js';
import { FORMS, type EventForm } from './event-form.js';

/** Bodies up to this length need no room, so that loads do not hold up live play. */
const SMALL_BYTES = 64 * 1024;

/**
 * The limits: how many bytes the larger bodies in progress may take together, and how many smaller
 * ones there may be. By default sixteen of the largest, and as many bytes of smaller ones, which is
 * far more than a house has sources.
 */
interface Room {
  readonly largeBytes: number;
  readonly smallBodies: number;
}
const ROOM: Room = { largeBytes: 256 * 1024 * 1024, smallBodies: 4_096 };

/** Bounds the memory of bodies in progress, before any of a body is read. */
export class BodyRoom {
  private largeBytes = 0;
  private smallBodies = 0;

  constructor(private readonly max = ROOM) {}

  /**
   * Reserves room for a request's body until it is answered or aborted. Returns a problem if the
   * room is used up.
   */
  keep(request: FastifyRequest, reply: FastifyReply, form: EventForm): Problem | undefined {
    const bytes = bytesOf(request, form);
    return bytes <= SMALL_BYTES ? this.keepSmall(reply) : this.keepLarge(reply, bytes);
  }

  private keepSmall(reply: FastifyReply): Problem | undefined {
    if (this.smallBodies >= this.max.smallBodies) return full('Too many requests are under way.');
    this.smallBodies += 1;
    reply.raw.once('close', () => {
      this.smallBodies -= 1;
    });
    return undefined;
  }

  private keepLarge(reply: FastifyReply, bytes: number): Problem | undefined {
    if (this.largeBytes + bytes > this.max.largeBytes)
      return full('Too many large requests are under way.');
    this.largeBytes += bytes;
    reply.raw.once('close', () => {
      this.largeBytes -= bytes;
    });
    return undefined;
  }
}

const full = (why: string): Problem =>
  new Problem('not-recorded', `${why} Nothing of this one was recorded; send it again.`, {
    headers: { 'Retry-After': '1' },
  });

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

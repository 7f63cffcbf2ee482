import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Calls `drop` when the reader of an answer has taken nothing of what was sent for `stalledMs`, at
 * the latest when that has passed twice. A reader that takes little is not dropped, nor is one to
 * whom nothing was sent. Over TLS Node sees what was taken only once all of a write was. Node
 * resets the time once the answer is sent.
 */
export function whenStalled(response: ServerResponse, stalledMs: number, drop: () => void): void {
  const socket: Partial<Socket> | null = response.socket;
  socket?.setTimeout?.(stalledMs); // an injected request has no connection
  response.on('timeout', () => {
    if (response.writableLength > 0) drop();
  });
}

/**
 * Returns a Fastify `onSend` hook that ends the connection of a reader who takes nothing of an
 * answer.
 */
export const dropStalledReaders =
  (stalledMs: number) =>
  (
    _request: FastifyRequest,
    { raw }: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void => {
    whenStalled(raw, stalledMs, () => raw.destroy());
    done(null, payload);
  };

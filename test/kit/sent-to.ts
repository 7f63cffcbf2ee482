import { randomUUID } from 'node:crypto';
import type { ConsoleServer } from './console-server.js';
import { eventually } from './eventually.js';

/**
 * Sends a request with a JSON body, under a key of its own. Returns the answer's JSON, null if it
 * has none.
 */
export type Send = (method: string, path: string, body?: object) => Promise<unknown>;

/** Signs a person in and returns how to send requests of theirs. Throws what is refused. */
export async function sentTo(server: ConsoleServer, person: string): Promise<Send> {
  const token = await server.tokenOf(person);
  return async (method, path, body) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
}

interface Decision {
  readonly outcome?: string;
  readonly ref: string;
  readonly table: string;
}

/**
 * Sends a command on a finding and returns the answer once it took effect: a busy server answers
 * before it knows. Throws if it took none.
 */
export async function acted(send: Send, path: string, body: object): Promise<unknown> {
  const sent = (await send('POST', path, body)) as Decision;
  if (sent.outcome !== undefined) return sent;
  const act = `/v1/review-events/${encodeURIComponent(sent.ref)}`;
  const decided = await eventually(`the decision about ${path}`, async () => {
    const read = (await send('GET', `${act}?table=${encodeURIComponent(sent.table)}`)) as Decision;
    return read.outcome !== undefined && read;
  });
  if (decided.outcome !== 'taken') throw new Error(`${path} came to ${decided.outcome}`);
  return decided;
}

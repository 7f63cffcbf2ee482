import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { BodyRoom } from '../../../apps/api/src/ingest/body/body-room.js';
import { takeEventBodies } from '../../../apps/api/src/ingest/body/event-body.js';
import type { Problem } from '../../../apps/api/src/problems/problems.js';
import { eventually } from '../../kit/eventually.js';

describe('the room for bodies of events', () => {
  it('has a place for so many small bodies, refuses the next with 503, and is free again after an answer', async () => {
    const answers: (() => void)[] = [];
    const server = fastify();
    takeEventBodies(server, new BodyRoom({ largeBytes: 0, smallBodies: 2 }));
    server.setErrorHandler((error: Problem, _request, reply) =>
      reply
        .code(error.status)
        .headers(error.extras.headers ?? {})
        .send(error.problem),
    );
    server.post('/events', { config: { needs: 'record-events' } }, async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return 'recorded';
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const send = async (): Promise<readonly unknown[]> => {
      const answer = await fetch(`http://127.0.0.1:${port}/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents+json' },
        body: '{}',
      });
      return [answer.status, await answer.text(), answer.headers.get('retry-after')];
    };
    const two = [send(), send()];
    await eventually('two under way', () => answers.length === 2);
    expect(await send()).toEqual([503, 'not-recorded', '1']);
    for (const answer of answers.splice(0)) answer();
    expect(await Promise.all(two)).toEqual(Array(2).fill([200, 'recorded', null]));
    const third = send();
    await eventually('a third', () => answers.length === 1);
    answers[0]?.();
    expect(await third).toEqual([200, 'recorded', null]);
    await server.close();
  });
});

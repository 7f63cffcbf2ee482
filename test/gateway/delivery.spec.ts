import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rounds } from '../kit/rounds.js';
import { eventually } from '../kit/eventually.js';
import { TcpProxy } from '../kit/tcp-proxy.js';
import { SpooledTable, upTo } from './spooled-table.js';
import { answer, type Behavior, BEHAVIORS, StandInApi } from './stand-in-api.js';

let api: StandInApi;
let table: SpooledTable;
beforeEach(async () => {
  api = await StandInApi.start();
  table = await SpooledTable.open();
});
afterEach(async () => {
  await table.close();
  await api.close();
});

const sizes = (): number[] => api.arrived.map(({ ids }) => ids.length);
/** A clock at which everything that `numbered` makes has just come. */
const JUST_NOW = (): number => 1_700_000_000_000;

describe('delivery', () => {
  it('sends the exact contents of the spool in order, one a line, with the key', async () => {
    await table.append(3);
    await table.appendNoise();
    await table.append(2);
    table.deliverTo(`${api.url()}/audit`);
    await table.delivered();
    expect(api.recorded).toEqual(upTo(5));
    expect(api.arrived[0]?.body).toBe(
      upTo(5)
        .map((id) => `{"id":${id},"padding":""}\n`)
        .join(''),
    );
    expect(api.arrived[0]?.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      authorization: 'Bearer spk_a-key-that-nobody-may-see',
    });
    expect(table.delivery.state).toEqual({ is: 'fresh' });
    expect(table.delivery.figures).toMatchObject({
      delivered: 5,
      requests: { taken: 1, waiting: 0, halved: 0, blocked: 0 },
      failedLooks: 0,
    });
  });

  it('moves the cursor behind lines that have nothing for the api, without a request', async () => {
    await table.appendNoise();
    table.deliverTo(api.url());
    await table.delivered();
    expect(api.arrived).toEqual([]);
  });

  it('sends what comes while it waits for more', async () => {
    table.deliverTo(api.url());
    for (const count of [1, 2, 1]) {
      await table.append(count);
      await table.delivered();
    }
    expect(sizes()).toEqual([1, 2, 1]);
  });

  it('sends at most 100 events at once while nothing waits for over two seconds', async () => {
    await table.append(250);
    table.deliverTo(api.url(), { clock: JUST_NOW });
    await table.delivered();
    expect(sizes()).toEqual([100, 100, 50]);
    expect(api.recorded).toEqual(upTo(250));
  });

  it('sends up to 5,000 events at once while it is behind', async () => {
    for (let line = 0; line < 12; line += 1) await table.append(1_000);
    table.deliverTo(api.url());
    await table.delivered();
    expect(sizes()).toEqual([5_000, 5_000, 2_000]);
    expect(api.recorded).toEqual(upTo(12_000));
  });

  it('sends at most 900 kB at once, and passes a proxy that stops at 1 MB', async () => {
    api.early = (request, response) => {
      const isTooLarge = Number(request.headers['content-length']) > 1_000_000;
      if (isTooLarge) answer(response, 413, {});
      return isTooLarge;
    };
    for (let line = 0; line < 10; line += 1) await table.append(300, 1_000);
    table.deliverTo(api.url());
    await table.delivered();
    const bytes = api.arrived.map(({ body }) => body.length);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(900_000);
    expect(bytes.length).toBeLessThan(6);
    expect(table.delivery.figures.requests.halved).toBe(0);
    expect(api.recorded).toEqual(upTo(3_000));
  });

  it('sends a line that has more than a request may in several, and moves the cursor after all', async () => {
    await table.append(450, 2_000); // one line of 960 kB
    let release = (): void => undefined;
    api.next.push(BEHAVIORS.taken, (...all) => (release = () => BEHAVIORS.taken(...all)));
    table.deliverTo(api.url());
    await eventually('the second request', () => api.arrived.length === 2);
    expect(table.spool.figures.sent).toBe(0);
    release();
    await table.delivered();
    expect(api.recorded).toEqual(upTo(450));
  });

  it('says that it is behind, and since when, while an answer takes long', async () => {
    await table.append(1);
    api.next.push(BEHAVIORS.silence);
    table.deliverTo(api.url(), { clock: JUST_NOW, times: { freshMs: 30 } });
    expect(await table.state('behind')).toEqual({ is: 'behind', oldestAt: 1_700_000_000_001 });
  });

  it('resumes behind the cursor when it starts again', async () => {
    await table.append(3);
    table.deliverTo(api.url());
    await table.delivered();
    await table.stop();
    await table.append(2);
    table.deliverTo(api.url());
    await table.delivered();
    expect(sizes()).toEqual([3, 2]);
  });

  it('stops at once while a request has no answer', async () => {
    await table.append(1);
    api.next.push(BEHAVIORS.silence);
    table.deliverTo(api.url());
    await eventually('the request', () => api.arrived.length === 1);
    await table.stop();
    expect(table.spool.figures.sent).toBe(0);
  });

  it('asks who it is while it has nothing to send, and counts what was not answered', async () => {
    table.deliverTo(`${api.url()}/audit`, { times: { lookMs: 5 } });
    await eventually('two questions', () => api.asked.length > 1);
    expect(api.asked[0]).toBe('/audit/v1/me');
    expect(table.delivery.figures.failedLooks).toBe(0);
    api.otherStatus = 503;
    await eventually('a failure', () => table.delivery.figures.failedLooks > 0);
    expect(table.delivery.state).toEqual({ is: 'fresh' });
    expect(table.states).toEqual([]);
  });

  it('does not ask who it is while events are refused', async () => {
    await table.append(1);
    api.usual = (_, response) => answer(response, 401, {});
    table.deliverTo(api.url(), { times: { lookMs: 1 } });
    await eventually('ten tries', () => api.arrived.length > 10);
    const asked = api.asked.length; // before the event was read
    await eventually('as many again', () => api.arrived.length > 20);
    expect(api.asked.length).toBe(asked);
  });
});

describe('delivery while the api takes nothing', () => {
  const passing = Object.entries(BEHAVIORS).filter(([name]) => name !== 'taken');

  it.each(passing)('sends the same bytes again after a request was %s', async (_, behavior) => {
    await table.append(3);
    api.next.push(behavior, behavior);
    table.deliverTo(api.url(), { times: { requestMs: 300 } });
    await eventually('the first request', () => api.arrived.length > 0);
    await table.append(2);
    await table.delivered();
    expect(new Set(api.arrived.slice(0, 3).map(({ body }) => body)).size).toBe(1);
    expect(api.recorded).toEqual(upTo(5));
    expect(api.mostOpen).toBe(1);
    const kinds = table.states.map(({ is }) => is);
    expect(kinds[0]).toBe('waiting');
    expect(['behind', 'fresh']).toContain(kinds.at(-1));
  });

  it('sends the same bytes again even if it has fallen behind since and more fits', async () => {
    let now = JUST_NOW();
    await table.append(150);
    api.next.push((arrived, response, standIn) => {
      now += 60_000;
      BEHAVIORS['recorded and answered 504'](arrived, response, standIn);
    });
    table.deliverTo(api.url(), { clock: () => now });
    await table.delivered();
    expect(sizes()).toEqual([100, 100, 50]);
  });

  it.each([
    ['answered 503', 'Nothing of this request was recorded (503)'],
    ['answered 502 with a page', 'answered 502'],
    ['answered 429', 'Too many requests (429)'],
    ['silence', 'no answer within 0.3 s'],
    ['cut off', 'the connection broke before the whole answer came (ECONNRESET)'],
    [
      'recorded and answered half',
      'the connection broke before the whole answer came (ECONNRESET)',
    ],
  ] as const)('says why it waits when a request was %s', async (name, why) => {
    api.usual = BEHAVIORS[name];
    await table.append(1);
    table.deliverTo(api.url(), { times: { requestMs: 300 } });
    expect(await table.state('waiting')).toEqual({
      is: 'waiting',
      why,
      oldestAt: 1_700_000_000_001,
    });
  });

  it('says that it cannot reach a port on which nobody listens, and goes on when somebody does', async () => {
    await table.append(1);
    const proxy = await TcpProxy.before(Number(new URL(api.url()).port));
    try {
      const serve = await proxy.refuse();
      table.deliverTo(`http://127.0.0.1:${proxy.port}`);
      expect((await table.state('waiting')).why).toBe('cannot be reached (ECONNREFUSED)');
      await serve();
      await table.delivered();
      expect(sizes()).toEqual([1]);
    } finally {
      await proxy.close();
    }
  });

  it.each(['before', 'within'] as const)(
    'sends the same bytes again after the connection was cut %s the body',
    async (place) => {
      let cuts = 0;
      api.early = (request) => {
        if (cuts === 2) return false;
        cuts += 1;
        if (place === 'before') request.destroy();
        else request.once('data', () => request.destroy());
        return true;
      };
      await table.append(900, 400);
      table.deliverTo(api.url());
      await table.delivered();
      expect(cuts).toBe(2);
      expect(api.recorded).toEqual(upTo(900));
      expect(sizes()).toEqual([900]);
    },
  );

  it('waits for as long as the api asks', async () => {
    await table.append(1);
    api.next.push(BEHAVIORS['answered 503, to come again in a second']);
    table.deliverTo(api.url());
    await table.delivered();
    const [first, second] = api.arrived;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990);
  });

  it('tries again at once when it is asked to', async () => {
    await table.append(1);
    api.next.push((_, response) => answer(response, 503, {}, { 'retry-after': '60' }));
    table.deliverTo(api.url());
    await table.state('waiting');
    table.delivery.retry();
    await table.delivered();
    expect(sizes()).toEqual([1, 1]);
  });

  it('halves a request that breaks off three times, because the line may not carry it', async () => {
    api.early = (request) => {
      const isTooLong = Number(request.headers['content-length']) > 20_000;
      if (isTooLong) request.destroy();
      return isTooLong;
    };
    await table.append(100, 1_000);
    table.deliverTo(api.url());
    await table.delivered();
    expect(table.delivery.figures.requests).toMatchObject({ waiting: 9, halved: 3 });
    expect(api.recorded).toEqual(upTo(100));
  });
});

describe('delivery to an api that says that a request is too large', () => {
  const stopAt = (bytes: number): void => {
    api.early = (request, response) => {
      const isTooLarge = Number(request.headers['content-length']) > bytes;
      if (isTooLarge) answer(response, 413, { title: 'The request is too large' });
      return isTooLarge;
    };
  };

  it('halves it until it fits, and tries larger ones again after a while', async () => {
    stopAt(100_000);
    await table.append(800, 1_000);
    table.deliverTo(api.url());
    await table.delivered();
    expect(api.recorded).toEqual(upTo(800));
    expect(Math.min(...sizes().slice(0, 8))).toBeGreaterThan(45);
    expect(table.delivery.figures.requests.halved).toBe(5);
    expect(table.states).toEqual([]);
    stopAt(Infinity);
    for (let line = 0; line < 20; line += 1) await table.append(500, 1_000);
    await table.delivered();
    expect(Math.max(...sizes())).toBeGreaterThan(400);
    expect(api.recorded).toEqual(upTo(10_800));
  });

  it('delivers to a proxy that refuses before it has read, and cuts the connection', async () => {
    api.early = (request, response) => {
      const isTooLarge = Number(request.headers['content-length']) > 100_000;
      if (!isTooLarge) return false;
      response.writeHead(413, { connection: 'close' }).end();
      request.socket.destroySoon();
      return true;
    };
    await table.append(800, 1_000);
    table.deliverTo(api.url());
    await table.delivered();
    expect(api.recorded).toEqual(upTo(800));
  });

  it('is blocked by one event that is too large, and names it', async () => {
    stopAt(5_000);
    await table.append(3);
    const n = await table.append(1, 10_000);
    await table.append(3);
    table.deliverTo(api.url());
    const state = await table.state('blocked');
    expect(state).toMatchObject({
      why: 'the event is too large: The request is too large (413)',
      event: { n, event: 1 },
    });
    expect(api.recorded).toEqual([1, 2, 3]);
    table.skipped.push({ n, event: 1 });
    table.delivery.retry();
    await table.delivered();
    expect(api.recorded).toEqual([1, 2, 3, 5, 6, 7]);
  });
});

describe('delivery to an api that refuses', () => {
  const refuse =
    (status: number, body: object, headers = {}): Behavior =>
    (_, response) =>
      answer(response, status, body, headers);

  it('is blocked by one event of twenty, names it, and delivers all others once it is skipped', async () => {
    await table.append(5);
    const n = await table.append(15);
    api.usual = (arrived, response, standIn) => {
      const at = arrived.ids.indexOf(12);
      if (at < 0) return BEHAVIORS.taken(arrived, response, standIn);
      answer(response, 400, {
        title: 'At least one event is malformed',
        detail: '1 of 20 events is malformed; nothing was recorded.',
        errors: [{ position: at + 1, pointer: '/data/card', reason: '"11S" is not a card' }],
      });
    };
    table.deliverTo(api.url(), { times: { blockedMs: 60_000 } });
    expect(await table.state('blocked')).toEqual({
      is: 'blocked',
      why: '1 of 20 events is malformed; nothing was recorded (400): /data/card: "11S" is not a card',
      event: { n, event: 7 },
      oldestAt: 1_700_000_000_001,
    });
    expect(api.recorded).toEqual([]);
    table.skipped.push({ n, event: 7 });
    table.delivery.retry();
    await table.delivered();
    expect(api.recorded).toEqual(upTo(20).filter((id) => id !== 12));
    expect(table.states.map(({ is }) => is)).toEqual(['blocked', 'fresh']);
    expect(table.delivery.figures.delivered).toBe(19);
  });

  it('goes on when everything that is left was skipped', async () => {
    const n = await table.append(1);
    api.usual = refuse(400, {});
    table.deliverTo(api.url(), { times: { blockedMs: 60_000 } });
    await table.state('blocked');
    table.skipped.push({ n, event: 1 });
    table.delivery.retry();
    await table.delivered();
    expect(table.delivery.state.is).not.toBe('blocked');
    expect(api.arrived.length).toBe(1);
  });

  it.each<[string, Behavior, string]>([
    [
      'a page of a portal',
      (_, response) => void response.writeHead(200).end('<html>Welcome</html>'),
      'answered 200, which is not this api',
    ],
    ['a revoked key', refuse(401, { detail: 'No.' }), 'the key is unknown or revoked (401: No)'],
    [
      'a source that the key may not write',
      refuse(403, {
        detail: "1 of 1 event is not this identity's to write; nothing was recorded.",
        errors: [{ position: 1, pointer: '/source', reason: '"device/x" is not a source' }],
      }),
      `1 of 1 event is not this identity's to write; nothing was recorded (403): /source: "device/x" is not a source`,
    ],
    ['a wrong path', (_, response) => void response.writeHead(404).end(), 'answered 404'],
    ['a wrong media type', refuse(415, { title: 'Not taken\u202e' }), 'Not taken\\u202e (415)'],
  ])('is blocked by %s, and tries until it is mended', async (_, behavior, why) => {
    await table.append(1);
    api.usual = behavior;
    table.deliverTo(api.url());
    expect((await table.state('blocked')).why).toBe(why);
    await eventually('another try', () => api.arrived.length > 2);
    expect(table.spool.figures.sent).toBe(0);
    expect(table.states.length).toBe(1);
    api.usual = BEHAVIORS.taken;
    await table.delivered();
    expect(api.recorded).toEqual([1]);
  });

  it('follows no redirect, so the key goes nowhere else', async () => {
    const other = await StandInApi.start();
    try {
      await table.append(1);
      api.usual = (_, response) =>
        void response.writeHead(307, { location: `${other.url()}/v1/events` }).end();
      table.deliverTo(api.url(), { times: { lookMs: 1 } });
      expect((await table.state('blocked')).why).toBe(
        `answered 307, a redirect to ${other.url()}/v1/events, which is not followed because the key would go there`,
      );
      await eventually('another try', () => api.arrived.length > 2);
      expect([other.arrived, other.asked]).toEqual([[], []]);
    } finally {
      await other.close();
    }
  });

  it('keeps the key out of its state and its journal, even if the api repeats it', async () => {
    const said: Behavior[] = [400, 401, 403, 503].map((status): Behavior => {
      return ({ headers }, response) =>
        answer(response, status, {
          detail: `You sent ${headers.authorization}`,
          errors: [{ position: 1, pointer: '/x', reason: `${headers.authorization}` }],
        });
    });
    said.push(({ headers }, response) => {
      response.writeHead(302, { location: `https://x.example/?key=${headers.authorization}` });
      response.end();
    });
    api.next.push(...said);
    await table.append(1);
    table.deliverTo(api.url());
    await table.delivered();
    expect(table.states.length).toBe(said.length + 1);
    const written = JSON.stringify([table.states, table.delivery.state, table.delivery.figures]);
    expect(written).not.toContain('nobody-may-see');
    expect(written).toContain('You sent Bearer …');
  });
});

describe('delivery over an api that fails at random', () => {
  const REQUEST_MS = 40;
  const names = Object.keys(BEHAVIORS) as (keyof typeof BEHAVIORS)[];
  const FAILS = fc.constantFrom(
    ...names.filter((name) => name !== 'answered 503, to come again in a second'),
  );

  it('sends every event, in order, never past a request without 202, one request at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(FAILS, { maxLength: 12 }),
        fc.array(fc.nat({ max: 130 }), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (failures, lines, isFresh) => {
          const [ownApi, own] = [await StandInApi.start(), await SpooledTable.open()];
          ownApi.next.push(...failures.map((name): Behavior => BEHAVIORS[name]));
          try {
            own.deliverTo(ownApi.url(), {
              ...(isFresh && { clock: JUST_NOW }),
              times: { requestMs: REQUEST_MS, pauseMs: 1, pauseMsMax: 4 },
            });
            for (const count of lines) await (count === 0 ? own.appendNoise() : own.append(count));
            await own.delivered();
            const total = lines.reduce((sum, count) => sum + count, 0);
            expect(ownApi.recorded).toEqual(upTo(total));
            expect(ownApi.mostOpen).toBeLessThanOrEqual(1);
            expect(own.delivery.figures.requests.taken).toBe(takenInTurn(ownApi, failures));
          } finally {
            await own.close();
            await ownApi.close();
          }
        },
      ),
      { numRuns: rounds(200) },
    );
  }, 120_000);

  it('sends every event, in order, however often it is stopped and started', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(FAILS, { maxLength: 8 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 130 }), fc.nat({ max: 3 })), {
          minLength: 1,
          maxLength: 6,
        }),
        async (failures, steps) => {
          const [ownApi, own] = [await StandInApi.start(), await SpooledTable.open()];
          ownApi.next.push(...failures.map((name): Behavior => BEHAVIORS[name]));
          const start = () =>
            own.deliverTo(ownApi.url(), {
              times: { requestMs: REQUEST_MS, pauseMs: 1, pauseMsMax: 4 },
            });
          try {
            start();
            for (const [count, requests] of steps) {
              const before = ownApi.arrived.length;
              await own.append(count);
              await eventually(
                'some requests, or all events',
                () =>
                  ownApi.arrived.length >= before + requests ||
                  own.spool.figures.sent === own.spool.figures.last,
              );
              await own.stop();
              start();
            }
            await own.delivered();
            expect(ownApi.recorded).toEqual(upTo(steps.reduce((sum, [count]) => sum + count, 0)));
          } finally {
            await own.close();
            await ownApi.close();
          }
        },
      ),
      { numRuns: rounds(80) },
    );
  }, 120_000);

  /**
   * Expects each request to begin with the first event that was not answered 202, and returns how
   * many answers of 202 led on. On a busy machine an answer can come after the time limit, wherever
   * most of that went: then the request comes again, and the gateway has not counted the answer.
   */
  function takenInTurn({ arrived }: StandInApi, failures: readonly string[]): number {
    let [events, requests] = [0, 0];
    for (const [i, { ids }] of arrived.entries()) {
      expect(ids).toEqual(ids.map((_, k) => events + k + 1));
      if ((failures[i] ?? 'taken') !== 'taken') continue;
      const wasLate = arrived[i + 1]?.ids[0] === ids[0];
      if (wasLate) continue;
      events += ids.length;
      requests += 1;
    }
    return requests;
  }
});

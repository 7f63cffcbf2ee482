import { afterEach, expect, it, jest } from '@jest/globals';
import { Connection } from '../../libs/event-log/src/kafka/connection.js';
import { eventually } from '../kit/eventually.js';

/** A client that answers, fails or is silent, as it was made. */
class Client {
  isClosed = false;

  constructor(readonly answer: () => Promise<string>) {}

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const failing = () => Promise.reject(new Error('Broker not connected'));
const silent = () => new Promise<string>(() => undefined);
const good = () => Promise.resolve('good');

/** Returns a connection whose clients are made in this order, and the clients that were made. */
function connectionOf(...answers: (() => Promise<string>)[]) {
  const made: Client[] = [];
  const connection = new Connection({
    make: () => {
      const client = new Client(answers[made.length] ?? good);
      made.push(client);
      return client;
    },
    isAnswer: ({ message }) => message === 'too large',
    onNotice: () => undefined,
  });
  const ask = (kind = 'appends', msMax = 5_000): Promise<string> =>
    connection
      .ask(kind, msMax, ({ answer }) => answer())
      .catch((error: unknown) => (error as Error).message);
  return { connection, made, ask };
}

/** Lets so much time pass for what this process measures. */
const later = (ms: number): void => {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ms);
};
afterEach(() => void jest.restoreAllMocks());

it('does not stand still since a failure of long ago, if nothing was asked in between', async () => {
  const { connection, ask } = connectionOf(failing);
  await ask();
  later(100_000);
  await ask();
  expect(connection.standsStillMs()).toBeLessThan(1_000);
  expect(connection.replacements).toBe(0);
  await connection.close();
});

it('replaces a client that fails at once, after it failed for a second', async () => {
  const { connection, made, ask } = connectionOf(failing);
  expect(await ask()).toBe('Broker not connected');
  expect(connection.replacements).toBe(0);
  await eventually('an answer', async () => (await ask()) === 'good');
  expect(connection.replacements).toBe(1);
  expect(made[0]?.isClosed).toBe(true);
  expect(connection.standsStillMs()).toBe(0);
  await connection.close();
  expect(made.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});

it('replaces a client at once that missed a time limit, also if the next one does', async () => {
  const { connection, made, ask } = connectionOf(silent, silent);
  expect(await ask('appends', 20)).toBe('no answer within 20 ms');
  expect(await ask('appends', 20)).toBe('no answer within 20 ms');
  expect(connection.standsStillMs()).toBeGreaterThan(0);
  expect(await ask()).toBe('good');
  expect(made).toHaveLength(3);
  await connection.close();
});

it('knows one kind of request that fails among others that are answered', async () => {
  let isAway = true;
  const { connection, made } = connectionOf();
  const ask = (kind: string) =>
    connection
      .ask(kind, 5_000, () => (isAway && kind === 'partition 1' ? failing() : good()))
      .catch(() => undefined);
  await eventually('the client is replaced', async () => {
    await Promise.all([ask('partition 0'), ask('partition 1')]);
    return made.length > 1;
  });
  expect(connection.standsStillMs()).toBeGreaterThanOrEqual(1_000);
  isAway = false;
  await ask('partition 1');
  expect(connection.standsStillMs()).toBe(0);
  await connection.close();
});

it('counts a refusal of a broker as an answer of the other side, and not as success', async () => {
  const refused = Object.assign(new Error('not enough replicas'), { type: 'NOT_ENOUGH_REPLICAS' });
  const { connection, ask } = connectionOf(() => Promise.reject(refused));
  await ask();
  await eventually('the time that it stands still', () => connection.standsStillMs() > 0);
  expect(connection.unansweredMs()).toBe(0);
  await connection.close();
});

it('keeps a client whose answer refuses a request, and asks none after it was closed', async () => {
  const { connection, made, ask } = connectionOf(() => Promise.reject(new Error('too large')));
  for (let n = 0; n < 3; n += 1) expect(await ask()).toBe('too large');
  expect(connection.standsStillMs()).toBe(0);
  await connection.close();
  expect(made).toHaveLength(1);
  expect(await ask()).toBe('the log is closed');
});

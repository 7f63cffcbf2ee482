import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Appending,
  BrokenLog,
  type EventLog,
  type Follower,
  type BatcherStats,
  type LogRecord,
  NotRecorded,
  OutcomeUnknown,
  RECORD_BYTES_MAX,
  type StoredRecord,
  type RecordHandler,
  type Urgency,
} from '#event-log';
import { ANY_CHARACTER } from '../kit/any-character.js';
import { eventually } from '../kit/eventually.js';
import { Collector, text } from './collector.js';

/** A log as the suite uses it: with the counts of its batcher. */
type CountedLog = EventLog & { stats(): BatcherStats };

/** The store of one test: empty at first, with four partitions. */
export interface LogStore {
  /** Opens another log over the same records, as another process does. The suite closes it. */
  open(settings?: { readonly queueBytesMax?: number }): Promise<CountedLog>;
  /** Releases everything. */
  drop(): Promise<void>;
  /** Stops the store and starts it again with its records. */
  restart?(): Promise<void>;
  /** Cuts every connection to the store, once. */
  breakConnections?(): Promise<void>;
  /** Blocks appends after they are sent, until the returned function is called. */
  hold?(): Promise<() => Promise<void>>;
  /** Rejects appends before anything is recorded, until the returned function is called. */
  refuse?(): Promise<() => Promise<void>>;
  /** Records appends but loses their answers, until the returned function is called. */
  loseAnswers?(): Promise<() => Promise<void>>;
}

/** The faults that a store can simulate. */
export type Fault = 'restart' | 'breakConnections' | 'hold' | 'refuse' | 'loseAnswers';

const PARTITIONS = 4;
const record = (value: string, key = 'T1'): LogRecord => ({ key, value: Buffer.from(value) });
const appending = (
  partition: number,
  values: readonly string[],
  urgency: Urgency = 'live',
): Appending => ({ partition, records: values.map((value) => record(value)), urgency });
const numbered = (count: number, name = 'r'): string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

async function everything(log: EventLog, partition: number): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (;;) {
    const more = await log.read(partition, found.length);
    if (more.length === 0) return found;
    found.push(...more);
  }
}
const texts = async (log: EventLog, partition: number): Promise<string[]> =>
  (await everything(log, partition)).map(({ value }) => text(value));
const outcome = (appended: Promise<unknown>): Promise<unknown> =>
  appended.catch((error: unknown) => error);

/** Tests what every event log promises (libs/event-log/src/port.ts) on a store of each kind. */
export function describeEventLog(
  name: string,
  make: () => Promise<LogStore>,
  faults: readonly Fault[] = [],
): void {
  describe(`an event log in ${name}`, () => {
    let store: LogStore;
    let log: CountedLog;
    const opened: CountedLog[] = [];
    const open = async (settings?: { queueBytesMax?: number }): Promise<CountedLog> => {
      const another = await store.open(settings);
      opened.push(another);
      return another;
    };
    const followers: Follower[] = [];
    const follow = (taker: RecordHandler, by: EventLog = log): Follower => {
      const follower = by.follow(taker);
      followers.push(follower);
      return follower;
    };
    const underFault = (fault: Fault, title: string, test: () => Promise<void>): void =>
      faults.includes(fault) ? it(title, test) : it.skip(title, test);

    beforeEach(async () => {
      store = await make();
      log = await open();
    });
    afterEach(async () => {
      await Promise.all(followers.splice(0).map((follower) => follower.close()));
      await Promise.all(opened.splice(0).map((each) => each.close(0)));
      await store.drop();
    });

    describe('append', () => {
      it('assigns offsets from 0 without holes in each partition', async () => {
        expect(log.partitions).toBe(PARTITIONS);
        expect(await log.append(appending(1, ['a', 'b', 'c']))).toEqual({
          partition: 1,
          first: 0,
          next: 3,
        });
        expect(await log.append(appending(1, ['d']))).toEqual({ partition: 1, first: 3, next: 4 });
        expect(await log.append(appending(2, ['x'], 'bulk'))).toEqual({
          partition: 2,
          first: 0,
          next: 1,
        });
        expect(
          (await everything(log, 1)).map(({ partition, offset, key, value }) => [
            partition,
            offset,
            key,
            text(value),
          ]),
        ).toEqual([
          [1, 0, 'T1', 'a'],
          [1, 1, 'T1', 'b'],
          [1, 2, 'T1', 'c'],
          [1, 3, 'T1', 'd'],
        ]);
        expect(await Promise.all([0, 1, 2].map((partition) => log.head(partition)))).toEqual([
          0, 4, 1,
        ]);
      });

      it('acknowledges only records that another log over the same store can read', async () => {
        const other = await open();
        expect(other.id).toBe(log.id);
        for (let at = 0; at < 5; at += 1) {
          const { next } = await log.append(appending(0, [`mine ${at}`]));
          expect((await other.read(0, next - 1)).map(({ value }) => text(value))).toEqual([
            `mine ${at}`,
          ]);
          await other.append(appending(0, [`theirs ${at}`]));
        }
        expect(await texts(log, 0)).toEqual(
          numbered(5, '').flatMap((at) => [`mine ${at}`, `theirs ${at}`]),
        );
      });

      it('preserves any bytes and keys exactly', async () => {
        // a character cut between two records, and the one that readers show for other bytes
        const cut = [[0xc3], [0xa9], [0xef, 0xbf, 0xbd], []];
        const written = cut.map((each): LogRecord => ({
          key: 'cut',
          value: Uint8Array.from(each),
        }));
        await log.append({ partition: 3, records: written, urgency: 'live' });
        const bytes = fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.uint8Array({ minLength: 3000, maxLength: 4000 }),
        );
        const key = fc
          .string({ unit: ANY_CHARACTER, maxLength: 20 })
          .filter((each) => !each.includes('\0'));
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.record({ key, value: bytes }), { minLength: 1, maxLength: 8 }),
            async (records) => {
              const { first } = await log.append({ partition: 3, records, urgency: 'live' });
              expect(first).toBe(written.length);
              written.push(...records);
            },
          ),
          { numRuns: 25 },
        );
        const read = await everything(log, 3);
        expect(read.map(({ key: each }) => each)).toEqual(written.map(({ key: each }) => each));
        expect(
          read.every(
            ({ value }, at) => Buffer.compare(value, (written[at] as LogRecord).value) === 0,
          ),
        ).toBe(true);
      });

      it('accepts the longest record and rejects a longer one with its whole append', async () => {
        const longest = Buffer.alloc(RECORD_BYTES_MAX, 'x');
        await log.append({
          partition: 0,
          records: [{ key: 'T1', value: longest }],
          urgency: 'live',
        });
        const refused = log.append({
          partition: 0,
          records: [record('before'), { key: 'T1', value: Buffer.alloc(RECORD_BYTES_MAX + 1) }],
          urgency: 'live',
        });
        await expect(refused).rejects.toBeInstanceOf(NotRecorded);
        expect(await log.head(0)).toBe(1);
        expect(Buffer.compare((await log.read(0, 0))[0]?.value as Uint8Array, longest)).toBe(0);
      });

      it('keeps the order of each caller, and of all callers in one turn, within a partition', async () => {
        const callers = numbered(8, 'caller');
        await Promise.all(
          callers.map(async (caller) => {
            for (let at = 0; at < 10; at += 1)
              await Promise.all([
                log.append(appending(at % PARTITIONS, [`${caller} ${at} one`])),
                log.append(
                  appending(at % PARTITIONS, [`${caller} ${at} two`, `${caller} ${at} three`]),
                ),
              ]);
          }),
        );
        for (let partition = 0; partition < PARTITIONS; partition += 1) {
          const found = await texts(log, partition);
          for (const caller of callers) {
            const expected = numbered(10, '')
              .filter((at) => Number(at) % PARTITIONS === partition)
              .flatMap((at) => ['one', 'two', 'three'].map((part) => `${caller} ${at} ${part}`));
            expect(found.filter((each) => each.startsWith(`${caller} `))).toEqual(expected);
          }
        }
      });

      it('batches the appends of a hundred callers into far fewer sends', async () => {
        const before = log.stats().sends;
        await Promise.all(numbered(100).map((value) => log.append(appending(2, [value]))));
        expect(log.stats().sends - before).toBeLessThanOrEqual(5);
        expect(await texts(log, 2)).toEqual(numbered(100));
      });

      it('sends live appends before bulk appends, each in order', async () => {
        await Promise.all([
          log.append(appending(1, ['bulk a', 'bulk b'], 'bulk')),
          log.append(appending(1, ['bulk c'], 'bulk')),
          log.append(appending(1, ['live a'])),
          log.append(appending(1, ['live b'])),
        ]);
        expect(await texts(log, 1)).toEqual(['live a', 'live b', 'bulk a', 'bulk b', 'bulk c']);
      });

      it('never puts a live append inside a bulk append of any length', async () => {
        const long = Array.from({ length: 120 }, (_, at) => ({
          key: 'T1',
          value: Buffer.concat([Buffer.from(`bulk ${at} `), Buffer.alloc(50_000)]),
        }));
        const bulk = log.append({ partition: 0, records: long, urgency: 'bulk' });
        const live: Promise<unknown>[] = [];
        const until = bulk.finally(() => live.push(log.append(appending(0, ['live last']))));
        for (let at = 0; at < 10; at += 1) {
          await log.append(appending(1, [`other ${at}`]));
          live.push(log.append(appending(0, [`live ${at}`])));
        }
        await until;
        await Promise.all(live);
        const found = (await texts(log, 0)).map((each) =>
          each.slice(0, 9).replace(/\0.*/s, '').trim(),
        );
        const first = found.indexOf('bulk 0');
        expect(found.slice(first, first + 120)).toEqual(numbered(120, 'bulk '));
        expect(found.filter((each) => each.startsWith('live'))).toHaveLength(11);
      });

      it('rejects appends over the queue limit, reserves room for live ones and records none of the rejected', async () => {
        const small = await open({ queueBytesMax: 400_000 });
        const value = 'v'.repeat(40_000);
        const bulk = numbered(12).map((each) =>
          outcome(small.append(appending(0, [`${each} ${value}`], 'bulk'))),
        );
        const live = numbered(12, 'live').map((each) =>
          outcome(small.append(appending(0, [`${each} ${value}`]))),
        );
        const [bulkOutcomes, liveOutcomes] = [await Promise.all(bulk), await Promise.all(live)];
        const kept = [...liveOutcomes, ...bulkOutcomes].filter(
          (each) => !(each instanceof Error),
        ).length;
        expect(
          [...liveOutcomes, ...bulkOutcomes].every(
            (each) => !(each instanceof Error) || each instanceof NotRecorded,
          ),
        ).toBe(true);
        expect(bulkOutcomes.map((each) => each instanceof NotRecorded)).toEqual(
          numbered(12).map((_, at) => at >= 8),
        );
        expect(liveOutcomes.map((each) => each instanceof NotRecorded)).toEqual(
          numbered(12).map((_, at) => at >= 1),
        );
        expect((await everything(small, 0)).length).toBe(kept);
        expect(await small.health()).toMatchObject({
          reachable: true,
          queuedBytes: 0,
          queueBytesMax: 400_000,
        });
      });

      it('finishes waiting appends on close and rejects new ones', async () => {
        const other = await open();
        const waiting = numbered(50).map((value) => other.append(appending(3, [value])));
        const closing = other.close();
        await expect(other.append(appending(3, ['too late']))).rejects.toBeInstanceOf(NotRecorded);
        await closing;
        await Promise.all(waiting);
        expect(await texts(log, 3)).toEqual(numbered(50));
      });
    });

    describe('read', () => {
      it('reads from any offset to the head: at least one record, and about the requested number of bytes', async () => {
        await log.append({
          partition: 0,
          records: numbered(20).map((value) => record(value.padEnd(1000, '.'))),
          urgency: 'bulk',
        });
        for (const from of [0, 7, 19]) {
          const all = await log.read(0, from);
          expect(all.map(({ offset }) => offset)).toEqual(
            numbered(20 - from, '').map((at) => Number(at) + from),
          );
        }
        expect((await log.read(0, 3, 1)).map(({ offset }) => offset)).toEqual([3]);
        const some = await log.read(0, 5, 4000);
        expect(some.length).toBeGreaterThanOrEqual(3);
        expect(some.length).toBeLessThanOrEqual(6);
        expect(await log.read(0, 20)).toEqual([]);
      });

      it('rejects a read beyond the head with BrokenLog', async () => {
        await log.append(appending(0, ['a']));
        await expect(log.read(0, 5)).rejects.toBeInstanceOf(BrokenLog);
      });
    });

    describe('follow', () => {
      it('delivers existing records, then new ones, in order', async () => {
        await log.append(appending(0, numbered(30), 'bulk'));
        const taker = new Collector();
        follow(taker).add(0, 10);
        await eventually('the existing records', () => taker.texts(0).length === 20);
        for (const value of numbered(10, 'later')) await log.append(appending(0, [value]));
        await eventually('what comes', () => taker.texts(0).length === 30);
        expect(taker.texts(0)).toEqual([...numbered(30).slice(10), ...numbered(10, 'later')]);
        expect(taker.stops).toEqual([]);
      });

      it('delivers records that another log appends', async () => {
        const other = await open();
        const taker = new Collector();
        follow(taker).add(2, 0);
        await other.append(appending(2, ['from elsewhere']));
        await eventually('the records of the other log', () => taker.texts(2).length === 1);
        expect(taker.texts(2)).toEqual(['from elsewhere']);
      });

      it('adds and removes partitions while it runs, and follows one again from another offset', async () => {
        await Promise.all(
          numbered(PARTITIONS, '').map((partition) =>
            log.append(appending(Number(partition), numbered(5))),
          ),
        );
        const taker = new Collector();
        const follower = follow(taker);
        follower.add(0, 0);
        follower.add(1, 4);
        await eventually(
          'two partitions',
          () => taker.texts(0).length === 5 && taker.texts(1).length === 1,
        );
        follower.add(3, 2);
        await eventually('one more', () => taker.texts(3).length === 3);
        await follower.remove(0);
        await log.append(appending(0, ['unseen']));
        await log.append(appending(1, ['seen']));
        await eventually('the partition that is still followed', () => taker.texts(1).length === 2);
        expect(taker.offsets(0)).toEqual([0, 1, 2, 3, 4]);
        follower.add(0, 3);
        await eventually('the partition again', () => taker.offsets(0).length === 8);
        expect(taker.offsets(0)).toEqual([0, 1, 2, 3, 4, 3, 4, 5]);
        expect(taker.taken[2]).toBeUndefined();
      });

      it('waits for the handler of each partition without delaying other partitions', async () => {
        let letGo = (): void => undefined;
        const gate = new Promise<void>((resolve) => (letGo = resolve));
        let begun = 0;
        const taker = new Collector(async (partition) => {
          if (partition !== 0) return;
          begun += 1;
          await gate;
        });
        const follower = follow(taker);
        follower.add(0, 0);
        follower.add(1, 0);
        await log.append(appending(0, ['first']));
        await eventually('the slow taker', () => begun === 1);
        for (const value of numbered(20))
          await Promise.all([log.append(appending(0, [value])), log.append(appending(1, [value]))]);
        await eventually('the other partition', () => taker.texts(1).length === 20);
        expect(begun).toBe(1);
        letGo();
        await eventually('the slow partition', () => taker.texts(0).length === 21);
        expect(taker.texts(0)).toEqual(['first', ...numbered(20)]);
        expect(taker.atOnceMax).toBe(1);
      });

      it('stops a partition whose handler rejects, with the reason, and continues the others', async () => {
        const taker = new Collector(async (partition) => {
          if (partition === 0) throw new Error('the fold failed');
        });
        const follower = follow(taker);
        follower.add(0, 0);
        follower.add(1, 0);
        await log.append(appending(0, ['poison']));
        await eventually('the stop', () => taker.stops.length === 1);
        await log.append(appending(0, ['after it']));
        await log.append(appending(1, ['healthy']));
        await eventually('the other partition', () => taker.texts(1).length === 1);
        expect(taker.stops).toEqual([
          { partition: 0, why: expect.objectContaining({ message: 'the fold failed' }) },
        ]);
        expect(taker.texts(0)).toEqual([]);
      });

      it('stops a partition that is followed from beyond its head', async () => {
        await log.append(appending(0, ['only']));
        const taker = new Collector();
        follow(taker).add(0, 7);
        await eventually('the stop', () => taker.stops.length === 1);
        expect(taker.stops[0]?.why).toBeInstanceOf(BrokenLog);
        expect(taker.taken).toEqual([]);
      });

      it('waits for the handler before it removes a partition and before it closes', async () => {
        let letGo = (): void => undefined;
        let begun = false;
        const gate = new Promise<void>((resolve) => (letGo = resolve));
        const taker = new Collector(async () => {
          begun = true;
          await gate;
        });
        const follower = follow(taker);
        follower.add(0, 0);
        await log.append(appending(0, ['slow']));
        await eventually('the taker', () => begun);
        let ended = false;
        let removed = false;
        const removing = follower.remove(0).then(() => (removed = true));
        const closing = follower.close().then(() => (ended = true));
        await log.append(appending(0, ['another']));
        expect([removed, ended]).toEqual([false, false]);
        letGo();
        await Promise.all([removing, closing]);
        expect(taker.texts(0)).toEqual(['slow']);
      });
    });

    describe('under faults', () => {
      underFault(
        'refuse',
        'rejects a refused append with NotRecorded and records nothing of it',
        async () => {
          await log.append(appending(0, ['before']));
          const undo = await store.refuse?.();
          const refused = await Promise.all([
            outcome(log.append(appending(0, ['refused']))),
            outcome(log.append(appending(1, ['refused, too'], 'bulk'))),
          ]);
          await undo?.();
          const notRecorded = expect.any(NotRecorded);
          expect(refused).toEqual([notRecorded, notRecorded]);
          await eventually('an append that succeeds again', () =>
            log.append(appending(0, ['after'])).catch(() => undefined),
          );
          expect(await texts(log, 0)).toEqual(['before', 'after']);
          expect(await texts(log, 1)).toEqual([]);
        },
      );

      underFault(
        'loseAnswers',
        'rejects with OutcomeUnknown if the answer is lost, and stores a retry twice',
        async () => {
          const undo = await store.loseAnswers?.();
          expect(await outcome(log.append(appending(0, ['card'])))).toBeInstanceOf(OutcomeUnknown);
          await undo?.();
          await eventually('an answer', () =>
            log.append(appending(0, ['card'])).catch(() => undefined),
          );
          const found = await texts(log, 0);
          expect(found.length).toBeGreaterThanOrEqual(2);
          expect(new Set(found)).toEqual(new Set(['card']));
        },
      );

      underFault(
        'hold',
        'batches appends during a slow send, and stops waiting for it after the grace period on close',
        async () => {
          const slow = await open();
          const release = await store.hold?.();
          const under = outcome(slow.append(appending(0, ['under way'])));
          await eventually('the send', () => slow.stats().queuedBytes > 0);
          await new Promise(setImmediate);
          const waiting = numbered(20).map((value) => outcome(slow.append(appending(0, [value]))));
          await slow.close(50);
          expect(await under).toBeInstanceOf(OutcomeUnknown);
          expect((await Promise.all(waiting)).every((each) => each instanceof NotRecorded)).toBe(
            true,
          );
          await release?.();
          await eventually('the log again', () =>
            log.append(appending(0, ['after'])).catch(() => undefined),
          );
          expect((await texts(log, 0)).filter((each) => each.startsWith('r'))).toEqual([]);
        },
      );

      const cuts: readonly (readonly [Fault & ('restart' | 'breakConnections'), string])[] = [
        ['restart', 'a restart of the store'],
        ['breakConnections', 'a cut of every connection'],
      ];
      for (const [fault, what] of cuts)
        underFault(
          fault,
          `recovers from ${what}: keeps and delivers every acknowledged record, in order, without a hole`,
          async () => {
            const taker = new Collector();
            follow(taker).add(0, 0);
            const acknowledged: string[] = [];
            let ended = false;
            const writer = (async () => {
              for (let at = 0; !ended; at += 1) {
                const appended = await outcome(log.append(appending(0, [`w${at}`])));
                if (!(appended instanceof Error)) acknowledged.push(`w${at}`);
                else if (!(appended instanceof NotRecorded || appended instanceof OutcomeUnknown))
                  throw appended;
                await new Promise(setImmediate);
              }
            })();
            try {
              await eventually('some records before', () => acknowledged.length >= 5);
              await store[fault]?.();
              const before = acknowledged.length;
              await eventually('more records afterwards', () => acknowledged.length >= before + 5);
            } finally {
              ended = true;
              await writer;
            }
            const head = await log.head(0);
            await eventually(
              'all records',
              () => (taker.taken[0] ?? []).at(-1)?.offset === head - 1,
            );
            const offsets = [...new Set(taker.offsets(0))];
            expect(offsets).toEqual(numbered(head, '').map(Number));
            expect(taker.stops).toEqual([]);
            const there = await texts(log, 0);
            expect(
              there.filter((each, at) => there.indexOf(each) === at && acknowledged.includes(each)),
            ).toEqual(acknowledged);
            expect(taker.texts(0)).toEqual(there);
          },
        );
    });
  });
}

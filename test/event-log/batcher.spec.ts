import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type LogRecord, NotRecorded, OutcomeUnknown, type Urgency } from '#event-log';
import { type Batch, Batcher } from '../../libs/event-log/src/batcher.js';
import { weightOf } from '../../libs/event-log/src/append-queue.js';
import { eventually } from '../kit/eventually.js';

const SEND_BYTES_MAX = 150_000;
const PARTITIONS = 3;
const weightOfAll = (records: readonly LogRecord[]): number =>
  records.reduce((sum, record) => sum + weightOf(record), 0);

/** A send that records its batches and ends when a test says so. */
class Wire {
  readonly sends: Batch[][] = [];
  readonly stored: string[][] = Array.from({ length: PARTITIONS }, () => []);
  underWay = [0, 0];
  atOnceMax = 0;
  private ends: (() => void)[] = [];
  fails: (send: number) => Error | undefined = () => undefined;

  readonly send = async (batches: readonly Batch[], queue: number): Promise<number[]> => {
    const number = this.sends.push([...batches]) - 1;
    this.underWay[queue] = (this.underWay[queue] as number) + 1;
    this.atOnceMax = Math.max(this.atOnceMax, this.underWay[queue]);
    await new Promise<void>((resolve) => this.ends.push(resolve));
    this.underWay[queue] = this.underWay[queue] - 1;
    const why = this.fails(number);
    if (why) throw why;
    return batches.map(
      ({ partition, records }) =>
        (this.stored[partition] as string[]).push(...records.map(({ key }) => key)) -
        records.length,
    );
  };

  end(): void {
    for (const end of this.ends.splice(0)) end();
  }

  async drain(batcher: Batcher): Promise<void> {
    await eventually('an empty queue', () => {
      this.end();
      return batcher.stats().queuedBytes === 0;
    });
  }
}

const batcherOver = (wire: Wire, queues = 2): Batcher =>
  new Batcher({
    partitions: PARTITIONS,
    queues,
    queueOf: (partition) => partition % queues,
    sendBytesMax: SEND_BYTES_MAX,
    send: wire.send,
  });
const records = (name: string, count: number, bytes = 10): LogRecord[] =>
  Array.from({ length: count }, (_, at) => ({
    key: `${name}.${at}`,
    value: new Uint8Array(bytes),
  }));
const outcome = (appended: Promise<unknown>): Promise<unknown> =>
  appended.catch((error: unknown) => error);

describe('a batcher', () => {
  const wanted = fc.record({
    partition: fc.nat(PARTITIONS - 1),
    urgency: fc.constantFrom<Urgency>('live', 'bulk'),
    count: fc.integer({ min: 1, max: 9 }),
    bytes: fc.constantFrom(0, 100, 20_000, 60_000),
    later: fc.boolean(),
  });

  it('keeps order, whole appends, bounded sends, one send per queue and correct offsets for any appends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 25 }), async (all) => {
        const wire = new Wire();
        const batcher = batcherOver(wire);
        const appends: Promise<{ partition: number; first: number; next: number }>[] = [];
        for (const [nth, { partition, urgency, count, bytes, later }] of all.entries()) {
          appends.push(
            batcher.append({
              partition,
              urgency,
              records: records(`${urgency}${nth}`, count, bytes),
            }),
          );
          if (later) {
            await Promise.resolve();
            wire.end();
            await Promise.resolve();
          }
        }
        await wire.drain(batcher);
        const appended = await Promise.all(appends);
        for (const [nth, { partition, urgency, count }] of all.entries()) {
          const { first, next } = appended[nth] as { first: number; next: number };
          expect(next - first).toBe(count);
          expect((wire.stored[partition] as string[]).slice(first, next)).toEqual(
            records(`${urgency}${nth}`, count).map(({ key }) => key),
          );
        }
        for (const urgency of ['live', 'bulk'] as const)
          for (let partition = 0; partition < PARTITIONS; partition += 1) {
            const firsts = all.flatMap((each, nth) =>
              each.urgency === urgency && each.partition === partition
                ? [(appended[nth] as { first: number }).first]
                : [],
            );
            expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
          }
        for (const batches of wire.sends) {
          expect(weightOfAll(batches.flatMap(({ records: own }) => own))).toBeLessThanOrEqual(
            SEND_BYTES_MAX,
          );
          expect(new Set(batches.map(({ partition }) => partition)).size).toBe(batches.length);
        }
        expect(wire.atOnceMax).toBe(1);
        expect(batcher.stats()).toMatchObject({
          queuedBytes: 0,
          failures: 0,
          sends: wire.sends.length,
          records: all.reduce((sum, { count }) => sum + count, 0),
        });
      }),
      { numRuns: 60 },
    );
  });

  it('sends at once when idle and batches appends that arrive during a send', async () => {
    const wire = new Wire();
    const batcher = batcherOver(wire, 1);
    const first = batcher.append({ partition: 0, urgency: 'live', records: records('first', 1) });
    await Promise.resolve();
    expect(wire.sends).toHaveLength(1);
    const others = [0, 1, 2].map((partition) =>
      batcher.append({ partition, urgency: 'live', records: records(`other${partition}`, 2) }),
    );
    await wire.drain(batcher);
    await Promise.all([first, ...others]);
    expect(
      wire.sends.map((batches) =>
        batches.map(({ partition, records: own }) => [partition, own.length]),
      ),
    ).toEqual([
      [[0, 1]],
      [
        [0, 2],
        [1, 2],
        [2, 2],
      ],
    ]);
  });

  it('rejects only the appends of a failed send and continues', async () => {
    const wire = new Wire();
    const failures = [new NotRecorded('refused'), new OutcomeUnknown('lost'), new Error('a bug')];
    wire.fails = (send) => failures[send];
    const batcher = batcherOver(wire, 1);
    const outcomes: unknown[] = [];
    for (let send = 0; send < 4; send += 1) {
      const both = [0, 1].map((partition) =>
        outcome(batcher.append({ partition, urgency: 'live', records: records(`${send}`, 1) })),
      );
      await wire.drain(batcher);
      outcomes.push(...(await Promise.all(both)));
    }
    expect(outcomes.slice(0, 4)).toEqual([failures[0], failures[0], failures[1], failures[1]]);
    expect(
      outcomes.slice(4, 6).map((each) => [(each as Error).name, (each as Error).message]),
    ).toEqual([
      ['OutcomeUnknown', 'a bug'],
      ['OutcomeUnknown', 'a bug'],
    ]);
    expect(outcomes.slice(6)).toEqual([
      { partition: 0, first: 0, next: 1 },
      { partition: 1, first: 0, next: 1 },
    ]);
    expect(batcher.stats()).toMatchObject({ failures: 3, sends: 4, records: 2 });
  });

  it('rejects a partly recorded append with OutcomeUnknown and sends no more of it', async () => {
    const wire = new Wire();
    wire.fails = (send) => (send === 1 ? new NotRecorded('refused') : undefined);
    const batcher = batcherOver(wire, 1);
    const long = outcome(
      batcher.append({ partition: 0, urgency: 'bulk', records: records('long', 9, 60_000) }),
    );
    const after = batcher.append({ partition: 0, urgency: 'bulk', records: records('after', 1) });
    await wire.drain(batcher);
    expect(await long).toBeInstanceOf(OutcomeUnknown);
    expect(await after).toMatchObject({ first: 2 });
    expect(wire.stored[0]).toEqual(['long.0', 'long.1', 'after.0']);
  });

  it('continues a bulk load during a flood of live appends', async () => {
    const wire = new Wire();
    const batcher = batcherOver(wire, 1);
    const bulk = batcher.append({
      partition: 0,
      urgency: 'bulk',
      records: records('bulk', 6, 30_000),
    });
    const live: Promise<unknown>[] = [];
    let [done, rounds] = [false, 0];
    void bulk.then(() => (done = true));
    for (; !done && rounds < 20; rounds += 1) {
      for (let at = 0; at < 3; at += 1)
        live.push(
          batcher.append({
            partition: 1,
            urgency: 'live',
            records: records(`live${rounds}`, 2, 30_000),
          }),
        );
      await new Promise(setImmediate);
      wire.end();
      await new Promise(setImmediate);
    }
    expect(done).toBe(true);
    expect(rounds).toBeLessThanOrEqual(8);
    await wire.drain(batcher);
    await Promise.all(live);
  });

  it('sends a live append before waiting bulk appends, but after the rest of a partly sent one', async () => {
    const wire = new Wire();
    const batcher = batcherOver(wire, 1);
    const long = batcher.append({
      partition: 0,
      urgency: 'bulk',
      records: records('long', 3, 60_000),
    });
    await Promise.resolve();
    expect(wire.sends).toHaveLength(1);
    const others = (['bulk', 'live'] as const).map((urgency) =>
      batcher.append({ partition: 0, urgency, records: records(urgency, 1) }),
    );
    await wire.drain(batcher);
    await Promise.all([long, ...others]);
    expect(wire.stored[0]).toEqual(['long.0', 'long.1', 'long.2', 'live.0', 'bulk.0']);
  });

  it('rejects records that no log can keep before it queues anything', async () => {
    const batcher = batcherOver(new Wire());
    const one = records('a', 1);
    await expect(
      batcher.append({ partition: 3, urgency: 'live', records: one }),
    ).rejects.toBeInstanceOf(RangeError);
    await expect(
      batcher.append({ partition: 0, urgency: 'live', records: [] }),
    ).rejects.toBeInstanceOf(RangeError);
    for (const key of ['a\0b', 'a\ud800'])
      await expect(
        batcher.append({
          partition: 0,
          urgency: 'live',
          records: [...one, { key, value: new Uint8Array(1) }],
        }),
      ).rejects.toBeInstanceOf(NotRecorded);
    expect(batcher.stats().queuedBytes).toBe(0);
  });

  it('rejects waiting appends with NotRecorded and begun ones with OutcomeUnknown after the grace period', async () => {
    const wire = new Wire();
    const batcher = batcherOver(wire, 1);
    const long = outcome(
      batcher.append({ partition: 0, urgency: 'bulk', records: records('long', 9, 60_000) }),
    );
    const waits = outcome(
      batcher.append({ partition: 0, urgency: 'bulk', records: records('waits', 1) }),
    );
    await eventually('the first part', () => wire.sends.length === 1);
    await batcher.close(5);
    expect(await long).toBeInstanceOf(OutcomeUnknown);
    expect(await waits).toBeInstanceOf(NotRecorded);
    expect(batcher.stats().queuedBytes).toBe(0);
    wire.end();
    await new Promise(setImmediate);
    expect(wire.sends).toHaveLength(1);
  });
});

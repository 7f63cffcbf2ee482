import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { canonicalLine } from '#audit';
import { KafkaLog, partitionOf, PostgresLog, type EventLog } from '#event-log';
import type { ExportAsked } from '#export';
import { RowStore } from '#read-model';
import { forged } from '../evidence/forged.js';
import { sourceOf } from '../evidence/site-package.js';
import { eventually } from '../kit/eventually.js';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { asking, ExportHouse, filesIn, playedAt, shoesOf } from './export-house.js';

// A record that names another table than its key stops its partition until an administrator passes
// it. It is sealed as it is, and packages of the records behind it show it and leave it out. One
// whose key names no table is in a tree of its partition, which packages of all tables have. So is
// the marker of a transaction.

const PARTITIONS = 2;
const kafka = await kafkaForTests();
const played = playedAt('T1', { shoes: 6 });
const shoes = shoesOf(played);
const PARTITION = partitionOf('T1', PARTITIONS);

/** Where the record lies among the events: inside the third shoe. */
const AT = played.findIndex(({ shoe }) => shoe === shoes[2]) + 12;
const inLines = (events: readonly unknown[]): string =>
  events.map((event) => canonicalLine(JSON.stringify(event))).join('\n');
/** A record whose second line names another table, as only another program writes it. */
const FOREIGN = inLines(
  playedAt('T1', { seed: 9 })
    .slice(0, 3)
    .map((event, i) => ({ ...event, id: `foreign/${i}`, ...(i === 1 && { table: 'T9' }) })),
);

const ofTable = asking({ kind: 'table', table: 'T1' });
const ofShoe = (n: number): ExportAsked =>
  asking({ kind: 'shoe', table: 'T1', shoe: shoes[n] ?? '' });

/** How another program writes a record of this value in a transaction, where the log has those. */
type WriteInTransaction = (partition: number, value: Buffer) => Promise<void>;

/** Declares the tests over one log. */
function passed(
  open: (databaseUrl: string) => Promise<EventLog>,
  writeInTransaction?: WriteInTransaction,
): void {
  let house: ExportHouse;
  let offset: number;
  beforeAll(async () => {
    house = await ExportHouse.open(open);
    await house.record('T1', played.slice(0, AT));
    await house.site.append('T1', FOREIGN);
    await house.record('T1', played.slice(AT));
    offset = await stoppedAt(PARTITION);
    await house.site.sealedAll();
  }, 120_000);
  afterAll(() => house?.close());

  it('stops packages that reach it, and no others, until it is passed', async () => {
    expect((await house.report(ofShoe(0))).verdict).toBe('INTACT');
    await expect(house.make(ofTable)).rejects.toMatchObject({ code: 'rows-behind' });
  }, 60_000);

  it('is shown and left out once it is passed, and both verifiers say so', async () => {
    await pass(PARTITION, offset);
    await house.settled();
    for (const asked of [ofTable, ofShoe(2), ofShoe(3)]) {
      const { file } = await house.make(asked);
      const { verdict, faults, warnings, statement } = await house.verified(file);
      expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
      expect(statement?.unjudged).toEqual(
        [1, 2, 3].map((line) => ({
          ...{ table: 'T1', record: AT_RECORD, line, released: true },
        })),
      );
      expect(warnings.join('\n')).toMatch(/lines that were released, and are not judged/);
      expect(house.secondWord(file) ?? 'INTACT').toBe('INTACT');
    }
  }, 60_000);

  it('cannot be hidden: a package that does not list it is altered, though signed again', async () => {
    const { file } = await house.make(ofTable);
    const files = await filesIn(file);
    const path = 'data/package.json';
    const text = Buffer.from(files.get(path) ?? []).toString();
    const hidden = text.replace(/"unjudged":\[.*?\]/, '"unjudged":[]');
    expect(hidden).not.toBe(text);
    const again = forged(new Map(files).set(path, Buffer.from(hidden)), house.keyOf('exports.key'));
    const { verdict, faults } = await house.verifiedSource(sourceOf(again));
    expect(verdict).toBe('ALTERED');
    expect(faults[0]).toMatchObject({ step: 6, table: 'T1', record: AT_RECORD });
    expect(faults[0]?.message).toContain('does not name table T1');
  }, 60_000);

  it('is in the packages of all tables if its key names none, and both verifiers take them', async () => {
    const day = await house.closeDay();
    for (const key of ['', 'x'.repeat(16_385)]) await pass(0, await appended(key));
    await house.record('T2', playedAt('T2', { seed: 5, shoes: 1 }));
    const days = [day, await house.closeDay()];
    await pass(0, await appended(''));
    days.push(await house.closeDay());
    const shown: unknown[] = [];
    for (const of of days) {
      const { file } = await house.make(asking({ kind: 'day', day: of }));
      const { verdict, faults, statement } = await house.verified(file);
      expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
      expect(house.secondWord(file) ?? 'INTACT').toBe('INTACT');
      const unkeyed = statement?.tables.find(({ table }) => table === '@unkeyed-0');
      const lines = statement?.unjudged.filter(({ table }) => table === '@unkeyed-0');
      shown.push({ records: unkeyed?.records, lines: lines?.length });
    }
    expect(shown).toEqual([
      { records: undefined, lines: 0 },
      { records: 2, lines: 6 },
      { records: 3, lines: 6 },
    ]);
  }, 60_000);

  if (writeInTransaction)
    it('may be the marker that a transaction leaves behind its own record', async () => {
      await writeInTransaction(0, Buffer.from('no event'));
      const record = await stoppedAt(0);
      await pass(0, record);
      const marker = await stoppedAt(0);
      expect(marker).toBe(record + 1);
      await pass(0, marker);
      await house.record('T2', playedAt('T2', { seed: 6, shoes: 1 }));
      const day = await house.closeDay();
      const { file } = await house.make(asking({ kind: 'day', day }));
      const { verdict, faults, statement } = await house.verified(file);
      expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
      expect(house.secondWord(file) ?? 'INTACT').toBe('INTACT');
      const unkeyed = statement?.tables.find(({ table }) => table === '@unkeyed-0');
      expect(unkeyed?.records).toBe(5);
    }, 60_000);

  /** Appends a record of two lines to partition 0, and returns where the auditor stops at it. */
  async function appended(key: string): Promise<number> {
    await house.site.log.append({
      ...{ partition: 0, urgency: 'live' },
      records: [{ key, value: Buffer.from('no event\nof any table') }],
    });
    return stoppedAt(0);
  }

  /** Returns the offset at which a partition is stopped, once it is. */
  const stoppedAt = (partition: number): Promise<number> =>
    eventually('a stopped partition', async () => {
      const [row] = await house.site.query<{ stopped_offset: string }>(
        'select stopped_offset from rows.position where partition = $1 and stopped_reason is not null',
        [partition],
      );
      return row && Number(row.stopped_offset);
    });

  /** Passes a record as an administrator does. */
  async function pass(partition: number, at: number): Promise<void> {
    const [record] = await house.site.log.read(partition, at, 1);
    if (!record) throw new Error('the record is not in the log');
    const store = RowStore.open(house.site.database.url, { poolSize: 1 });
    const { text, values } = store.passing({
      ...{ partition, offset: at, size: record.value.length },
      key: record.key,
      sha256: createHash('sha256').update(record.value).digest('hex'),
      ...{ reason: 'another program wrote it', passedBy: 'person/ann' },
    });
    const rows = await house.site.query(text, values);
    await store.close();
    expect(rows).toHaveLength(1);
  }
}

/** `record` packs four events in each. */
const AT_RECORD = Math.ceil(AT / 4);

describe('a record that names another table, in a log in PostgreSQL,', () => {
  passed((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
});

describeOnKafka(
  'a record that names another table, in a log in Kafka,',
  'skipped' in kafka ? kafka.skipped : undefined,
  () => {
    const brokers = 'skipped' in kafka ? [] : kafka.brokers;
    const topic = freshTopic();
    passed(
      () => KafkaLog.open({ brokers, topic, partitions: PARTITIONS, create: true }),
      async (partition, value) => {
        const client = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
        const producer = client.producer({
          idempotent: true,
          maxInFlightRequests: 1,
          transactionalId: topic,
          createPartitioner: () => () => partition,
        });
        await producer.connect();
        const transaction = await producer.transaction();
        await transaction.send({ topic, messages: [{ key: null, value }] });
        await transaction.commit();
        await producer.disconnect();
      },
    );
  },
);

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
// it. It is sealed as it is, and packages of the records behind it show it and leave it out.

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

/** Declares the tests over one log. */
function passed(open: (databaseUrl: string) => Promise<EventLog>): void {
  let house: ExportHouse;
  let offset: number;
  beforeAll(async () => {
    house = await ExportHouse.open(open);
    await house.record('T1', played.slice(0, AT));
    await house.site.append('T1', FOREIGN);
    await house.record('T1', played.slice(AT));
    offset = await eventually('a stopped partition', async () => {
      const [row] = await house.site.query<{ stopped_offset: string }>(
        'select stopped_offset from rows.position where partition = $1 and stopped_reason is not null',
        [PARTITION],
      );
      return row && Number(row.stopped_offset);
    });
    await house.site.sealedAll();
  }, 120_000);
  afterAll(() => house?.close());

  it('stops packages that reach it, and no others, until it is passed', async () => {
    expect((await house.report(ofShoe(0))).verdict).toBe('INTACT');
    await expect(house.make(ofTable)).rejects.toMatchObject({ code: 'rows-behind' });
  }, 60_000);

  it('is shown and left out once it is passed, and both verifiers say so', async () => {
    await pass();
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

  /** Passes the record as an administrator does. */
  async function pass(): Promise<void> {
    const [record] = await house.site.log.read(PARTITION, offset, 1);
    if (!record) throw new Error('the record is not in the log');
    const store = RowStore.open(house.site.database.url, { poolSize: 1 });
    const { text, values } = store.passing({
      ...{ partition: PARTITION, offset, key: 'T1', size: record.value.length },
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
    passed(() => {
      if ('skipped' in kafka) throw new Error(kafka.skipped);
      const { brokers } = kafka;
      return KafkaLog.open({ brokers, topic: freshTopic(), partitions: PARTITIONS, create: true });
    });
  },
);

import { afterEach, describe, expect, it } from '@jest/globals';
import { KafkaLog, PostgresLog, type EventLog } from '#event-log';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { expectOneHistory, Site, verified } from './site.js';

const PARTITIONS = 3;
/** Rounds of so many records for each table, as many as it has in two minutes: a tile of each. */
const ROUNDS = 4;
const IN_A_ROUND = 64;
const kafka = await kafkaForTests();

let site: Site;
afterEach(async () => {
  await site.close();
});

const records = (table: string, count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `{"table":"${table}","n":${from + at}}`);

/** Seals a log that is there already, then one that grows, then what came while no sealer ran. */
async function sealsAll(open: (databaseUrl: string) => Promise<EventLog>): Promise<void> {
  site = await Site.open(open);
  for (const table of ['B01', 'B02', 'B03']) await site.append(table, ...records(table, 600));
  const sealer = await site.start();
  const first = await site.sealedAll();
  await site.append('B02', ...records('B02', 30, 600));
  const second = await site.sealedAll();
  await site.stop(sealer);
  await site.append('B04', ...records('B04', 30));
  await site.start();
  const third = await site.sealedAll();
  expect(await verified(site)).toMatchObject({ records: 1_860 });
  await expectOneHistory(site, [first, second, third]);
}

describe('over the log in PostgreSQL', () => {
  it('a sealer seals what is there, what comes, and what came without it', async () => {
    await sealsAll((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
  });

  it('a single-event record takes at most 100 bytes of the database', async () => {
    site = await Site.open((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
    const tables = Array.from({ length: 10 }, (_, at) => `B${at}`);
    const sealer = await site.start();
    const sizes: number[] = [];
    for (let at = 0; at < 3 * ROUNDS; at += 1) {
      for (const table of tables)
        await site.append(table, ...records(table, IN_A_ROUND, at * IN_A_ROUND));
      await site.sealedAll();
      await site.query('vacuum seal.tail, seal.tree, seal.position');
      if ((at + 1) % ROUNDS === 0) sizes.push(await sealBytes());
    }
    await site.stop(sealer);
    const [first = 0, , last = 0] = sizes;
    const each = (last - first) / (2 * ROUNDS * tables.length * IN_A_ROUND);
    process.stderr.write(`bytes of a sealed record: ${each.toFixed(1)}\n`);
    expect(each).toBeLessThanOrEqual(100);
  });
});

/** Returns the size of the schema in the database. */
async function sealBytes(): Promise<number> {
  const [size] = await site.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(c.oid))::text as bytes from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'seal' and c.relkind = 'r' and c.relname <> 'migration'`,
  );
  return Number(size?.bytes);
}

describeOnKafka('over the log in Kafka', 'skipped' in kafka ? kafka.skipped : undefined, () => {
  it('a sealer seals what is there, what comes, and what came without it', async () => {
    if ('skipped' in kafka) throw new Error(kafka.skipped);
    const { brokers } = kafka;
    const settings = { brokers, topic: freshTopic(), partitions: PARTITIONS, create: true };
    await sealsAll(() => KafkaLog.open(settings));
  });
});

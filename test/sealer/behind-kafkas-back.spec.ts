import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { crc32c } from '@node-rs/crc32';
import { KafkaLog, partitionOf } from '#event-log';
import type { KafkaCluster } from '../../scripts/kafka/cluster.mjs';
import { eventually } from '../kit/eventually.js';
import { describeOnKafka, freshTopic, kafkaToKill, whyNoKafkaToKill } from '../kit/kafka.js';
import { Site } from './site.js';

const PARTITIONS = 2;
/** A broker takes some seconds to start, and more on a busy machine. */
const TEST_MS = 180_000;
/** Where a record batch has its length, its checksum, and what the checksum covers. */
const BATCH = { length: 8, crc: 17, covered: 21, head: 12 };
const tableIn = (partition: number): string =>
  ['B1', 'B2', 'B3', 'B4', 'B5'].find((each) => partitionOf(each, PARTITIONS) === partition) ?? '';
const [HIT, WHOLE] = [tableIn(0), tableIn(1)];

let cluster: KafkaCluster;
let site: Site;
let topic: string;

const record = (table: string, n: number): string => `{"table":"${table}","n":${1_000 + n}}`;

/** Appends records one by one, so that each is a batch of its own. */
async function appended(table: string, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) await site.append(table, record(table, n));
}

/** Stops the broker, changes its files, starts it, and opens the log again. */
async function behindItsBack(change: () => void): Promise<void> {
  await cluster.kill(1, 'SIGTERM');
  change();
  await cluster.restart(1);
  await site.reopenLog();
  await site.query('delete from seal.reading');
}

const data = (): string => join(cluster.dir, 'node-1', 'data');
const segment = (): string => join(data(), `${topic}-0`, '00000000000000000000.log');

/** Returns where the batches of a segment begin. */
function batches(bytes: Buffer): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += BATCH.head + bytes.readInt32BE(at + BATCH.length))
    starts.push(at);
  return starts;
}

/** Replaces a text in the segment by one of the same length, and mends the checksum of its batch. */
function edit(text: string, by: string): void {
  const bytes = readFileSync(segment());
  const at = bytes.indexOf(text);
  if (at < 0) throw new Error(`${text} is not in the segment`);
  bytes.write(by, at);
  const start = batches(bytes).findLast((begin) => begin <= at) ?? 0;
  const end = start + BATCH.head + bytes.readInt32BE(start + BATCH.length);
  bytes.writeUInt32BE(crc32c(bytes.subarray(start + BATCH.covered, end)), start + BATCH.crc);
  writeFileSync(segment(), bytes);
}

async function verifyLog(): Promise<{ code: number; faults: readonly unknown[] }> {
  const { code, said } = await site.run('verify', '--json');
  return { code, ...(JSON.parse(said) as { faults: readonly unknown[] }) };
}

/** Waits for an alarm in the record of the house, and returns what it says. */
const alarmed = (alarm: string): Promise<Readonly<Record<string, unknown>>> =>
  eventually(`the alarm "${alarm}"`, async () =>
    (await site.house('evidence-alarm'))
      .map((event) => event.data)
      .find((each) => each.alarm === alarm),
  );

/** Appends to a table of the other partition and waits until a seal holds it. */
async function othersGoOn(): Promise<void> {
  await site.append(WHOLE, 'play goes on');
  const head = await site.log.head(1);
  await eventually('the other partition sealed', async () => {
    const next = /^next \d+ (\d+)$/m.exec((await site.reader.lastEntry('seal'))?.text ?? '');
    return Number(next?.[1]) >= head;
  });
}

describeOnKafka('behind the back of Kafka', await whyNoKafkaToKill(), () => {
  beforeAll(async () => {
    cluster = await kafkaToKill(1);
  }, TEST_MS);
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    topic = freshTopic();
    site = await Site.open(() =>
      KafkaLog.open({ brokers: cluster.brokers, topic, partitions: PARTITIONS, create: true }),
    );
    const sealer = await site.start();
    await appended(HIT, 0, 30);
    await appended(WHOLE, 0, 5);
    await site.sealedAll();
    await site.stop(sealer);
  }, TEST_MS);
  afterEach(() => site.close());

  it(
    'an edited record with a mended checksum is named, and sealing goes on',
    async () => {
      await behindItsBack(() => edit(record(HIT, 12), record(HIT, 99)));
      const place = { record: 12, partition: 0, offset: 12, line: 1 };
      expect(await verifyLog()).toMatchObject({ code: 1, faults: [{ table: HIT, ...place }] });
      const sealer = await site.start();
      expect(await alarmed('changed')).toMatchObject({ of: HIT, ...place });
      await site.append(HIT, 'play goes on');
      await site.sealedAll();
      await eventually('the mismatch among the metrics', async () =>
        /shoeprint_seal_mismatches 1/.test(await sealer.registry.metrics()),
      );
    },
    TEST_MS,
  );

  it(
    'a segment that was cut is named, and its partition is sealed no further',
    async () => {
      await behindItsBack(() => {
        const bytes = readFileSync(segment());
        writeFileSync(segment(), bytes.subarray(0, batches(bytes)[20]));
      });
      const { code, faults } = await verifyLog();
      expect(code).toBe(1);
      const message = expect.stringContaining('the log ends here, and was sealed to offset 30');
      expect(faults).toMatchObject([{ table: HIT, record: 20, partition: 0, offset: 20, message }]);
      await site.start();
      expect(await alarmed('behind')).toMatchObject({ partition: 0, offset: 20 });
      await othersGoOn();
      expect((await site.run('status')).said).toMatch(
        /^ {2}0 at offset 20, since .*ends at offset 20/m,
      );
    },
    TEST_MS,
  );

  it(
    'an older copy of the folder is named in every partition that it cuts',
    async () => {
      const copy = join(site.folder, 'older');
      await behindItsBack(() => cpSync(data(), copy, { recursive: true }));
      const sealer = await site.start();
      await appended(HIT, 30, 40);
      await site.sealedAll();
      await site.stop(sealer);
      await behindItsBack(() => {
        rmSync(data(), { recursive: true });
        cpSync(copy, data(), { recursive: true });
      });
      expect(await verifyLog()).toMatchObject({
        code: 1,
        faults: [{ table: HIT, record: 30, partition: 0, offset: 30 }],
      });
      await site.start();
      expect(await alarmed('behind')).toMatchObject({ partition: 0, offset: 30 });
      await othersGoOn();
    },
    TEST_MS,
  );

  it(
    'a hole stops its partition until it is mended and somebody resumes it',
    async () => {
      await appended(HIT, 30, 40);
      let before = Buffer.alloc(0);
      await behindItsBack(() => {
        before = readFileSync(segment());
        const [from, to] = batches(before).slice(33, 35);
        writeFileSync(segment(), Buffer.concat([before.subarray(0, from), before.subarray(to)]));
      });
      const sealer = await site.start();
      await eventually('a stopped partition', async () =>
        (await sealer.positions()).some(({ partition, stopped }) => partition === 0 && stopped),
      );
      expect(await alarmed('missing')).toMatchObject({ partition: 0, offset: 33 });
      await othersGoOn();
      await site.stop(sealer);
      await behindItsBack(() => writeFileSync(segment(), before));
      await site.start();
      await site.run('resume', '0', '--reason', 'the disk was replaced', '--by', 'mei');
      await site.sealedAll();
      expect(await verifyLog()).toMatchObject({ code: 0, faults: [] });
      expect(await site.house('evidence-resumed')).toHaveLength(1);
    },
    TEST_MS,
  );
});

import { spawn } from 'node:child_process';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openLog, type LogSettings } from '#event-log';
import { built } from '../cli/shoeprint.js';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { UTC_DAYS } from '../kit/server.js';
import { Site } from '../sealer/site.js';
import { CheckpointCollector } from './checkpoint-collector.js';

const PARTITIONS = 2;
/** Kills at each step in `npm run faults`: before and after it, in each round. */
const KILLS =
  process.env.SHOEPRINT_FAULTS_ROUNDS === undefined
    ? undefined
    : 2 * Number(process.env.SHOEPRINT_FAULTS_ROUNDS);
/** How long a sealer may take to come to the step at which it is killed. */
const STEP_MS = 30_000;
const STEPS = [
  'SealStore.commit',
  'SealStore.addEntry',
  'LastSigned.write',
  'CheckpointSigner.sign',
  'SealStore.keepCheckpoint',
  'TileFolder.write',
  'TileFolder.publish',
  'Witness.cosign',
];

const kafka = await kafkaForTests();

let site: Site;
let log: LogSettings;
let collector: CheckpointCollector;
beforeAll(() => built());
afterEach(async () => {
  await collector?.close();
  await site?.close();
});

/** Opens a site over the log that `of` names in its database. */
async function open(of: (databaseUrl: string) => LogSettings): Promise<void> {
  site = await Site.open((url) => openLog((log = of(url))));
  collector = await CheckpointCollector.of(site);
}

/** Runs a sealer until it kills itself, while records come. */
async function killedAt(when: string, step: string, nth: number): Promise<void> {
  const sealer = JSON.stringify({
    databaseUrl: site.database.url,
    log,
    settings: site.settings({ witnesses: [collector.witness.settings] }),
    gamingDays: UTC_DAYS,
  });
  const child = spawn(
    process.execPath,
    ['test/faults/killed-sealer.mjs', when, step, String(nth)],
    { env: { ...process.env, SEALER: sealer }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  const timer = setTimeout(() => child.kill('SIGTERM'), STEP_MS);
  let at = 0;
  const appending = setInterval(() => void site.append(`B${(at += 1) % 5}`, `record ${at}`), 50);
  expect({ when, step, ended: await ended }).toEqual({ when, step, ended: 'SIGKILL' });
  clearInterval(appending);
  clearTimeout(timer);
}

/**
 * Kills sealers at a step, by turns before it and after it, at its first, second and third time.
 * Expects that nothing that they signed is lost.
 */
async function survives(step: string, { first, kills }: typeof POSTGRES): Promise<void> {
  for (let kill = first; kill < first + kills; kill += 1) {
    const nth = 1 + (Math.floor(kill / 2) % 3);
    await killedAt(kill % 2 === 0 ? 'before' : 'after', step, nth);
    await site.expireLease();
  }
  await site.start();
  expect(await collector.expectOneHistory()).toBeGreaterThan(0);
}

/** Which kills are played: over PostgreSQL two and over Kafka one in `npm test`. */
const POSTGRES = { first: 0, kills: KILLS ?? 2 };
const KAFKA = { first: 3, kills: KILLS ?? 1 };
const TEST_MS = 60_000 + POSTGRES.kills * STEP_MS;

describe('over the log in PostgreSQL, a sealer that is killed', () => {
  it.each(STEPS)(
    'before or after %s loses nothing that is sealed, and says one thing of each size',
    async (step) => {
      await open((url) => ({ kind: 'postgres', url, partitions: PARTITIONS }));
      await survives(step, POSTGRES);
    },
    TEST_MS,
  );
});

const skipped = 'skipped' in kafka ? kafka.skipped : undefined;
describeOnKafka('over the log in Kafka, a sealer that is killed', skipped, () => {
  it.each(STEPS)(
    'before or after %s loses nothing that is sealed, and says one thing of each size',
    async (step) => {
      const brokers = 'brokers' in kafka ? kafka.brokers : [];
      const topic = freshTopic();
      await open(() => ({ kind: 'kafka', brokers, topic, partitions: PARTITIONS, create: true }));
      await survives(step, KAFKA);
    },
    TEST_MS,
  );
});

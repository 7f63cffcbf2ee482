import { spawn } from 'node:child_process';
import { afterEach, beforeAll, describe, expect } from '@jest/globals';
import { openLog, type LogSettings } from '#event-log';
import { built } from '../cli/shoeprint.js';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { UTC_DAYS } from '../kit/server.js';
import { Site } from '../sealer/site.js';
import { CheckpointCollector } from './checkpoint-collector.js';
import { ALL } from './scenarios.js';
import { reportRound, sealingTest } from './sealer-rounds.js';

const PARTITIONS = 2;
/** Rounds of each step over each log: one in `npm test`, twenty in `npm run faults`. */
const ROUNDS = Number(process.env.SHOEPRINT_FAULTS_ROUNDS ?? 1);
/** How long a sealer may take to come to the step at which it is killed. */
const STEP_MS = 60_000;
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

/** In which moments of a step a sealer is killed in one round, and at which of its calls first. */
interface Kills {
  readonly log: 'PostgreSQL' | 'Kafka';
  readonly when: readonly ('before' | 'after')[];
  readonly first: number;
}
const POSTGRES: Kills = { log: 'PostgreSQL', when: ['before', 'after'], first: 0 };
/** `npm test` plays half of them. */
const KAFKA: Kills = {
  ...{ log: 'Kafka', first: 1 },
  when: ALL ? ['before', 'after'] : ['after'],
};

/**
 * Declares a test that kills sealers at a step, by turns at its first, second and third call. After
 * each round a sealer that lives goes on, and nothing that was signed may be lost.
 */
function kills({ log: name, when, first }: Kills, step: string, start: () => Promise<void>): void {
  const scenario = `killed at ${step}, log in ${name}`;
  const play = async (round: number): Promise<void> => {
    for (const each of when) {
      await killedAt(each, step, 1 + ((first + round) % 3));
      await site.expireLease();
    }
    const sealer = await site.start();
    expect(await collector.expectOneHistory()).toBeGreaterThan(0);
    await site.stop(sealer);
    const heads = await site.heads();
    reportRound(scenario, { acknowledged: heads.reduce((sum, head) => sum + head, 0) });
  };
  sealingTest(scenario)(
    `${when.join(' and ')} ${step} loses nothing that is sealed, and says one thing of each size`,
    async () => {
      await start();
      for (let round = 0; round < ROUNDS; round += 1)
        await play(round).catch((error: unknown) => {
          reportRound(scenario, { failed: String(error) });
          throw error;
        });
    },
    60_000 + 2 * ROUNDS * STEP_MS,
  );
}

describe('over the log in PostgreSQL, a sealer that is killed', () => {
  for (const step of STEPS)
    kills(POSTGRES, step, () => open((url) => ({ kind: 'postgres', url, partitions: PARTITIONS })));
});

const skipped = 'skipped' in kafka ? kafka.skipped : undefined;
describeOnKafka('over the log in Kafka, a sealer that is killed', skipped, () => {
  const brokers = 'brokers' in kafka ? kafka.brokers : [];
  for (const step of STEPS)
    kills(KAFKA, step, () => {
      const topic = freshTopic();
      return open(() => ({ kind: 'kafka', brokers, topic, partitions: PARTITIONS, create: true }));
    });
});

import { spawn } from 'node:child_process';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresLog } from '#event-log';
import { built } from '../cli/shoeprint.js';
import { UTC_DAYS } from '../kit/server.js';
import { Site } from '../sealer/site.js';
import { CheckpointCollector } from './checkpoint-collector.js';
import { SEALER_ROUNDS } from './sealer-rounds.js';

const PARTITIONS = 2;
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

let site: Site;
let collector: CheckpointCollector;
beforeAll(() => built());
beforeEach(async () => {
  site = await Site.open((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
  collector = await CheckpointCollector.of(site);
});
afterEach(async () => {
  await collector.close();
  await site.close();
});

/** Runs a sealer until it kills itself, while records come. */
async function killedAt(when: string, step: string, nth: number): Promise<void> {
  const sealer = JSON.stringify({
    databaseUrl: site.database.url,
    partitions: PARTITIONS,
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

describe('a sealer that is killed', () => {
  it.each(STEPS)(
    'before or after %s loses nothing that is sealed, and says one thing of each size',
    async (step) => {
      for (let round = 0; round < SEALER_ROUNDS; round += 1)
        for (const when of ['before', 'after']) {
          await killedAt(when, step, 1 + (round % 3));
          await site.expireLease();
        }
      await site.start();
      expect(await collector.expectOneHistory()).toBeGreaterThan(0);
    },
    60_000 + 2 * SEALER_ROUNDS * STEP_MS,
  );
});

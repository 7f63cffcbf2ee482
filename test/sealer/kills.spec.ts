import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readCheckpoint, utf8Of, type SignedCheckpoint } from '#evidence';
import { PostgresLog } from '#event-log';
import { built } from '../cli/shoeprint.js';
import { IS_LONG } from '../kit/rounds.js';
import { UTC_DAYS } from '../kit/server.js';
import { expectOneHistory, Site, verified } from './site.js';

const PARTITIONS = 2;
/** How long a sealer may take to come to the step at which it is killed. */
const STEP_MS = 30_000;
const STEPS = ['commit', 'addEntry', 'write', 'keepCheckpoint', 'publish'];
const ROUNDS = IS_LONG ? 20 : 1;

let site: Site;
beforeAll(() => built());
beforeEach(async () => {
  site = await Site.open((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
});
afterEach(async () => {
  await site.close();
});

/** Runs a sealer until it kills itself, while records come. */
async function killedAt(when: string, step: string, nth: number): Promise<void> {
  const sealer = JSON.stringify({
    databaseUrl: site.database.url,
    partitions: PARTITIONS,
    settings: site.settings(),
    gamingDays: UTC_DAYS,
  });
  const child = spawn(
    process.execPath,
    ['test/sealer/killed-sealer.mjs', when, step, String(nth)],
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

/** Returns the checkpoints that left the process: in the database, and in the folder. */
async function published(): Promise<SignedCheckpoint[]> {
  const file = join(site.tiles, 'checkpoint');
  const kept = await site.query<{ note: string }>('select note from seal.checkpoint');
  return [
    ...kept.map(({ note }) => readCheckpoint(utf8Of(note))),
    ...(existsSync(file) ? [readCheckpoint(readFileSync(file))] : []),
  ];
}

describe('a sealer that is killed', () => {
  it(
    'before or after any of its steps loses nothing that is sealed, and says one thing of each size',
    async () => {
      const seen: SignedCheckpoint[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        for (const step of STEPS)
          for (const when of ['before', 'after']) {
            await killedAt(when, step, 1 + (round % 3));
            await site.expireLease();
            seen.push(...(await published()));
          }
      await site.start();
      seen.push(await site.sealedAll());
      await verified(site);
      await expectOneHistory(site, seen);
    },
    ROUNDS * STEPS.length * 2 * STEP_MS,
  );
});

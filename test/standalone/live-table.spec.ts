import { mkdtempSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { liveLines } from '../../apps/standalone/src/sample/live-table.js';
import { endAll, type Serving, signedIn, Started, START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';
import { audit } from '../kit/audit.js';
import { sampleFolder } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { TableLog } from '../kit/table.js';

const data = mkdtempSync(join(tmpdir(), 'shoeprint-live-'));
const main = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));
const SETTINGS = { SHOEPRINT_DATA: data, SHOEPRINT_PORT: '0' };

const start = (...options: readonly string[]): Started =>
  Started.program([process.execPath, main, ...options], SETTINGS);

beforeAll(async () => {
  built();
  await cp(await sampleFolder(), data, { recursive: true });
}, 3 * START_MS);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

interface LiveEvent {
  readonly type: string;
  readonly time: string;
  readonly shoe?: string;
}

/** Returns the lines of the first shoe that is dealt live. */
function firstShoe(): readonly string[] {
  const lines: string[] = [];
  for (const line of liveLines(BOOK, 'L01', new Date('2026-11-22T12:00:00Z'))) {
    lines.push(line);
    if (line.includes('"shoeprint.shoe-closed.v1"')) return lines;
  }
  throw new Error('no shoe was closed');
}

it('opens its first coup within a minute and deals one every 30 to 60 seconds', () => {
  const opened = firstShoe()
    .map((line) => JSON.parse(line) as LiveEvent)
    .filter(({ type }) => type === 'shoeprint.coup-opened.v1')
    .map(({ time }) => Date.parse(time));
  const [first = 0] = opened;
  expect((first - Date.parse('2026-11-22T12:00:00Z')) / 1_000).toBeLessThan(90);
  const seconds = ((opened.at(-1) as number) - first) / 1_000 / (opened.length - 1);
  expect(seconds).toBeGreaterThan(30);
  expect(seconds).toBeLessThan(60);
});

it('spoils a coup now and then, in different ways, and leaves the others as the rules want', () => {
  const { findings } = audit(firstShoe(), { once: true });
  const coups = new Set(findings.map(({ coup }) => coup));
  expect(coups.size).toBeGreaterThanOrEqual(8);
  expect(coups.size).toBeLessThanOrEqual(15);
  expect([...coups].sort((a = 0, b = 0) => a - b).slice(0, 3)).toEqual([3, 9, 15]);
  expect(new Set(findings.map(({ code }) => code)).size).toBeGreaterThanOrEqual(5);
});

interface Tables {
  readonly lines: readonly {
    readonly table: string;
    readonly coup: { readonly cards: readonly object[] } | null;
  }[];
}

const tablesOf = async ({ ask }: Serving): Promise<Tables['lines']> =>
  ((await (await ask('/v1/tables')).json()) as Tables).lines;

const namesOf = async (serving: Serving): Promise<readonly string[]> =>
  (await tablesOf(serving)).map(({ table }) => table);

const SAMPLE = ['B01', 'B02', 'B03', 'B04', 'E01', 'N01'];

it(
  'deals one more table, whose cards arrive one by one, and a new one at the next start',
  async () => {
    const first = await signedIn(start('--live'));
    const seen = new Set<number>();
    await eventually(
      'several states of an open coup',
      async () => {
        const live = (await tablesOf(first)).find(({ table }) => table === 'L01');
        if (live?.coup) seen.add(live.coup.cards.length);
        return seen.size >= 3;
      },
      START_MS,
    );
    expect(await namesOf(first)).toEqual([...SAMPLE, 'L01'].sort());
    expect(await first.started.stop()).toBe(0);
    const second = await signedIn(start('--live'));
    const hasSecond = async (): Promise<boolean> => (await namesOf(second)).includes('L02');
    await eventually('the second table', hasSecond, START_MS);
    expect(await second.started.stop()).toBe(0);
  },
  4 * START_MS,
);

it(
  'deals no further table without the option',
  async () => {
    const serving = await signedIn(start());
    expect(await namesOf(serving)).toEqual([...SAMPLE, 'L01', 'L02'].sort());
    expect(await serving.started.stop()).toBe(0);
  },
  2 * START_MS,
);

it(
  'refuses to start beside any other table, and names it',
  async () => {
    const serving = await signedIn(start());
    const real = new TableLog('REAL-7');
    real.open();
    await serving.send(real.events.map((event) => JSON.stringify(event)));
    const hasReal = async (): Promise<boolean> => (await namesOf(serving)).includes('REAL-7');
    await eventually('the table', hasReal, START_MS);
    expect(await serving.started.stop()).toBe(0);
    const refused = start('--live');
    expect(await refused.ended).toBe(2);
    expect(refused.said).toContain('this log holds table REAL-7');
  },
  3 * START_MS,
);

it('refuses an unknown option', async () => {
  const refused = start('--lively');
  expect(await refused.ended).toBe(2);
  expect(refused.said).toContain('unknown option --lively: npm start takes --live or no option');
});

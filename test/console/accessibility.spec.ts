import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { built } from '../cli/shoeprint.js';
import { TestBrowser } from '../kit/browser.js';
import { type ConsoleServer, startConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';

const START_MS = 360_000;
const SCREEN_MS = 120_000;
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const OTHER_THEMES = ['dark', 'surveillance', 'high-contrast'];
/** All screens in two languages take minutes: `npm run test:long`. `npm test` looks at three. */
const IS_LONG = process.env['SHOEPRINT_TEST_LONG'] !== undefined;
const SHORT = ['queue', 'tables', 'tables/B04/shoes/{shoe}'];
const LANGUAGES = IS_LONG ? ['en', 'zh-Hant'] : ['en'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every screen, and a person who may see it. `{finding}` and others are of the sample day. */
const SCREENS: readonly (readonly [path: string, person: string])[] = [
  ['queue', 'pit-boss'],
  ['findings/{finding}', 'pit-boss'],
  ['findings/{finding}?step=5', 'compliance'],
  ['coups/{coup}?table=B04', 'pit-boss'],
  ['tables', 'surveillance'],
  ['tables/B04', 'surveillance'],
  ['tables/B04/shoes/{shoe}', 'surveillance'],
  ['reports', 'compliance'],
  ['reports/commission', 'finance'],
  ['reports/misdealt', 'compliance'],
  ['reports/dealers', 'compliance'],
  ['reports/shoes', 'compliance'],
  ['reports/payouts', 'compliance'],
  ['reports/devices', 'compliance'],
  ['rules', 'regulator'],
  ['rules/nsw-crown@1', 'regulator'],
  ['rules/diff?from=punto-banco@1&to=nsw-crown@1', 'regulator'],
  ['rules/policy', 'regulator'],
  ['people', 'admin'],
  ['devices', 'integrator'],
  ['settings', 'pit-boss'],
  ['nowhere', 'pit-boss'],
  ['people', 'pit-boss'],
];

let server: ConsoleServer;
let browser: TestBrowser;
let places: Readonly<Record<string, string>>;

beforeAll(async () => {
  built();
  server = await startConsoleServer();
  browser = await TestBrowser.open(server);
  const headers = { authorization: `Bearer ${await server.tokenOf('pit-boss')}` };
  const answer = await fetch(`${server.url}/v1/findings?table=B04&code=TC-08&limit=1`, { headers });
  const { lines } = (await answer.json()) as {
    lines: [{ id: string; coupRef: string; shoeRef: string }];
  };
  const [{ id, coupRef, shoeRef }] = lines;
  places = { finding: id, coup: coupRef, shoe: shoeRef };
}, START_MS);
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
afterEach(() => {
  expect(browser.complaints.splice(0)).toEqual([]);
});

/** Returns what axe finds wrong, one line for each rule. Of a long table it looks at 29 rows. */
async function violations(page: Page, options: RunOptions): Promise<string[]> {
  const { violations: found } = await page.evaluate<AxeResults>(
    `axe.run({ exclude: [['tbody tr:nth-child(n+30)']] }, ${JSON.stringify(options)})`,
  );
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html}`)[0]}`,
  );
}

/** A page of somebody, and the requests that it waits for. */
interface Opened {
  readonly page: Page;
  readonly waitsFor: Set<unknown>;
}

/** One page for each person and language. Signing in again for each screen would take minutes. */
const opened = new Map<string, Opened>();

async function openedFor(person: string, language: string): Promise<Opened> {
  const known = opened.get(`${person} ${language}`);
  if (known) return known;
  const page = await browser.visit('sign-in');
  await page.evaluate(`localStorage.setItem('shoeprint.language', '${language}')`);
  await page.goto(browser.addressOf('settings'));
  await browser.signIn(page, person);
  const waitsFor = new Set<unknown>();
  page.on('request', (request) => {
    if (!request.url().endsWith('/v1/stream')) waitsFor.add(request);
  });
  for (const ended of ['requestfinished', 'requestfailed'] as const)
    page.on(ended as 'requestfinished', (request) => waitsFor.delete(request));
  const fresh = { page, waitsFor };
  opened.set(`${person} ${language}`, fresh);
  return fresh;
}

/** Resolves once a screen has its heading and all that it asked for. */
async function settled({ page, waitsFor }: Opened): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await eventually('an answer to every request of the page', () => waitsFor.size === 0);
}

describe.each(LANGUAGES)('in %s', (language) => {
  it.each(SCREENS.filter(([path]) => IS_LONG || SHORT.includes(path)))(
    '%s has no violation of WCAG 2.2 AA for %s, in any theme',
    async (path, person) => {
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(places[name] as string),
      );
      const its = await openedFor(person, language);
      const { page } = its;
      await page.goto(browser.addressOf(address));
      await settled(its);
      await page.evaluate(axe);
      const found = await violations(page, { runOnly: { type: 'tag', values: STANDARDS } });
      for (const theme of OTHER_THEMES) {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
        const contrasts = await violations(page, {
          runOnly: { type: 'rule', values: ['color-contrast'] },
        });
        found.push(...contrasts.map((line) => `${theme}: ${line}`));
      }
      expect(found).toEqual([]);
    },
    SCREEN_MS,
  );
});

(IS_LONG ? it : it.skip)('has no violation on the page for signing in', async () => {
  const page = await browser.visit('sign-in');
  await page.locator('main h1').first().waitFor();
  await page.evaluate(axe);
  expect(await violations(page, { runOnly: { type: 'tag', values: STANDARDS } })).toEqual([]);
  await page.context().close();
});

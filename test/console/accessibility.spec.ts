import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { openConsole } from '../kit/open-console.js';

const SCREEN_MS = 120_000;
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const OTHER_THEMES = ['dark', 'surveillance', 'high-contrast'];
const LANGUAGES = ['en', 'zh-Hant'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Every screen, and a person who may see it. `{finding}` and others are of the sample day. Long
 * reports are of one dealer: axe takes minutes for hundreds of lines that differ in nothing.
 */
const SCREENS: readonly (readonly [path: string, person: string])[] = [
  ['queue', 'pit-boss'],
  ['findings/{finding}', 'pit-boss'],
  ['findings/{finding}?step=5', 'compliance'],
  ['coups/{coup}?table=B04', 'pit-boss'],
  ['tables', 'surveillance'],
  ['tables/B04', 'surveillance'],
  ['tables/B04/shoes/{shoe}', 'surveillance'],
  ['reports/commission?dealer={dealer}', 'finance'],
  ['reports/misdealt?dealer={dealer}', 'compliance'],
  ['reports/dealers?dealer={dealer}', 'compliance'],
  ['reports/shoes?dealer={dealer}', 'compliance'],
  ['reports/payouts?dealer={dealer}', 'compliance'],
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

openConsole(async (opened) => {
  ({ server, browser } = opened);
  const headers = { authorization: `Bearer ${await server.tokenOf('pit-boss')}` };
  const answer = await fetch(`${server.url}/v1/findings?table=B04&code=TC-08&limit=1`, { headers });
  const { lines } = (await answer.json()) as {
    lines: [{ id: string; coupRef: string; shoeRef: string; dealer: string }];
  };
  const [{ id, coupRef, shoeRef, dealer }] = lines;
  places = { finding: id, coup: coupRef, shoe: shoeRef, dealer };
});

/** Returns what axe finds wrong, one line for each rule. */
async function violations(
  page: Page,
  runOnly: NonNullable<RunOptions['runOnly']>,
): Promise<string[]> {
  const options: RunOptions = { runOnly, resultTypes: ['violations'] };
  const { violations: found } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(options)})`,
  );
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html}`)[0]}`,
  );
}

/** A window of 1280 px at a zoom of 400 %, and one at 200 % (WCAG 1.4.10, 1.4.4). */
const SMALL_WINDOWS = [
  { width: 320, height: 800 },
  { width: 640, height: 450 },
];
const USUAL_WINDOW = { width: 1280, height: 900 };

/** Returns the widths of window in which a page must be scrolled sideways. */
async function scrolledSideways(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const size of SMALL_WINDOWS) {
    await page.setViewportSize(size);
    await settled(page); // lists and charts fit themselves to the window a frame later
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    if (over > 0) found.push(`${size.width} px wide: ${over} px beyond the window`);
  }
  await page.setViewportSize(USUAL_WINDOW);
  return found;
}

/** One page for each person and language. Signing in again for each screen would take minutes. */
const opened = new Map<string, Page>();

async function openedFor(person: string, language: string): Promise<Page> {
  const known = opened.get(`${person} ${language}`);
  if (known) return known;
  const page = await browser.visit('sign-in');
  await page.evaluate(`localStorage.setItem('shoeprint.language', '${language}')`);
  await page.goto(browser.addressOf('settings'));
  await browser.signIn(page, person);
  opened.set(`${person} ${language}`, page);
  return page;
}

describe.each(LANGUAGES)('in %s', (language) => {
  it.each(SCREENS)(
    '%s has no violation of WCAG 2.2 AA for %s in any theme, and fits small windows',
    async (path, person) => {
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(places[name] as string),
      );
      const page = await openedFor(person, language);
      await page.goto(browser.addressOf(address));
      await settled(page);
      await page.evaluate(axe);
      const found = await violations(page, { type: 'tag', values: STANDARDS });
      for (const theme of OTHER_THEMES) {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
        const contrasts = await violations(page, { type: 'rule', values: ['color-contrast'] });
        found.push(...contrasts.map((line) => `${theme}: ${line}`));
      }
      expect([...found, ...(await scrolledSideways(page))]).toEqual([]);
    },
    SCREEN_MS,
  );
});

it('has no violation on the page for signing in', async () => {
  const page = await browser.visit('sign-in');
  await page.locator('main h1').first().waitFor();
  await page.evaluate(axe);
  expect(await violations(page, { type: 'tag', values: STANDARDS })).toEqual([]);
  await page.context().close();
});

import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { shoeprint } from '../cli/shoeprint.js';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { openConsole } from '../kit/open-console.js';

const SCREEN_MS = 120_000;
const NOT_READY = { type: 'urn:shoeprint:problem:not-ready', title: 'not ready', status: 503 };
let server: ConsoleServer;
let browser: TestBrowser;

openConsole((opened) => {
  ({ server, browser } = opened);
});

async function go(page: Page, path: string): Promise<void> {
  await page.goto(browser.addressOf(path));
  await page.waitForSelector('.rules-page, .failure');
}

/** Returns the rows of a printed table: its letters, by the name of the row. */
function printedTableau(page: string): Readonly<Record<string, string>> {
  const rows = [...page.matchAll(/^ {2}(player|banker has \d) +((?:[DSO] ?)+)$/gm)];
  return Object.fromEntries(
    rows.map(([, name = '', letters = '']) => [name, letters.replaceAll(' ', '')]),
  );
}

const shownTableau = async (page: Page): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await page
      .locator('.rules-tableau tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [
          row.querySelector('th')?.textContent ?? '',
          [...row.querySelectorAll('td')].map((cell) => cell.textContent).join(''),
        ]),
      ),
  );

it.each(['punto-banco@1', 'chemin-de-fer@1', 'nsw-crown@1'])(
  'shows %s as the command line prints it: its drawing table, hash, bets and sources',
  async (ref) => {
    const { stdout } = shoeprint(['rules', 'show', ref]);
    const page = await browser.visitAs('regulator', `rules/${ref}`);
    await page.waitForSelector('.rules-tableau');
    const printed = printedTableau(stdout);
    expect(Object.keys(printed)).toHaveLength(9);
    expect(await shownTableau(page)).toEqual(printed);

    const hash = /SHA-256 +([0-9a-f]{64})/.exec(stdout)?.[1] as string;
    await page.getByText(hash).waitFor();
    const bets = [...stdout.matchAll(/^ {2}([a-z0-9-]+) "/gm)].map(([, id]) => id);
    const shown = page.getByRole('group', { name: 'Bets' }).locator('tbody th code');
    expect(await shown.allInnerTexts()).toEqual(bets);
    const sources = [...stdout.matchAll(/^ {2}\[(\d+)\]/gm)].length;
    expect(await page.locator('.rules-sources li').count()).toBe(sources);
    const notes = /^Drawing \[(.+)\]$/m.exec(stdout)?.[1] as string;
    await page.getByRole('heading', { name: `Drawing [${notes}]` }).waitFor();
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'says how many shoes were dealt by each document, and leads to them',
  async () => {
    const page = await browser.visitAs('finance', 'rules');
    const rows = page.locator('.rules-table tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBeGreaterThan(5);
    await page.waitForFunction(
      () =>
        document.querySelectorAll('.rules-table tbody data').length ===
        document.querySelectorAll('.rules-table tbody tr').length,
    );
    const counts = await page
      .locator('.rules-table tbody data')
      .evaluateAll((found) => found.map((each) => Number(each.getAttribute('value'))));
    const at = counts.findIndex((count) => count > 0);
    await rows.nth(at).locator('td:last-child a').click();
    await page.waitForSelector('.report-body[aria-busy=false] .report-table');
    expect(await page.locator('.report-table tbody tr').count()).toBe(counts[at]);

    const headers = { authorization: `Bearer ${await server.tokenOf('finance')}` };
    const answer = await fetch(`${server.url}/v1/reports/shoes?limit=1`, { headers });
    const { total } = (await answer.json()) as { total: { shoes: number } };
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total.shoes);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'shows no shoes to who may not see them',
  async () => {
    const page = await browser.visitAs('integrator', 'rules');
    await page.locator('.rules-table tbody tr').first().waitFor();
    expect(await page.locator('.rules-table thead').innerText()).not.toContain('Shoes');
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'compares two documents in the words of the command line',
  async () => {
    const { stdout } = shoeprint(['rules', 'diff', 'punto-banco@1', 'super-6@1', '--json']);
    const { differences } = JSON.parse(stdout) as { differences: string[] };
    const page = await browser.visitAs('pit-boss', 'rules');
    await page.getByLabel('Compare').selectOption('punto-banco@1');
    await page.getByLabel('with', { exact: true }).selectOption('super-6@1');
    await page.getByRole('button', { name: 'Show the difference' }).click();
    await page.waitForSelector('.rules-differences');
    expect(await page.locator('.rules-differences li').allInnerTexts()).toEqual(differences);
    await go(page, 'rules/diff?from=punto-banco@1&to=punto-banco@1');
    await page.getByText('They do not differ.').waitFor();
    await go(page, 'rules/diff?from=punto-banco@1');
    await page.waitForURL(/\/console\/rules$/);
    await page.getByRole('button', { name: 'Show the difference' }).waitFor();
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'shows the review policy in force: what needs two persons, until when, and every disposition',
  async () => {
    const page = await browser.visitAs('compliance', 'rules/policy');
    await page.getByText('in force', { exact: true }).waitFor();
    const text = await page.locator('main').innerText();
    for (const said of ['DV-15, PR-04', 'a ruling is due within 2 hours', 'lasts 10 minutes'])
      expect(text).toContain(said);
    expect(text).toMatch(/MOP\s10,000\.00/);
    const headers = { authorization: `Bearer ${await server.tokenOf('compliance')}` };
    const answer = await fetch(`${server.url}/v1/policies/review@1`, { headers });
    const policy = (await answer.json()) as { dispositions: { code: string }[] };
    const rows = await page.locator('.rules-table tbody th').allInnerTexts();
    expect(rows.map((row) => row.split(/\s/).at(-1))).toEqual(
      policy.dispositions.map(({ code }) => code),
    );
    expect(rows[0]).toMatch(/^No error\s/);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'says in words that a document is not installed, or that a text is not a name',
  async () => {
    const page = await browser.visitAs('pit-boss', 'rules/nowhere@7');
    await page.getByRole('heading', { name: 'nowhere@7 could not be shown' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).waitFor();
    for (const path of [
      'rules/%3Cscript%3E%23%25',
      'rules/diff?from=punto-banco@1&to=nowhere@7',
      'rules/policy?ref=review@99',
    ]) {
      await go(page, path);
      await page.getByRole('alert').waitFor();
    }
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'says why it is not known how many shoes were dealt by a document',
  async () => {
    const page = await browser.visitAs('pit-boss', 'settings');
    await page.route('**/v1/reports/shoes?**', (route) =>
      route.fulfill({ status: 503, json: NOT_READY }),
    );
    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    await page.locator('.rules-table td').getByText('– not ready').first().waitFor();
    await page.context().close();
  },
  SCREEN_MS,
);

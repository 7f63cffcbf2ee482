import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { openConsole } from '../kit/open-console.js';
import { PlayedTable } from '../kit/played-table.js';
import { sentTo } from '../kit/sent-to.js';
import { workbookOf } from '../kit/workbook.js';

/** A sheet lies on its long side. */
const A4_WIDTH_MM = 210;
const MARGINS_MM = 30;
const SCREEN_MS = 120_000;
let server: ConsoleServer;
let browser: TestBrowser;
/** Somebody who dealt at each of these tables. */
let dealer: Readonly<Record<'B04' | 'E01', string>>;

openConsole(async (opened) => {
  ({ server, browser } = opened);
  dealer = { B04: await dealerAt('B04'), E01: await dealerAt('E01') };
});

async function dealerAt(table: string): Promise<string> {
  const headers = { authorization: `Bearer ${await server.tokenOf('compliance')}` };
  const answer = await fetch(`${server.url}/v1/reports/dealers?table=${table}`, { headers });
  const { lines } = (await answer.json()) as {
    lines: { dealer: string | null; coups: number }[];
  };
  return lines.find(({ dealer: name, coups }) => name !== null && coups > 20)?.dealer as string;
}

/** Reads every line of a report. Of a long list, only the lines in sight are in the page. */
async function readWhole(page: Page): Promise<void> {
  await page.waitForSelector('.report-body[aria-busy=false] .report-table');
  const all = page.getByRole('button', { name: 'Show all' });
  // by key: lines that come into sight change their height, and can move it away under a pointer
  if ((await all.count()) > 0) await all.press('Enter');
  await page
    .getByText(/^All [\d,]+ lines are shown\.$/)
    .or(page.locator('.report-facts'))
    .or(page.locator('.report-chart'))
    .first()
    .waitFor();
}

/** Reads every line of a report and puts all of them into the page. */
async function whole(page: Page): Promise<void> {
  await readWhole(page);
  await showEveryLine(page);
}

/**
 * Puts every line of a long list into the page, as a print does. A table that has just been drawn
 * does not hear that yet.
 */
async function showEveryLine(page: Page): Promise<void> {
  const areThere = (): Promise<boolean> =>
    page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'));
      return [...document.querySelectorAll<HTMLTableElement>('.report-table')].every((table) => {
        const { length } = table.querySelectorAll('tbody tr[data-index]');
        const all = Number(table.getAttribute('aria-rowcount'));
        // a table without lines shows no totals
        return !table.tFoot || 1 + length + table.tFoot.rows.length === all;
      });
    });
  await eventually('every line in the page', areThere);
}

/**
 * Does what leads to another report of the same page, and resolves once that one is shown with all
 * its lines. The address changes before the page does, so it says nothing. The address of the file
 * is drawn with the report.
 */
async function through(page: Page, lead: () => Promise<unknown>): Promise<void> {
  const file = page.locator('.report-head a[download]').first();
  const before = await file.getAttribute('href');
  await lead();
  await eventually('the other report', async () => (await file.getAttribute('href')) !== before);
  await whole(page);
}

/** Goes back to the report that the page showed before. */
const back = (page: Page): Promise<void> => through(page, () => page.goBack());

/** Opens another place of the console in the same page, without signing in again. */
async function go(page: Page, path: string): Promise<void> {
  await page.goto(browser.addressOf(path));
  await page.waitForSelector('main h1, main h2');
}

const headingsOf = (page: Page, table: number): Promise<string[]> =>
  page.locator('.report-table').nth(table).locator('thead th').allInnerTexts();

/** Returns the figures of a column, from its lines or from its totals. */
async function figures(
  page: Page,
  heading: string,
  part: 'tbody' | 'tfoot' = 'tbody',
  table = 0,
): Promise<number[]> {
  const at = (await headingsOf(page, table)).indexOf(heading) + 1;
  expect([heading, at > 0]).toEqual([heading, true]);
  const values = await page
    .locator('.report-table')
    .nth(table)
    .locator(`${part} td:nth-child(${at}) data`)
    .evaluateAll((found) => found.map((each) => each.getAttribute('value')));
  return values.map(Number);
}

/** Returns where the first figure is that is not zero, under which there is something. */
function firstOf(values: readonly number[]): number {
  const at = values.findIndex((value) => value !== 0);
  expect([values, at >= 0]).toEqual([values, true]);
  return at;
}

/** Returns the bytes of a file that a page offers, by the name of its format. */
async function downloaded(page: Page, format: string): Promise<Buffer> {
  const started = page.waitForEvent('download');
  await page.getByRole('link', { name: format.toUpperCase(), exact: true }).click();
  const parts: Buffer[] = [];
  for await (const part of await (await started).createReadStream()) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** A workbook does not have the empty cells at the end of a row. */
const withoutEmptyEnd = (row: readonly (string | number | null)[]) =>
  row.slice(0, row.findLastIndex((cell) => cell !== null) + 1);

/** Reads a file of CSV in which every text is quoted. An empty cell is null, as in a workbook. */
const cellsOf = (file: Buffer): (string | number | null)[][] =>
  file
    .toString()
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, text, number]) => {
        if (text !== undefined) return text.replaceAll('""', '"') || null;
        return number === '' || number === undefined ? null : Number(number);
      }),
    );

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

interface Opened {
  readonly column: string;
  readonly line: number;
  readonly part?: 'tbody' | 'tfoot';
  readonly table?: number;
}

/** Opens what is under a figure, and returns the figure. */
async function open(page: Page, { column, line, part = 'tbody', table = 0 }: Opened) {
  const at = (await headingsOf(page, table)).indexOf(column) + 1;
  const cell = page
    .locator('.report-table')
    .nth(table)
    .locator(`${part} tr`)
    .nth(line)
    .locator(`td:nth-child(${at})`);
  const value = Number(await cell.locator('data').getAttribute('value'));
  await through(page, () => cell.locator('a').click());
  return value;
}

describe('the commission report', () => {
  // each kind in one role, and one of them in another, whose links are the same
  it.each([
    ['finance', ['seat', 'shoe', 'table', 'dealer', 'day']],
    ['pit-boss', ['dealer']],
  ])(
    'leads %s from lines of %j to coups that add up to them',
    async (person, kinds) => {
      const page = await browser.visitAs(person, 'reports/commission?by=table');
      await whole(page);
      expect(sum(await figures(page, 'Marked'))).toBe(sum(await figures(page, 'Marked', 'tfoot')));
      for (const by of kinds) {
        await go(page, `reports/commission?by=${by}&table=B04&dealer=${dealer.B04}`);
        await whole(page);
        for (const column of ['Due', 'Marked']) {
          const figure = await open(page, { column, line: 0 });
          expect([by, column, ...(await figures(page, column, 'tfoot'))]).toEqual([
            by,
            column,
            figure,
          ]);
          await page.getByText('These coups add up to the report.').waitFor();
          await back(page);
        }
      }
      for (const column of ['Due', 'Marked'])
        for (const part of ['tbody', 'tfoot'] as const) {
          await go(page, 'reports/commission?by=shoe&table=B04');
          await whole(page);
          const line = firstOf(await figures(page, column, part));
          const figure = await open(page, { column, line, part });
          expect([column, part, ...(await figures(page, column, 'tfoot'))]).toEqual([
            ...[column, part, figure],
          ]);
        }
      await page.context().close();
    },
    SCREEN_MS,
  );
});

it(
  'says of each figure that belongs to no coup why it opens none',
  async () => {
    const page = await browser.visitAs('compliance', 'reports/commission?by=table');
    await whole(page);
    const why = 'These amounts are settled with a seat and belong to no coup';
    await page.getByText(`Collected, Waived, Outstanding: ${why}`).waitFor();
    for (const column of ['Collected', 'Waived', 'Outstanding']) {
      const at = (await headingsOf(page, 0)).indexOf(column) + 1;
      for (const part of ['tbody', 'tfoot']) {
        const cell = page.locator(`${part} tr:first-child td:nth-child(${at})`);
        expect(await cell.getAttribute('title')).toContain(why);
        expect(await cell.locator('a').count()).toBe(0);
      }
    }
    for (const [report, figures] of [
      ['dealers', 'Cards: '],
      ['shoes', 'Cards, Drawn, Unread, Must remain, Said to remain, Difference: '],
      ['devices', 'Events: '],
    ] as const) {
      await go(page, `reports/${report}`);
      await page.locator('.report-note').filter({ hasText: figures }).waitFor();
    }
    await page.context().close();
  },
  SCREEN_MS,
);

describe('the report on payouts', () => {
  it.each(['pit-boss', 'finance'])(
    'leads %s from each sum to coups that add up to it',
    async (person) => {
      const page = await browser.visitAs(person, `reports/payouts?table=E01&dealer=${dealer.E01}`);
      await whole(page);
      const lines = await figures(page, 'Bets');
      expect(lines.length).toBeGreaterThan(3);
      for (const column of ['Bets', 'Staked', 'Paid', 'Stakes taken', 'House won']) {
        const figure = await open(page, { column, line: 0 });
        expect(sum(await figures(page, column))).toBe(figure);
        expect(await figures(page, column, 'tfoot')).toEqual([figure]);
        await back(page);
        expect(sum(await figures(page, column))).toBe(sum(await figures(page, column, 'tfoot')));
        const total = await open(page, { column, line: 0, part: 'tfoot' });
        expect(await figures(page, column, 'tfoot')).toEqual([total]);
        await back(page);
      }
      await page.context().close();
    },
    SCREEN_MS,
  );

  it(
    'leads from each wrong settlement to its findings, and finance sees none of them',
    async () => {
      const page = await browser.visitAs('pit-boss', 'reports/payouts');
      await whole(page);
      const findings = await figures(page, 'Findings', 'tbody', 1);
      const amounts = await figures(page, 'Amount', 'tbody', 1);
      expect(findings.length).toBeGreaterThan(3);
      for (const line of findings.keys()) {
        const figure = await open(page, { column: 'Findings', line, table: 1 });
        expect(await page.locator('tbody tr').count()).toBe(figure);
        expect(sum(await figures(page, 'Amount'))).toBe(amounts[line]);
        await back(page);
      }
      for (const column of ['Findings', 'Amount']) {
        const totals = await figures(page, column, 'tfoot', 1);
        expect(sum(totals)).toBe(sum(await figures(page, column, 'tbody', 1)));
        for (const line of totals.keys()) {
          await open(page, { column, line, part: 'tfoot', table: 1 });
          const found = column === 'Amount' ? sum(await figures(page, 'Amount')) : undefined;
          expect(found ?? (await page.locator('tbody tr').count())).toBe(totals[line]);
          await back(page);
        }
      }
      await page.context().close();

      const finance = await browser.visitAs('finance', 'reports/payouts');
      await whole(finance);
      expect(await finance.locator('.report-table').count()).toBe(1);
      expect(await finance.locator('main').innerText()).not.toMatch(/PY-\d\d/);
      await finance.context().close();
    },
    SCREEN_MS,
  );
});

it(
  'leads from what errors gained to the findings that make up the sum, in each direction',
  async () => {
    const page = await browser.visitAs('pit-boss', 'reports/payouts');
    await whole(page);
    const gains = page.locator('.report-facts dd');
    const values = await gains
      .locator('data')
      .evaluateAll((found) => found.map((each) => Number(each.getAttribute('value'))));
    expect(values.length % 3).toBe(0);
    for (const [at, value] of values.entries()) {
      if (value === 0) continue;
      await through(page, () => gains.nth(at).locator('a').click());
      const sides = await page.locator('tfoot td:nth-last-child(2)').allInnerTexts();
      const sums = await figures(page, 'Amount', 'tfoot');
      const signs = sides.map((side) => (at % 3 === 2 && side === 'patron' ? -1 : 1));
      expect([at, sum(sums.map((each, i) => each * (signs[i] as number)))]).toEqual([at, value]);
      await back(page);
    }
    expect(values.filter((value) => value !== 0).length).toBeGreaterThan(1);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'leads from what is wrong with devices to the findings about them',
  async () => {
    const page = await browser.visitAs('compliance', 'reports/devices');
    await whole(page);
    for (const column of ['Gaps', 'Unread', 'Contradictions']) {
      const lines = await figures(page, column);
      const [total] = await figures(page, column, 'tfoot');
      expect([column, total]).toEqual([column, sum(lines)]);
      if (total === 0) continue;
      for (const part of ['tbody', 'tfoot'] as const) {
        const line = part === 'tfoot' ? 0 : firstOf(lines);
        const figure = await open(page, { column, line, part });
        expect([column, part, await page.locator('tbody tr').count()]).toEqual([
          ...[column, part, figure],
        ]);
        await back(page);
      }
    }
    expect(sum(await figures(page, 'Gaps', 'tfoot'))).toBeGreaterThan(0);
    await page.context().close();
  },
  SCREEN_MS,
);

describe('the report on dealers', () => {
  it(
    'shows the rates as a picture that the policy permits, and leads to coups and findings',
    async () => {
      const page = await browser.visitAs('pit-boss', 'reports/dealers');
      await whole(page);
      await page.waitForSelector('.report-chart svg.plot');
      const drawn = await page.locator('.report-chart svg.plot circle').count();
      expect(drawn).toBe(await page.locator('tbody tr').count());
      for (const [column, counted] of [
        ['Coups', 'tbody tr'],
        ['Findings', 'tbody tr'],
        ['Errors', 'tbody tr'],
      ] as const) {
        const figure = await open(page, { column, line: 0 });
        expect([column, await page.locator(counted).count()]).toEqual([column, figure]);
        await back(page);
      }
      const inError = await open(page, { column: 'Coups in error', line: 1 });
      await page.getByText(new RegExp(`of ${inError} coups?$`)).waitFor();
      await page.evaluate("localStorage.setItem('shoeprint.language', 'pt')");
      await go(page, 'reports/dealers');
      await page.getByText(/^Linha tracejada: todos os croupiers, \d+,\d\./).waitFor();
      await page.context().close();
    },
    SCREEN_MS,
  );
});

it(
  'counts misdealt coups and shoes as the lists under them have',
  async () => {
    const page = await browser.visitAs('compliance', 'reports/misdealt');
    await whole(page);
    const list = 5;
    const all = await page.locator('.report-table').nth(list).locator('tbody tr').count();
    for (const table of [2, 3, 4])
      expect(sum(await figures(page, 'Coups', 'tbody', table))).toBe(all);
    for (const table of [1, 2, 3, 4]) {
      const coups = await open(page, { column: 'Coups', line: 0, table });
      expect([
        table,
        await page.locator('.report-table').nth(list).locator('tbody tr').count(),
      ]).toEqual([table, coups]);
      await back(page);
      const findings = await open(page, { column: 'Findings', line: 0, table });
      expect([table, await page.locator('tbody tr').count()]).toEqual([table, findings]);
      await back(page);
    }
    const coups = await open(page, { column: 'Coups', line: 0, table: 0 });
    expect(await page.locator('.report-table').nth(list).locator('tbody tr').count()).toBe(coups);
    const findings = await open(page, { column: 'Findings', line: 0, table: 0 });
    expect(await page.locator('tbody tr').count()).toBe(findings);

    await go(page, 'reports/shoes?table=B02');
    await whole(page);
    const shoe = await open(page, { column: 'Coups', line: 0 });
    expect(await page.locator('tbody tr').count()).toBe(shoe);
    await back(page);
    for (const column of ['Coups', 'Findings'])
      for (const part of ['tbody', 'tfoot'] as const) {
        const line = firstOf(await figures(page, column, part));
        const figure = await open(page, { column, line, part });
        expect([column, part, await page.locator('tbody tr').count()]).toEqual([
          ...[column, part, figure],
        ]);
        await back(page);
      }
    await go(page, 'reports/shoes?table=B02&to=2099-01-01');
    await whole(page);
    await page.getByText('Coups, Findings: With a filter, the total counts').waitFor();
    await page.context().close();
  },
  SCREEN_MS,
);

describe('who sees which report', () => {
  const MENU: Readonly<Record<string, readonly string[]>> = {
    'pit-boss': ['Commission owed', 'Misdealt coups', 'Dealers', 'Shoes', 'Payouts'],
    surveillance: ['Misdealt coups', 'Dealers', 'Shoes', 'Payouts', 'Devices'],
    compliance: ['Commission owed', 'Misdealt coups', 'Dealers', 'Shoes', 'Payouts', 'Devices'],
    finance: ['Commission owed', 'Shoes', 'Payouts'],
    integrator: ['Devices'],
  };
  const ADDRESSES = ['commission', 'misdealt', 'dealers', 'shoes', 'payouts', 'devices'];
  const TITLES = MENU['compliance'] as readonly string[];

  it.each(Object.keys(MENU))(
    'follows the permissions of %s, in the menu and by address',
    async (person) => {
      const page = await browser.visitAs(person, 'reports');
      await page.waitForSelector('.report-menu');
      const menu = page.locator('.report-menu a');
      expect(await menu.allInnerTexts()).toEqual(MENU[person]);
      for (const [at, address] of ADDRESSES.entries()) {
        if (MENU[person]?.includes(TITLES[at] as string)) continue;
        await go(page, `reports/${address}`);
        await page.getByRole('heading', { name: 'This page is not for your roles' }).waitFor();
      }
      await page.context().close();
    },
    SCREEN_MS,
  );
});

describe('a bad address', () => {
  it(
    'says what is wrong with each filter, and leads back to the report',
    async () => {
      const page = await browser.visitAs(
        'finance',
        'reports/commission?by=fish&from=2026-13-01&nope=1',
      );
      const alert = page.getByRole('alert');
      await alert.waitFor();
      const said = await alert.innerText();
      for (const wrong of ['nope', 'by must be one of', 'from must be a gaming day'])
        expect(said).toContain(wrong);
      expect(await page.locator('.report-table').count()).toBe(0);
      await alert.getByRole('link').click();
      await whole(page);
      expect(new URL(page.url()).search).toBe('');
      await go(page, 'reports/fish');
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await page.context().close();
    },
    SCREEN_MS,
  );

  it(
    'that selects nothing says so in words',
    async () => {
      const page = await browser.visitAs('finance', 'reports/shoes?table=no%23such%2Ftable%25');
      await page.getByText('Nothing matches this filter.').waitFor();
      await page.context().close();
    },
    SCREEN_MS,
  );
});

it(
  'saves a report as the same lines in CSV and XLSX, with the figures of the screen',
  async () => {
    const page = await browser.visitAs('compliance', 'reports/commission?by=table');
    await whole(page);
    const csv = cellsOf(await downloaded(page, 'csv'));
    const xlsx = workbookOf(await downloaded(page, 'xlsx')).rows;
    expect(csv).toEqual(xlsx.map((row) => [...row]));
    const [heads = [], ...lines] = csv;
    for (const [heading, column] of [
      ['due', 'Due'],
      ['taken', 'Taken'],
      ['marked', 'Marked'],
      ['outstanding', 'Outstanding'],
    ] as const) {
      const saved = lines.map((cells) => cells[heads.indexOf(heading)]);
      expect([column, saved]).toEqual([column, await figures(page, column)]);
    }
    for (const under of ['coups', 'findings']) {
      await go(page, `reports/${under}?table=E01&dealer=${dealer.E01}`);
      await whole(page);
      const { rows } = workbookOf(await downloaded(page, 'xlsx'));
      expect(rows).toHaveLength(1 + (await page.locator('tbody tr').count()));
      expect(cellsOf(await downloaded(page, 'csv')).map(withoutEmptyEnd)).toEqual(rows);
    }
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'has only the lines in sight of a list of thousands in the page, and says how many there are',
  async () => {
    const page = await browser.visitAs('finance', 'reports/commission-coups');
    const lines = page.locator('.report-table tbody tr[data-index]');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The first 1,000 lines are shown.').waitFor();
    await showEveryLine(page);
    expect(await lines.count()).toBe(1_000);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await eventually('the lines in sight', async () => {
      const count = await lines.count();
      return count > 0 && count < 1_000;
    });
    expect(await lines.count()).toBeLessThan(150);

    await readWhole(page);
    const said = await page.getByText(/^All [\d,]+ lines are shown\.$/).innerText();
    const all = Number(said.replace(/\D/g, ''));
    expect(all).toBeGreaterThan(2_000);
    expect(await lines.count()).toBeLessThan(150);
    const sums = await figures(page, 'Due', 'tfoot');
    const table = page.locator('.report-table');
    expect(await table.getAttribute('aria-rowcount')).toBe(String(1 + all + sums.length));
    const last = page.locator(`.report-table tr[aria-rowindex="${all + 1}"]`);
    // the page grows or shrinks as lines come into it, whose heights were estimated
    await eventually('the last line', async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return last.isVisible();
    });
    expect(await figures(page, 'Due', 'tfoot')).toEqual(sums);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'prints every line on sheets of A4 without bars, and says who printed what and when',
  async () => {
    const page = await browser.visitAs('finance', 'reports/commission?by=seat&to=2099-01-01');
    await whole(page);
    const lines = await page.locator('tbody tr').count();
    expect(lines).toBeGreaterThan(300);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(sheets).toBeGreaterThan(lines / 60);
    expect(pdf).toMatch(/\/MediaBox\s*\[0 0 841\.\d+ 594\.\d+\]/);

    await page.emulateMedia({ media: 'print' });
    for (const bar of ['header.bar', '.report-menu', '.report-filter', '.report-head .actions'])
      expect([bar, await page.locator(bar).isVisible()]).toEqual([bar, false]);
    const head = await page.locator('.report-print-head').innerText();
    expect(head).toMatch(/Printed by finance on .+ UTC/);
    expect(head).toContain('Filter: A line for each: seat of a shoe; Last day: 2099-01-01');
    expect(head).toMatch(/Positions of the log: (\d+:\d+,?)+/);
    const isCut = await page
      .locator('.report-scroll')
      .first()
      .evaluate((element) => getComputedStyle(element).overflow !== 'visible');
    expect(isCut).toBe(false);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'keeps the lines that were read when the next ones cannot be, and reads on from there',
  async () => {
    const page = await browser.visitAs('finance', 'reports/commission-coups');
    await page.waitForSelector('.report-body[aria-busy=false] .report-table');
    const next = '**/v1/reports/commission/coups?**cursor=**';
    await page.route(next, (route) => route.fulfill({ status: 503, body: 'away' }));
    await page.getByRole('button', { name: 'Show more' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    await page.getByText('The first 500 lines are shown.').waitFor();
    expect(await page.locator('.report-table tbody tr[data-index]').count()).toBeGreaterThan(20);
    await page.unroute(next);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The first 1,000 lines are shown.').waitFor();
    expect(await alert.count()).toBe(0);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'says that lines which were read at several positions may not add up, and prints both',
  async () => {
    const page = await browser.visitAs('finance', 'reports/commission-coups');
    await page.getByText('The first 500 lines are shown.').waitFor();
    const head = page.locator('.report-print-head');
    expect(await head.textContent()).toMatch(/Positions of the log: [\d:,]+$/);
    await PlayedTable.open(server, 'R1');
    const ask = await sentTo(server, 'finance');
    await eventually('the shoe of R1', async () => {
      const { lines } = (await ask('GET', '/v1/shoes?table=R1')) as { lines: unknown[] };
      return lines.length > 0;
    });
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('so they may not add up').waitFor();
    await page.getByText(/^All [\d,]+ lines are shown\.$/).waitFor();
    expect(await head.textContent()).toMatch(/Positions of the log: [\d:,]+ – [\d:,]+$/);
    expect(await page.getByText('These coups add up to the report.').count()).toBe(0);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'neither prints the lines of the filter before, nor leads from them, until the new ones are read',
  async () => {
    const page = await browser.visitAs('finance', 'reports/shoes');
    await whole(page);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/reports/shoes?**table=B02**', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel('Table').fill('B02');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const print = page.getByRole('button', { name: /^Print/ });
    await page.waitForSelector('.report-body[inert]');
    expect(await print.getAttribute('aria-disabled')).toBe('true');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.report-table').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    answer();
    await page.waitForSelector('.report-body:not([inert])');
    expect(await print.getAttribute('aria-disabled')).toBeNull();
    const shoes = await page.locator('tbody td:first-child').allInnerTexts();
    expect(shoes.filter((shoe) => !shoe.startsWith('B02'))).toEqual([]);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'prints the chart of many dealers on one sheet, under what the sheet says about itself',
  async () => {
    const page = await browser.visitAs('compliance', 'reports/dealers');
    await whole(page);
    await page.waitForSelector('.report-chart svg.plot');
    await page.emulateMedia({ media: 'print' });
    const end = await page
      .locator('.report-chart')
      .evaluate((chart) => chart.getBoundingClientRect().bottom);
    expect(end).toBeLessThan(((A4_WIDTH_MM - MARGINS_MM) * 96) / 25.4);
    await page.context().close();
  },
  SCREEN_MS,
);

it(
  'prints black on white whatever the theme is',
  async () => {
    const page = await browser.visitAs('pit-boss', 'reports/dealers');
    await page.evaluate(() => {
      const preferences = JSON.stringify({ theme: 'surveillance' });
      localStorage.setItem('shoeprint.preferences.pit-boss', preferences);
    });
    await page.reload();
    await whole(page);
    await page.waitForSelector('.report-chart svg.plot');
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe(
      'surveillance',
    );
    const colors = (): Promise<readonly string[]> =>
      page
        .locator('.report-table td')
        .first()
        .evaluate((cell) => {
          const scroll = cell.closest('.report-scroll') as Element;
          return [getComputedStyle(cell).color, getComputedStyle(scroll).backgroundColor];
        });
    expect(await colors()).not.toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    await page.emulateMedia({ media: 'print' });
    expect(await colors()).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    await page.context().close();
  },
  SCREEN_MS,
);

/** Writes bytes to the log behind the api's back, under the key of a table, and passes them. */
async function writeAndPass(table: string, bytes: string, reason: string): Promise<void> {
  const database = await server.database();
  const { rows } = await database
    .query<{ partition: number; offset: string }>(
      `with moved as (
         update log.partition p set next = next + 1 from rows.table_state t
         where t."table" = $1 and p.partition = t.partition returning p.partition, p.next - 1 as at)
       insert into log.record (partition, "offset", key, value)
       select partition, at, $1, convert_to($2, 'UTF8') from moved returning partition, "offset"`,
      [table, bytes],
    )
    .finally(() => database.end());
  const partition = rows[0]?.partition;
  const headers = {
    authorization: `Bearer ${await server.tokenOf('admin')}`,
    'content-type': 'application/json',
  };
  const record = await eventually('the record that stopped its partition', async () => {
    const answer = await fetch(`${server.url}/v1/positions/${partition}/record`, { headers });
    return answer.ok
      ? ((await answer.json()) as { readonly offset: number; readonly sha256: string })
      : undefined;
  });
  const { offset, sha256 } = record;
  const passed = await fetch(`${server.url}/v1/positions/${partition}/pass`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ offset, sha256, reason }),
  });
  expect(passed.status).toBe(202);
}

it(
  'names each record of its partition that was passed, by whom and why, on the page and on paper',
  async () => {
    const page = await browser.visitAs('compliance', 'reports/shoes?table=B04');
    await whole(page);
    expect(await page.getByRole('note').count()).toBe(0);
    await writeAndPass('B04', 'not an event', 'written by a test <b>');
    for (const name of ['shoes', 'dealers', 'payouts', 'commission-coups']) {
      await go(page, `reports/${name}?table=B04`);
      const note = page.getByRole('note', { name: '1 record of the log cannot be read' });
      await note.getByText('written by a test <b>').waitFor();
      const said = await note.innerText();
      expect(said).toMatch(/Partition \d+, offset \d+: passed by admin, /);
      expect(said).toMatch(/SHA-256 [0-9a-f]{64}/);
      await page.emulateMedia({ media: 'print' });
      expect(await note.isVisible()).toBe(true);
      await page.emulateMedia({ media: 'screen' });
    }
    await go(page, 'reports/findings?table=B04');
    await whole(page);
    expect(await page.getByRole('note').count()).toBe(0);
    await page.context().close();
  },
  SCREEN_MS,
);

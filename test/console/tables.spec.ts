import { describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { roads } from '#baccarat';
import type { components } from '#api-types';
import { roadResultOf } from '../../apps/console/src/game/road-coups.js';
import { shown } from '../../apps/console/src/words/shown.js';
import { draw, PICTURES, type Pictured, shoeOf } from '../baccarat/road-pictures.js';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { openConsole } from '../kit/open-console.js';
import { shownAt } from '../kit/shown-at.js';
import { TableLog } from '../kit/table.js';

type Answers = components['schemas'];

const TABLE = 'B04';
const SHOWN_MS_MAX = 1_000;
const ROWS_MS_MAX = 40_000;
let server: ConsoleServer;
let browser: TestBrowser;
let floor: Floor;

openConsole(async (opened) => {
  ({ server, browser } = opened);
  floor = await Floor.of(server);
});

/** Asks the api beside the pages, and records events of further tables. */
class Floor {
  private constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly key: string,
  ) {}

  static async of(server: ConsoleServer): Promise<Floor> {
    const { url } = server;
    const token = await server.tokenOf('admin');
    const answer = await fetch(`${url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ name: 'tables', sources: ['device/*', 'person/*'], tables: ['*'], types: ['*'] },
      }),
    });
    return new Floor(url, token, ((await answer.json()) as { token: string }).token);
  }

  async ask<Answer>(path: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await fetch(`${this.url}${path}`, { headers });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as Answer;
  }

  async send(events: readonly object[]): Promise<void> {
    const answer = await fetch(`${this.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/x-ndjson' },
      body: events.map((event) => JSON.stringify(event)).join('\n'),
    });
    if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
    const headers = {
      authorization: `Bearer ${this.token}`,
      'min-position': answer.headers.get('log-position') ?? '',
    };
    const areThere = async (): Promise<boolean> =>
      (await fetch(`${this.url}/v1/tables`, { headers })).ok;
    await eventually('the rows of what was sent', areThere, ROWS_MS_MAX);
  }

  async shoe(): Promise<Answers['ShoeWholeAnswer']> {
    const { lines } = await this.ask<Answers['ShoesAnswer']>(`/v1/shoes?table=${TABLE}`);
    const ref = encodeURIComponent((lines[0] as Answers['ShoeAnswer']).ref);
    return this.ask<Answers['ShoeWholeAnswer']>(`/v1/shoes/${ref}?table=${TABLE}`);
  }
}

const shoeAddress = (table: string, ref: string): string =>
  `tables/${encodeURIComponent(table)}/shoes/${encodeURIComponent(ref)}`;

const textOf = async (locator: Locator): Promise<string> =>
  (await locator.innerText()).replace(/\s+/g, ' ');

const board = (page: Page, name: string): Locator => page.getByRole('list', { name, exact: true });

/** Waits until a screen has read what it shows, and what changes from now on arrives. */
async function live(page: Page): Promise<void> {
  await page.getByText('● live').waitFor();
  await settled(page);
}

/** An element of the page, as far as these tests read one: they compile without the DOM. */
interface Item {
  readonly style: { readonly gridColumnStart: string; readonly gridRowStart: string };
  readonly href: string;
  querySelector(selector: string): {
    readonly textContent: string | null;
    getAttribute(name: string): string | null;
  } | null;
}

interface ShownMark {
  readonly column: number;
  readonly row: number;
  readonly name: string;
}

/** Where each mark of a board lies, and what is read of it. */
const marksOn = (locator: Locator): Promise<ShownMark[]> =>
  locator.locator('li').evaluateAll((items) =>
    (items as unknown as Item[]).map((item) => ({
      column: Number(item.style.gridColumnStart) - 1,
      row: Number(item.style.gridRowStart) - 1,
      name: item.querySelector('a')?.getAttribute('title') ?? '',
    })),
  );

/** Renders a board as it is drawn: the glyph of each cell, or the first letter of its color. */
async function drawnOn(locator: Locator): Promise<string> {
  const cells = await locator.locator('li').evaluateAll((items) =>
    (items as unknown as Item[]).map((item) => ({
      column: Number(item.style.gridColumnStart) - 1,
      row: Number(item.style.gridRowStart) - 1,
      letter:
        item.querySelector('.road-glyph, .road-glyph-on')?.textContent ??
        item.querySelector('[data-colour]')?.getAttribute('data-colour')?.charAt(0).toUpperCase() ??
        '?',
    })),
  );
  return draw(cells, ({ letter }) => letter);
}

/** Four pairs of hands, nine points against seven: the four ranks of the one, then of the other. */
const NINE_TO_SEVEN = ['54 52', '9K 6A', '72 34', '8A Q7'] as const;

/** Deals a shoe with these results. No shoe of eight decks runs out of a card. */
function dealShoe(log: TableLog, results: string): void {
  const dealt = new Map<string, number>();
  const next = (rank: string): string => {
    const count = dealt.get(rank) ?? 0;
    dealt.set(rank, count + 1);
    return rank + 'SHDC'.charAt(count % 4);
  };
  log.open({ reports: ['outcomes', 'dealers'] });
  log.dealer();
  for (const [i, { outcome }] of shoeOf(results).entries()) {
    const [nine = '', seven = ''] = (NINE_TO_SEVEN[i % 4] as string).split(' ');
    const player = [...(outcome === 'banker' ? seven : nine)].map(next);
    const banker = [...(outcome === 'player' ? seven : nine)].map(next);
    log.add('shoe', 'coup-opened', { coup: i + 1 });
    log.draw(`P ${player[0]} B ${banker[0]} P ${player[1]} B ${banker[1]}`);
    log.add('terminal', 'outcome-declared', { outcome: outcome ?? 'tie', by: 'dealer' });
    log.add('terminal', 'coup-closed');
  }
}

const DRAWN: readonly (Pictured & { readonly board: string; readonly table: string })[] = [
  ...PICTURES.beadPlate.map((each, i) => ({ ...each, board: 'Bead plate', table: `BP${i}` })),
  ...PICTURES.bigRoad.map((each, i) => ({ ...each, board: 'Big road', table: `BR${i}` })),
  ...PICTURES.bigEyeBoy.map((each, i) => ({ ...each, board: 'Big eye boy', table: `BE${i}` })),
  ...PICTURES.smallRoad.map((each, i) => ({ ...each, board: 'Small road', table: `SR${i}` })),
  ...PICTURES.cockroachPig.map((each, i) => ({ ...each, board: 'Cockroach pig', table: `CP${i}` })),
];

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe('the tables', () => {
  it('are shown to a pit boss as they stand, with what waits for a ruling', async () => {
    const page = await browser.visitAs('pit-boss', 'tables');
    await page.getByRole('heading', { name: 'Tables' }).waitFor();
    const tile = page.locator(`[data-table="${TABLE}"]`);
    const waiting = tile.getByRole('link', { name: /findings wait/ });
    await waiting.waitFor();
    expect(await textOf(tile)).toMatch(/^B04 \d+ findings wait No shoe is open Dealer dealer-\d+ /);
    await waiting.click();
    await page.waitForURL(`**/queue?table=${TABLE}`);
    await page.context().close();
  });

  it('are shown to finance without findings, as of a time, with a way to read again', async () => {
    const page = await browser.visitAs('finance', 'tables');
    await page.getByRole('button', { name: 'Read again' }).waitFor();
    await page.getByText(/^As of /).waitFor();
    await settled(page);
    expect(await textOf(page.locator(`[data-table="${TABLE}"]`))).not.toMatch(/finding/);
    await page.context().close();
  });

  it('show each card and what is due within a second of its draw', async () => {
    const page = await browser.visitAs('pit-boss', 'tables');
    await live(page);
    const log = new TableLog('X1');
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1 });
    await floor.send(log.events.splice(0));
    const tile = page.locator('[data-table="X1"]');
    await tile.getByText('Due: a card to the player').waitFor();
    for (const [cards, player, banker, due] of [
      ['P 9S', 'nine of spades, total 9', ', total –', 'Due: a card to the banker'],
      ['B ??', 'nine of spades, total 9', 'card that was not read, total ?', 'player'],
      [
        'P 7H B 2C',
        'nine of spades, seven of hearts, total 6',
        'two of clubs, total ?',
        'not known',
      ],
    ] as const) {
      log.draw(cards);
      const hands = [`player: ${player}`, banker];
      const shown = shownAt(page, '[data-table="X1"]', due, ...hands);
      await floor.send(log.events.splice(0));
      const sent = Date.now();
      await tile.getByText(due).waitFor();
      await tile.getByRole('group', { name: `player: ${player}` }).waitFor();
      await tile.getByRole('group', { name: banker }).waitFor();
      expect((await shown) - sent).toBeLessThan(SHOWN_MS_MAX);
    }
    await page.context().close();
  });

  it('say why what is due is not known where the rules cannot be read', async () => {
    const log = new TableLog('X6');
    log.open();
    log.add('shoe', 'coup-opened', { coup: 1 });
    await floor.send(log.events);
    const page = await browser.visitAs('pit-boss', 'settings');
    const refusal = { type: 'urn:shoeprint:problem:not-ready', title: 'not ready', status: 503 };
    await page.route('**/v1/rules/**', (route) => route.fulfill({ status: 503, json: refusal }));
    await page.getByRole('link', { name: 'Tables', exact: true }).click();
    const tile = page.locator('[data-table="X6"]');
    await tile.getByText('What is due is not known: not ready').waitFor();
    await page.context().close();
  });

  it('count each finding that waits, also those that come right after one another', async () => {
    const page = await browser.visitAs('pit-boss', 'tables');
    await live(page);
    const log = new TableLog('X4');
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.draw('P 9S', 'person/pat');
    await floor.send(log.events.splice(0));
    const tile = page.locator('[data-table="X4"]');
    await tile.getByText('1 finding waits').waitFor();
    log.draw('B 8S', 'person/pat');
    await floor.send(log.events.splice(0));
    await tile.getByText('2 findings wait').waitFor();
    await page.context().close();
  });

  it('have names whose unseen characters are escapes, there and wherever they lead', async () => {
    const log = new TableLog('X\u202e7');
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.draw('P 9S', 'person/pat');
    await floor.send(log.events.splice(0));
    const escaped = String.raw`X\u202e7`;
    const page = await browser.visitAs('pit-boss', 'tables');
    const saysEscaped = async (): Promise<void> => {
      await page.getByText(escaped).first().waitFor();
      await settled(page);
      expect(await textOf(page.locator('body'))).not.toContain('\u202e');
      expect(await page.title()).not.toContain('\u202e');
    };
    await saysEscaped();
    await page.getByRole('link', { name: escaped, exact: true }).click();
    await page.getByRole('heading', { name: escaped }).first().waitFor();
    await saysEscaped();
    await page.goto(browser.addressOf(`queue?table=${encodeURIComponent('X\u202e7')}`));
    await page.locator('.queue-where').getByText(escaped).first().waitFor();
    await saysEscaped();
    await page.context().close();
  });
});

describe('a table', () => {
  it('has its last shoe, and is a page that says so where there is no such table', async () => {
    const page = await browser.visitAs('finance', `tables/${TABLE}`);
    await page.getByRole('heading', { name: /^Shoe B04-/ }).waitFor();
    await page.goto(browser.addressOf('tables/no%2Fsuch%23table'));
    await page.getByRole('heading', { name: 'There is no table no/such#table' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).waitFor();
    await page.context().close();
  });
});

describe('a shoe', () => {
  it('has every road as the game computes it, and each cell leads to its coup', async () => {
    const shoe = await floor.shoe();
    const page = await browser.visitAs('pit-boss', shoeAddress(TABLE, shoe.ref));
    await board(page, 'Big road').waitFor();
    const expected = roads(shoe.coupLines.map((coup) => roadResultOf(coup)));
    for (const [name, marks] of [
      ['Big road', expected.bigRoad],
      ['Bead plate', expected.beadPlate],
      ['Big eye boy', expected.bigEyeBoy],
      ['Small road', expected.smallRoad],
      ['Cockroach pig', expected.cockroachPig],
    ] as const) {
      const shown = await marksOn(board(page, name));
      expect(shown.map(({ column, row }) => [column, row])).toEqual(
        marks.map(({ column, row }) => [column, row]),
      );
    }
    const links = await board(page, 'Big road')
      .locator('a')
      .evaluateAll((found) => (found as unknown as Item[]).map(({ href }) => href));
    const led = expected.bigRoad.map(({ coup, ties }) => {
      const coups = [coup, ...ties.map((tie) => tie.coup)].map(
        (at) => shoe.coupLines[at] as Answers['CoupAnswer'],
      );
      const worst = Math.min(...coups.map((each) => each.worst ?? 9));
      return coups.find((each) => (each.worst ?? 9) === worst)?.ref;
    });
    expect(links).toEqual(
      led.map((ref) => browser.addressOf(`coups/${encodeURIComponent(ref ?? '')}?table=${TABLE}`)),
    );
    const bead = board(page, 'Bead plate').locator('a').nth(35);
    await bead.click();
    await page.waitForURL('**/coups/**');
    const opened = new URL(page.url());
    const there = shoe.coupLines[expected.beadPlate[35]?.coup ?? 0] as Answers['CoupAnswer'];
    expect(decodeURIComponent(opened.pathname.split('/').at(-1) ?? '')).toBe(there.ref);
    await page.context().close();
  });

  it.each(DRAWN)('has a $board that $says', async ({ board: name, table, shoe, rows }) => {
    const log = new TableLog(table);
    dealShoe(log, shoe);
    const [opened] = log.events as { source: string; id: string }[];
    await floor.send(log.events);
    const address = shoeAddress(table, `${opened?.source}#${opened?.id}`);
    const page = await browser.visitAs('pit-boss', address);
    await board(page, name).waitFor();
    expect(await drawnOn(board(page, name))).toBe(rows.join('\n'));
    expect(await page.locator('.road-flag').count()).toBe(0);
    await page.context().close();
  });

  it('has derived roads that differ in shape where a person chose that', async () => {
    const shoe = await floor.shoe();
    const page = await browser.visitAs('surveillance', shoeAddress(TABLE, shoe.ref));
    const names = ['Big eye boy', 'Small road', 'Cockroach pig'];
    const shapes = async (name: string): Promise<string[]> => {
      await board(page, name).locator('li').first().waitFor();
      const found = await board(page, name)
        .locator('[data-colour]')
        .evaluateAll((marks) =>
          marks.map((mark) => {
            const { fill, strokeDasharray } = getComputedStyle(mark);
            const line = strokeDasharray === 'none' ? 'solid' : 'dashed';
            return `${mark.getAttribute('data-colour')} ${fill === 'none' ? line : 'filled'}`;
          }),
        );
      return [...new Set(found)].sort();
    };
    for (const [at, usual] of [
      ['blue solid', 'red solid'],
      ['blue filled', 'red filled'],
      ['blue solid', 'red solid'],
    ].entries())
      expect([at, await shapes(names[at] as string)]).toEqual([at, usual]);
    const choice = page.getByRole('checkbox', { name: 'Tell red from blue by shape' });
    await choice.check();
    for (const [at, chosen] of [
      ['blue dashed', 'red solid'],
      ['blue solid', 'red filled'],
      ['blue dashed', 'red solid'],
    ].entries())
      expect([at, await shapes(names[at] as string)]).toEqual([at, chosen]);
    await page.context().close();
  });

  it('flags the coups with findings and lists them with ways to the findings', async () => {
    const shoe = await floor.shoe();
    const page = await browser.visitAs('pit-boss', `${shoeAddress(TABLE, shoe.ref)}?coup=36`);
    const flagged = board(page, 'Big road').getByRole('link', { name: /finding of severity 1/ });
    await flagged.first().waitFor();
    expect(await flagged.count()).toBe(1);
    expect(await flagged.getAttribute('aria-current')).toBe('true');
    const finding = page.getByRole('link', { name: /TC-08/ });
    expect(await finding.getAttribute('href')).toContain(`findings/${shoe.raised?.[0]?.id}`);
    await page.getByRole('link', { name: /^All \(/ }).click();
    await page.getByRole('link', { name: 'Coup 1', exact: true }).waitFor();
    expect(page.url()).toContain('coups=all');
    await page.context().close();
  });

  it('is one stop of the tab order a board, and arrows go from mark to mark', async () => {
    const shoe = await floor.shoe();
    const page = await browser.visitAs('finance', shoeAddress(TABLE, shoe.ref));
    const big = board(page, 'Big road');
    await big.waitFor();
    expect(await big.locator('a[tabindex="0"]').count()).toBe(1);
    await big.locator('a[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    const label = (): Promise<string | null> =>
      page.evaluate("document.activeElement?.getAttribute('title') ?? null");
    const marks = await marksOn(big);
    expect(await label()).toBe(marks[0]?.name);
    await page.keyboard.press('ArrowRight');
    expect(await label()).toBe(marks.find(({ column }) => column === 1)?.name);
    await page.keyboard.press('End');
    expect(await label()).toBe(marks.at(-1)?.name);
    await page.context().close();
  });

  it('leads to the shoes before and after', async () => {
    const shoe = await floor.shoe();
    const page = await browser.visitAs('finance', shoeAddress(TABLE, shoe.ref));
    const before = shoe.shoe.replace(/\d+-(\d+)$/, (_, number) => `\\d+-${Number(number) - 1}`);
    await page.getByRole('link', { name: 'Previous shoe' }).click();
    await page.getByRole('heading', { name: new RegExp(`${before}$`) }).waitFor();
    await page.getByRole('link', { name: 'Next shoe' }).click();
    await page.getByRole('heading', { name: shoe.shoe }).waitFor();
    await page.context().close();
  });

  it.each([
    ['a#b/c%d e', 'a shoe#1/2%3'],
    ['<script>alert(1)</script>', '\u202egnitirw'],
    ['r'.repeat(200), 's'.repeat(200)],
  ])('of table %j is shown whatever its names are, also without coups', async (table, id) => {
    const log = new TableLog(table);
    log.shoe = id;
    log.open();
    await floor.send(log.events);
    const page = await browser.visitAs('pit-boss', 'tables', {
      viewport: { width: 320, height: 800 },
    });
    await page.getByRole('link', { name: table, exact: true }).click();
    await page.getByText('No coup was dealt from this shoe.').waitFor();
    const [shoe] = (
      await floor.ask<Answers['ShoesAnswer']>(`/v1/shoes?table=${encodeURIComponent(table)}`)
    ).lines;
    await page.goto(browser.addressOf(shoeAddress(table, shoe?.ref ?? '')));
    await page.getByText('No coup was dealt from this shoe.').waitFor();
    expect(await page.locator('h1').innerText()).toContain(shown(id));
    await settled(page);
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    await page.context().close();
  });

  it('is a page that says so where the table has no such shoe', async () => {
    const page = await browser.visitAs('finance', shoeAddress(TABLE, 'device/x#y/z%'));
    await page.getByRole('heading', { name: `Table ${TABLE} has no such shoe` }).waitFor();
    await page.context().close();
  });

  it('says so where the address names a coup that it does not have', async () => {
    const { ref } = await floor.shoe();
    const page = await browser.visitAs('pit-boss', `${shoeAddress(TABLE, ref)}?coup=4000`);
    await page.getByText('This shoe has no coup 4000.').waitFor();
    await page.context().close();
  });

  it('has its burn and its cut card, as they come', async () => {
    const log = new TableLog('X3');
    const opened = log.open({ rules: 'punto-banco@1' });
    await floor.send(log.events.splice(0));
    const page = await browser.visitAs('pit-boss', shoeAddress('X3', opened));
    const fact = async (name: string): Promise<string> =>
      textOf(
        page
          .locator('.tables-facts dl > div')
          .filter({ has: page.getByText(name, { exact: true }) }),
      );
    const shows = (name: string, text: string): Promise<unknown> =>
      eventually(`${name} ${text}`, async () => (await fact(name)) === `${name} ${text}`);
    await shows('Burn', 'none');
    await shows('Cut card', '–');
    await live(page);
    log.draw('burn 3S KH 4D');
    await floor.send(log.events.splice(0));
    await shows('Burn', '3 of 4, by the first card three of spades');
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.draw('P 4S B 2H');
    log.add('shoe', 'cut-card-drawn');
    await floor.send(log.events.splice(0));
    await shows('Cut card', 'in coup 1, 411 cards left · 1 more coup');
    log.add('shoe', 'shoe-closed', { reason: 'cut-card' });
    await floor.send(log.events.splice(0));
    await shows('Cut card', 'in coup 1, 411 cards left');
    await page.context().close();
  });

  it('leads to the next shoe as soon as it is opened, weeks later too', async () => {
    const log = new TableLog('X5');
    const first = log.open();
    Object.assign(log.events[0] as object, { time: '2026-09-01T12:00:00.000Z' });
    await floor.send(log.events.splice(0));
    const page = await browser.visitAs('pit-boss', shoeAddress('X5', first));
    await page.getByRole('heading', { name: /Shoe S1/ }).waitFor();
    await live(page);
    log.shoe = 'S2';
    const second = log.open();
    await floor.send(log.events.splice(0));
    await page.getByRole('link', { name: 'Next shoe' }).click();
    await page.waitForURL(browser.addressOf(shoeAddress('X5', second)));
    await page.getByRole('link', { name: 'Previous shoe' }).waitFor();
    await page.context().close();
  });

  it('grows its roads while it is dealt', async () => {
    const log = new TableLog('X2');
    log.open();
    log.dealer();
    const opened = log.events[0] as { source: string; id: string };
    await floor.send(log.events.splice(0));
    const page = await browser.visitAs(
      'pit-boss',
      shoeAddress('X2', `${opened.source}#${opened.id}`),
    );
    await page.getByText('No coup was dealt from this shoe.').waitFor();
    await live(page);
    for (const [coup, cards] of [
      [1, 'P 4S B 2H P 5D B 5C'],
      [2, 'P 2S B 4H P 5D B 5S'],
    ] as const) {
      log.add('shoe', 'coup-opened', { coup });
      log.draw(cards);
      log.add('terminal', 'outcome-declared', {
        outcome: coup === 1 ? 'player' : 'banker',
        by: 'dealer',
      });
      log.add('terminal', 'coup-closed');
      await floor.send(log.events.splice(0));
      const name = coup === 1 ? 'Coup 1: player, natural' : 'Coup 2: banker, natural';
      await board(page, 'Big road')
        .getByRole('link', { name: new RegExp(`^${name}`) })
        .waitFor();
    }
    await page.context().close();
  });
});

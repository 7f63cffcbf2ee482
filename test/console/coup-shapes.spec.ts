import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { built } from '../cli/shoeprint.js';
import { settled } from '../../scripts/console/settled.mjs';
import { TestBrowser } from '../kit/browser.js';
import { type ConsoleServer, startConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { PlayedTable } from '../kit/played-table.js';
import { type Send, sentTo } from '../kit/sent-to.js';
import type { TableLog } from '../kit/table.js';

const START_MS = 360_000;
const NARROW = { viewport: { width: 320, height: 800 } };
const DRAFTS = `Object.entries(localStorage)
  .filter(([key]) => key.startsWith('shoeprint.draft.'))
  .map(([, text]) => text)`;
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
let server: ConsoleServer;
let browser: TestBrowser;
let ask: Send;

beforeAll(async () => {
  built();
  server = await startConsoleServer();
  browser = await TestBrowser.open(server);
  ask = await sentTo(server, 'compliance');
}, START_MS);
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
afterEach(() => {
  expect(browser.complaints.splice(0)).toEqual([]);
});

interface CoupLine {
  readonly ref: string;
  readonly coup: number;
  readonly state: string;
}

/** Returns the address of the first coup of a table, once it has one in a state. */
async function coupAt(table: string, state: 'open' | 'over' | 'void' = 'over'): Promise<string> {
  const ref = await eventually(`a coup at ${table} that is ${state}`, async () => {
    const { lines } = (await ask('GET', `/v1/coups?table=${table}`)) as { lines: CoupLine[] };
    return lines.find((line) => line.coup === 1 && line.state === state)?.ref;
  });
  return `coups/${encodeURIComponent(ref)}?table=${table}`;
}

/** Shows the first coup of a new table, and returns the page. Sideways scrolling is a fault. */
async function shown(
  table: string,
  play: (log: TableLog) => void,
  state?: 'open' | 'over' | 'void',
): Promise<Page> {
  const played = await PlayedTable.open(server, table);
  await played.play(play);
  const page = await browser.visitAs('compliance', await coupAt(table, state), NARROW);
  await page.locator('.felt').waitFor();
  await settled(page); // the road is read after the coup
  expect(await page.evaluate(OVERFLOW)).toBe(0);
  return page;
}

const plain = async (locator: Locator): Promise<string> =>
  (await locator.innerText()).replace(/\s+/g, ' ');
const handOf = (page: Page, side: 'player' | 'banker'): Promise<string | null> =>
  page.locator(`.felt-hand[data-side=${side}]`).getAttribute('aria-label');
/** Returns what a reader of the screen reads of each card. */
const cardsOn = (page: Page): Promise<string[]> =>
  page.locator('.felt-card .only-spoken').allTextContents();
const place = (page: Page): Promise<string> => plain(page.locator('.finding-location p'));

it('says that a coup of no cards has none, and what became of it', async () => {
  const page = await shown('N0', (log) => log.add('terminal', 'coup-opened', { coup: 1 }), 'open');
  await page.getByText('No card was drawn in this coup.').waitFor();
  expect(await place(page)).toContain('coup 1');
  expect(await place(page)).toContain('still open');
  await page.getByText('No bets were recorded.').waitFor();
  expect(await page.getByRole('toolbar', { name: 'Step through the cards' }).count()).toBe(0);
  await page.keyboard.press('f');
  await page.getByText('This finding is about no single card or bet.').waitFor();
  await page.context().close();

  const voided = await shown(
    'N1',
    (log) => {
      log.add('terminal', 'coup-opened', { coup: 1 });
      log.add('terminal', 'coup-voided', { coup: 1, by: 'pat', reason: 'a fire alarm' });
      log.add('terminal', 'coup-closed');
    },
    'void',
  );
  await voided.getByText('No card was drawn in this coup.').waitFor();
  expect(await place(voided)).toMatch(/ void$/);
  await voided.context().close();
});

it('shows each of nine cards where it went, and the three that no rule allows', async () => {
  const page = await shown('N9', (log) => {
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add('terminal', 'betting-closed');
    log.draw('P 2S B 3H P 2D B KC P AS B TH P 5D B 6C - 7H');
    log.add('terminal', 'outcome-declared', { outcome: 'tie', by: 'dealer' });
    log.add('terminal', 'coup-closed');
  });
  expect(await cardsOn(page)).toEqual([
    'Card 1: two of spades, player',
    'Card 3: two of diamonds, player',
    'Card 5: ace of spades, player',
    expect.stringMatching(/^Card 7: five of diamonds, player/),
    'Card 2: three of hearts, banker',
    'Card 4: king of clubs, banker',
    'Card 6: ten of hearts, banker',
    expect.stringMatching(/^Card 8: six of clubs, banker/),
    expect.stringMatching(/^Card 9: seven of hearts, on no hand/),
  ]);
  await page.getByText('card 9 of 9').waitFor();
  await page.locator('.why-step').nth(6).getByText(/✗ TC-/).waitFor();
  expect(await page.locator('.why-step').count()).toBe(9);
  expect(await page.locator('.why-step').nth(6).innerText()).toMatch(/✗ TC-/);
  await page.context().close();
});

it('marks the card that came out of turn, and no card where only a spoken total was wrong', async () => {
  const page = await shown('NT', (log) => {
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add('terminal', 'betting-closed');
    log.draw('P 2S B 3H P 3D B KC B 6C P 4S');
    log.add('terminal', 'outcome-declared', { outcome: 'tie', by: 'dealer', player: 8 });
    log.add('terminal', 'coup-closed');
  });
  const why = page.locator('.why');
  await why.locator('.why-step[data-faulty]').getByText('TC-09').waitFor();
  expect(await cardsOn(page)).toContain('Card 5: six of clubs, banker, the faulty card');
  expect(await page.locator('.felt-card[data-faulty]').count()).toBe(1);
  await page.getByRole('link', { name: /RS-01/ }).click();
  await page.getByRole('heading', { name: /RS-01/ }).waitFor();
  await why.waitFor();
  expect(await why.innerText()).not.toContain('RS-01');
  expect(await page.locator('[data-faulty]').count()).toBe(0);
  await page.context().close();
});

it('shows a card that was not read as such, with every total and draw that it leaves open', async () => {
  const page = await shown('NU', (log) => {
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add('terminal', 'betting-closed');
    log.draw('P 9S B KH P ?? B 5S');
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    log.add('terminal', 'coup-closed');
  });
  expect(await handOf(page, 'player')).toBe(
    'player: nine of spades, card that was not read, total ?',
  );
  expect(await handOf(page, 'banker')).toBe('banker: king of hearts, five of spades, total 5');
  expect(await plain(page.locator('.felt-outcomes'))).toContain('by the cards unknown');
  expect(await plain(page.locator('.why-then'))).toContain(' or ');
  await page.context().close();
});

it('shows a moved card at its place with the word, and an exposed one with its word', async () => {
  const page = await shown('NM', (log) => {
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add('terminal', 'betting-closed');
    const [, , , extra] = log.draw('P 9S B KH P KD - 6S! B 7C');
    log.add('terminal', 'card-moved', {
      ...{ event: extra as string, to: 'discard', by: 'pat', reason: 'fell on the floor' },
    });
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    log.add('terminal', 'coup-closed');
  });
  expect(await cardsOn(page)).toContainEqual(
    expect.stringMatching(/^Card 4: six of spades, moved, exposed, discarded/),
  );
  expect(await plain(page.locator('.felt-aside'))).toContain('discarded, moved, exposed');
  expect(await handOf(page, 'banker')).toBe('banker: king of hearts, seven of clubs, total 7');
  await page.context().close();
});

it('says of a voided coup that it is void, on its screen and on that of its finding', async () => {
  const page = await shown(
    'NV',
    (log) => {
      log.add('terminal', 'coup-opened', { coup: 1 });
      log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 10_000 });
      log.add('terminal', 'betting-closed');
      log.draw('P 9S B KH P KD B 6S P 2C');
      log.add('terminal', 'coup-voided', { coup: 1, by: 'pat', reason: 'a card too many' });
      log.add('terminal', 'bet-settled', { seat: 1, bet: 'player', stake: 'returned', paid: 0 });
      log.add('terminal', 'coup-closed');
    },
    'void',
  );
  expect(await place(page)).toMatch(/ void$/);
  await page.locator('.finding-raised a').first().click();
  await page.getByText('coup void', { exact: true }).waitFor();
  expect(await place(page)).toMatch(/ void$/);
  await page.context().close();
});

/** Plays a coup that the player hand wins on a natural nine, and in which too little is paid. */
const paidTooLittle = (stake: number, paid: number) => (log: TableLog) => {
  log.add('terminal', 'coup-opened', { coup: 1 });
  log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: stake });
  log.add('terminal', 'betting-closed');
  log.draw('P 9S B KH P KD B 6S');
  log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
  log.add('terminal', 'bet-settled', { seat: 1, bet: 'player', stake: 'returned', paid });
  log.add('terminal', 'coup-closed');
};

it.each([
  {
    ...{ currency: 'VND', stake: 2_000_000, paid: 1_900_000, typed: '100000' },
    line: '▲ here 1 player ₫2,000,000 ₫2,000,000 ₫1,900,000 -₫100,000',
    impact: '₫100,000',
  },
  {
    ...{ currency: 'MOP', stake: 123_450, paid: 123_400, typed: '0.50' },
    line: '▲ here 1 player MOP 1,234.50 MOP 1,234.50 MOP 1,234.00 -MOP 0.50',
    impact: 'MOP 0.50',
  },
])(
  'writes money in $currency with its own decimals, from the queue to the ruling',
  async ({ currency, stake, paid, typed, line, impact }) => {
    const table = `M-${currency}`;
    const played = await PlayedTable.open(server, table, { currency });
    await played.play(paidTooLittle(stake, paid));
    await coupAt(table);
    const page = await browser.visitAs('pit-boss', `queue?table=${table}`);
    const row = page.locator('.queue-row').filter({ hasText: 'PY-' });
    await row.waitFor();
    expect(await plain(row)).toContain(impact);
    await row.click();
    await page.waitForURL('**/findings/*');
    await page.locator('.bets').first().waitFor();
    expect(await plain(page.locator('.bets tbody tr'))).toBe(line);
    expect(await plain(page.locator('.finding-head'))).toContain(`Impact ${impact} in favor of`);
    await page.getByRole('button', { name: 'Rule', exact: true }).click();
    await page.getByText('Payout error').click();
    const amount = page.getByLabel(new RegExp(`^Amount in ${currency}`));
    expect(await amount.inputValue()).toBe(typed);
    // what was not typed is not kept: it follows the finding
    expect(await page.evaluate<string[]>(DRAFTS)).toEqual(['{"disposition":"payout-error"}']);
    await amount.fill('1.234');
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    await page.getByText('Enter an amount above zero').waitFor();
    await amount.fill(typed);
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const proposed = await eventually('the proposal', async () => {
      const { history } = (await ask('GET', `/v1/findings/${id}`)) as {
        history: { type: string; data: { amount?: number } }[];
      };
      return history.find(({ type }) => type === 'finding-ruling-proposed')?.data;
    });
    expect(proposed.amount).toBe(stake - paid);
    await page.context().close();
  },
);

it('grows the road and leads to the next coup while the shoe is dealt', async () => {
  const played = await PlayedTable.open(server, 'NL');
  const deal = (coup: number, cards: string, outcome: 'player' | 'banker', player: number) =>
    played.play((log) => {
      log.add('terminal', 'coup-opened', { coup });
      log.add('terminal', 'betting-closed');
      log.draw(cards);
      log.add('terminal', 'outcome-declared', { outcome, by: 'dealer', player });
      log.add('terminal', 'coup-closed');
    });
  await deal(1, 'P 4S B 2H P 5D B 5C', 'player', 8);
  const page = await browser.visitAs('compliance', await coupAt('NL'));
  await page.getByText('● live').waitFor();
  await settled(page);
  const road = page.getByRole('list', { name: 'Big road' }).locator('li');
  const hasCells = (count: number): Promise<unknown> =>
    eventually(`${count} cells`, async () => (await road.count()) === count);
  await hasCells(1);
  await deal(2, 'P 2S B 4H P 5D B 5S', 'banker', 7);
  await page.locator('a[aria-label="Coup after"]').waitFor();
  await hasCells(2);
  await page.getByRole('link', { name: /RS-01/ }).click();
  await page.getByRole('heading', { name: /RS-01/ }).waitFor();
  await deal(3, 'P 4H B 2S P 5C B 5D', 'player', 9);
  await hasCells(3);
  await page.context().close();
});

it('has what is prescribed in words, and a request to keep video with its time', async () => {
  const played = await PlayedTable.open(server, 'NP', { rules: 'nsw-crown@1' });
  await played.play((log) => {
    log.draw('burn 3S KH 4D 5C');
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add('terminal', 'betting-closed');
    log.draw('P 9S B KH B KD');
  });
  const id = await eventually('the misplaced card', async () => {
    const { lines } = (await ask('GET', '/v1/findings?table=NP&code=DL-02')) as {
      lines: { id: string }[];
    };
    return lines[0]?.id;
  });
  const [from, to] = ['2026-11-20T12:00:00.000Z', '2026-11-20T12:05:00.000Z'];
  await ask('POST', `/v1/findings/${id}/hold`, { from, to });
  await eventually('the request to keep video', async () => {
    const { video } = (await ask('GET', `/v1/findings/${id}`)) as { video: { holds: unknown[] } };
    return video.holds.length > 0;
  });
  const page = await browser.visitAs('surveillance', `findings/${id}`);
  const found = page.locator('.finding-found');
  await found.getByText('move the card to the player hand').waitFor();
  await page.getByRole('button', { name: 'Kept', exact: true }).click();
  const request = page.locator('.choice-option').filter({ hasText: 'compliance' });
  expect(await request.innerText()).toMatch(/^compliance · [A-Z][a-z]{2} \d+, 2\d{3}, \d+:\d\d/);
  await request.click();
  const send = (name: string): Promise<void> =>
    page.getByRole('form', { name }).getByRole('button', { name }).click();
  const took = (act: string): Promise<void> =>
    page.locator('.history').getByText(`surveillance (surveillance) ${act}`).first().waitFor();
  await send('Kept');
  await took('kept the video');
  const kept = page.locator('.finding-facts').filter({ hasText: 'Kept until' });
  await kept.getByText('89 days left').waitFor();
  await page.getByRole('button', { name: 'Ask to keep', exact: true }).click();
  await page.getByLabel('Camera').fill('camera 4');
  await send('Ask to keep');
  await took('asked to keep the video');
  await page.getByRole('button', { name: 'Video', exact: true }).click();
  await page.getByLabel(/^Video: reference or address/).fill('vms:np-1');
  await send('Video');
  await took('attached video');
  await kept.getByText('vms:np-1').waitFor();
  await page.getByRole('button', { name: 'Claim', exact: true }).click();
  await page.getByRole('button', { name: 'Release', exact: true }).click();
  await took('released it');
  await page.getByRole('button', { name: 'Escalate', exact: true }).click();
  await page.locator('.choice-option').filter({ hasText: 'compliance' }).click();
  await page.getByLabel('Reason *').fill('a second opinion');
  await send('Escalate');
  await took('escalated it');
  await page.locator('.history').getByText('→ compliance').waitFor();
  await page.context().close();
});

it('asks for an amount in the currency of the shoe for a finding without coup and impact', async () => {
  const played = await PlayedTable.open(server, 'NC', { currency: 'HKD' });
  await played.play((log) => log.add('terminal', 'commission-waived', { seat: 1, amount: 500 }));
  const id = await eventually('the finding about the waiver', async () => {
    const { lines } = (await ask('GET', '/v1/findings?table=NC&code=CM-08')) as {
      lines: { id: string }[];
    };
    return lines[0]?.id;
  });
  const page = await browser.visitAs('pit-boss', `findings/${id}`);
  await page.getByRole('button', { name: 'Rule', exact: true }).click();
  await page.getByText('Commission error').click();
  await page.getByLabel(/^Amount in HKD/).fill('5.00');
  await page.getByRole('form', { name: 'Rule' }).getByText('the house', { exact: true }).click();
  await page.getByRole('button', { name: 'Propose', exact: true }).click();
  await page.locator('.history').getByText('HK$5.00').waitFor();
  await page.context().close();
});

it('says in words that nothing waits to a person whose tables have no finding', async () => {
  const admin = await sentTo(server, 'admin');
  const account = { name: 'quiet.boss', roles: ['pit-boss'], tables: ['Z9'] };
  const password = 'a first password of 2026';
  await admin('POST', '/v1/accounts', { ...account, password });
  const page = await browser.visit('queue');
  await page.fill('input[name=username]', account.name);
  await page.fill('input[name=password]', password);
  await page.press('input[name=password]', 'Enter');
  await page.getByLabel('Present password').fill(password);
  await page.getByLabel('New password').fill('a password of my own, 2026');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Nothing waits for a ruling.').waitFor();
  await settled(page);
  await page.keyboard.press('n');
  await page.getByText('Nothing is left to take.').waitFor();
  await page.context().close();
});

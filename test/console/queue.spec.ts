import { expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { openConsole } from '../kit/open-console.js';
import { PlayedTable } from '../kit/played-table.js';
import { faultyCoup } from '../kit/reviewed-table.js';
import { acted, type Send, sentTo } from '../kit/sent-to.js';
import { shownAt } from '../kit/shown-at.js';
import type { TableLog } from '../kit/table.js';

const IN_PLACE_MS_MAX = 1_000;
let server: ConsoleServer;
let browser: TestBrowser;

openConsole((opened) => {
  ({ server, browser } = opened);
});

/** A coup whose only fault is of severity 2: a card came before betting was closed. */
function earlyCoup(log: TableLog, number: number): void {
  log.add('terminal', 'coup-opened', { coup: number });
  log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 10_000 });
  log.draw('P 9S');
  log.add('terminal', 'betting-closed');
  log.draw('B KH P KD B 6S');
  log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
  log.add('terminal', 'bet-settled', {
    ...{ seat: 1, bet: 'player', stake: 'returned', paid: 10_000 },
  });
  log.add('terminal', 'coup-closed');
}

/** Coups with findings for more than one page of the list. */
const COUPS = 120;
/** Pages for which a list that is scrolled to its end waits at least. */
const PAGES_MIN = 2;
/** Scrolls the list on in each frame until its last row is there, however often it waits. */
const SCROLL_ON = `new Promise((done) => {
  const list = document.querySelector('[role=grid]');
  let asked = 0;
  let heightPx = list.scrollHeight;
  const step = () => {
    list.scrollTop = list.scrollHeight;
    if (list.scrollHeight > heightPx) asked += 1;
    heightPx = list.scrollHeight;
    const shown = Math.max(
      ...[...list.querySelectorAll('[aria-rowindex]')].map((row) => Number(row.ariaRowIndex)),
    );
    if (shown === Number(list.ariaRowCount)) done({ shown, asked });
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const rowsOf = (page: Page) => page.getByRole('row');
const codesOn = (page: Page): Promise<string[]> =>
  page.locator('.queue-what strong').allInnerTexts();
const idsOn = (page: Page): Promise<string[]> =>
  page.locator('.queue-row').evaluateAll((rows) => rows.map((row) => row.dataset['id'] as string));
const focusedId = (page: Page): Promise<string | undefined> =>
  page.evaluate<string | undefined>('document.activeElement?.dataset.id');

/** Returns the number of rows that the grid says it has. */
const countOn = async (page: Page): Promise<number> =>
  Number(await page.getByRole('grid').getAttribute('aria-rowcount'));

const sends = new Map<string, Promise<Send>>();
function sendOf(person: string): Promise<Send> {
  const send = sends.get(person) ?? sentTo(server, person);
  sends.set(person, send);
  return send;
}
async function api<Body>(person: string, path: string, post?: object): Promise<Body> {
  const send = await sendOf(person);
  return (await send(post ? 'POST' : 'GET', `/v1/${path}`, post)) as Body;
}

interface Listed {
  readonly lines: readonly { readonly id: string; readonly review: { claim: unknown } }[];
}

interface Decided {
  readonly review: { readonly evidence: string };
}

/** Sends a command on a finding, and returns it once it took effect. */
async function act(
  person: string,
  id: string | undefined,
  command: string,
  body: object,
): Promise<Decided> {
  const path = `/v1/findings/${id}/${command}`;
  return (await acted(await sendOf(person), path, body)) as Decided;
}

/** Claims a finding and proposes that the dealer erred and it was corrected. */
async function proposeAs(person: string, id: string | undefined): Promise<void> {
  const { review } = await act(person, id, 'claim', { lease: 600 });
  await act(person, id, 'propose', {
    ...{ disposition: 'dealer-error-corrected', policy: 'review@1' },
    evidence: review.evidence,
  });
}

/**
 * Waits until so many coups of a table are over, whose findings are then complete. To a page that
 * reads its rows before, they are news.
 */
const judged = (table: string, coups: number): Promise<true> =>
  eventually(`${coups} coups of ${table}`, async () => {
    const { lines } = await api<{ lines: readonly { readonly state: string }[] }>(
      'regulator',
      `coups?table=${table}&limit=200`,
    );
    return lines.filter(({ state }) => state === 'over').length === coups;
  });

/**
 * Waits until no stream is open. The next one then begins where the rows are. Beside another it
 * begins where that has come to, which may be earlier: what is between is news.
 */
const nobodyFollows = (): Promise<true> =>
  eventually('the end of all streams', async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    return metrics.includes('shoeprint_answers_under_way{of="streams"} 0\n');
  });

/**
 * Waits until a queue shows all that it reads, and changes come to it. The counts come after the
 * rows, and can move them or change how many are in sight.
 */
async function settled(page: Page): Promise<void> {
  await rowsOf(page).first().waitFor();
  await page.locator('.queue-sum').waitFor();
  await page.locator('.queue-views .queue-count').nth(2).waitFor();
  await page.getByText('● live').waitFor();
}

/** Waits until the rows of a page are those that the api lists for a query. */
async function showsListed(page: Page, query: string): Promise<readonly string[]> {
  return eventually(`the rows of ${query}`, async () => {
    const { lines } = await api<Listed>('regulator', `findings?order=queue&${query}`);
    const ids = lines.map(({ id }) => id);
    return (await idsOn(page)).join() === ids.join() && ids;
  });
}
const held = async (person: string): Promise<string[]> =>
  (await api<Listed>(person, 'findings?mine=true&review=open')).lines.map(({ id }) => id);

it('shows the gravest first, with as many rows as the facets count, in the order of the server', async () => {
  const page = await browser.visitAs('regulator', 'queue');
  await settled(page);
  const { lines } = await api<Listed>('regulator', 'findings?order=queue');
  const { total } = await api<{ total: number }>(
    'regulator',
    'findings/facets?review=open,proposed&lapsed=false',
  );
  const shown = await idsOn(page);
  expect(shown).toEqual(lines.slice(0, shown.length).map(({ id }) => id));
  expect(await countOn(page)).toBe(total);
  await page.context().close();
});

it.each([
  [320, 800],
  [390, 844],
])(
  'begins with its list at %i by %i pixels, over which views and filters unfold',
  async (width, height) => {
    const page = await browser.visitAs('regulator', 'queue', { viewport: { width, height } });
    await rowsOf(page).first().waitFor();
    const fold = page.getByRole('button', { name: 'Views · Filters' });
    const filters = page.getByRole('group', { name: 'Filters' });
    const view = page.getByRole('link', { name: 'Worst first' });
    const second = await rowsOf(page).nth(1).boundingBox();
    const foot = await page.getByRole('group', { name: 'Actions' }).boundingBox();
    expect((second?.y ?? NaN) + (second?.height ?? NaN)).toBeLessThan(foot?.y ?? NaN);
    expect(await filters.isVisible()).toBe(false);
    expect(await view.isVisible()).toBe(false);
    expect((await fold.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await fold.focus();
    await page.keyboard.press('Enter');
    await filters.waitFor();
    await page.keyboard.press('Tab');
    expect(await view.evaluate((link) => link === document.activeElement)).toBe(true);
    await filters.getByRole('button', { name: 'to sign' }).press(' ');
    await page.getByRole('button', { name: 'Views · Filters 1' }).press('Enter');
    await filters.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.context().close();
  },
);

it('keeps every row where it is while a graver finding arrives, and shows it on demand with the focus on the same row', async () => {
  const table = await PlayedTable.open(server, 'Q1');
  await table.play((log) => earlyCoup(log, 1));
  await judged('Q1', 1);
  const page = await browser.visitAs('pit-boss', 'queue?table=Q1');
  await eventually('the first finding', async () => (await codesOn(page)).includes('DL-01'));
  await settled(page);
  const before = await idsOn(page);
  await page.keyboard.press('j');
  await page.locator('.queue-row:focus').waitFor();
  const box = await rowsOf(page).first().boundingBox();
  if (!box) throw new Error('the row is not in sight');
  await page.mouse.move(box.x + 300, box.y + 10);
  await page.mouse.down();
  await table.play((log) => faultyCoup(log, 2));
  await page
    .getByRole('status')
    .filter({ hasText: /new, \d+ graver than the first row/ })
    .waitFor();
  expect(await idsOn(page)).toEqual(before);
  expect(await rowsOf(page).first().boundingBox()).toEqual(box);
  // the finger slides off, so that the row is not opened
  await page.mouse.move(box.x + 300, 5);
  await page.mouse.up();
  await page.getByRole('button', { name: 'Show' }).click();
  await eventually('the graver one is first', async () => {
    const ids = await idsOn(page);
    return ids.length > before.length && ids[0] !== before[0];
  });
  expect(await eventually('the focus', () => focusedId(page))).toBe(before[0]);
  await page.context().close();
});

it('shows the claim of another person in its place within a second', async () => {
  const page = await browser.visitAs('pit-boss', 'queue?table=B03');
  await settled(page);
  const before = await idsOn(page);
  const [, second] = before;
  const shown = shownAt(page, `[data-id="${second}"]`, 'surveillance');
  await act('surveillance', second, 'claim', { lease: 600 });
  const since = Date.now();
  await page.locator(`[data-id="${second}"]`).getByText('surveillance').waitFor();
  expect((await shown) - since).toBeLessThan(IN_PLACE_MS_MAX);
  expect(await idsOn(page)).toEqual(before);
  await act('surveillance', second, 'release', {});
  await page.context().close();
});

it('says which filter of an address does not exist, and leads back to the queue', async () => {
  const page = await browser.visitAs('pit-boss', 'queue?severity=9');
  await page.getByRole('heading', { name: 'a filter that does not exist' }).waitFor();
  expect(await page.locator('main').innerText()).toContain('severity');
  await page.goto(browser.addressOf('queue?sevrity=1'));
  await page.getByText('There is no such filter.').waitFor();
  await page.getByRole('link', { name: 'Show the whole queue' }).click();
  await rowsOf(page).first().waitFor();
  await page.waitForURL(({ search }) => search === '');
  expect(new URL(page.url()).search).toBe('');
  await page.goto(browser.addressOf('queue?view=of%20another%20person&table=B01'));
  await page.getByText('You have no view “of another person”.').waitFor();
  await page.getByRole('link', { name: 'Show the whole queue' }).click();
  await page.waitForURL(({ search }) => search === '');
  await page.context().close();
});

it('says in words that nothing waits where no finding fits', async () => {
  const page = await browser.visitAs('pit-boss', 'queue?table=NOWHERE');
  await page.getByText('No finding fits this filter.').waitFor();
  expect(await page.getByRole('grid').count()).toBe(0);
  await page.context().close();
});

it('keeps its filters in the address, so that a copied address shows the same', async () => {
  const page = await browser.visitAs('pit-boss', 'queue');
  await page.getByRole('button', { name: /severity 2/ }).click();
  await page.waitForURL('**/queue?severity=2');
  await page.getByRole('button', { name: /^Table/ }).click();
  await page.getByRole('menuitemradio', { name: /B01/ }).click();
  await page.waitForURL('**/queue?*table=B01*');
  await rowsOf(page).first().waitFor();
  await eventually('only B01', async () => {
    const places = await page.locator('.queue-where').allInnerTexts();
    return places.length > 0 && places.every((place) => place.startsWith('B01'));
  });
  await settled(page);
  await page.getByRole('button', { name: /^Order/ }).click();
  await page.getByRole('menuitemradio', { name: 'Newest first' }).click();
  await page.waitForURL('**/queue?*order=newest*');
  await settled(page); // it counts the findings in every order
  const again = await browser.visitBeside(page, `queue${new URL(page.url()).search}`);
  await settled(again);
  expect(await idsOn(again)).toEqual(await idsOn(page));
  await page.context().close();
});

it('keeps a view under its name, and deletes it', async () => {
  const page = await browser.visitAs('compliance', 'queue?severity=1&table=B04');
  await page.getByRole('button', { name: '+ Save view' }).click();
  await page.getByLabel('Name of the view').fill('B04 \u202egrave');
  await page.keyboard.press('Enter');
  await page.getByText('marks that change the direction of text').waitFor();
  await page.getByLabel('Name of the view').fill('B04 <b>grave');
  await page.keyboard.press('Enter');
  const view = page.getByRole('link', { name: 'B04 <b>grave' });
  await view.waitFor();
  await page.getByRole('link', { name: 'Worst first' }).click();
  await page.waitForURL((url) => url.search === '');
  await page.reload();
  await view.click();
  await page.waitForURL('**/queue?severity=1&table=B04&view=*');
  await page.getByRole('button', { name: 'Delete view' }).click();
  await view.waitFor({ state: 'detached' });
  await page.waitForURL('**/queue?severity=1&table=B04');
  expect(await api('compliance', 'me/views')).toEqual({ items: [] });
  await page.context().close();
});

it('stays paused after a reload, and counts what came once it is resumed', async () => {
  const table = await PlayedTable.open(server, 'Q2');
  await table.play((log) => earlyCoup(log, 1));
  await judged('Q2', 1);
  const page = await browser.visitAs('surveillance', 'queue?table=Q2');
  await eventually('the first finding', async () => (await codesOn(page)).includes('DL-01'));
  const saved = page.waitForResponse(
    (answer) => answer.url().endsWith('/me/preferences') && answer.request().method() === 'PUT',
  );
  await page.keyboard.press('p');
  await saved;
  await page.reload();
  await page.getByText('New findings are not announced while paused.').waitFor();
  await rowsOf(page).first().waitFor();
  await page.getByText('● live').waitFor();
  const [first] = await idsOn(page);
  await table.play((log) => earlyCoup(log, 2));
  await judged('Q2', 2);
  // what comes later on the stream is shown, so the second finding has come too
  await act('pit-boss', first, 'claim', { lease: 600 });
  await page.locator(`[data-id="${first}"]`).getByText('pit-boss').waitFor();
  expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('status').filter({ hasText: '1 new' }).waitFor();
  await page.context().close();
});

it('works by the keyboard alone, and comes back to the row that was opened', async () => {
  const page = await browser.visitAs('pit-boss', 'queue?table=B02');
  await rowsOf(page).first().waitFor();
  const ids = await idsOn(page);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('k');
  expect(await eventually('the second row', async () => (await focusedId(page)) === ids[1])).toBe(
    true,
  );
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/findings/${ids[1]}`);
  await page.goBack();
  await eventually('the focus is on its row', async () => (await focusedId(page)) === ids[1]);
  await page.keyboard.press('/');
  await page.keyboard.type('PY-');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/queue?*q=PY-*');
  await eventually('only PY', async () => {
    const codes = await codesOn(page);
    return codes.length > 0 && codes.every((code) => code.startsWith('PY-'));
  });
  await page.context().close();
});

it('keeps the focus in the list where the finding that was opened has left it', async () => {
  const table = await PlayedTable.open(server, 'Q9');
  await table.play((log) => {
    earlyCoup(log, 1);
    earlyCoup(log, 2);
    earlyCoup(log, 3);
  });
  await judged('Q9', 3);
  const page = await browser.visitAs('pit-boss', 'queue?table=Q9&code=DL-01&review=open');
  await rowsOf(page).nth(2).waitFor();
  await page.getByText('● live').waitFor();
  const ids = await idsOn(page);
  await page.keyboard.press('j');
  await page.locator(`[data-id="${ids[0]}"]:focus`).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/findings/${ids[0]}`);
  // what is ruled while the list is still there stays in it, dimmed
  await page.locator('.queue-row').first().waitFor({ state: 'detached' });
  await proposeAs('pit-boss', ids[0]);
  await page.goBack();
  await eventually('it is gone', async () => (await idsOn(page)).join() === ids.slice(1).join());
  await page.locator(`[data-id="${ids[1]}"]:focus`).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator(`[data-id="${ids[2]}"]:focus`).waitFor();
  await page.context().close();
});

it('rules on several findings at once, after showing what would happen to each', async () => {
  const table = await PlayedTable.open(server, 'Q3');
  await table.play((log) => {
    earlyCoup(log, 1);
    earlyCoup(log, 2);
    earlyCoup(log, 3);
  });
  const { lines } = await eventually('three findings', async () => {
    const found = await api<Listed>('pit-boss', 'findings?table=Q3&code=DL-01&order=queue');
    return found.lines.length === 3 && found;
  });
  await act('surveillance', lines[2]?.id, 'claim', { lease: 600 });
  const page = await browser.visitAs('pit-boss', 'queue?table=Q3&code=DL-01');
  await rowsOf(page).nth(2).waitFor();
  // what is ruled before the stream begins leaves the list instead of being dimmed
  await page.getByText('● live').waitFor();
  await page.keyboard.press('j');
  for (let row = 0; row < 3; row += 1) {
    await page.keyboard.press(' ');
    await page.keyboard.press('j');
  }
  await page.getByRole('button', { name: 'Rule on 3 selected' }).click();
  const corrected = page.getByRole('radio', { name: 'Dealer error, corrected' });
  await corrected.click({ force: true });
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Rule on 3 selected' }).click();
  await corrected.and(page.locator(':checked')).waitFor({ state: 'attached' }); // as they left it
  await page.getByRole('button', { name: 'See what would happen' }).click();
  const outcomes = page.locator('.queue-outcomes tbody tr');
  await outcomes.first().waitFor();
  expect(await outcomes.locator('td:last-child').allInnerTexts()).toEqual([
    'The ruling is proposed.',
    'The ruling is proposed.',
    'Another person holds this finding.',
  ]);
  await page.getByRole('button', { name: 'Propose for 2' }).click();
  await page.getByText('Happened').waitFor();
  await eventually('two are ruled', async () => {
    const ruled = await api<Listed>('pit-boss', 'findings?table=Q3&review=ruled');
    return ruled.lines.length === 2;
  });
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await eventually(
    'they stay, dimmed',
    async () => (await page.locator('[data-done]').count()) === 2,
  );
  expect(await rowsOf(page).count()).toBe(3);
  await page.context().close();
});

it('keeps in a ruling on several what has left the list since it was selected', async () => {
  const table = await PlayedTable.open(server, 'Q5');
  await table.play((log) => {
    earlyCoup(log, 1);
    earlyCoup(log, 2);
  });
  await judged('Q5', 2);
  const page = await browser.visitAs('pit-boss', 'queue?table=Q5&code=DL-01&review=open');
  await rowsOf(page).nth(1).waitFor();
  await page.getByText('● live').waitFor();
  const [first] = await idsOn(page);
  for (const box of await page.locator('.queue-check').all()) await box.click();
  await proposeAs('surveillance', first);
  await table.play((log) => earlyCoup(log, 3));
  await page.getByRole('button', { name: 'Show' }).click();
  await eventually('it is gone', async () => !(await idsOn(page)).includes(first as string));
  await page.getByRole('button', { name: 'Rule on 2 selected' }).click();
  await page.getByRole('heading', { name: 'Rule on 2 findings' }).waitFor();
  await page.context().close();
});

it('reads its rows once, and already while the words of the page are on their way', async () => {
  const page = await browser.visitAs('pit-boss', 'settings');
  const asked: string[] = [];
  let rowsAsked: () => void = () => undefined;
  const areRowsAsked = new Promise<void>((resolve) => (rowsAsked = resolve));
  await page.route(/\/v1\/findings\?/, async (route) => {
    asked.push(route.request().url());
    rowsAsked();
    await route.continue();
  });
  await page.route('**/assets/en-*.js', async (route) => {
    await areRowsAsked;
    await route.continue();
  });
  await page.goto(browser.addressOf('queue?severity=1'));
  await settled(page);
  const first = asked.filter((url) => new URL(url).searchParams.get('cursor') === null);
  expect(first).toHaveLength(1);
  expect(new URL(first[0] as string).searchParams.get('severity')).toBe('1');
  await page.context().close();
});

it('shows what came between the reading of the rows and the beginning of the stream', async () => {
  const table = await PlayedTable.open(server, 'Q6');
  await table.play((log) => earlyCoup(log, 1));
  await judged('Q6', 1);
  const page = await browser.visitAs('pit-boss', 'settings');
  await page.addInitScript('delete globalThis.SharedWorker');
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  await page.route('**/v1/stream', async (route) => {
    await begun;
    await route.continue();
  });
  await page.goto(browser.addressOf('queue?table=Q6&code=DL-01'));
  await rowsOf(page).first().waitFor();
  await table.play((log) => earlyCoup(log, 2));
  await eventually('the second finding', async () => {
    const { lines } = await api<Listed>('pit-boss', 'findings?table=Q6&code=DL-01');
    return lines.length === 2;
  });
  await nobodyFollows();
  begin();
  await eventually('its row', async () => (await rowsOf(page).count()) === 2);
  await page.context().close();
});

/** Ends the sessions of a person but for the one that this test reads with. */
async function endSessionsOf(person: string): Promise<void> {
  const send = await sendOf(person);
  const { items } = (await send('GET', '/v1/me/sessions')) as {
    items: readonly { readonly id: string; readonly current: boolean }[];
  };
  for (const { id, current } of items) if (!current) await send('DELETE', `/v1/me/sessions/${id}`);
}

it('keeps every row where it is where the stream begins once more', async () => {
  const table = await PlayedTable.open(server, 'Q10');
  await table.play((log) => {
    earlyCoup(log, 1);
    earlyCoup(log, 2);
  });
  await judged('Q10', 2);
  const page = await browser.visitAs('supervisor', 'queue?table=Q10&code=DL-01&review=open');
  await rowsOf(page).nth(1).waitFor();
  await page.getByText('● live').waitFor();
  const ids = await idsOn(page);
  await endSessionsOf('supervisor');
  const password = page.locator('[role=dialog] input[name=password]');
  await password.waitFor();
  await table.play((log) => earlyCoup(log, 3));
  await judged('Q10', 3);
  await proposeAs('surveillance', ids[0]);
  await password.fill(server.passwordOf('supervisor'));
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '1 new' }).waitFor();
  await page.locator(`[data-id="${ids[0]}"][data-done]`).waitFor(); // one person rules on it
  expect(await idsOn(page)).toEqual(ids);
  await page.context().close();
});

it('leaves the focus where the person moved it: in the search, and on a chip', async () => {
  const table = await PlayedTable.open(server, 'Q7');
  await table.play((log) => earlyCoup(log, 1));
  await judged('Q7', 1);
  const page = await browser.visitAs('pit-boss', 'queue?table=Q7');
  await eventually('the first finding', async () => (await codesOn(page)).includes('DL-01'));
  await page.getByText('● live').waitFor();
  await page.keyboard.press('j');
  await page.locator('.queue-row:focus').waitFor();
  const chip = page.getByRole('button', { name: /severity 2/ });
  await chip.click();
  await page.waitForURL('**/queue?table=Q7&severity=2');
  await chip.and(page.locator('[aria-pressed=true]')).waitFor(); // the list is another now
  await rowsOf(page).first().waitFor();
  await chip.click();
  await page.waitForURL('**/queue?table=Q7');
  await chip.and(page.locator('[aria-pressed=false]')).waitFor();
  await rowsOf(page).first().waitFor();
  expect(await chip.evaluate((element) => element === document.activeElement)).toBe(true);

  await table.play((log) => earlyCoup(log, 2));
  const counts: Route[] = [];
  let isHeld = true;
  await page.route('**/v1/findings/facets*', (route) =>
    isHeld ? void counts.push(route) : route.continue(),
  );
  await page.getByRole('button', { name: 'Show' }).click();
  await eventually('the second row', async () => (await rowsOf(page).count()) > 1);
  await page.locator('.queue-row:focus').waitFor(); // what Show does with the focus is done
  await page.keyboard.press('/');
  await page.keyboard.type('DL');
  await eventually('the counts are asked for', () => counts.length > 0);
  isHeld = false;
  const counted = page.waitForResponse('**/v1/findings/facets*');
  for (const route of counts) await route.continue();
  await (await counted).finished();
  await page.keyboard.type('-01');
  const search = page.getByRole('searchbox');
  expect(await search.inputValue()).toBe('DL-01');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/queue?*q=DL-01*');
  await rowsOf(page).first().waitFor();
  expect(await search.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.context().close();
});

it('selects with Space and acts on the finding beside the list with the letters', async () => {
  const table = await PlayedTable.open(server, 'Q8');
  await table.play((log) => {
    earlyCoup(log, 1);
    earlyCoup(log, 2);
  });
  const { lines } = await eventually('two findings', async () => {
    const found = await api<Listed>('pit-boss', 'findings?table=Q8&code=DL-01&order=queue');
    return found.lines.length === 2 && found;
  });
  const page = await browser.visitAs('pit-boss', `queue?table=Q8&finding=${lines[1]?.id}`, {
    viewport: { width: 1_920, height: 1_080 },
  });
  const bar = page.getByRole('region', { name: 'Ruling' });
  await bar.getByRole('button', { name: 'Claim', exact: true }).waitFor();
  await rowsOf(page).nth(1).waitFor(); // the list and the finding beside it are read apart
  await page.keyboard.press('j');
  await page.locator(`[data-id="${lines[0]?.id}"]:focus`).waitFor();
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Rule on 1 selected' }).waitFor();
  await page.keyboard.press('c');
  await bar.getByRole('button', { name: 'Release', exact: true }).waitFor();
  await page.keyboard.press('c');
  await bar.getByRole('button', { name: 'Claim', exact: true }).waitFor();
  await page.keyboard.press('k');
  await page.locator(`[data-id="${lines[0]?.id}"]:focus`).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/queue?*finding=${lines[0]?.id}*`);
  await eventually('the step is in the address', async () => {
    await page.keyboard.press('ArrowLeft');
    return new URL(page.url()).searchParams.has('step');
  });
  const wide = page.url();
  await page.setViewportSize({ width: 1_024, height: 768 });
  await page.waitForURL(`**/findings/${lines[0]?.id}?step=*`);
  await page.goBack();
  await page.waitForURL('**/queue?table=Q8');
  await page.goto(wide);
  await page.waitForURL(`**/findings/${lines[0]?.id}?step=*`);
  await page.context().close();
});

it('shows no total and says why, where the findings could not be counted', async () => {
  const page = await browser.visitAs('pit-boss', 'settings');
  let isAway = true;
  await page.route('**/v1/findings/facets*', (route) =>
    isAway ? unknown(route) : route.continue(),
  );
  await page.goto(browser.addressOf('queue'));
  await page.getByRole('alert').filter({ hasText: 'could not be counted' }).waitFor();
  await rowsOf(page).first().waitFor();
  expect(await countOn(page)).toBe(-1);
  expect(await page.locator('.queue-sum').count()).toBe(0);
  isAway = false;
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await page.locator('.queue-sum').waitFor();
  expect(await countOn(page)).toBeGreaterThan(0);
  await page.context().close();
});

it('names in words a filter that an address turns around', async () => {
  const page = await browser.visitAs('pit-boss', 'queue?overdue=false');
  await page.getByRole('button', { name: /^Not overdue/ }).waitFor();
  await page.getByRole('button', { name: 'Only', exact: true }).waitFor();
  await page.getByRole('link', { name: /^To sign/ }).click();
  const notMine = page.getByRole('button', { name: /^Not mine/ });
  await notMine.waitFor();
  const take = page.getByRole('button', { name: /^Take next/ });
  await take.and(page.locator('[aria-disabled=true]')).waitFor();
  await page.keyboard.press('n');
  await page.locator('.notice').getByText('This list shows others.').waitFor();
  await notMine.click();
  await page.waitForURL('**/queue?review=proposed');
  await page.context().close();
});

it('lets a wall display pause, which this browser alone keeps', async () => {
  const password = 'a wall without a password, 2026';
  await api('admin', 'accounts', {
    ...{ name: 'wall', password, roles: ['surveillance'], tables: ['*'], wallDisplay: true },
  });
  const page = await browser.visit('queue');
  await page.fill('input[name=username]', 'wall');
  await page.fill('input[name=password]', password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Present password').fill(password);
  await page.getByLabel('New password').fill(`${password}, their own`);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await page.locator('.notice').count()).toBe(0);
  const read = page.waitForResponse('**/v1/me/preferences');
  await page.reload();
  await (await read).finished();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await page.locator('.notice').count()).toBe(0);
  await page.context().close();
});

/** Answers for the server that nobody knows whether the claim is on the log. */
const unknown = (route: Route): Promise<void> =>
  route.fulfill({
    status: 504,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: 'urn:shoeprint:problem:outcome-unknown',
      title: 'the outcome is unknown',
      status: 504,
    }),
  });

it.each([
  ['was lost', (route: Route) => route.abort('connectionreset')],
  ['is that the outcome is unknown', unknown],
])('takes the next finding and opens it, under one key where the answer %s', async (_, answer) => {
  const page = await browser.visitAs('pit-boss-2', 'settings');
  const before = await held('pit-boss-2');
  const keys: string[] = [];
  await page.route('**/v1/findings/take-next*', async (route: Route) => {
    keys.push(route.request().headers()['idempotency-key'] as string);
    if (keys.length > 1) return route.continue();
    await route.fetch(); // the server claims, and its answer never comes
    return answer(route);
  });
  await page.goto(browser.addressOf('queue')); // a page that is there may send past a new route
  await rowsOf(page).first().waitFor();
  await page.keyboard.press('n');
  await page.waitForURL('**/findings/*');
  expect(new Set(keys)).toEqual(new Set([keys[0]]));
  expect(keys.length).toBeGreaterThan(1);
  const mine = await eventually('the claim', async () => {
    const found = (await held('pit-boss-2')).filter((id) => !before.includes(id));
    return found.length > 0 && found;
  });
  expect(mine).toEqual([new URL(page.url()).pathname.split('/').at(-1)]);
  browser.complaints.splice(0); // Chromium reports the answer that was lost
  await page.context().close();
});

it('says that a claim is not decided while the auditor stands still, and then opens that finding', async () => {
  const page = await browser.visitAs('supervisor', 'queue');
  await rowsOf(page).first().waitFor();
  const standing = await standStill();
  try {
    const refused = page.waitForResponse(
      (answer) => answer.url().includes('/v1/review-events/') && answer.status() === 503,
    );
    await page.keyboard.press('n');
    await page.getByRole('status').filter({ hasText: 'Not decided yet' }).waitFor();
    await refused; // the page asks again for what the server could not say in time
    expect(new URL(page.url()).pathname).toMatch(/\/queue$/);
    await page.keyboard.press('n'); // a second tap takes no other
  } finally {
    await standing.end();
  }
  await page.waitForURL('**/findings/*');
  const mine = await eventually('the claim', async () => {
    const found = await held('supervisor');
    return found.length > 0 && found;
  });
  expect(mine).toEqual([new URL(page.url()).pathname.split('/').at(-1)]);
  await page.context().close();
});

it('opens the next finding where another person claimed the first before the auditor went on', async () => {
  const table = await PlayedTable.open(server, 'Q4');
  await table.play((log) => {
    earlyCoup(log, 1);
    earlyCoup(log, 2);
  });
  await judged('Q4', 2);
  const page = await browser.visitAs('compliance', 'queue?table=Q4&code=DL-01');
  await rowsOf(page).nth(1).waitFor();
  const [first, second] = await idsOn(page);
  const standing = await standStill();
  try {
    await api('surveillance', `findings/${first}/claim`, { lease: 600 });
    await page.keyboard.press('n');
    await page.getByRole('status').filter({ hasText: 'Not decided yet' }).waitFor();
  } finally {
    await standing.end();
  }
  await page.waitForURL(`**/findings/${second}`);
  const mine = await eventually('the claim', async () => {
    const found = await held('compliance');
    return found.length > 0 && found;
  });
  expect(mine).toEqual([second]);
  await page.context().close();
});

/** Holds a lock for which the auditor waits before it writes what it decided. */
async function standStill(): Promise<{ end(): Promise<void> }> {
  const client = await server.database();
  await client.query('begin');
  await client.query('lock table rows.review_event in exclusive mode');
  return {
    end: async () => {
      await client.query('rollback');
      await client.end();
    },
  };
}

it('counts what had been ruled and is open again, and shows it alone', async () => {
  const page = await browser.visitAs('regulator', 'queue');
  const chip = page.getByRole('button', { name: /^open again \d+$/ });
  await chip.click();
  await page.waitForURL('**/queue?regressed=true');
  const ids = await showsListed(page, 'regressed=true');
  expect(ids.length).toBeGreaterThan(0);
  await page.locator('.queue-sum').waitFor(); // until then the counts are those of all
  expect(await chip.innerText()).toBe(`open again ${ids.length}`);
  await chip.click();
  await page.waitForURL('**/queue');
  await page.context().close();
});

it('has a view of what loses its video within a day, which a hold takes out of it', async () => {
  const table = await PlayedTable.open(server, 'V1');
  const from = table.log.events.length;
  await table.play((log) => {
    faultyCoup(log, 1);
    const first = Date.parse(log.events[from]?.['time'] as string);
    const shift = Date.now() - 6.5 * 86_400_000 - first;
    for (const event of log.events.slice(from))
      Object.assign(event, {
        time: new Date(Date.parse(event['time'] as string) + shift).toISOString(),
      });
  });
  await judged('V1', 1);
  const within = 'videoHours=24&table=V1';
  const found = await eventually('the finding', async () => {
    const { lines } = await api<Listed>('regulator', `findings?order=queue&${within}`);
    return lines.length > 0 && lines;
  });
  const page = await browser.visitAs('surveillance', 'queue');
  const view = page.getByRole('link', { name: /^Video < 24 h/ });
  await eventually('the count of the view', async () => {
    // counts may be a second old, and nothing changes afterwards that would renew them
    await page.reload();
    await settled(page);
    const { total } = await api<{ total: number }>(
      'regulator',
      'findings/facets?review=open,proposed&lapsed=false&videoHours=24',
    );
    return (await view.locator('.queue-count').innerText()) === String(total);
  });
  await view.click();
  await page.waitForURL('**/queue?videoHours=24');
  await view.and(page.locator('[aria-current=page]')).waitFor();
  expect(await view.getAttribute('aria-current')).toBe('page');
  await page.goto(browser.addressOf(`queue?${within}`)); // others may be due within a day too
  expect(await showsListed(page, within)).toEqual(found.map(({ id }) => id));
  await page
    .getByText(/^video 1[12] hours$/)
    .first()
    .waitFor();
  for (const { id } of found) {
    const [at, until] = [-7, 30].map((days) =>
      new Date(Date.now() + days * 86_400_000).toISOString(),
    );
    await act('surveillance', id, 'hold', { from: at, to: until });
    await act('surveillance', id, 'held', { request: 'vms-7', until });
  }
  await page.reload();
  await page.getByText('No finding fits this filter.').waitFor();
  expect(await showsListed(page, within)).toEqual([]);
  await page.goto(browser.addressOf('queue?table=V1'));
  await page
    .getByText(/^video 2\d days$/)
    .first()
    .waitFor();
  await page.context().close();
});

it('finds what happened while no dealer had signed on', async () => {
  const table = await PlayedTable.open(server, 'N1');
  await table.play((log) => {
    log.add('terminal', 'dealer-relieved', { dealer: 'dora', role: 'dealer' });
    faultyCoup(log, 1);
  });
  await judged('N1', 1);
  const page = await browser.visitAs('regulator', 'queue?table=N1');
  await page.getByRole('button', { name: /^Dealer/ }).click();
  await page.getByRole('menuitemradio', { name: /^No dealer has signed on/ }).click();
  await page.waitForURL(/[?&]dealer=-(&|$)/);
  expect((await showsListed(page, 'table=N1&dealer=')).length).toBeGreaterThan(0);
  await page.goto(browser.addressOf('queue?dealer=-&table=B01'));
  await page.getByRole('button', { name: 'Dealer No dealer has signed on' }).waitFor();
  await page.context().close();
});

it('asks for the cards of no row that a list passes, also where it waits for its next rows', async () => {
  const table = await PlayedTable.open(server, 'Q11');
  await table.play((log) => {
    for (let coup = 1; coup <= COUPS; coup += 1) earlyCoup(log, coup);
  });
  await judged('Q11', COUPS);
  const page = await browser.visitAs('pit-boss', 'queue?table=Q11');
  await settled(page);
  await page.locator('.queue-row .playing-card').first().waitFor();
  const link = await page.context().newCDPSession(page);
  await link.send('Network.enable');
  const slow = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await link.send('Network.emulateNetworkConditions', { ...slow, latency: 400 });
  const cards: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/coups/')) cards.push(request.url());
  });
  const { shown, asked } = await page.evaluate<{ shown: number; asked: number }>(SCROLL_ON);
  expect(shown).toBe(await countOn(page));
  expect(asked).toBeGreaterThanOrEqual(PAGES_MIN);
  expect(cards).toEqual([]);
  await page.context().close();
});

import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { holdFirst } from '../kit/hold-first.js';
import { openConsole } from '../kit/open-console.js';
import { acted, type Send, sentTo } from '../kit/sent-to.js';

const MINUTE_MS = 60_000;
/** The lease of the review policy in force. */
const LEASE_MINUTES = 10;
let server: ConsoleServer;
let browser: TestBrowser;
let ask: Send;

openConsole(async (opened) => {
  ({ server, browser } = opened);
  ask = await sentTo(server, 'compliance');
});

interface Whole {
  readonly review: {
    readonly evidence: string;
    readonly proposal: { readonly ref: string } | null;
    readonly ruling: { readonly signedBy: string | null } | null;
  };
  readonly history: readonly { readonly type: string; readonly data: { readonly note?: string } }[];
}
const whole = async (id: string): Promise<Whole> =>
  (await ask('GET', `/v1/findings/${id}`)) as Whole;

/** Returns the id of an open finding with a code. */
async function open(code: string): Promise<string> {
  const { lines } = (await ask('GET', `/v1/findings?code=${code}&review=open`)) as {
    lines: readonly { id: string }[];
  };
  if (!lines[0]) throw new Error(`the sample day has no open ${code}`);
  return lines[0].id;
}

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Ruling' });
const press = (page: Page, name: string): Promise<void> =>
  bar(page).getByRole('button', { name, exact: true }).click();

/** Returns how often a finding has been claimed. */
const claims = async (id: string): Promise<number> =>
  (await whole(id)).history.filter(({ type }) => type === 'finding-claimed').length;

/**
 * The clock of the page goes ahead and that of the server stays, so a page that reads its finding
 * again would see its claim as a new one. Here the answers to reads come as much later as time has
 * passed for the page since the last claim, which it may read of before that claim is answered.
 */
const SERVER_KEEPS_UP = `
  const ask = globalThis.fetch;
  const read = Headers.prototype.get;
  let ahead = 0;
  let known;
  globalThis.fetch = async (request, ...more) => {
    const answer = await ask(request, ...more);
    const { pathname } = new URL(request.url ?? request, location);
    const isOfFinding = pathname.startsWith('/v1/findings/') && answer.ok;
    const until = isOfFinding && (await answer.clone().json()).review?.claim?.until;
    if (until && until !== known) {
      known = until;
      ahead = Date.parse(read.call(answer.headers, 'Date')) - Date.now();
    }
    return answer;
  };
  Headers.prototype.get = function (name) {
    const isOfTheServer = name === 'Date' && ahead !== 0;
    return isOfTheServer ? new Date(Date.now() + ahead).toUTCString() : read.call(this, name);
  };`;

/** Opens a finding as a pit boss who claims it, in a page whose clock the test moves. */
async function claimedWithClock(id: string): Promise<Page> {
  const page = await browser.visit('sign-in');
  await page.clock.install();
  await page.addInitScript(SERVER_KEEPS_UP);
  await page.reload();
  await browser.signIn(page, 'pit-boss');
  await page.goto(browser.addressOf(`findings/${id}`));
  await press(page, 'Claim');
  return page;
}

it('renews a claim at half time if a finger or a key was used since, and else announces its end', async () => {
  const id = await open('PY-03');
  const page = await claimedWithClock(id);
  const timer = bar(page).getByRole('timer');
  await timer.getByText(/\b(10:00|9:5\d) left/).waitFor();
  expect(await claims(id)).toBe(1);
  const minutes = (count: number): Promise<void> => page.clock.fastForward(count * MINUTE_MS);
  const renewed = (count: number): Promise<unknown> =>
    eventually(`claim ${count}`, async () => (await claims(id)) === count);

  await minutes(1);
  await page.locator('.felt-card').first().click(); // a finger, on a button
  await minutes(LEASE_MINUTES / 2 - 2);
  await timer.getByText(/\b[65]:\d\d left/).waitFor();
  expect(await claims(id)).toBe(1);
  await minutes(1.1);
  await renewed(2);
  await timer.getByText(/\b(10:00|9:\d\d) left/).waitFor();

  await minutes(1);
  await page.keyboard.press('Home'); // a key of the screen
  await minutes(LEASE_MINUTES / 2);
  await renewed(3);
  await timer.getByText(/\b(10:00|9:\d\d) left/).waitFor();

  await minutes(LEASE_MINUTES - 1.5);
  await timer.getByText(/\b1:\d\d left/).waitFor();
  const warning = bar(page).getByRole('status').getByText('Your claim ends in less than a minute.');
  expect(await warning.count()).toBe(0);
  expect(await claims(id)).toBe(3);
  await minutes(0.6);
  await warning.waitFor();
  await press(page, 'Keep it');
  await renewed(4);
  await warning.waitFor({ state: 'detached' });

  await minutes(LEASE_MINUTES + 1);
  await bar(page).getByText('Your claim has run out.').waitFor();
  expect(await claims(id)).toBe(4);
  await page.context().close();
});

/** Has the server refuse a command: the page's body of it gets lost on the way. */
const spoil = (page: Page, command: string): Promise<unknown> =>
  page.route(`**/${command}`, (route) => route.continue({ postData: '{}' }));

it('renews a claim beside the commands of the person, whose failure stays and who can go on', async () => {
  const id = await open('PY-02');
  const page = await claimedWithClock(id);
  await bar(page).getByRole('timer').waitFor();
  const before = await claims(id);
  const failure = bar(page).getByRole('alert');
  const minutes = (count: number): Promise<void> => page.clock.fastForward(count * MINUTE_MS);
  const toHalfTime = async (): Promise<void> => {
    await minutes(1); // a claim is known to have begun to the second alone
    await page.keyboard.press('End');
    await minutes(LEASE_MINUTES / 2 - 0.9);
  };

  await press(page, 'Comment');
  await page.getByLabel('Comment *').fill('seen on camera 4');
  const send = page.getByRole('form', { name: 'Comment' }).locator('button[type=submit]');
  await spoil(page, 'comment');
  await send.click();
  await failure.waitFor();
  await page.unrouteAll();
  const renewal = await holdFirst(page, '**/claim');
  const read = page.waitForResponse(`**/v1/findings/${id}`);
  await toHalfTime();
  await renewal.taken();
  await read; // it shows the page its claim before that is answered
  expect(await claims(id)).toBe(before + 1);
  expect(await failure.count()).toBe(1);
  expect(await send.getAttribute('aria-disabled')).toBeNull();
  await send.click();
  await failure.waitFor({ state: 'detached' });
  await renewal.release();
  await page.locator('.history').getByText('seen on camera 4').waitFor();

  await spoil(page, 'claim');
  const refused = page.waitForResponse('**/claim');
  await toHalfTime();
  expect((await refused).status()).toBe(400);
  await settled(page);
  expect(await failure.allInnerTexts()).toEqual([]);
  await minutes(LEASE_MINUTES / 2 - 0.8);
  await press(page, 'Keep it');
  await failure.waitFor();
  expect(await claims(id)).toBe(before + 1);
  await page.context().close();
});

/** A comment may come as more than one change, and what comes during a read is read after it. */
const COMMENT_READS_MAX = 3;
/**
 * The clock of the page is an hour late. What is due in ten minutes, as a new claim ends, runs when
 * the test says so, and what is due in a second runs sooner.
 */
const LEASE_ENDS_WHEN_TOLD = `
  const now = Date.now;
  Date.now = () => now() - 3_600_000;
  const begin = globalThis.setTimeout;
  globalThis.setTimeout = (run, ms = 0, ...more) => {
    if (ms < 540_000 || ms > 603_000) return begin(run, ms === 1_000 ? 250 : ms, ...more);
    globalThis.endLease = run;
    return 0;
  };`;

it('reads a finding again when the claim of another person ends, and says till then who holds it', async () => {
  const id = await open('TC-05');
  const boss = await sentTo(server, 'pit-boss');
  await acted(boss, `/v1/findings/${id}/claim`, { lease: LEASE_MINUTES * 60 });
  const page = await browser.visitAs('pit-boss-2', 'settings');
  await page.addInitScript(LEASE_ENDS_WHEN_TOLD);
  await page.goto(browser.addressOf(`findings/${id}`));
  await page.getByText('● live').waitFor();
  await settled(page);
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().endsWith(`/v1/findings/${id}`)) reads += 1;
  });
  const commands = [/^Claim/, /^Rule/].map((name) =>
    bar(page).getByRole('button', { name }).last(),
  );
  for (const command of commands)
    expect(await command.innerText()).toMatch(/\npit-boss until \d+:\d\d/);
  const standing = bar(page).getByText(/^Claimed by pit-boss until/);
  expect(await standing.count()).toBe(1);

  await page.evaluate('endLease()');
  await standing.waitFor({ state: 'detached' });
  await eventually('five reads', () => reads === 5); // for the server it runs on
  const comment = async (text: string): Promise<void> => {
    await acted(boss, `/v1/findings/${id}/comment`, { text });
    await page.getByText(text).waitFor();
  };
  await comment('the claim runs on');
  expect(reads).toBeLessThan(5 + COMMENT_READS_MAX + 1);
  for (const command of commands) expect(await command.innerText()).toContain('pit-boss until');

  await page.reload();
  await page.getByText('● live').waitFor();
  await settled(page);
  expect(await standing.count()).toBe(1);
  reads = 0;
  await endClaim(id);
  await page.evaluate('endLease()');
  await eventually('a claim that has ended', async () => {
    const texts = await Promise.all(commands.map((command) => command.innerText()));
    return texts.join() === 'Claim,Rule';
  });
  expect(reads).toBe(1);
  await comment('the claim is over');
  expect(reads).toBeLessThan(1 + COMMENT_READS_MAX + 1);
  await page.context().close();
});

/** Has a claim of the rows be over: the clock of the server cannot be moved. */
async function endClaim(id: string): Promise<void> {
  const database = await server.database();
  const { rowCount } = await database.query(
    `update rows.finding set claimed_until = now() - interval '1 second' where id = $1`,
    [id],
  );
  await database.end();
  expect(rowCount).toBe(1);
}

/** Timers that are due at once run late, as they do where the machine is busy. */
const BUSY = `
  const begin = globalThis.setTimeout;
  globalThis.setTimeout = (run, ms = 0, ...more) => begin(run, Math.max(ms, 200), ...more);`;

it('opens the rule sheet of a finding that nobody had claimed with what its claim brought', async () => {
  const id = await open('TC-08');
  const page = await browser.visitAs('pit-boss', 'rules');
  await page.addInitScript(BUSY);
  await page.goto(browser.addressOf(`findings/${id}`));
  expect(await claims(id)).toBe(0);
  await press(page, 'Rule');
  const sheet = page.getByRole('form', { name: 'Rule' });
  await sheet.getByText('Dealer error, corrected').click();
  await sheet.getByRole('button', { name: 'Propose', exact: true }).click();
  await page.getByText('Another person signs it').waitFor();
  expect((await whole(id)).review.proposal).not.toBeNull();
  await page.context().close();
});

/** Makes every session of a person one that was confirmed an hour ago. */
async function confirmedLongAgo(person: string): Promise<void> {
  const database = await server.database();
  const { rowCount } = await database.query(
    `update access.session set confirmed_at = now() - interval '1 hour' where account_name = $1`,
    [person],
  );
  await database.end();
  expect(rowCount).toBeGreaterThan(0);
}

const CONFIRMED_UNTIL = `fetch('../../v1/me')
  .then((answer) => answer.json())
  .then(({ session }) => Date.parse(session.confirmedUntil))`;

it('asks for the password before a signature, says that one is wrong, and loses nothing that was typed', async () => {
  const id = await open('TC-08');
  const boss = await sentTo(server, 'pit-boss');
  const { review } = (await boss('POST', `/v1/findings/${id}/claim`, { lease: 600 })) as Whole;
  const ruling = { disposition: 'dealer-error-corrected', policy: 'review@1' };
  await boss('POST', `/v1/findings/${id}/propose`, { ...ruling, evidence: review.evidence });
  const page = await browser.visitAs('pit-boss-2', `findings/${id}`);
  await press(page, 'Sign');
  const note = page.getByLabel('Note');
  await note.fill('seen on camera 4');
  await confirmedLongAgo('pit-boss-2');
  await eventually(
    'the server knows that the confirmation is old',
    async () => (await page.evaluate<number>(CONFIRMED_UNTIL)) < Date.now(),
  );
  const sign = page.getByRole('form', { name: 'Sign' }).getByRole('button', { name: /^Sign/ });
  await sign.click();
  const sheet = page.getByRole('dialog', { name: 'Confirm that it is you' });
  const password = sheet.getByLabel('Password');
  await password.fill('not the password at all');
  await page.keyboard.press('Enter');
  await sheet.getByText('The password is wrong.').waitFor();
  expect((await whole(id)).review.ruling).toBeNull();

  await sheet.getByRole('button', { name: 'Cancel' }).click();
  await sheet.waitFor({ state: 'detached' });
  expect(await note.inputValue()).toBe('seen on camera 4');
  expect(await bar(page).getByRole('alert').count()).toBe(0);

  await sign.click();
  await password.fill(server.passwordOf('pit-boss-2'));
  await page.keyboard.press('Enter');
  await bar(page).getByText('signed by pit-boss-2').waitFor();
  const { history, review: now } = await whole(id);
  expect(now.ruling?.signedBy).toBe('pit-boss-2');
  expect(history.find(({ type }) => type === 'finding-ruling-signed')?.data.note).toBe(
    'seen on camera 4',
  );
  await page.context().close();
});

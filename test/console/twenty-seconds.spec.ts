import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { openConsole } from '../kit/open-console.js';
import { type Send, sentTo } from '../kit/sent-to.js';

const TEST_MS = 120_000;
/** Take next, faulty step, rule, code, propose. */
const TAPS_MAX = 5;
/** How long the machine may keep a person waiting in all. A machine that runs tests is slow. */
const WAITED_MS_MAX = 10_000;
const TABLET = { viewport: { width: 768, height: 1_024 }, hasTouch: true };
/** Findings with a card at fault: the first of them is the first of the whole queue. */
const QUEUE = 'queue?code=TC-08';
let server: ConsoleServer;
let browser: TestBrowser;
let ask: Send;

openConsole(async (opened) => {
  ({ server, browser } = opened);
  ask = await sentTo(server, 'compliance');
});

interface Review {
  readonly proposal: { readonly by: string; readonly disposition: string } | null;
  readonly ruling: { readonly proposedBy: string; readonly signedBy: string | null } | null;
}
const reviewOf = async (id: string): Promise<Review> =>
  ((await ask('GET', `/v1/findings/${id}`)) as { review: Review }).review;

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Ruling' });
const idOn = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) as string;

/** What a person does, counted, and for how long they wait for what it brings. */
interface Hands {
  readonly page: Page;
  count: number;
  waitedMs: number;
}

/** Taps what is to be seen, and waits for what the tap brings, by the clock of the page. */
async function tap(hands: Hands, target: Locator, brought: Locator): Promise<void> {
  const now = (): Promise<number> => hands.page.evaluate('performance.now()');
  await target.waitFor();
  const from = await now();
  await target.tap();
  await brought.waitFor();
  hands.waitedMs += (await now()) - from;
  hands.count += 1;
}

/** Presses a key, once the page has read what it shows, and hears its keys. */
async function press(hands: Hands, key: string): Promise<void> {
  await settled(hands.page);
  await hands.page.keyboard.press(key);
  hands.count += 1;
}

/** Signs in without a mouse: the name has the focus, Tab leads to the password. */
async function signInByKeyboard(page: Page, person: string): Promise<void> {
  await page.locator('input[name=username]:focus').waitFor();
  await page.keyboard.type(person);
  await page.keyboard.press('Tab');
  await page.keyboard.type(server.passwordOf(person));
  await page.keyboard.press('Enter');
}

it(
  'leads a pit boss by touch from the queue to a proposal in five taps, and another to the signature',
  async () => {
    const page = await browser.visitAs('pit-boss', QUEUE, TABLET);
    const hands = { page, count: 0, waitedMs: 0 };
    const faulty = page.locator('.why-step[data-faulty]');
    const code = page.getByText('Dealer error, corrected');
    const chosen = page.locator('.choice [data-selected]').filter({ has: code }).first();
    const propose = page.getByRole('button', { name: 'Propose', exact: true });
    await tap(hands, page.getByRole('button', { name: 'Take next' }), faulty);
    await tap(hands, faulty, page.locator('.why-step[data-faulty][aria-current=step]'));
    await tap(hands, bar(page).getByRole('button', { name: 'Rule', exact: true }), code);
    await tap(hands, code, chosen);
    await tap(hands, propose, page.getByText('Another person signs it'));
    expect(hands.count).toBeLessThanOrEqual(TAPS_MAX);
    expect(hands.waitedMs).toBeLessThan(WAITED_MS_MAX);
    const id = idOn(page);
    expect((await reviewOf(id)).proposal).toMatchObject({
      ...{ by: 'pit-boss', disposition: 'dealer-error-corrected' },
    });

    const other = await browser.visitAs('pit-boss-2', `findings/${id}`, TABLET);
    await bar(other).getByRole('button', { name: 'Sign', exact: true }).tap();
    await other.getByRole('form', { name: 'Sign' }).getByRole('button', { name: 'Sign' }).tap();
    await bar(other).getByText('signed by pit-boss-2').waitFor();
    expect((await reviewOf(id)).ruling?.signedBy).toBe('pit-boss-2');
    await page.context().close();
    await other.context().close();
  },
  TEST_MS,
);

it(
  'leads a pit boss by keyboard alone from the sign-in to a proposal, and another to the signature',
  async () => {
    const page = await browser.visit(QUEUE);
    await signInByKeyboard(page, 'pit-boss');
    await page.getByRole('row').first().waitFor();
    const hands = { page, count: 0, waitedMs: 0 };
    await press(hands, 'n');
    await page.waitForURL('**/findings/*');
    const step = page.locator('.why-step[data-faulty]');
    await step.waitFor();
    await press(hands, 'f');
    await page.waitForURL(/step=/);
    // the address is there before the step
    await page.locator('.why-step[data-faulty][aria-current=step]').waitFor();
    expect(await step.getAttribute('aria-current')).toBe('step');
    await press(hands, 'r');
    const choice = page.getByRole('radiogroup', { name: 'Disposition' });
    await choice.locator('input:focus').waitFor({ state: 'attached' });
    await press(hands, '2');
    await press(hands, 'Enter');
    await page.getByText('Another person signs it').waitFor();
    expect(hands.count).toBeLessThanOrEqual(TAPS_MAX);
    const id = idOn(page);
    expect((await reviewOf(id)).proposal?.by).toBe('pit-boss');
    // what may be done now is read after the proposal is made
    const sign = bar(page).getByRole('button', { name: /^Sign/ });
    await sign.filter({ hasText: 'your own proposal' }).waitFor();
    expect(await sign.innerText()).toContain('your own proposal');
    await page.getByText('● live').waitFor();

    const other = await browser.visit(`findings/${id}`);
    await signInByKeyboard(other, 'pit-boss-2');
    await bar(other).getByRole('button', { name: 'Sign', exact: true }).waitFor();
    await settled(other);
    await other.keyboard.press('s');
    await other.getByRole('form', { name: 'Sign' }).locator('textarea:focus').waitFor();
    await other.keyboard.type('checked');
    await other.keyboard.press('Tab');
    await other.keyboard.press('Tab');
    await other.keyboard.press('Enter');
    await bar(other).getByText('signed by pit-boss-2').waitFor();
    expect((await reviewOf(id)).ruling).toMatchObject({
      ...{ proposedBy: 'pit-boss', signedBy: 'pit-boss-2' },
    });
    await bar(page).getByText('signed by pit-boss-2').waitFor();
    await bar(page).getByText('While you were here: pit-boss-2').waitFor();
    await page.context().close();
    await other.context().close();
  },
  TEST_MS,
);

it(
  'leaves the coup where it is while a ruling is chosen with a mouse',
  async () => {
    const page = await browser.visitAs('pit-boss', 'queue');
    await page.getByRole('button', { name: 'Take next' }).click();
    await page.waitForURL('**/findings/*');
    await page.evaluate('scrollTo(0, 0)');
    const rule = bar(page).getByRole('button', { name: 'Rule', exact: true });
    const code = page.getByText('Dealer error, corrected').first();
    // a click of the test's own library would scroll by itself
    for (const target of [rule, code]) {
      await target.waitFor();
      const { x, y } = (await target.boundingBox()) as { x: number; y: number };
      await page.mouse.click(x + 5, y + 5);
    }
    await page.locator('.choice-option[data-selected]').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.context().close();
  },
  TEST_MS,
);

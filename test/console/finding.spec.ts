import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { holdFirst } from '../kit/hold-first.js';
import { openConsole } from '../kit/open-console.js';
import { acted, type Send, sentTo } from '../kit/sent-to.js';
import { shownAt } from '../kit/shown-at.js';

const TEST_MS = 180_000;
/** Here the queue has room for a finding beside it. */
const WIDE = { viewport: { width: 1920, height: 1080 } };
const SEEN_MS_MAX = 1_000;
/** The acts that are shown with a finding. */
const SHOWN_AT_ONCE = 50;
const LONG = `${'x'.repeat(3_900)}\u202edlrow`;

interface Review {
  readonly state: string;
  readonly evidence: string | null;
  readonly stale: boolean;
  readonly proposal: { readonly ref: string; readonly by: string } | null;
  readonly claim: { readonly by: string } | null;
  readonly ruling: { readonly signedBy: string | null } | null;
}
interface Whole {
  readonly finding: { readonly id: string; readonly code: string; readonly table: string };
  readonly review: Review;
  readonly coup: {
    readonly ref: string;
    readonly steps: readonly { readonly ref: string; readonly card: string }[];
  };
  readonly neighbors: { readonly before: string; readonly after: string };
}

let server: ConsoleServer;
let browser: TestBrowser;
const sends = new Map<string, Send>();

openConsole(async (opened) => {
  ({ server, browser } = opened);
  for (const person of ['pit-boss', 'pit-boss-2', 'compliance'])
    sends.set(person, await sentTo(server, person));
});

/** Asks the api beside the pages, as a person of the sample day. A command takes effect first. */
async function ask<Answer>(person: string, path: string, body?: object): Promise<Answer> {
  const send = sends.get(person) as Send;
  const answer = body ? acted(send, `/v1/${path}`, body) : send('GET', `/v1/${path}`);
  return (await answer) as Answer;
}

const whole = (id: string): Promise<Whole> => ask<Whole>('compliance', `findings/${id}`);
const reviewOf = async (id: string): Promise<Review> => (await whole(id)).review;

/** Returns the ids of open findings with a coup. Each test takes findings of its own. */
async function findingsOf(code: string, table?: string): Promise<string[]> {
  const query = `code=${code}&review=open&order=newest${table ? `&table=${table}` : ''}`;
  const { lines } = await ask<{ lines: { id: string }[] }>('compliance', `findings?${query}`);
  return lines.map(({ id }) => id);
}

async function firstOf(code: string, table?: string): Promise<string> {
  const [id] = await findingsOf(code, table);
  if (id === undefined) throw new Error(`the sample day has no open ${code}`);
  return id;
}

/** Claims and proposes, as a person beside the pages. Returns the reference of the proposal. */
async function propose(
  person: string,
  id: string,
  disposition = 'dealer-error-corrected',
): Promise<string> {
  const claimed = await ask<{ review: Review }>(person, `findings/${id}/claim`, { lease: 600 });
  const { ref } = await ask<{ ref: string }>(person, `findings/${id}/propose`, {
    disposition,
    policy: 'review@1',
    evidence: claimed.review.evidence,
    note: 'seen on video',
  });
  return ref;
}

/** Corrects the suit of the banker's first card: the finding stays, on other evidence. */
async function correctSuit(id: string): Promise<void> {
  const { coup, finding } = await whole(id);
  const [, step] = coup.steps;
  const [rank, suit] = [...(step?.card ?? '')];
  const card = `${rank ?? ''}${suit === 'H' ? 'S' : 'H'}`;
  const answer = await fetch(`${server.url}/v1/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await server.tokenOf('pit-boss-2')}`,
      'content-type': 'application/x-ndjson',
    },
    body: JSON.stringify({
      specversion: '1.0',
      type: 'shoeprint.observation-corrected.v1',
      source: 'person/pit-boss-2',
      id: randomUUID(),
      time: new Date().toISOString(),
      table: finding.table,
      data: {
        event: step?.ref,
        data: { card, to: 'banker' },
        by: 'pit-boss-2',
        reason: 'read again on video',
      },
    }),
  });
  expect(answer.status).toBe(202);
}

/** Waits until a finding or a coup is there with all that its screen reads, and hears keys. */
const open = async (page: Page): Promise<void> => {
  await page.waitForSelector('.finding h1');
  await settled(page);
};
/** Waits until changes arrive. A page is not sent what happened before. */
const live = (page: Page): Promise<void> =>
  page.locator('.live-dot').waitFor({ state: 'attached' });
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const bar = (page: Page) => page.getByRole('region', { name: 'Ruling' });

/** Says of the control with the focus what hides it, and is null once the focus left the finding. */
const HIDDEN = `(() => {
  const focused = document.activeElement;
  if (!focused.closest('.finding')) return null;
  if (focused.closest('.ruling')) return '';
  const edges = (selector) => document.querySelector(selector)?.getBoundingClientRect();
  const { top, bottom } = focused.getBoundingClientRect();
  const first = Math.max(edges('header.bar').bottom, edges('.queue-beside')?.top ?? 0);
  const last = edges('.ruling').top;
  const fits = bottom - top <= last - first;
  const isHidden = fits ? top < first - 1 || bottom > last + 1 : bottom <= first || top >= last;
  return isHidden ? focused.outerHTML + ' from ' + top + ' to ' + bottom : '';
})()`;

/** Goes through a finding with the key Tab. Returns how many controls it met, and those hidden. */
async function tabThrough(page: Page): Promise<{ met: number; hidden: string[] }> {
  await page.evaluate("document.querySelector('.finding a, .finding button').focus()");
  const hidden: string[] = [];
  for (let met = 0; ; met += 1) {
    const what = await page.evaluate<string | null>(HIDDEN);
    if (what === null) return { met, hidden };
    if (what !== '') hidden.push(what);
    await page.keyboard.press('Tab');
  }
}

/** Returns the number of each page of paper, such as `1 / 2`, which is drawn before the page. */
function numbersOn(pdf: Buffer): string[] {
  const streams = [...pdf.toString('latin1').matchAll(/stream\r?\n([^]*?)\r?\nendstream/g)].flatMap(
    ([, packed = '']) => {
      try {
        return [inflateSync(Buffer.from(packed, 'latin1')).toString('latin1')];
      } catch {
        return []; // a picture or a font, packed in another way
      }
    },
  );
  const alphabets = streams.filter((text) => text.includes('begincmap')).map(alphabetIn);
  const pages = streams.filter((text) => /^BT$/m.test(text));
  return pages.flatMap((text) => {
    const glyphs = [...text.matchAll(/<([0-9A-F]+)> Tj/g)]
      .slice(0, NUMBER_RUNS)
      .flatMap(([, run = '']) => run.match(/.{4}/g) ?? []);
    return alphabets
      .map((alphabet) => glyphs.map((glyph) => alphabet.get(glyph) ?? '?').join(''))
      .filter((number) => /^\d+ \/ \d+$/.test(number))
      .slice(0, 1);
  });
}
/** The number, what stands between, and how many pages there are. */
const NUMBER_RUNS = 3;

/** Returns which character each glyph of a font is. */
function alphabetIn(font: string): Map<string, string> {
  const known = new Map<string, string>();
  const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');
  for (const [, glyph = '', character = ''] of font.matchAll(/^<(\w+)> <(\w+)>$/gm))
    known.set(glyph, String.fromCharCode(Number.parseInt(character, 16)));
  for (const [, from = '', to = '', character = ''] of font.matchAll(/^<(\w+)> <(\w+)> <(\w+)>$/gm))
    for (let at = Number.parseInt(from, 16); at <= Number.parseInt(to, 16); at += 1)
      known.set(
        hex(at),
        String.fromCharCode(Number.parseInt(character, 16) + at - Number.parseInt(from, 16)),
      );
  return known;
}

describe('the screen of a finding', () => {
  it(
    'is stepped through by keys, and f leads to the faulty card',
    async () => {
      const id = (await findingsOf('TC-08', 'B04')).at(-1) ?? '';
      const page = await browser.visitAs('pit-boss', `findings/${id}`);
      await open(page);
      await page.keyboard.press('f');
      await page.waitForURL(/step=6/);
      expect(await page.locator('.why-step[data-faulty]').getAttribute('aria-current')).toBe(
        'step',
      );
      const why = await page.locator('.why-step[data-faulty]').innerText();
      expect(why).toContain('TC-08');
      expect(why).toContain('Banker 6 against 3: stand');
      expect(why).toContain('Pennsylvania Code, title 58, chapter 631a, § 631a.11');
      await page.keyboard.press('ArrowLeft');
      await page.waitForURL(/step=5/);
      await page.keyboard.press('Home');
      await page.waitForURL(/step=0/);
      await page.getByText('A record, no prediction.').waitFor();
      await page.keyboard.press('End');
      await page.waitForURL(/step=6/);
      await page.keyboard.press(' '); // from the end it begins again
      await page.waitForURL(/step=[012]$/);
      await button(page, 'Pause').waitFor();
      await page.waitForURL(/step=2$/);
      await page.keyboard.press(' ');
      await button(page, 'Play at the pace of the table').waitFor();
      await page.context().close();
    },
    TEST_MS,
  );

  it(
    'explains its code, says who was there and how often it was seen, and names who looked only to those who may know',
    async () => {
      const id = (await findingsOf('TC-08', 'B04')).at(-1) ?? '';
      const facts = {} as Record<string, string>;
      for (const person of ['pit-boss', 'compliance']) {
        const page = await browser.visitAs(person, `findings/${id}`);
        await open(page);
        await page.reload(); // the first look is in the rows now
        await open(page);
        await page
          .getByText(/Seen by[^]*[1-9]\d* looks?/)
          .first()
          .waitFor();
        const panel = page.locator('section.panel').filter({ hasText: 'Seen before' });
        facts[person] = (await panel.innerText()).replace(/\s+/g, ' ');
        const head = await page.locator('.finding-head').innerText();
        expect(head).toContain(
          'The banker hand must stand against the third card of the player hand, and it drew.',
        );
        await page.context().close();
        type Looks = { looks: { by: { person: string }[] } };
        await eventually(`the look of ${person}`, async () => {
          const { looks } = await ask<Looks>('compliance', `findings/${id}`);
          return looks.by.some((look) => look.person === person);
        });
      }
      const [pitBoss = '', compliance = ''] = [facts['pit-boss'], facts['compliance']];
      expect(pitBoss).toMatch(/Dealer dealer-\d+ Callers caller-\d+ Device device\/B04-shoe · /);
      expect(pitBoss).toMatch(/ clock [+−][\d.]+ (s|h) · last heard /);
      expect(pitBoss).toMatch(/ dealer-\d+: (not|\d+ ×) in 30 days, \d+ ruled to count /);
      expect(pitBoss).toMatch(/ B04: (not|\d+ ×) in 30 days, \d+ ruled to count /);
      expect(pitBoss).toMatch(/ Seen by [1-9]\d* (person|people), \d+ looks? Events /);
      expect(compliance).toMatch(
        / Seen by [1-9]\d* (person|people), \d+ looks? .*pit-boss \d+× · .* Events /,
      );
    },
    TEST_MS,
  );

  it(
    'copies its address with the step, also without the clipboard of protected pages',
    async () => {
      const id = (await findingsOf('TC-08', 'B04')).at(-1) ?? '';
      const page = await browser.visitAs('pit-boss', `findings/${id}?step=3`);
      await open(page);
      await page.evaluate("Object.defineProperty(Navigator.prototype, 'clipboard', {})");
      await page.evaluate('delete Navigator.prototype.clipboard');
      await button(page, 'Copy link').click();
      await page.locator('.notices').getByText('Copied.').waitFor();
      await bar(page).getByRole('button', { name: 'Comment', exact: true }).click();
      const comment = page.getByLabel('Comment *');
      await comment.focus();
      await page.keyboard.press('Control+V');
      const pasted = await eventually('what is pasted', () => comment.inputValue());
      expect(pasted).toBe(browser.addressOf(`findings/${id}?step=3`));
      await page.evaluate('document.execCommand = () => false');
      await button(page, 'Copy link').click();
      await page.locator('.notices').getByText(`This is the address: ${pasted}`).waitFor();
      await page.context().close();
    },
    TEST_MS,
  );

  it(
    'is read again when it is opened again beside the queue',
    async () => {
      const [first, second] = await findingsOf('TC-08', 'B04');
      const page = await browser.visitAs('compliance', `queue?table=B04&finding=${first}`, WIDE);
      await open(page);
      await live(page);
      const rowOf = (id = '') => page.locator(`.queue-row[data-id="${id}"]`);
      await rowOf(second).click();
      await page.waitForURL(new RegExp(`finding=${second}`));
      await open(page);
      await ask('pit-boss', `findings/${first}/claim`, { lease: 600 });
      await rowOf(first).getByText('pit-boss').waitFor();
      await rowOf(first).click();
      await bar(page)
        .getByText(/^Claimed by pit-boss/)
        .waitFor();
      await ask('pit-boss', `findings/${first}/release`, {});
      await page.context().close();
    },
    TEST_MS,
  );

  it.each([
    { where: 'on a page of its own', options: { viewport: { width: 768, height: 1024 } } },
    { where: 'beside the queue', options: WIDE },
  ])(
    'hides no control under its bar that gets the focus, $where',
    async ({ options }) => {
      const id = (await findingsOf('TC-08', 'B04')).at(-1) ?? '';
      const isWide = options.viewport.width > 1_600;
      const path = isWide ? `queue?table=B04&finding=${id}` : `findings/${id}`;
      const page = await browser.visitAs('pit-boss', path, options);
      await open(page);
      const closed = await tabThrough(page);
      expect(closed.hidden).toEqual([]);
      expect(closed.met).toBeGreaterThan(30);
      await bar(page).getByRole('button', { name: 'Rule', exact: true }).click();
      await page.locator('.ruling-sheet input:focus').waitFor();
      expect((await tabThrough(page)).hidden).toEqual([]);
      await bar(page).getByRole('button', { name: 'Release', exact: true }).click();
      await bar(page).getByRole('button', { name: 'Claim', exact: true }).waitFor();
      await page.context().close();
    },
    TEST_MS,
  );

  it(
    'offers to take a proposal back once it is made',
    async () => {
      const [id = ''] = await findingsOf('TC-08');
      const page = await browser.visitAs('pit-boss', `findings/${id}`);
      await open(page);
      await bar(page).getByRole('button', { name: 'Rule', exact: true }).click();
      await page.getByText('Dealer error, corrected').click();
      await button(page, 'Propose').click();
      await page.getByText('Another person signs it').waitFor();
      expect((await reviewOf(id)).proposal?.by).toBe('pit-boss');
      await page.locator('.notices').getByRole('button', { name: 'Take back' }).click();
      await eventually('the proposal is taken back', async () => {
        return (await reviewOf(id)).proposal === null;
      });
    },
    TEST_MS,
  );

  it(
    'offers to reopen a ruling also once its screen was left, and says why one was not taken back',
    async () => {
      const page = await browser.visitAs('pit-boss', 'queue');
      const ruleOn = async (id: string): Promise<void> => {
        await page.goto(browser.addressOf(`findings/${id}`));
        await open(page);
        await bar(page).getByRole('button', { name: 'Rule', exact: true }).click();
        await page.getByText('Dealer error, corrected').click();
        await button(page, 'Propose').click();
        await page
          .locator('.notices')
          .getByText(/^(Ruled|Proposed)/)
          .waitFor();
        await page.getByRole('link', { name: 'Rules', exact: true }).click();
        await page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
      };
      const id = await firstOf('RS-08');
      await ruleOn(id);
      await page.locator('.notices').getByRole('button', { name: 'Reopen' }).click();
      await page.waitForURL(`**/findings/${id}`);
      await page.getByRole('form', { name: 'Reopen' }).getByLabel('Reason *').fill('wrong coup');
      await page.getByRole('form', { name: 'Reopen' }).getByRole('button').last().click();
      await eventually('it is open again', async () => (await reviewOf(id)).state === 'open');

      const other = await firstOf('TC-06');
      await ruleOn(other);
      const { proposal, evidence } = await reviewOf(other);
      await ask('pit-boss-2', `findings/${other}/sign`, { proposal: proposal?.ref, evidence });
      await page.locator('.notices').getByRole('button', { name: 'Take back' }).click();
      await page.locator('.notices').getByText('A ruling holds already.').waitFor();
    },
    TEST_MS,
  );

  it(
    'marks the card that is missing where it should lie, and says what was due',
    async () => {
      const id = await firstOf('TC-07');
      const page = await browser.visitAs('pit-boss', `findings/${id}`);
      await open(page);
      await page.locator('.felt-hand[data-side=banker]').getByText('missing card').waitFor();
      expect(await page.locator('.why-then[data-faulty]').innerText()).toContain('TC-07');
      expect(await page.locator('.why-step[data-faulty]').count()).toBe(0);
    },
    TEST_MS,
  );

  it(
    'shows within a second what another person did, and keeps the text that is typed',
    async () => {
      const id = await firstOf('RS-01');
      const page = await browser.visitAs('compliance', `findings/${id}`);
      await open(page);
      await bar(page).getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByLabel('Comment *').fill('half a senten');
      await live(page);
      const ruling = 'Dealer error, corrected: ruled by pit-boss';
      const shown = shownAt(page, '.ruling', ruling);
      await propose('pit-boss', id);
      const answered = Date.now();
      await bar(page).getByText(ruling).waitFor();
      expect((await shown) - answered).toBeLessThan(SEEN_MS_MAX);
      expect(await page.getByLabel('Comment *').inputValue()).toBe('half a senten');
      await page.reload();
      await open(page);
      await bar(page).getByRole('button', { name: 'Comment', exact: true }).click();
      expect(await page.getByLabel('Comment *').inputValue()).toBe('half a senten');
    },
    TEST_MS,
  );

  it(
    'shows what happened while the finding was being read',
    async () => {
      const id = await firstOf('PY-03');
      const beside = await browser.visitAs('compliance', `findings/${id}`);
      await open(beside);
      await live(beside);
      const page = await browser.visitBeside(beside, 'settings');
      const answer = await holdFirst(page, `**/v1/findings/${id}`);
      await page.goto(browser.addressOf(`findings/${id}`));
      await live(page);
      await answer.taken();
      await ask('pit-boss', `findings/${id}/claim`, { lease: 600 });
      await bar(beside)
        .getByText(/^Claimed by pit-boss/)
        .waitFor();
      await answer.release();
      await bar(page)
        .getByText(/^Claimed by pit-boss/)
        .waitFor();
      await ask('pit-boss', `findings/${id}/release`, {});
      await page.context().close();
    },
    TEST_MS,
  );

  it(
    'moves the focus into the sheet also where its choices come later',
    async () => {
      const id = await firstOf('PY-03');
      const page = await browser.visitAs('pit-boss', 'settings');
      const answer = await holdFirst(page, '**/v1/policies/**');
      await page.goto(browser.addressOf(`findings/${id}`));
      await bar(page).getByRole('button', { name: 'Rule', exact: true }).click();
      await bar(page).getByText('Loading').waitFor();
      await answer.taken();
      await answer.release();
      await page.locator('.ruling-sheet input:focus').waitFor();
      await page.context().close();
    },
    TEST_MS,
  );

  it(
    'shows a proposal as fallen when the evidence changes, and does not offer to sign it',
    async () => {
      const id = await firstOf('TC-08', 'B04'); // in the last shoe, whose evidence can change
      await propose('pit-boss', id);
      const page = await browser.visitAs('pit-boss-2', `findings/${id}`);
      await open(page);
      await bar(page).getByRole('button', { name: 'Sign', exact: true }).click();
      await page.getByRole('form', { name: 'Sign' }).waitFor();
      await live(page);
      for (const corrections of [1, 2]) {
        await correctSuit(id);
        await bar(page).getByText('The proposal has fallen').waitFor();
        const causes = bar(page).locator('.ruling-causes li');
        await eventually(
          `${corrections} events since the proposal`,
          async () => (await causes.count()) === corrections,
        );
        for (const cause of await causes.allInnerTexts())
          expect(cause).toMatch(
            /^observation-corrected · pit-boss-2 · \w+ \d+, 2\d{3}, .* · Reason: read again on video$/,
          );
      }
      const sign = bar(page).getByRole('button', { name: /^Sign/ }).last();
      expect(await sign.getAttribute('aria-disabled')).toBe('true');
    },
    TEST_MS,
  );

  it(
    'leads back to the queue with the filter that it was opened from',
    async () => {
      const page = await browser.visitAs('pit-boss', 'queue?table=B04');
      await page.locator('.queue-row').first().click();
      await open(page);
      await page.getByRole('link', { name: '← Queue' }).click();
      await page.waitForURL('**/queue?table=B04');
    },
    TEST_MS,
  );

  it(
    'marks the commission of a seat with sign and word, and only for a finding about commission',
    async () => {
      const page = await browser.visitAs('pit-boss', `findings/${await firstOf('CM-04')}`);
      await open(page);
      const commission = page.locator('.bets').nth(1);
      expect(await commission.locator('tr[data-faulty]').innerText()).toMatch(/^▲\s+here\s+\d/);
      await page.goto(browser.addressOf(`findings/${await firstOf('PY-03')}`));
      await page.getByRole('heading', { name: /PY-03/ }).waitFor();
      expect(await page.locator('.bets').first().locator('tr[data-faulty]').count()).toBe(1);
      expect(await commission.locator('tr[data-faulty]').count()).toBe(0);
    },
    TEST_MS,
  );

  it(
    'closes a sheet by Escape on one of its buttons, and stays',
    async () => {
      const page = await browser.visitAs('pit-boss', `findings/${await firstOf('PY-02')}`);
      await open(page);
      const comment = bar(page).getByRole('button', { name: 'Comment', exact: true }).last();
      await comment.click();
      const sheet = page.getByRole('form', { name: 'Comment' });
      await sheet.locator('textarea:focus').waitFor(); // it gets the focus once it is drawn
      await sheet.getByRole('button', { name: 'Cancel' }).press('Escape');
      await sheet.waitFor({ state: 'detached' });
      await comment.click();
      await sheet.waitFor();
    },
    TEST_MS,
  );

  it(
    'sends no signature for a proposal that was made after the sheet opened, until it was looked at',
    async () => {
      const id = await firstOf('TC-05');
      const first = await propose('pit-boss', id);
      const page = await browser.visitAs('pit-boss-2', `findings/${id}`);
      await open(page);
      await bar(page).getByRole('button', { name: 'Sign', exact: true }).click();
      const sheet = page.getByRole('form', { name: 'Sign' });
      await sheet.getByText('Dealer error, corrected').waitFor();
      await live(page);
      await ask('pit-boss', `findings/${id}/take-back`, { proposal: first });
      const second = await propose('pit-boss', id, 'no-error');
      await sheet.getByText('You sign: No error').waitFor();
      const sent: unknown[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/sign')) sent.push(request.postDataJSON());
      });
      const sign = sheet.getByRole('button', { name: 'Sign', exact: true });
      await sign.click();
      await sheet.getByRole('button', { name: 'I have looked again' }).click();
      await sign.click();
      await bar(page).getByText('signed by pit-boss-2').waitFor();
      expect(sent).toEqual([expect.objectContaining({ proposal: second })]);
    },
    TEST_MS,
  );

  it(
    'explains a refusal beside what is there now, and keeps what was typed',
    async () => {
      const id = await firstOf('RS-02');
      const proposal = await propose('pit-boss', id);
      const page = await browser.visitAs('pit-boss-2', `findings/${id}`);
      await open(page);
      await bar(page).getByRole('button', { name: 'Refuse', exact: true }).click();
      await page.getByLabel('Reason *').fill('not what I saw');
      // this page no longer hears or reads what the others do
      await page.route(`**/v1/findings/${id}`, (route) => route.abort());
      await ask('pit-boss', `findings/${id}/take-back`, { proposal });
      await page
        .getByRole('form', { name: 'Refuse' })
        .getByRole('button', { name: 'Refuse' })
        .click();
      const conflict = page.locator('.conflict');
      await conflict.getByText('Nothing is proposed now').waitFor();
      expect(await conflict.innerText()).toContain('What is there now');
      expect(await conflict.innerText()).toContain('not what I saw');
      expect(await page.getByLabel('Reason *').inputValue()).toBe('not what I saw');
      await page.unroute(`**/v1/findings/${id}`);
    },
    TEST_MS,
  );

  it(
    'explains that the evidence changed before the proposal came, with all that was tried',
    async () => {
      const id = await firstOf('TC-08', 'B04'); // in the last shoe, whose evidence can change
      const page = await browser.visitAs('pit-boss', 'settings');
      let isCutOff = false;
      await page.route(`**/v1/findings/${id}`, (route) =>
        isCutOff ? route.abort() : route.continue(),
      );
      await page.goto(browser.addressOf(`findings/${id}`));
      await open(page);
      await bar(page).getByRole('button', { name: 'Rule', exact: true }).click();
      await page.getByText('Payout error').click();
      await page.getByLabel(/^Amount in MOP/).fill('12.50');
      const sheet = page.getByRole('form', { name: 'Rule' });
      await sheet.getByText('the house', { exact: true }).click();
      const { evidence } = await reviewOf(id);
      isCutOff = true;
      await correctSuit(id);
      await eventually('other evidence', async () => (await reviewOf(id)).evidence !== evidence);
      await button(page, 'Propose').click();
      const conflict = page.locator('.conflict');
      await conflict.getByText('What is there now').waitFor();
      const shown = (await conflict.innerText()).replace(/\s+/g, ' ');
      expect(shown).toContain('The coup changed after you looked at it.');
      expect(shown).toContain('Claimed by pit-boss');
      expect(shown).toContain('Payout error · MOP 12.50 in favor of the house');
      expect((await reviewOf(id)).proposal).toBeNull();
      await page.unroute(`**/v1/findings/${id}`);
      await ask('pit-boss', `findings/${id}/release`, {});
      await page.context().close();
    },
    TEST_MS,
  );

  it(
    'shows older acts after the newer ones, with none missing',
    async () => {
      const id = await firstOf('PY-02');
      const people = ['pit-boss', 'pit-boss-2', 'compliance'];
      const texts = Array.from({ length: SHOWN_AT_ONCE + 3 }, (_, i) => `remark ${i + 1}`);
      for (const [i, text] of texts.entries())
        await eventually(`the session may send ${text}`, () =>
          ask<object>(people[i % people.length] as string, `findings/${id}/comment`, { text }),
        );
      const page = await browser.visitAs('compliance', `findings/${id}`);
      const remarks = page.locator('.history').getByText(/^remark \d+$/);
      await page.locator('.history').getByText('remark 53', { exact: true }).waitFor();
      expect(await remarks.count()).toBe(SHOWN_AT_ONCE);
      await button(page, 'Show older').click();
      await page.locator('.history').getByText('remark 1', { exact: true }).waitFor();
      expect(await remarks.allInnerTexts()).toEqual(texts.toReversed());
    },
    TEST_MS,
  );

  it(
    'shows hostile texts as text, makes no link of a script, and overflows nothing at 320 px',
    async () => {
      const id = await firstOf('PY-01');
      await ask('pit-boss', `findings/${id}/comment`, { text: '<script>alert(1)</script>' });
      await ask('pit-boss', `findings/${id}/comment`, { text: LONG });
      await ask('pit-boss', `findings/${id}/video`, { video: 'javascript:alert(1)' });
      const size = { viewport: { width: 320, height: 800 } };
      const page = await browser.visitAs('compliance', `findings/${id}`, size);
      await open(page);
      await page.locator('.history').getByText('<script>alert(1)</script>').waitFor();
      await page.getByText('javascript:alert(1)').nth(1).waitFor();
      expect(await page.getByText('javascript:alert(1)').count()).toBe(2);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
      await live(page);
      await ask('pit-boss', `findings/${id}/video`, { video: 'https://video.example/b04?t=1' });
      await page.locator('.finding-facts a[href^="https://video.example/"]').waitFor();
      await settled(page);
      const beyond = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(beyond).toBe(0);
    },
    TEST_MS,
  );

  it(
    'says that nothing has an unknown id, and leads back',
    async () => {
      const page = await browser.visitAs('pit-boss', `findings/${'0'.repeat(32)}`);
      await page.getByRole('heading', { name: 'There is no such finding' }).waitFor();
      await button(page, 'Back').waitFor();
    },
    TEST_MS,
  );

  it(
    'prints every part without bars, with who printed it, the evidence and the positions',
    async () => {
      const id = await firstOf('PY-03');
      await ask('pit-boss', `findings/${id}/claim`, { lease: 600 });
      await ask('pit-boss', `findings/${id}/release`, {});
      const { evidence } = await reviewOf(id);
      const page = await browser.visitAs('compliance', `findings/${id}`);
      await open(page);
      await button(page, 'Lines of the record').click();
      const drawer = page.getByRole('dialog', { name: 'Lines of the record' });
      const saving = page.waitForEvent('download');
      await drawer.getByRole('link', { name: 'Save the file' }).click();
      const file = readFileSync(await (await saving).path(), 'utf8');
      expect(createHash('sha256').update(file).digest('hex')).toBe(evidence);
      expect(await drawer.locator('.record-lines li').allInnerTexts()).toEqual(
        file.trimEnd().split('\n'),
      );
      await drawer.getByRole('button', { name: 'Close' }).click();
      await page.emulateMedia({ media: 'print' });
      await page.getByText('Printed by compliance').waitFor();
      // the browser prints what stands there as soon as the event is over
      const foot = await page.evaluate<string>(`(() => {
        globalThis.Date = class extends Date {
          constructor(...given) { super(...(given.length > 0 ? given : [4102444800000])); }
        };
        dispatchEvent(new Event('beforeprint'));
        return document.querySelector('footer.print-only').textContent;
      })()`);
      expect(foot).toMatch(/Printed by compliance on Jan 1, 2100/);
      expect(await page.getByText('Positions of the log').isVisible()).toBe(true);
      const proof = page.locator('footer.print-only').getByText(`SHA-256 ${evidence}`);
      expect(await proof.isVisible()).toBe(true);
      expect(
        await page
          .locator('.why')
          .getByText(/ of (spades|hearts|diamonds|clubs)/)
          .first()
          .isVisible(),
      ).toBe(true);
      for (const hidden of ['header.bar', '.ruling', '.felt-transport'])
        expect(await page.locator(hidden).isVisible()).toBe(false);
      const paper = await page.pdf({ preferCSSPageSize: true });
      expect(numbersOn(paper)).toEqual(['1 / 2', '2 / 2']);
      const pdf = paper.toString('latin1');
      expect(pdf).toMatch(/\/MediaBox\s*\[0 0 59[45]\.\d+ 84[12]\.\d+\]/);
      expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBe(2);
    },
    TEST_MS,
  );
});

describe('the screen of a coup', () => {
  it(
    'opens a reference with slashes and number signs, and the keys lead to the coups beside it',
    async () => {
      const id = await firstOf('PY-03');
      const { coup, finding, neighbors } = await whole(id);
      const path = (ref: string): string =>
        `coups/${encodeURIComponent(ref)}?table=${finding.table}`;
      expect(coup.ref).toMatch(/[#/]/);
      const page = await browser.visitAs('pit-boss', path(coup.ref));
      await open(page);
      await page.getByRole('link', { name: /PY-03/ }).waitFor();
      const heading = page.locator('.finding h1');
      const first = await heading.innerText();
      await page.locator('a[aria-label="Coup after"]').waitFor();
      await settled(page);
      await page.keyboard.press(']');
      await page.waitForURL(browser.addressOf(path(neighbors.after)));
      // the address is there before the page, whose keys are still those of the first coup
      await eventually('the next coup', async () => (await heading.innerText()) !== first);
      await page.locator('a[aria-label="Coup before"]').waitFor();
      await settled(page);
      await page.keyboard.press('[');
      await page.waitForURL(browser.addressOf(path(coup.ref)));
      await eventually('the first coup', async () => (await heading.innerText()) === first);
      await page.keyboard.press('Escape');
      await page.waitForURL(browser.addressOf(path(neighbors.after)));
      const back = page.getByRole('link', { name: '← Back' });
      expect(await back.getAttribute('href')).toMatch(/\/console\/tables\/.*\/shoes\//);
      await back.click();
      await page.waitForURL(browser.addressOf(path(coup.ref)));
    },
    TEST_MS,
  );

  it(
    'prints who printed it and the positions that its answer had',
    async () => {
      const { coup, finding } = await whole(await firstOf('PY-03'));
      const path = `coups/${encodeURIComponent(coup.ref)}?table=${finding.table}`;
      const page = await browser.visitAs('compliance', path);
      await open(page);
      await page.emulateMedia({ media: 'print' });
      await page.getByText('Printed by compliance').waitFor();
      const { positions } = await ask<{ positions: string }>('compliance', path);
      await page.getByText(`Positions of the log: ${positions}`).waitFor();
    },
    TEST_MS,
  );

  it(
    'says that nothing has an unknown reference',
    async () => {
      const page = await browser.visitAs('pit-boss', 'coups/no%2Fsuch%23coup%25?table=B04');
      await page.getByRole('heading', { name: 'There is no such coup' }).waitFor();
    },
    TEST_MS,
  );
});

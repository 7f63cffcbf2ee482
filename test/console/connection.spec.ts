import { expect, it } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';
import { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { openConsole } from '../kit/open-console.js';
import { PlayedTable } from '../kit/played-table.js';
import { faultyCoup } from '../kit/reviewed-table.js';
import { type Send, sentTo } from '../kit/sent-to.js';
import { TcpProxy } from '../kit/tcp-proxy.js';

const TEST_MS = 120_000;
const LOST_MS_MAX = 10_000;
/** What a busy machine may add to a time that is measured. */
const BUSY_MS = 1_500;
const WINDOWS = 8;
/** A working worker reports at least once in this time, also while the server is away. */
const SILENCE_MS = 16_000;
/** Wide enough for a finding beside the queue. */
const WALL = { viewport: { width: 1_920, height: 1_080 } };
const MINUTE_S = 60;
let server: ConsoleServer;
let browser: TestBrowser;

openConsole((opened) => {
  ({ server, browser } = opened);
});

interface Listed {
  readonly lines: readonly { readonly id: string; readonly code: string }[];
}

/** Returns the id of the first finding of a filter, once there is one. */
const findingOf = async (send: Send, filter: string): Promise<string> =>
  eventually(`a finding ${filter}`, async () => {
    const { lines } = (await send('GET', `/v1/findings?${filter}`)) as Listed;
    return lines[0]?.id;
  });

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Ruling' });
const isLive = (page: Page): Promise<void> => page.getByText('● live').waitFor();

/** Returns the texts of the buttons that a person could use. */
const usable = (buttons: Locator): Promise<string[]> =>
  buttons.locator(':scope:not([aria-disabled=true])').allInnerTexts();

/** Stops the server as a machine that hangs does: its connections stay open, and nothing answers. */
async function whileStopped(work: (stoppedAt: Date) => Promise<void>): Promise<void> {
  process.kill(server.program.pid, 'SIGSTOP');
  try {
    await work(new Date());
  } finally {
    process.kill(server.program.pid, 'SIGCONT');
  }
}

/**
 * Returns how many seconds before a time a strip says that the last sign of the server came. It is
 * below 0 where a sign that was under way came after that time.
 */
function secondsBefore(time: Date, strip: string): number {
  const [, seconds] = /since \d+:\d+:(\d+)/.exec(strip) ?? [];
  if (seconds === undefined) throw new Error(`no time in ${strip}`);
  const before = (time.getSeconds() - Number(seconds) + MINUTE_S) % MINUTE_S;
  return before > MINUTE_S / 2 ? before - MINUTE_S : before;
}

/** Returns when a page first shows the strip of a lost connection, in ms since 1970. */
const lostAt = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `new Promise((resolve) => {
      const observer = new MutationObserver(look);
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      look();
      function look() {
        if (!document.body.textContent.includes('Not live since')) return;
        observer.disconnect();
        resolve(Date.now());
      }
    })`,
  );

const isHidden = (element: Element): boolean =>
  element.closest('[inert], [aria-hidden=true]') !== null;

/** Answers for the server that it was upgraded. */
const ofNewerBuild = async (route: Route): Promise<void> => {
  const response = await route.fetch();
  const me = (await response.json()) as object;
  await route.fulfill({ response, json: { ...me, build: 'newer' } });
};

it(
  'says within 10 s since when it is not live, turns commands off, and keeps what is typed',
  async () => {
    const id = await findingOf(await sentTo(server, 'compliance'), 'code=PY-03&review=open');
    const page = await browser.visitAs('pit-boss', `findings/${id}`);
    await isLive(page);
    await bar(page).getByRole('button', { name: 'Comment', exact: true }).click();
    const comment = page.getByLabel('Comment *');
    await comment.fill('half a senten');
    const sent: string[] = [];
    await page.route('**/v1/me', ofNewerBuild);
    const lost = lostAt(page); // the page takes the time itself: this process may be kept waiting
    await whileStopped(async (stoppedAt) => {
      const strip = page.getByText('Not live since');
      await strip.waitFor();
      expect((await lost) - stoppedAt.getTime()).toBeLessThan(LOST_MS_MAX + BUSY_MS);
      const before = secondsBefore(stoppedAt, await strip.innerText());
      expect(before).toBeLessThanOrEqual(6);
      expect(before).toBeGreaterThanOrEqual(-2);
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(request.url());
      });
      const commands = bar(page).locator('.ruling-button, button[type=submit]');
      expect(await usable(commands)).toEqual([]);
      for (const text of await commands.allInnerTexts()) expect(text).toContain('not live');
      await comment.pressSequentially('ce');
      await bar(page).locator('button[type=submit]').click({ force: true });
      await page.locator('.felt-card').first().click();
      await page.waitForURL(/step=1$/);
      expect(await page.getByRole('button', { name: /^Card 1/ }).count()).toBe(1);
      expect(await comment.inputValue()).toBe('half a sentence');
    });
    await page.getByText('Live again').waitFor();
    await page.getByText('Not live since').waitFor({ state: 'detached' });
    await page.getByText('The server was upgraded.').waitFor();
    expect(sent).toEqual([]);
    expect(await comment.inputValue()).toBe('half a sentence');
    await bar(page).locator('button[type=submit]:not([aria-disabled])').click();
    await page.locator('.history').getByText('half a sentence').waitFor();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'turns the commands of the queue off, also those of a sheet that is open, and goes on being read',
  async () => {
    const page = await browser.visitAs('pit-boss', 'queue?table=B04');
    await page.getByRole('row').first().waitFor();
    await isLive(page);
    await page.keyboard.press('j');
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Rule on 1 selected' }).click();
    await page.getByRole('radio', { name: 'Dealer error, corrected' }).click({ force: true });
    // notices are read and can be used while a sheet is open; the rest of the page cannot
    expect(await page.locator('.notices').evaluate(isHidden)).toBe(false);
    expect(await page.locator('.queue-foot').evaluate(isHidden)).toBe(true);
    await whileStopped(async () => {
      await page.getByText('Not live since').waitFor();
      const preview = page.getByRole('button', { name: /^See what would happen/ });
      expect(await preview.getAttribute('aria-disabled')).toBe('true');
      expect(await preview.innerText()).toContain('not live');
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' }); // no key works in it
      expect(await usable(page.locator('.queue-foot [data-main]'))).toEqual([]);
      await page.keyboard.press('n');
      await page.locator('.notice').getByText('not live').waitFor();
      await page.keyboard.press('j');
      await page.locator('.queue-row:focus').waitFor();
    });
    await page.getByText('Live again').waitFor();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'catches up with what happened while it was cut off, although nothing had happened before',
  async () => {
    const table = await PlayedTable.open(server, 'L1');
    await table.play((log) => faultyCoup(log, 1));
    const surveillance = await sentTo(server, 'surveillance');
    const id = await findingOf(surveillance, 'table=L1&code=TC-08');
    const proxy = await TcpProxy.before(Number(new URL(server.url).port));
    const behind = await TestBrowser.open({ ...server, url: `http://127.0.0.1:${proxy.port}` });
    const queue = await behind.visitAs('pit-boss', 'queue?table=L1');
    await queue.getByRole('row').first().waitFor();
    await isLive(queue);
    const meanwhile = async (work: () => Promise<unknown>): Promise<void> => {
      const release = proxy.hold();
      proxy.cut();
      await queue.getByText('Not live since').waitFor();
      await work();
      release();
      await queue.getByText('Not live since').waitFor({ state: 'detached' });
    };
    // nothing has come on this stream yet
    await meanwhile(() => table.play((log) => faultyCoup(log, 2)));
    await queue
      .getByRole('status')
      .filter({ hasText: /\d+ new/ })
      .waitFor();
    const finding = await behind.visitBeside(queue, `findings/${id}`);
    await isLive(finding);
    await bar(finding).waitFor(); // or its files would be cut off too
    await meanwhile(() => surveillance('POST', `/v1/findings/${id}/claim`, { lease: 600 }));
    await queue.locator(`[data-id="${id}"]`).getByText('surveillance').waitFor();
    await bar(finding).getByText('Claimed by surveillance').first().waitFor();
    behind.complaints.splice(0); // Chromium reports the connection that was cut
    await behind.close();
    await proxy.close();
  },
  TEST_MS,
);

it(
  'keeps eight windows of one browser live, and answers the commands of each',
  async () => {
    const table = await PlayedTable.open(server, 'W1');
    await table.play((log) => {
      for (let coup = 1; coup <= WINDOWS; coup += 1) faultyCoup(log, coup);
    });
    const compliance = await sentTo(server, 'compliance');
    const ids = await eventually('a finding a window', async () => {
      const { lines } = (await compliance('GET', '/v1/findings?table=W1&code=TC-08')) as Listed;
      return lines.length === WINDOWS && lines.map(({ id }) => id);
    });
    const addresses = ids.map((id) => `queue?table=W1&finding=${id}`);
    const first = await browser.visitAs('pit-boss', addresses[0] as string, WALL);
    const windows = [first];
    for (const address of addresses.slice(1))
      windows.push(await browser.visitBeside(first, address));
    for (const page of windows) {
      await isLive(page);
      await page.getByRole('row').first().waitFor(); // the page counts as news what comes after it
    }
    await table.play((log) => faultyCoup(log, WINDOWS + 1));
    for (const page of windows)
      await page
        .getByRole('status')
        .filter({ hasText: /\d+ new/ })
        .waitFor();
    await Promise.all(
      windows.map(async (page) => {
        await bar(page).getByRole('button', { name: 'Claim', exact: true }).click();
        await bar(page).getByRole('button', { name: 'Release', exact: true }).waitFor();
      }),
    );
    // what is done beside all of them is seen in each
    for (const id of ids)
      await compliance('POST', `/v1/findings/${id}/comment`, { text: 'seen from beside' });
    for (const page of windows)
      await page.locator('.history').getByText('seen from beside').waitFor();
    await first.context().close();
  },
  TEST_MS,
);

it(
  'shows a window without a shared stream what came while it was hidden',
  async () => {
    const table = await PlayedTable.open(server, 'H1');
    const page = await browser.visitAs('pit-boss', 'queue?table=H1');
    await page.addInitScript('delete globalThis.SharedWorker');
    await page.reload();
    await isLive(page);
    // the rows are read, so that what comes later is news
    await page.getByText('No finding fits this filter.').waitFor();
    const turn = (state: 'hidden' | 'visible'): Promise<void> =>
      page.evaluate(
        `{
          const visibilityState = { get: () => '${state}', configurable: true };
          Object.defineProperty(document, 'visibilityState', visibilityState);
          document.dispatchEvent(new Event('visibilitychange'));
        }`,
      );
    await turn('hidden');
    await table.play((log) => faultyCoup(log, 1));
    await findingOf(await sentTo(server, 'pit-boss'), 'table=H1&code=TC-08');
    expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(0);
    await turn('visible');
    await page.getByRole('button', { name: 'Show' }).waitFor();
    await page.context().close();
  },
  TEST_MS,
);

/** A shared worker whose file is no longer on the server. */
const WORKER_MISSING = `globalThis.SharedWorker = class extends EventTarget {
  port = new MessageChannel().port1;
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new Event('error')));
  }
}`;
/** A shared worker that died without a word. */
const WORKER_DEAD = `globalThis.SharedWorker = class extends EventTarget {
  port = new MessageChannel().port1;
}`;

it(
  'follows the stream by itself where the shared worker cannot be loaded, or dies',
  async () => {
    const page = await browser.visitAs('pit-boss', 'settings');
    await page.addInitScript(WORKER_MISSING);
    await page.reload();
    await isLive(page);
    await page.context().close();
    const other = await browser.visitAs('pit-boss', 'settings');
    await other.addInitScript(WORKER_DEAD);
    await other.clock.install();
    await other.reload();
    await other.waitForSelector('header.bar');
    await other.clock.fastForward(SILENCE_MS); // it joins again
    await other.clock.fastForward(SILENCE_MS);
    await isLive(other);
    await other.context().close();
  },
  TEST_MS,
);

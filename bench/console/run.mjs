// What a person waits for in the console, in Chromium, on the built files.
//   npm run bench:console -- [--findings 100000]
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { builtFiles } from '../../scripts/console/first-load.mjs';
import { load } from '../server/children.mjs';
import { sessions } from '../server/sessions.mjs';
import { startMachine, startServer } from '../server/stack.mjs';
import { faultyShoe, manyFindings, quantiles } from '../review/floor.mjs';

const { values } = parseArgs({ options: { findings: { type: 'string', default: '100000' } } });
/** A part that takes longer than this has failed. */
const PART_MS_MAX = 120_000;
const ROUNDS = 5;
/** In each of as many rounds, the first of them while the page is still being loaded. */
const KEYS = 30;
const ARRIVALS = 24;
const PROPOSALS = 60;
/** The banner says something new at most every five seconds. */
const SAID_MS_MIN = 5_000;
const SLOWER = 4;
/** 10 Mbit/s with 40 ms to the server and back. */
const NETWORK = { latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
/** What is said after a proposal. */
const RULED = /Another person signs it|: ruled by /;
const ROW = '[role=grid] [role=row][aria-rowindex]';
/** Notes in the page when the frame after the first rows begins: they have been painted then. */
const NOTE_ROWS = `globalThis.rowsAreThere = new Promise((done) => {
  const look = () => {
    if (document.querySelectorAll('${ROW}').length < 4) requestAnimationFrame(look);
    else requestAnimationFrame(() => done(performance.now()));
  };
  requestAnimationFrame(look);
});`;
/** How far the list scrolls in each frame. */
const SCROLL_PIXELS = 2_000;
/** Reading all rows takes longer than other parts: each page of 200 is a request. */
const SCROLL_MS_MAX = 300_000;

/** @typedef {import('playwright-core').Page} Page */

/**
 * Prints a measure beside its aim.
 * @param {string} name
 * @param {readonly number[]} measured
 * @param {number} most
 * @param {string} unit
 */
function print(name, measured, most, unit = 'ms') {
  const { p95, text } = quantiles(measured, unit);
  const is = p95 <= most ? 'reached' : 'not reached';
  console.log(`console | ${name} | ${text} | aim p95 ${most} ${unit}: ${is} | load ${load()}`);
}

/**
 * Returns a page of somebody who is signed in, on a machine that is so many times slower.
 * @param {import('playwright-core').Browser} browser
 * @param {{ url: string, token: string, slower: number }} as
 */
async function signedIn(browser, { url, token, slower }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(PART_MS_MAX);
  await context.addCookies([{ name: 'shoeprint-session', value: token, url }]);
  await context.addInitScript(`localStorage.setItem('shoeprint.account', 'bench')`);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  if (slower > 1) {
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...NETWORK });
  }
  return { page, devtools };
}

/**
 * Measures in a page and closes it: a slowed page keeps a processor busy as long as it is open.
 * @template T
 * @param {Promise<T & { page: Page }>} opening
 * @param {(opened: T & { page: Page }) => Promise<void>} measure
 */
async function inPage(opening, measure) {
  const opened = await opening;
  await measure(opened);
  await opened.page.context().close();
}

/**
 * Measures the first load of the queue with nothing in the cache.
 * @param {() => Promise<{ page: Page }>} open
 * @param {string} url
 */
async function firstLoad(open, url) {
  /** @type {number[]} */
  const paints = [];
  /** @type {number[]} */
  const rows = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const { page } = await open();
    await page.addInitScript(NOTE_ROWS);
    await page.goto(`${url}/console/queue`);
    rows.push(await page.evaluate('rowsAreThere'));
    paints.push(
      await page.evaluate(
        `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
      ),
    );
    await page.context().close();
  }
  print(`first paint, processor ${SLOWER} times slower`, paints, 1_200);
  print(`rows of the queue, processor ${SLOWER} times slower`, rows, 2_000);
}

/**
 * Returns statements of the page that do something, and call `done` with the milliseconds from
 * before it to the frame after something is so. They call `fail` if it never is.
 * @param {string} isSo An expression.
 * @param {string} act Statements.
 */
const timed = (isSo, act = '') => `
  const from = performance.now();
  ${act}
  const look = () => {
    if (performance.now() - from > ${PART_MS_MAX}) fail(new Error(${JSON.stringify(isSo)}));
    else if (!(${isSo})) requestAnimationFrame(look);
    else requestAnimationFrame(() => done(performance.now() - from));
  };
  look();`;

/**
 * Returns the milliseconds from a key, as the page hears it, to the frame after something is so.
 * @param {Page} page
 * @param {string} key
 * @param {string} isSo An expression. `before` is what had the focus.
 */
async function keyUntil(page, key, isSo) {
  const press = `before.dispatchEvent(
    new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }),
  );`;
  const elapsed = await page.evaluate(
    `new Promise((done, fail) => {
      const before = document.activeElement;
      ${timed(isSo, press)}
    })`,
  );
  return /** @type {number} */ (elapsed);
}

/**
 * Returns the milliseconds from a tap, as the page hears it, to the frame after something is so.
 * What finds the button and looks whether it can be tapped takes longer than many answers.
 * @param {Page} page
 * @param {import('playwright-core').Locator} button
 * @param {string} isSo An expression.
 */
async function tapUntil(page, button, isSo) {
  await page.evaluate(
    `void (globalThis.tapped = new Promise((done, fail) => {
      const tap = () => {${timed(isSo)}};
      addEventListener('pointerdown', tap, { capture: true, once: true });
    }))`,
  );
  await button.click();
  /** @type {number} */
  const elapsed = await page.evaluate(`tapped`);
  return elapsed;
}

/**
 * Measures a key to the highlighted row, and a row to the screen of its coup.
 * @param {Page} page
 * @param {string} url
 */
async function keysAndRows(page, url) {
  const keys = [];
  const isElsewhere = 'document.activeElement !== before';
  for (let load = 0; load < ROUNDS; load += 1) {
    await page.goto(`${url}/console/queue`);
    await page.locator(ROW).nth(3).waitFor();
    await page.keyboard.press('j');
    for (let n = 0; n < KEYS; n += 1) keys.push(await keyUntil(page, 'j', isElsewhere));
  }
  print('key j to the next row', keys, 50);
  /** @type {{ atOnce: number[], afterALook: number[] }} */
  const opened = { atOnce: [], afterALook: [] };
  for (let n = 0; n < ROUNDS; n += 1)
    for (const [when, times] of Object.entries(opened)) {
      await page.goto(`${url}/console/queue`);
      await page
        .locator(ROW)
        .nth(n + 1)
        .waitFor();
      await page.keyboard.press('j');
      // the rows are whole: nothing of the page is being loaded any more
      if (when === 'afterALook') await page.locator(`${ROW} .playing-card`).nth(ROUNDS).waitFor();
      times.push(await keyUntil(page, 'Enter', `document.querySelector('.felt .playing-card')`));
    }
  print('row to its coup', opened.afterALook, 400);
  print('row to its coup, while the page is still being loaded', opened.atOnce, 400);
}

/**
 * Scrolls to the last row of the queue, which reads all of them, and measures frames and the heap
 * that they take.
 * @param {{ page: Page, devtools: import('playwright-core').CDPSession }} opened
 * @param {string} url
 * @param {{ name: string, most: number }} asked
 */
async function scrolling({ page, devtools }, url, { name, most }) {
  await page.goto(`${url}/console/queue`);
  await page.locator(ROW).nth(3).waitFor();
  /** @type {{ frames: number[], rows: number }} */
  const { frames, rows } = await page.evaluate(
    `new Promise((done) => {
        const grid = document.querySelector('[role=grid]');
        let list = grid;
        while (list && list.scrollHeight <= list.clientHeight + 1) list = list.parentElement;
        list ??= document.scrollingElement;
        const frames = [];
        const began = performance.now();
        let last = began;
        const step = () => {
          const now = performance.now();
          frames.push(now - last);
          last = now;
          list.scrollTop += ${SCROLL_PIXELS};
          const rows = Math.max(
            ...Array.from(document.querySelectorAll('${ROW}'), (row) => Number(row.ariaRowIndex)),
          );
          const isOver = rows === Number(grid.ariaRowCount) || now - began > ${SCROLL_MS_MAX};
          if (isOver) done({ frames, rows });
          else requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      })`,
  );
  print(`frame while scrolling to row ${rows}${name}`, frames, most);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  print(`heap with ${rows} rows${name}`, [usedSize / 1e6], 150, 'MB');
}

/**
 * Measures a faulty coup, sent by its table, to the banner that counts it.
 * @param {Page} page
 * @param {import('../server/stack.mjs').Server} server
 */
async function arrivals(page, { port, token }) {
  const url = `http://127.0.0.1:${port}`;
  await page.goto(`${url}/console/queue`);
  await page.getByText('● live').waitFor();
  const said = page.locator('.queue-banner [role=status]');
  const times = [];
  for (const coup of coups(faultyShoe('ARRIVALS', ARRIVALS + 1, ARRIVALS + 1))) {
    const from = performance.now();
    const answer = await fetch(`${url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: coup.join('\n'),
    });
    if (!answer.ok) throw new Error(`the coup was refused: ${await answer.text()}`);
    await said.filter({ hasText: /\d/ }).waitFor();
    times.push(performance.now() - from);
    await page.getByRole('button', { name: 'Show' }).click();
    await said.filter({ hasText: /\d/ }).waitFor({ state: 'detached' });
    await pause(SAID_MS_MIN + 200);
  }
  print('event at the table to the banner', times.slice(1), 500); // the first opened the table
}

/**
 * Returns the lines of a shoe, cut after each coup.
 * @param {readonly string[]} lines
 */
function coups(lines) {
  /** @type {string[][]} */
  const cut = [[]];
  for (const line of lines) {
    cut.at(-1)?.push(line);
    if (line.includes('shoeprint.coup-closed.')) cut.push([]);
  }
  return cut.filter((coup) => coup.length > 0);
}

/**
 * Measures the tap on "Propose" to what the log decided, shown in the ruling bar.
 * @param {Page} page
 * @param {string} url
 * @param {readonly string[]} ids
 */
async function proposals(page, url, ids) {
  const times = [];
  for (const id of ids.slice(0, PROPOSALS)) {
    await page.goto(`${url}/console/findings/${id}`);
    await page.locator('.finding h1').waitFor();
    await page.keyboard.press('r');
    await page.getByText('Dealer error, corrected').click();
    const propose = page.getByRole('button', { name: 'Propose', exact: true });
    times.push(await tapUntil(page, propose, `${RULED}.test(document.body.innerText)`));
  }
  print('tap on "Propose" to its answer', times, 150);
}

/**
 * Measures for how long a person waits in all from "Take next" to a ruling that holds.
 * @param {Page} page
 * @param {string} url
 */
async function rulings(page, url) {
  const bar = page.getByRole('region', { name: 'Ruling' });
  const code = page.getByText('Dealer error, corrected');
  const chosen = page.locator('.choice [data-selected]').filter({ has: code }).first();
  const times = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    await page.goto(`${url}/console/queue`);
    await page.locator(ROW).nth(3).waitFor();
    let waited = 0;
    /** @type {readonly (readonly [import('playwright-core').Locator, import('playwright-core').Locator])[]} */
    const taps = [
      [page.getByRole('button', { name: 'Take next' }), page.locator('.playing-card').first()],
      [bar.getByRole('button', { name: 'Rule', exact: true }), code],
      [code, chosen],
      [page.getByRole('button', { name: 'Propose', exact: true }), page.getByText(RULED)],
    ];
    for (const [target, brought] of taps) {
      await target.waitFor();
      const from = performance.now();
      await target.click();
      await brought.first().waitFor();
      waited += performance.now() - from;
    }
    times.push(waited);
  }
  print('a ruling: waiting for the machine in all', times, 3_000);
}

/** Prints the bytes of the first load of the queue, and of every built file, as gzip. */
function sizes() {
  const files = builtFiles();
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1e3).toFixed(1)} kB`;
  const firstOf = (/** @type {string} */ end) =>
    files
      .filter(({ name, isFirst }) => isFirst && name.endsWith(end))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(
    `console | first load ${kilobytes(firstOf('.js'))} of scripts, ${kilobytes(firstOf('.css'))} of styles`,
  );
  for (const { name, bytes, isFirst } of files)
    console.log(
      `console | file ${name} ${kilobytes(bytes)}${isFirst ? ', in the first load' : ''}`,
    );
}

sizes();
const machine = await startMachine({ kafka: false });
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  const server = await startServer(machine, 'postgres');
  const { all, ids } = await manyFindings(server, Number(values.findings));
  const url = `http://127.0.0.1:${server.port}`;
  const [token = ''] = await sessions(server.databaseUrl, [{ roles: ['pit-boss'], tables: ['*'] }]);
  console.log(`console | ${all} findings | load ${load()}`);
  const open = (slower = 1) => signedIn(browser, { url, token, slower });
  await firstLoad(() => open(SLOWER), url);
  await inPage(open(SLOWER), ({ page }) => keysAndRows(page, url));
  await inPage(open(), (opened) => scrolling(opened, url, { name: '', most: 25 }));
  const slowed = { name: ` ${SLOWER} times slower`, most: 50 };
  await inPage(open(SLOWER), (opened) => scrolling(opened, url, slowed));
  await inPage(open(), ({ page }) => arrivals(page, server));
  await inPage(open(), ({ page }) => proposals(page, url, ids));
  await inPage(open(), ({ page }) => rulings(page, url));
  await server.stop();
} finally {
  await browser.close();
  await machine.stop();
}
process.exit();

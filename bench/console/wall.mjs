// The wall of surveillance: the queue beside a finding, in the dark theme, on a server that deals
// live. Measures whether it stays live, how its heap grows, and how bright its brightest frame was.
//   npm run bench:wall -- [--minutes 15] [--picture wall.png]
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { startSampleServer } from '../../scripts/sample-server.mjs';
import { spread } from '../measure.mjs';
import { load } from '../server/children.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, picture: { type: 'string' } },
});
const PERSON = 'surveillance';
const PAGE_MS_MAX = 60_000;
const LOOK_MS = 10_000;
/** A screen beside which nobody is dazzled: the mean relative luminance of a ninth of its area. */
const BRIGHTEST = 0.05;
/** How much more the heap may hold in the last third of the time than in the first. */
const GROWTH = 1.1;
/** The screens that are gone through first: no page may be white while the next one loads. */
const WALKED = ['tables', 'tables/B04', 'reports/dealers', 'rules', 'settings', 'queue'];

/**
 * Measures frames, each given as base64 of a JPEG, in a page of its own. Returns for each the mean
 * relative luminance (WCAG 2.2) of the brightest of nine equal parts.
 */
const MEASURE = `async (frame) => {
  const bytes = Uint8Array.from(atob(frame), (each) => each.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const linear = (byte) =>
    byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
  const sums = new Array(9).fill(0);
  const counts = new Array(9).fill(0);
  for (let at = 0; at < data.length; at += 4) {
    const [x, y] = [(at / 4) % image.width, Math.floor(at / 4 / image.width)];
    const part = Math.floor((3 * y) / image.height) * 3 + Math.floor((3 * x) / image.width);
    const [red, green, blue] = [data[at], data[at + 1], data[at + 2]].map(linear);
    sums[part] += 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    counts[part] += 1;
  }
  return Math.max(...sums.map((sum, part) => sum / counts[part]));
}`;

/**
 * Takes every frame that the page draws, and measures it.
 * @param {import('playwright-core').CDPSession} devtools
 * @param {import('playwright-core').Page} measurer
 */
async function watchFrames(devtools, measurer) {
  /** @type {number[]} */
  const brightness = [];
  devtools.on('Page.screencastFrame', ({ data, sessionId }) => {
    measurer
      .evaluate(`(${MEASURE})(${JSON.stringify(data)})`)
      .then((/** @type {unknown} */ each) => brightness.push(Number(each)))
      .then(() => devtools.send('Page.screencastFrameAck', { sessionId }))
      .catch((/** @type {unknown} */ error) => {
        if (!measurer.isClosed()) throw error; // else the time is over
      });
  });
  await devtools.send('Page.startScreencast', { format: 'jpeg', maxWidth: 480, maxHeight: 270 });
  return brightness;
}

/**
 * Opens the queue with its first finding beside it, and keeps what the page complains about from
 * its first screen on.
 * @param {import('playwright-core').Browser} browser
 * @param {{ url: string, token: string }} server
 */
async function openWall(browser, { url, token }) {
  const context = await browser.newContext({
    viewport: { width: 1920, height: 1080 },
    locale: 'en-US',
  });
  context.setDefaultTimeout(PAGE_MS_MAX);
  await context.addCookies([{ name: 'shoeprint-session', value: token, url }]);
  const kept = {
    'shoeprint.account': PERSON,
    'shoeprint.theme': PERSON,
    [`shoeprint.preferences.${PERSON}`]: JSON.stringify({ theme: PERSON }),
  };
  await context.addInitScript(
    `for (const [name, value] of Object.entries(${JSON.stringify(kept)})) localStorage.setItem(name, value);`,
  );
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const devtools = await context.newCDPSession(page);
  const measurer = await context.newPage();
  await page.bringToFront();
  await page.goto(`${url}/console/queue`); // the empty page of a new window is white
  await page.locator('main h1').first().waitFor();
  const brightness = await watchFrames(devtools, measurer);
  for (const path of WALKED) {
    await page.goto(`${url}/console/${path}`);
    await page.locator('main h1').first().waitFor();
  }
  await page.locator('[role=grid] [role=row][aria-rowindex]').nth(1).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/queue?*finding=*');
  await page.getByText('Open a finding to see it here.').waitFor({ state: 'hidden' });
  return { page, devtools, brightness, complaints };
}

/**
 * Looks at the wall until its time is over.
 * @param {Awaited<ReturnType<typeof openWall>>} wall
 * @param {number} minutes
 */
async function watch({ page, devtools }, minutes) {
  const heaps = [];
  let looks = 0;
  let live = 0;
  for (const until = performance.now() + minutes * 60_000; performance.now() < until;) {
    await pause(LOOK_MS);
    looks += 1;
    live += (await page.getByText('● live').isVisible()) ? 1 : 0;
    await devtools.send('HeapProfiler.collectGarbage');
    heaps.push((await devtools.send('Runtime.getHeapUsage')).usedSize / 1e6);
  }
  return { heaps, looks, live };
}

const server = await startSampleServer(undefined, undefined, ['--live']);
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  const wall = await openWall(browser, { url: server.url, token: await server.signIn(PERSON) });
  const { heaps, looks, live } = await watch(wall, Number(values.minutes));
  const third = Math.ceil(heaps.length / 3);
  const [first, last] = [heaps.slice(0, third), heaps.slice(-third)].map(
    (each) => spread(each).median,
  );
  const brightest = Math.max(...wall.brightness);
  const told = (await wall.page.getByRole('status').allInnerTexts()).filter(Boolean);
  const middle = spread(wall.brightness).median.toFixed(4);
  const isDark = brightest <= BRIGHTEST ? 'reached' : 'not reached';
  const frames = `${wall.brightness.length} frames`;
  const lines = [
    `live in ${live} of ${looks} looks: ${live === looks ? 'reached' : 'not reached'}`,
    `heap ${first?.toFixed(1)} MB in the first third, ${last?.toFixed(1)} MB in the last: ${
      Number(last) <= Number(first) * GROWTH ? 'flat' : 'grows'
    }`,
    `brightest of ${frames} ${brightest.toFixed(4)}, median ${middle}, aim ${BRIGHTEST}: ${isDark}`,
    `said at the end: ${told.join(' / ') || 'nothing'}`,
    `complaints of the page: ${wall.complaints.join(' / ') || 'none'}`,
  ];
  await wall.devtools.send('Page.stopScreencast');
  for (const line of lines) console.log(`wall | ${values.minutes} min | ${line} | load ${load()}`);
  if (values.picture !== undefined) await wall.page.screenshot({ path: values.picture });
} finally {
  await browser.close();
  await server.stop();
}
process.exit();

import { expect, it } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { holdFirst } from '../kit/hold-first.js';
import { openConsole } from '../kit/open-console.js';
import { sentTo } from '../kit/sent-to.js';
import { codeOf } from '../kit/totp.js';

const TEST_MS = 120_000;
let server: ConsoleServer;
let browser: TestBrowser;

const macau = [{ from: '2000-01-01', zone: 'Asia/Macau', cutover: '06:00' }];
openConsole(
  (opened) => {
    ({ server, browser } = opened);
  },
  { SHOEPRINT_GAMING_DAY: JSON.stringify(macau) },
);

const themeOf = (page: Page): Promise<string> =>
  page.evaluate<string>('document.documentElement.dataset.theme');

/** Returns what the account keeps on the server. */
async function keptOf(person: string): Promise<Readonly<Record<string, unknown>>> {
  const send = await sentTo(server, person);
  return (await send('GET', '/v1/me/preferences')) as Readonly<Record<string, unknown>>;
}

it(
  'applies a theme at once, and keeps it for the account on every browser',
  async () => {
    const page = await browser.visitAs('compliance', 'settings', { colorScheme: 'dark' });
    expect(await themeOf(page)).toBe('dark');
    await page.getByText('High contrast').click();
    expect(await themeOf(page)).toBe('high-contrast');
    await eventually('it is kept', async () => {
      return (await keptOf('compliance'))['theme'] === 'high-contrast';
    });
    const other = await browser.visitAs('compliance', 'settings');
    await eventually('it is loaded', async () => (await themeOf(other)) === 'high-contrast');
    await other.getByText('As the system').click();
    expect(await themeOf(other)).toBe('light');
    await other.emulateMedia({ colorScheme: 'dark' });
    await eventually('it follows the system', async () => (await themeOf(other)) === 'dark');
    await other.context().close();
    await page.context().close();
  },
  TEST_MS,
);

/** The relative brightness of a picture, 0 to 1, as a page of its own computes it. */
const BRIGHTNESS = `async (data) => {
  const picture = new Image();
  picture.src = 'data:image/jpeg;base64,' + data;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0, 64, 64);
  const { data: pixels } = context.getImageData(0, 0, 64, 64);
  let sum = 0;
  for (let at = 0; at < pixels.length; at += 4) sum += pixels[at] + pixels[at + 1] + pixels[at + 2];
  return sum / (64 * 64 * 3 * 255);
}`;

/** Reloads a page three times, and returns the brightness of the brightest frame that it showed. */
async function brightestFrame(page: Page): Promise<number> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const frames: string[] = [];
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    frames.push(data);
    void session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await session.send('Page.startScreencast', { format: 'jpeg', quality: 60, everyNthFrame: 1 });
  for (let time = 0; time < 3; time += 1) {
    const before = frames.length;
    await page.reload();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    // what is in the page is not painted yet
    await eventually('a frame', () => frames.length > before);
  }
  await session.send('Page.stopScreencast');
  expect(frames.length).toBeGreaterThan(2);
  const measuring = await browser.visit('sign-in');
  const measured = await Promise.all(
    frames.map((data) => measuring.evaluate<number>(`(${BRIGHTNESS})(${JSON.stringify(data)})`)),
  );
  await measuring.context().close();
  return Math.max(...measured);
}

it(
  'shows no bright frame when a page in the theme of surveillance is loaded',
  async () => {
    const page = await browser.visitAs('surveillance', 'settings');
    expect(await brightestFrame(page)).toBeGreaterThan(0.5); // the measure sees a light page
    await page.getByRole('radio', { name: 'Surveillance' }).press('Space');
    await eventually('the theme', async () => (await themeOf(page)) === 'surveillance');
    await page.reload();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await brightestFrame(page)).toBeLessThan(0.2);
    await page.context().close();
  },
  TEST_MS,
);

it(
  'lets a person turn keys off, and give a function another key',
  async () => {
    const page = await browser.visitAs('regulator', 'settings');
    const dialog = page.getByRole('dialog', { name: 'Keys of this screen' });
    const heading = page.getByRole('heading', { name: 'Settings' });
    await heading.click();
    await page.keyboard.press('?');
    await dialog.getByRole('button', { name: 'Close' }).click();
    const field = page.getByLabel('Keys of this screen');
    await field.fill('j');
    await page.getByText('j is used for “Next row”. Choose another key.').waitFor();
    await field.fill('g');
    await page.getByText('g is used by the console itself. Choose another key.').waitFor();
    await page.getByLabel('Next row').fill('y');
    await page.getByLabel('Row before').fill('j');
    await page.getByLabel('Next row').fill('');
    await page.getByText('j is used for “Row before”. Choose another key.').waitFor();
    await page.getByRole('button', { name: 'All keys as at first' }).click();
    await field.fill('h');
    await heading.click();
    await page.keyboard.press('?');
    await page.keyboard.press('h');
    await dialog.getByText('h', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await eventually('it is kept', async () => {
      return JSON.stringify((await keptOf('regulator'))['keyNames']) === '{"?":"h"}';
    });

    await page.getByText('Single keys work').click();
    await heading.click();
    await page.keyboard.press('h');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    expect([await dialog.count(), new URL(page.url()).pathname]).toEqual([0, '/console/settings']);
    await page.getByText('Single keys work').click();
    await heading.click();
    // keys that come more than a second apart, as on a slow machine, are not a pair
    await eventually('the tables', async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('t');
      return new URL(page.url()).pathname === '/console/tables';
    });
    await page.context().close();
  },
  TEST_MS,
);

it(
  'changes language, colors of suits and the zone of times at once, and keeps them for the account alone',
  async () => {
    const page = await browser.visitAs('pit-boss-2', 'settings');
    const card = page.getByRole('img', { name: 'king of hearts' });
    expect(await card.getAttribute('data-deck')).toBe('four-color');
    await page.getByText('Two colors').click();
    expect(await card.getAttribute('data-deck')).toBe('two-color');
    await page.locator('header.bar').getByText('Asia/Macau').waitFor();
    await page.getByText('Show times in UTC instead of Asia/Macau').click();
    await page.locator('header.bar').getByText('UTC').waitFor();
    await page.getByLabel('Language').selectOption('pt');
    await page.getByRole('heading', { name: 'Definições' }).waitFor();
    await page.locator('html[lang=pt]').waitFor({ state: 'attached' }); // it follows the words
    expect(await page.evaluate<string>('document.documentElement.lang')).toBe('pt');
    await eventually('the language is kept', async () => {
      return (await keptOf('pit-boss-2'))['language'] === 'pt';
    });
    const other = await browser.visitAs('pit-boss-2', 'settings');
    await other.getByRole('heading', { name: 'Definições' }).waitFor();
    await other.context().close();
    await page.getByRole('button', { name: /pit-boss-2/ }).click();
    await page.getByRole('menuitem').last().click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor(); // the next person is another
    await page.context().close();
  },
  TEST_MS,
);

it(
  'lists the own sessions, and ends another one',
  async () => {
    const other = await browser.visitAs('integrator', 'settings');
    const page = await browser.visitAs('integrator', 'settings');
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await sessions.getByText('this session').waitFor();
    await sessions
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .click();
    await eventually(
      'it has ended',
      async () => (await sessions.getByRole('listitem').count()) === 1,
    );
    await other.getByRole('link', { name: 'Devices' }).click();
    await other.getByText('The session of integrator has ended.').waitFor();
    await other.context().close();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'shows the recovery codes until they are kept, although the account is read again meanwhile',
  async () => {
    const page = await browser.visitAs('finance', 'settings');
    const panel = page.getByRole('region', { name: 'Second factor' });
    await panel.getByRole('button', { name: 'Add a second factor' }).click();
    await panel.getByLabel('Present password').fill('not the password at all');
    await panel.getByRole('button', { name: 'Continue' }).click();
    await panel.getByText('The present password is wrong.').waitFor();
    await panel.getByLabel('Present password').fill(server.passwordOf('finance'));
    await panel.getByRole('button', { name: 'Continue' }).click();
    const secret = (await panel.locator('.copied-text').innerText()).replaceAll(' ', '');
    await panel.getByLabel('One-time code').fill(codeOf(secret));
    await panel.getByRole('button', { name: 'Confirm' }).click();
    const kept = panel.getByRole('button', { name: 'I have kept the codes' });
    await kept.waitFor();
    const beside = await browser.visitBeside(page, 'sign-in');
    await beside.evaluate("localStorage.setItem('shoeprint.signed-in-at', String(Date.now()))");
    await panel.getByText('Signing in asks for a code of your authenticator app.').waitFor();
    await kept.click();
    await panel.getByRole('button', { name: 'Remove the second factor' }).waitFor();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'does not give a person the choices of the one before, and keeps what other windows changed',
  async () => {
    const page = await browser.visitAs('supervisor', 'settings');
    const keys = page.getByRole('checkbox', { name: 'Single keys work' });
    await page.getByText('Single keys work').click();
    await eventually('it is kept', async () => (await keptOf('supervisor'))['keys'] === false);
    // what the account keeps replaces what a window shows, once the window has read it
    const loaded = page.context().waitForEvent('response', {
      predicate: (answer) =>
        answer.url().endsWith('/v1/me/preferences') && answer.frame().page() !== page,
    });
    const beside = await browser.visitBeside(page, 'settings');
    await (await loaded).finished();
    await beside.getByText('Two colors').click();
    await page.locator('[data-deck=two-color]').first().waitFor();
    // two changes at the same moment are another matter
    await eventually('the deck is kept', async () => {
      return (await keptOf('supervisor'))['deck'] === 'two-color';
    });
    const send = await sentTo(server, 'supervisor');
    await send('PUT', '/v1/me/preferences', { ...(await keptOf('supervisor')), shapes: true });
    await page.getByText('Single keys work').click();
    await eventually('all three are kept', async () => {
      const { keys: on, deck, shapes } = await keptOf('supervisor');
      return on === true && deck === 'two-color' && shapes === true;
    });
    await page.getByText('Single keys work').click();
    await eventually('it is kept', async () => (await keptOf('supervisor'))['keys'] === false);
    await page.getByRole('button', { name: 'Account of supervisor' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/console/sign-in');
    await browser.signIn(page, 'pit-boss');
    await page.goto(browser.addressOf('settings'));
    expect(await keys.isChecked()).toBe(true);
    await page.context().close();
  },
  TEST_MS,
);

it('keeps a choice that was made before the choices of the account were read, and takes the others', async () => {
  const send = await sentTo(server, 'surveillance');
  const page = await browser.visitAs('surveillance', 'settings');
  await settled(page);
  // another browser has changed them since
  await send('PUT', '/v1/me/preferences', { theme: 'light', deck: 'two-color' });
  const answer = await holdFirst(page, '**/v1/me/preferences');
  await page.reload();
  await page.getByText('Dark', { exact: true }).click();
  await eventually('the choice is kept', async () => {
    return (await keptOf('surveillance'))['theme'] === 'dark';
  });
  await answer.taken();
  await answer.release();
  await page.locator('[data-deck=two-color]').first().waitFor();
  await settled(page);
  expect(await themeOf(page)).toBe('dark');
  await page.context().close();
});

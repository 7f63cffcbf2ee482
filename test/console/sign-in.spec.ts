import { expect, it } from '@jest/globals';
import type { Page, Request, Route } from 'playwright-core';
import { TestBrowser } from '../kit/browser.js';
import { type ConsoleServer, startConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { openConsole } from '../kit/open-console.js';
import { sentTo } from '../kit/sent-to.js';
import { codeOf } from '../kit/totp.js';
import { readQr } from './qr-reader.js';

const TEST_MS = 120_000;
const MINUTE_MS = 60_000;
const FIRST_PASSWORD = 'a first password of 2026';
const OWN_PASSWORD = 'a password of my own, 2026';
let server: ConsoleServer;
let browser: TestBrowser;

openConsole((opened) => {
  ({ server, browser } = opened);
});

/** Ends every other session of a person, as an administrator does. */
async function endSessionsOf(person: string): Promise<void> {
  const send = await sentTo(server, person);
  const { items } = (await send('GET', '/v1/me/sessions')) as {
    items: readonly { id: string; current: boolean }[];
  };
  for (const { id, current } of items) if (!current) await send('DELETE', `/v1/me/sessions/${id}`);
}

async function newAccount(name: string): Promise<void> {
  const send = await sentTo(server, 'admin');
  const account = { name, password: FIRST_PASSWORD, roles: ['pit-boss'], tables: ['*'] };
  await send('POST', '/v1/accounts', account);
}

async function fillIn(page: Page, name: string, password: string): Promise<void> {
  await page.fill('input[name=username]', name);
  await page.fill('input[name=password]', password);
  await page.press('input[name=password]', 'Enter');
}

const draftsIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(
    "Object.entries(localStorage).filter(([key]) => key.startsWith('shoeprint.draft.')).map(([, text]) => text)",
  );

/** Keeps a text as the field of a comment does. */
const writeDraft = (page: Page, account: string): Promise<unknown> =>
  page.evaluate(
    `localStorage.setItem('shoeprint.draft.${account}.comment/one', 'half a sentence')`,
  );

/** Pastes into a password, and says whether the page lets it be. */
const PASTED = `
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', 'pasted');
  const paste = new ClipboardEvent('paste', { clipboardData, cancelable: true, bubbles: true });
  document.querySelector('input[name=password]').dispatchEvent(paste)`;

const alertOf = (page: Page): Promise<string> => page.getByRole('alert').innerText();

it(
  'says that name or password is wrong without saying which, and leads where the person wanted to go',
  async () => {
    const page = await browser.visit('settings');
    await page.waitForURL('**/sign-in?to=*');
    await fillIn(page, 'compliance', 'not the password at all');
    const wrongPassword = await alertOf(page);
    await fillIn(page, 'nobody-of-this-name', 'not the password at all');
    await expect(alertOf(page)).resolves.toBe(wrongPassword);
    expect(wrongPassword).toBe('Name or password is wrong.');
    await browser.signIn(page, 'compliance');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'says after too many attempts until when to wait',
  async () => {
    const page = await browser.visit('sign-in');
    const said = await eventually(
      'the limit',
      async () => {
        await fillIn(page, 'nobody-else', 'not the password at all');
        await page.locator('button[type=submit]:not([data-pending])').waitFor();
        const text = await alertOf(page);
        return text.includes('too many') && text;
      },
      TEST_MS,
    );
    expect(said).toMatch(/^There were too many attempts\. Try again after \d+:\d\d:\d\d [AP]M\.$/);
    await page.context().close();
  },
  TEST_MS,
);

it(
  'lets password managers fill in the fields, and allows pasting',
  async () => {
    const page = await browser.visit('sign-in');
    const field = (name: string) => page.locator(`input[name=${name}]`);
    expect(await field('username').getAttribute('autocomplete')).toBe('username');
    expect(await field('password').getAttribute('autocomplete')).toBe('current-password');
    expect(await page.evaluate<boolean>(PASTED)).toBe(true);
    await page.context().close();
  },
  TEST_MS,
);

it(
  'asks a new person for a password of their own before everything else',
  async () => {
    await newAccount('new.person');
    const page = await browser.visit('queue');
    await fillIn(page, 'new.person', FIRST_PASSWORD);
    await page.getByRole('heading', { name: 'Choose your own password' }).waitFor();
    await page.goto(browser.addressOf('settings'));
    await page.getByRole('heading', { name: 'Choose your own password' }).waitFor();
    expect(await page.getByRole('link').count()).toBe(0);
    await page.getByLabel('Present password').fill('not the first one');
    await page.getByLabel('New password').fill(OWN_PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The present password is wrong.').waitFor();
    await page.getByLabel('Present password').fill(FIRST_PASSWORD);
    await page.getByLabel('New password').fill('passwordpassword');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('must not be one of the commonest passwords').waitFor();
    await page.getByLabel('New password').fill(OWN_PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.context().close();
  },
  TEST_MS,
);

/** Makes a page read again who is signed in, as it does after a sign-in in another window. */
async function accountIsReadAgain(page: Page, of: TestBrowser): Promise<void> {
  const read = page.waitForResponse('**/v1/me');
  const beside = await of.visitBeside(page, 'sign-in');
  await beside.evaluate("localStorage.setItem('shoeprint.signed-in-at', String(Date.now()))");
  await (await read).finished();
  await beside.close();
}

it(
  'asks for a second factor where the role needs one, and for its code at the next sign-in',
  async () => {
    const strict = await startConsoleServer({ SHOEPRINT_SECOND_FACTOR: 'finance' });
    const strictBrowser = await TestBrowser.open(strict);
    const page = await strictBrowser.visit('reports');
    await fillIn(page, 'finance', strict.passwordOf('finance'));
    await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
    await page.getByLabel('Present password').fill(strict.passwordOf('finance'));
    await page.getByRole('button', { name: 'Continue' }).click();
    const secret = await page.locator('.copied-text').innerText();
    const code = page.getByRole('img', { name: 'QR code of the secret' });
    const [, , size] = ((await code.getAttribute('viewBox')) ?? '').split(' ').map(Number);
    expect(readQr((await code.locator('path').getAttribute('d')) ?? '', size as number)).toBe(
      await page.getByRole('link', { name: 'open it' }).getAttribute('href'),
    );
    await page.getByLabel('One-time code').fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The code is wrong, has expired or was used before.').waitFor();
    await page.getByLabel('One-time code').fill(codeOf(secret.replaceAll(' ', '')));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The second factor is added.').waitFor();
    await accountIsReadAgain(page, strictBrowser);
    const [recovery] = (await page.locator('.copied-text').innerText()).split(/\s+/);
    await page.getByRole('button', { name: 'I have kept the codes' }).click();
    await page.waitForURL(/\/console\/reports/);

    const other = await strictBrowser.visit('reports');
    await fillIn(other, 'finance', strict.passwordOf('finance'));
    await other.getByText('Enter the six digits of your authenticator app').waitFor();
    await other.getByLabel('One-time code').fill(recovery as string);
    await other.keyboard.press('Enter');
    await other.waitForURL(/\/console\/reports/);
    expect(strictBrowser.complaints).toEqual([]);
    await strictBrowser.close();
    await strict.close();
  },
  TEST_MS,
);

it(
  'sets a new password with the code of an administrator, and signs in with it',
  async () => {
    await newAccount('forgetful');
    const send = await sentTo(server, 'admin');
    const { code } = (await send('POST', '/v1/accounts/forgetful/password-reset', {})) as {
      code: string;
    };
    const page = await browser.visit('sign-in');
    await page.getByRole('link', { name: 'I have a code for a new password' }).click();
    await page.getByLabel('Name').fill('forgetful');
    await page.getByLabel('Code from the administrator').fill('AAAA-BBBB-CCCC-DDDD-EEEE');
    await page.getByLabel('New password').fill(OWN_PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The code is wrong').waitFor();
    await page.getByLabel('Code from the administrator').fill(code);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your new password is set.').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console/queue');
    await page.context().close();
  },
  TEST_MS,
);

it(
  'keeps what was half written when the session ends, and goes on for the same person',
  async () => {
    const page = await browser.visitAs('pit-boss', 'settings');
    await page.getByLabel('New password').fill('half written');
    await writeDraft(page, 'pit-boss');
    await endSessionsOf('pit-boss');
    await page.getByText('The session of pit-boss has ended. What you wrote is kept.').waitFor();
    expect(await page.inputValue('[role=dialog] input[name=username]')).toBe('pit-boss');
    await page.fill('[role=dialog] input[name=password]', server.passwordOf('pit-boss'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByLabel('New password').inputValue()).toBe('half written');
    expect(await draftsIn(page)).toEqual(['half a sentence']);
    await page.context().close();
  },
  TEST_MS,
);

it(
  'goes on at once after signing in again, while what the screen shows is still being read',
  async () => {
    const page = await browser.visitAs('surveillance', 'queue');
    await page.getByRole('row').first().waitFor();
    await page.getByText('● live').waitFor();
    const reads: Route[] = [];
    await page.route('**/v1/findings*', (route) => void reads.push(route));
    await page.route('**/v1/findings/facets*', (route) => void reads.push(route));
    await endSessionsOf('surveillance');
    await page.fill('[role=dialog] input[name=password]', server.passwordOf('surveillance'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually('something is read', () => reads.length > 0);
    // the sheet is gone a little before the rows can be reached again; no read has been answered
    await page.getByRole('row').first().waitFor();
    expect(await page.getByRole('row').count()).toBeGreaterThan(0);
    for (const read of reads) await read.continue();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'goes on in every window of the browser once the person has signed in again in one',
  async () => {
    const page = await browser.visitAs('compliance', 'settings');
    const other = await browser.visitBeside(page, 'settings');
    await other.getByLabel('New password').fill('half written');
    await endSessionsOf('compliance');
    for (const each of [page, other])
      await each.getByText('The session of compliance has ended.').waitFor();
    await page.fill('[role=dialog] input[name=password]', server.passwordOf('compliance'));
    await page.keyboard.press('Enter');
    for (const each of [page, other]) await each.getByRole('dialog').waitFor({ state: 'detached' });
    await other.getByText('● live').waitFor();
    expect(await other.getByLabel('New password').inputValue()).toBe('half written');
    await page.context().close();
  },
  TEST_MS,
);

it(
  'shows another person nothing of what was half written, and begins at the start',
  async () => {
    const page = await browser.visitAs('pit-boss', 'settings');
    await page.getByLabel('New password').fill('half written');
    const beside = await browser.visitBeside(page, 'settings');
    await beside.getByLabel('New password').fill('half written');
    await writeDraft(page, 'pit-boss');
    await endSessionsOf('pit-boss');
    await page.getByRole('button', { name: 'Sign in as another person' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name').fill('regulator');
    await sheet.getByLabel('Password').fill(server.passwordOf('regulator'));
    await page.keyboard.press('Enter');
    await sheet.waitFor({ state: 'detached' });
    await page.waitForURL('**/console/queue');
    expect(await draftsIn(page)).toEqual([]);
    await beside.getByRole('button', { name: 'Account of regulator' }).waitFor();
    await beside.waitForURL('**/console/queue');
    for (const each of [page, beside]) {
      await each.goto(browser.addressOf('settings'));
      expect(await each.getByLabel('New password').inputValue()).toBe('');
    }
    await page.context().close();
  },
  TEST_MS,
);

/** Answers for the server that the session ends within a minute, for each person who asks. */
const endsSoon = async (route: Route): Promise<void> => {
  const response = await route.fetch();
  const me = (await response.json()) as { session: object };
  const session = { ...me.session, expiresAt: new Date(Date.now() + MINUTE_MS).toISOString() };
  await route.fulfill({ response, json: { ...me, session } });
};

it(
  'begins at the start, in every window, where another person signs in before the session ends',
  async () => {
    const page = await browser.visitAs('compliance', 'settings');
    const beside = await browser.visitBeside(page, 'settings');
    await beside.getByRole('button', { name: 'Account of compliance' }).waitFor();
    await page.route('**/v1/me', endsSoon);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('button', { name: 'Sign in as another person' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name').fill('regulator');
    await sheet.getByLabel('Password').fill(server.passwordOf('regulator'));
    await page.keyboard.press('Enter');
    for (const each of [page, beside]) {
      await each.getByRole('button', { name: 'Account of regulator' }).waitFor();
      await each.waitForURL('**/console/queue');
      await each.getByText('● live').waitFor();
    }
    await page.context().close();
  },
  TEST_MS,
);

it(
  'removes what was half written when the person signs out, and loads a new page in every window',
  async () => {
    const page = await browser.visitAs('surveillance', 'settings');
    const beside = await browser.visitBeside(page, 'settings');
    await writeDraft(page, 'surveillance');
    const account = { name: 'Account of surveillance' };
    for (const each of [page, beside]) {
      await each.getByRole('button', account).waitFor();
      await each.evaluate('window.isSame = true');
    }
    await page.getByRole('button', account).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const each of [page, beside]) {
      await each.waitForURL('**/console/sign-in');
      expect(await each.evaluate('window.isSame')).toBeUndefined();
    }
    expect(await draftsIn(page)).toEqual([]);
    await page.context().close();
  },
  TEST_MS,
);

/** Returns the requests of a page to the api that are not answered yet, as they come and go. */
function requestsOf(page: Page): ReadonlySet<Request> {
  const asked = new Set<Request>();
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) asked.add(request);
  });
  page.on('requestfinished', (request) => void asked.delete(request));
  page.on('requestfailed', (request) => void asked.delete(request));
  return asked;
}

it(
  'warns two minutes before an idle session ends, and lets the person stay',
  async () => {
    const page = await browser.visit('sign-in');
    await page.clock.install();
    await page.reload();
    const asked = requestsOf(page);
    await browser.signIn(page, 'integrator');
    await page.locator('main h1').first().waitFor();
    await page.locator('main:not([data-reading])').waitFor();
    // an answer that came after the clock was turned on would count as a use at that time
    await eventually('everything is read', () => asked.size === 0);
    const stay = page.getByRole('button', { name: 'Stay signed in' });
    await page.clock.runFor(55 * MINUTE_MS);
    expect(await stay.count()).toBe(0);
    await page.clock.runFor(3 * MINUTE_MS);
    await page.getByText('You will be signed out at').waitFor();
    await stay.click();
    await eventually('the warning is gone', async () => {
      await page.clock.runFor(5_000);
      return (await stay.count()) === 0;
    });
    await page.context().close();
  },
  TEST_MS,
);

/** What a page sees of its storage where site data is blocked. */
const STORAGE_BLOCKED = `Object.defineProperty(globalThis, 'localStorage', {
  get() { throw new Error('blocked by the test'); },
})`;

/** What the oldest of the browsers that the documentation names do not have. */
const YOUNGER = 'delete AbortSignal.any; delete URL.canParse';

it(
  'works in the oldest browsers that it names',
  async () => {
    const page = await browser.visitAs('pit-boss', 'settings');
    await page.addInitScript(YOUNGER);
    await page.goto(browser.addressOf('queue'));
    await page.getByRole('row').first().click();
    await page.waitForURL('**/findings/*');
    await page.getByRole('region', { name: 'Ruling' }).waitFor();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'says in one sentence what is needed without JavaScript, in an old browser and without storage',
  async () => {
    const plain = await browser.visit('queue', { javaScriptEnabled: false });
    expect((await plain.locator('noscript').innerText()).trim()).toBe(
      'Shoeprint needs JavaScript and a current browser. Turn JavaScript on and reload.',
    );
    await plain.context().close();
    const old = await browser.visit('sign-in');
    await old.addInitScript("Reflect.deleteProperty(Array, 'fromAsync')");
    await old.reload();
    await old.getByText('Shoeprint needs a current browser: Chrome').waitFor();
    expect(await old.locator('form').count()).toBe(0);
    await old.context().close();
    const closed = await browser.visit('sign-in');
    await closed.addInitScript(STORAGE_BLOCKED);
    await closed.reload();
    await closed.getByText('Shoeprint needs to keep data in this browser').waitFor();
    await closed.context().close();
    const ours = browser.complaints.splice(0);
    expect(ours.filter((each) => !each.includes('blocked by the test'))).toEqual([]);
  },
  TEST_MS,
);

it(
  'loads the page again where a part of it is of an older build, and never shows a blank page',
  async () => {
    const page = await browser.visitAs('admin', 'rules');
    let asked = 0;
    await page.route('**/assets/people-screen-*.js', (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 404 }) : route.continue();
    });
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: 'New account' }).waitFor();
    expect(asked).toBe(2);
    await page.route('**/assets/devices-screen-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    const ours = browser.complaints.splice(0);
    expect(ours.filter((each) => !each.includes('404') && !each.includes('dynamically'))).toEqual(
      [],
    );
    await page.context().close();
  },
  TEST_MS,
);

/** Returns whether a complaint is of a request that a test let fail. */
const isOfNoAnswer = (complaint: string): boolean =>
  /ERR_|Failed to fetch|dynamically imported/.test(complaint);

it(
  'stays where it is while the server is away, and shows what was asked for once it is back',
  async () => {
    const page = await browser.visitAs('admin', 'rules');
    await page.locator('main h1').first().waitFor(); // or this screen would fail to load too
    await page.evaluate('window.isSame = true');
    const isSame = (): Promise<unknown> => page.evaluate('window.isSame');
    await page.context().setOffline(true);
    const failed = page.waitForEvent('requestfailed', (request) =>
      request.url().includes('/assets/people-screen-'),
    );
    await page.getByRole('link', { name: 'People' }).hover();
    await failed;
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    expect(await isSame()).toBe(true);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'New account' }).waitFor();
    expect(browser.complaints.splice(0).filter((each) => !isOfNoAnswer(each))).toEqual([]);
    await page.context().close();
  },
  TEST_MS,
);

it(
  'keeps its language where another cannot be loaded, and says so where it has none yet',
  async () => {
    const page = await browser.visit('sign-in');
    const away = (route: Route): Promise<void> => route.abort();
    await page.route('**/assets/pt-*.js', away);
    await page.route('**/console/', away);
    await page.getByLabel('Language').selectOption('pt');
    await page.locator('.notice').getByText('The server does not answer.').waitFor();
    expect(await page.getByLabel('Language').inputValue()).toBe('en');
    await page.unroute('**/assets/pt-*.js', away);
    await page.unroute('**/console/', away);
    await page.getByLabel('Language').selectOption('pt');
    await page.getByRole('button', { name: 'Entrar' }).waitFor();
    await page.route('**/assets/pt-*.js', away);
    await page.reload();
    await page.getByText('The console could not be loaded.').waitFor();
    await page.unroute('**/assets/pt-*.js', away);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Entrar' }).waitFor();
    expect(browser.complaints.splice(0).filter((each) => !isOfNoAnswer(each))).toEqual([]);
    await page.context().close();
  },
  TEST_MS,
);

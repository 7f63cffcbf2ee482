import { expect, it } from '@jest/globals';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { openConsole } from '../kit/open-console.js';
import { sentTo } from '../kit/sent-to.js';

const TEST_MS = 120_000;
const OWN_PASSWORD = 'a password of my own, 2026';
let server: ConsoleServer;
let browser: TestBrowser;

openConsole((opened) => {
  ({ server, browser } = opened);
});

it(
  'creates an account, whose owner signs in and must change the password',
  async () => {
    const page = await browser.visitAs('admin', 'people?account=li.wei');
    await page.getByText('No account has the name li.wei.').waitFor();
    await page.getByRole('button', { name: 'Show all accounts' }).click();
    await page.waitForURL('**/people');
    await page.getByRole('button', { name: 'New account' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name').fill('not a name');
    await sheet.getByText('pit boss', { exact: true }).click();
    await sheet.getByLabel('Tables').fill('B01, B02');
    await sheet.getByRole('button', { name: 'Create the account' }).click();
    await sheet.getByText('must be 1 to 64 letters').waitFor();
    await sheet.getByLabel('Name').fill('li.wei');
    await sheet.getByRole('button', { name: 'Create the account' }).click();
    await sheet.getByText('The account li.wei is created.').waitFor();
    const password = await sheet.locator('.copied-text').innerText();
    await sheet.getByRole('button', { name: 'I have handed it over' }).click();
    const row = page.getByRole('row').filter({ hasText: 'li.wei' });
    await row.getByText('must change the password').waitFor();
    await row.getByText('no open session').waitFor(); // it is read after the row
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(
      expect.arrayContaining(['li.wei', 'pit boss', 'B01, B02', 'no open session']),
    );

    const own = await browser.visit('queue');
    await own.fill('input[name=username]', 'li.wei');
    await own.fill('input[name=password]', password);
    await own.keyboard.press('Enter');
    await own.getByRole('heading', { name: 'Choose your own password' }).waitFor();
    await own.getByLabel('Present password').fill(password);
    await own.getByLabel('New password').fill(OWN_PASSWORD);
    await own.keyboard.press('Enter');
    await own.waitForURL('**/console/queue');
    await own.locator('header.bar').waitFor();
    await own.context().close();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'explains why an administrator cannot change an account of their own',
  async () => {
    const page = await browser.visitAs('admin', 'people?account=admin');
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: 'Disable the account' }).click();
    await sheet.getByText('nobody may change their own account: ask another admin').waitFor();
    await sheet.getByRole('button', { name: 'Close' }).click();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'disables an account, whose sessions end with it, and keeps what is typed beside',
  async () => {
    const theirs = await browser.visitAs('supervisor', 'queue');
    const page = await browser.visitAs('admin', 'people?account=supervisor');
    const sheet = page.getByRole('dialog');
    await sheet.getByText('The account can sign in.').waitFor();
    await sheet.getByLabel('Tables').fill('B01, B0');
    await sheet.getByRole('button', { name: 'Disable the account' }).click();
    await sheet.getByText('The account is disabled and cannot sign in.').waitFor();
    expect(await sheet.getByLabel('Tables').inputValue()).toBe('B01, B0');
    await theirs.getByText('The session of supervisor has ended.').waitFor();
    await sheet.getByRole('button', { name: 'Enable the account' }).click();
    await sheet.getByText('The account can sign in.').waitFor();
    await theirs.context().close();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'makes a role of trust wait for another administrator, who confirms it',
  async () => {
    const send = await sentTo(server, 'admin');
    await send('POST', '/v1/accounts', {
      name: 'second.admin',
      password: 'a first password of 2026',
      roles: ['admin'],
      tables: ['*'],
    });
    const first = await fetch(`${server.url}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'second.admin', password: 'a first password of 2026' }),
    });
    const { token } = (await first.json()) as { token: string };
    await fetch(`${server.url}/v1/me/password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ password: 'a first password of 2026', newPassword: OWN_PASSWORD }),
    });

    const asking = await browser.visitAs('admin', 'people?account=finance');
    const sheet = asking.getByRole('dialog');
    await sheet.getByText('regulator', { exact: true }).click();
    await sheet.getByRole('button', { name: 'Save' }).click();
    await asking.getByText('Some roles or tables wait for another administrator').waitFor();
    await sheet.getByRole('button', { name: 'Close' }).click();
    await asking.getByText('You asked for this, so another administrator confirms it.').waitFor();

    const confirming = await browser.visit('people');
    await confirming.fill('input[name=username]', 'second.admin');
    await confirming.fill('input[name=password]', OWN_PASSWORD);
    await confirming.keyboard.press('Enter');
    await confirming.getByText('1 change waits for another administrator').waitFor();
    await confirming.getByRole('button', { name: 'Confirm' }).click();
    await confirming.getByText('finance has what was asked for.').waitFor();
    const row = confirming.getByRole('row').filter({ hasText: 'finance' }).first();
    await row.getByText('finance, regulator').or(row.getByText('regulator, finance')).waitFor();
    await confirming.context().close();
    await asking.context().close();
  },
  TEST_MS,
);

it(
  'makes a device key, shows its token once, and revokes it',
  async () => {
    const page = await browser.visitAs('integrator', 'devices');
    await page.getByRole('button', { name: 'New key' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name').fill('B07-gateway');
    await sheet.getByLabel('Sources').fill('person/mira');
    await sheet.getByLabel('Tables').fill('B07');
    await sheet.getByRole('button', { name: 'Create the key' }).click();
    await sheet.getByText('only an admin may give a key a source of a person').waitFor();
    await sheet.getByLabel('Sources').fill('device/B07-*');
    // the token is shown also while the list of keys is not answered
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/keys', async (route) => {
      if (route.request().method() === 'GET') await held;
      await route.continue();
    });
    await sheet.getByRole('button', { name: 'Create the key' }).click();
    await sheet.getByText('The key B07-gateway is created.').waitFor();
    answer();
    const token = await sheet.locator('.copied-text').innerText();
    const asks = (): Promise<Response> =>
      fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect((await asks()).status).toBe(200);
    await sheet.getByRole('button', { name: 'I have kept the token' }).click();
    expect(await page.getByText(token).count()).toBe(0);

    await page.getByRole('button', { name: 'Revoke B07-gateway' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key B07-gateway is revoked.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' }); // it hides the rows
    await eventually('the key is refused', async () => (await asks()).status === 401);
    await page.getByRole('row').filter({ hasText: 'B07-gateway' }).waitFor({ state: 'detached' });
    await page.getByText('Show revoked keys').click();
    await page.getByRole('row').filter({ hasText: 'B07-gateway' }).getByText('revoked').waitFor();
    await page.context().close();
  },
  TEST_MS,
);

it(
  'copies a token without the clipboard of protected pages too',
  async () => {
    const page = await browser.visitAs('admin', 'people?account=finance');
    await page.evaluate("Object.defineProperty(Navigator.prototype, 'clipboard', {})");
    await page.evaluate('delete Navigator.prototype.clipboard');
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: 'Issue a code' }).click();
    const code = await sheet.locator('.copied-text').innerText();
    await sheet.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    await sheet.getByLabel('Tables').fill('');
    await page.keyboard.press('Control+V');
    const pasted = await eventually('what is pasted', async () => {
      const text = await sheet.getByLabel('Tables').inputValue();
      return text !== '' && text;
    });
    expect(pasted).toBe(code);
    await page.context().close();
  },
  TEST_MS,
);

it(
  'shows what each key delivered, with its faults in words',
  async () => {
    const page = await browser.visitAs('admin', 'devices');
    const row = page.getByRole('row').filter({ hasText: 'sample-day' }).first();
    await row.getByText('DV-04 Messages that never came: 1').waitFor();
    await page.context().close();
  },
  TEST_MS,
);

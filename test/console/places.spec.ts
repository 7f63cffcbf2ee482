import { expect, it } from '@jest/globals';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import { openConsole } from '../kit/open-console.js';

const TEST_MS = 120_000;
/** Every place with an address below it, and the settings, which are everybody's. */
const ADDRESSES = [
  ...['queue', 'findings/of-another-shoe', 'tables', 'tables/B04', 'reports', 'evidence'],
  ...['rules', 'rules/punto-banco@1', 'people', 'devices', 'settings'],
];
const placeOf = (address: string): string =>
  address.replace(/\/.*/, '').replace('findings', 'queue');
/** What each role finds in the navigation, in its order. Settings are in the menu of the account. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'pit-boss': ['queue', 'tables', 'reports', 'rules'],
  surveillance: ['queue', 'tables', 'reports', 'rules'],
  compliance: ['queue', 'tables', 'reports', 'evidence', 'rules'],
  regulator: ['queue', 'tables', 'reports', 'evidence', 'rules'],
  finance: ['tables', 'reports', 'rules'],
  integrator: ['reports', 'rules', 'devices'],
  // the first administrator has every role
  admin: ['queue', 'tables', 'reports', 'evidence', 'rules', 'people', 'devices'],
};

let browser: TestBrowser;
openConsole((opened) => {
  ({ browser } = opened);
});

it.each(Object.entries(PLACES))(
  'shows %s the places of the role and no other, by the navigation and by address',
  async (person, places) => {
    const page = await browser.visitAs(person, '');
    const first = browser.addressOf(places[0] as string);
    await page.waitForURL(({ href }) => href.startsWith(first)); // reports lead on to the first one
    const links = await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    expect(links.map((link) => link.slice(browser.addressOf('').length))).toEqual(places);
    for (const address of ADDRESSES) {
      await page.goto(browser.addressOf(address));
      const title = page.locator('main h1').first();
      // what the screen reads may be refused too
      await settled(page);
      const isTheirs = address === 'settings' || places.includes(placeOf(address));
      expect([address, await title.innerText()]).toEqual([
        address,
        isTheirs
          ? expect.not.stringMatching('not for your roles')
          : 'This page is not for your roles',
      ]);
      if (isTheirs) continue;
      expect(await page.title()).toMatch(/^This page is not for your roles/);
      await page.getByText('Ask an administrator if you need this page.').waitFor();
    }
    await page.context().close();
  },
  TEST_MS,
);

it(
  'skips to the content of a screen below the start, and stays there',
  async () => {
    const page = await browser.visitAs('pit-boss', 'rules/policy');
    await page.locator('main h1').first().waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to the content' }).press('Enter');
    expect(await page.locator('main:focus').count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe('/console/rules/policy');
    await page.context().close();
  },
  TEST_MS,
);

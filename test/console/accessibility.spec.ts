import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { settled } from '../../scripts/console/settled.mjs';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { openConsole } from '../kit/open-console.js';
import { acted, sentTo } from '../kit/sent-to.js';

const SCREEN_MS = 120_000;
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/**
 * Languages, and the themes that are looked at after the first. A language changes no colors, so
 * the other themes are looked at in one.
 */
const OTHER_THEMES = { en: ['dark', 'surveillance', 'high-contrast'], 'zh-Hant': [] } as const;
type Language = keyof typeof OTHER_THEMES;
const LANGUAGES = Object.keys(OTHER_THEMES) as Language[];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Every screen, and a person who may see it. `{finding}` and others are of the sample day. Long
 * reports are of one dealer: axe takes minutes for hundreds of lines that differ in nothing.
 */
const SCREENS: readonly (readonly [path: string, person: string])[] = [
  ['queue', 'pit-boss'],
  ['findings/{finding}', 'pit-boss'],
  ['findings/{finding}?step=5', 'compliance'],
  ['coups/{coup}?table=B04', 'pit-boss'],
  ['tables', 'surveillance'],
  ['tables/B04', 'surveillance'],
  ['tables/B04/shoes/{shoe}', 'surveillance'],
  ['reports/commission?dealer={dealer}', 'finance'],
  ['reports/misdealt?dealer={dealer}', 'compliance'],
  ['reports/dealers?dealer={dealer}', 'compliance'],
  ['reports/shoes?dealer={dealer}', 'compliance'],
  ['reports/payouts?dealer={dealer}', 'compliance'],
  ['reports/devices', 'compliance'],
  ['reports/commission-coups?shoeRef={shoe}&dealer={dealer}', 'finance'],
  ['reports/payout-coups?table=E01&dealer={dealer}&bet=tie', 'compliance'],
  ['reports/coups?shoeRef={shoe}&flagged=true', 'compliance'],
  ['reports/findings?shoeRef={shoe}', 'compliance'],
  ['rules', 'regulator'],
  ['rules/nsw-crown@1', 'regulator'],
  ['rules/diff?from=punto-banco@1&to=nsw-crown@1', 'regulator'],
  ['rules/policy', 'regulator'],
  ['people', 'admin'],
  ['evidence', 'compliance'],
  ['devices', 'integrator'],
  ['settings', 'pit-boss'],
  ['nowhere', 'pit-boss'],
  ['people', 'pit-boss'],
];

/** A part of a screen that a person opens: a sheet, a drawer or a menu. */
interface Part {
  readonly name: string;
  readonly path: string;
  readonly person: string;
  /** Opens it, in whatever language. */
  readonly open: (page: Page) => Promise<unknown>;
  /** Where it is. The rest of the screen has a test of its own. */
  readonly at: string;
}

/** Presses keys that the screen hears, whatever its language. */
const presses =
  (...keys: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
/** Presses the button that is the first for this selector. */
const clicks =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).first().click();

const SHEET = '[role=dialog]';
const MENU = '.popover [role=menu]';
const PARTS: readonly Part[] = [
  {
    ...{ name: 'the menu of the account', path: 'settings', person: 'pit-boss' },
    ...{ open: clicks('header.bar button[aria-haspopup]'), at: MENU },
  },
  {
    ...{ name: 'a filter of the queue', path: 'queue', person: 'pit-boss' },
    ...{ open: clicks('.queue-choice:not(.queue-fold)'), at: MENU },
  },
  {
    ...{ name: 'the ruling on several', path: 'queue', person: 'pit-boss', at: SHEET },
    open: async (page) => {
      await presses('j', ' ', 'j', ' ')(page);
      await clicks('.queue-foot button:nth-of-type(2)')(page);
    },
  },
  {
    ...{ name: 'the keys of the screen', path: 'queue', person: 'pit-boss' },
    ...{ open: presses('?'), at: SHEET },
  },
  {
    ...{ name: 'the ruling', path: 'findings/{finding}', person: 'pit-boss' },
    ...{ open: presses('r'), at: '.ruling-sheet form' },
  },
  {
    ...{ name: 'the exact lines', path: 'findings/{finding}', person: 'pit-boss' },
    ...{ open: clicks('.panel:has(> p > code) > .actions > button'), at: SHEET },
  },
  {
    ...{ name: 'the signature', path: 'findings/{proposed}', person: 'pit-boss' },
    ...{ open: presses('s'), at: '.ruling-sheet form' },
  },
  {
    ...{ name: 'the confirmation', path: 'findings/{proposed}', person: 'pit-boss', at: SHEET },
    open: async (page) => {
      const type = 'urn:shoeprint:problem:confirm-first';
      await page.route('**/sign', (route) =>
        route.fulfill({ status: 403, json: { type, title: 'confirm first', status: 403 } }),
      );
      await presses('s')(page);
      await clicks('.ruling-sheet form button[type=submit]')(page);
    },
  },
  {
    ...{ name: 'a package', path: 'evidence', person: 'compliance' },
    ...{ open: clicks('.evidence-acts button'), at: SHEET },
  },
  {
    ...{ name: 'the wish for a package', path: 'evidence?new=table', person: 'compliance' },
    ...{ open: presses(), at: SHEET },
  },
  {
    ...{ name: 'an account', path: 'people', person: 'admin' },
    ...{ open: clicks('.people-table tbody button'), at: SHEET },
  },
];
/** A window that has room for a finding beside the queue. */
const WIDE_WINDOW = { width: 1920, height: 1080 };

let server: ConsoleServer;
let browser: TestBrowser;
let places: Readonly<Record<string, string>>;

openConsole(async (opened) => {
  ({ server, browser } = opened);
  const ask = await sentTo(server, 'pit-boss-2');
  const found = async (filter: string): Promise<Found> => {
    const asked = await ask('GET', `/v1/findings?${filter}&review=open&limit=1`);
    return (asked as { lines: [Found] }).lines[0];
  };
  const { id, coupRef, shoeRef, dealer } = await found('table=B04&code=TC-08');
  const proposed = (await found('code=PY-03')).id;
  await acted(ask, `/v1/findings/${proposed}/claim`, { lease: 600 });
  const { review } = (await ask('GET', `/v1/findings/${proposed}`)) as {
    review: { evidence: string };
  };
  await acted(ask, `/v1/findings/${proposed}/propose`, {
    ...{ disposition: 'dealer-error-corrected', policy: 'review@1', evidence: review.evidence },
  });
  const wish = {
    scope: { kind: 'finding', finding: id },
    purpose: 'a complaint',
    recipient: 'DICJ',
  };
  await (
    await sentTo(server, 'compliance')
  )('POST', '/v1/exports', wish);
  places = { finding: id, proposed, coup: coupRef, shoe: shoeRef, dealer };
});

interface Found {
  readonly id: string;
  readonly coupRef: string;
  readonly shoeRef: string;
  readonly dealer: string;
}

/** Returns an address of the console in which the places of the sample day stand. */
const addressOf = (path: string): string =>
  browser.addressOf(
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(places[name] as string)),
  );

/** Returns what axe finds wrong in a part of a page, one line for each rule. */
async function violations(
  page: Page,
  runOnly: NonNullable<RunOptions['runOnly']>,
  at = 'html',
): Promise<string[]> {
  const options: RunOptions = { runOnly, resultTypes: ['violations'] };
  const { violations: found } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(at)}, ${JSON.stringify(options)})`,
  );
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html}`)[0]}`,
  );
}

/** The rules that look at colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Returns what axe finds wrong in the themes of a language. A theme changes colors and nothing
 * else: see `tokens.css`, and the hairlines in `base.css`. So the other rules are asked in the
 * first theme alone.
 */
async function violationsInThemes(page: Page, language: Language, at?: string): Promise<string[]> {
  await page.evaluate(axe);
  const first = await page.evaluate(() => document.documentElement.dataset['theme']);
  const found = await violations(page, { type: 'tag', values: STANDARDS }, at);
  for (const theme of OTHER_THEMES[language]) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    const ofColors = await violations(page, { type: 'rule', values: COLOR_RULES }, at);
    found.push(...ofColors.map((line) => `${theme}: ${line}`));
  }
  await page.evaluate(`document.documentElement.dataset.theme = '${first ?? ''}'`);
  return found;
}

/** A tablet both ways (WCAG 1.3.4). */
const TABLETS = [
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
];
/** A window of 1280 px at a zoom of 200 %, and one at 400 % (WCAG 1.4.4, 1.4.10). */
const SMALL_WINDOWS = [
  { width: 640, height: 450 },
  { width: 320, height: 800 },
];
const USUAL_WINDOW = { width: 1280, height: 900 };

/** The spacing of text that a reader may ask for (WCAG 1.4.12). */
const SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important } p { margin-bottom: 2em !important }`;

/** Spaces the text of a page, or no longer. The policy permits a sheet that a script constructs. */
const space = (page: Page, spacing: string): Promise<unknown> =>
  page.evaluate((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [sheet];
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, spacing);

/**
 * Returns by how much a page is wider than its window, what of its text is cut off, and what word
 * of a control goes on in the next line. The steps of a coup name their sources, with long
 * addresses, and may break them.
 */
const misfits = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const brokenWords = (control: Element): string[] => {
      const texts = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
      const broken: string[] = [];
      for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const { 0: word, index } of (text.textContent ?? '').matchAll(/[\p{L}\p{M}]+/gu)) {
          if (/\p{Script=Han}/u.test(word)) continue;
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) broken.push(`broken word: ${word} in ${control.outerHTML}`);
        }
      return broken;
    };
    const controls = 'button:not(.why-step), [role=tab], label, .button, thead th';
    const { scrollWidth, clientWidth } = document.documentElement;
    const cut = [...document.querySelectorAll('button, h1, h2, h3, label, .button')].filter(
      (each) => {
        const { overflowX, textOverflow } = getComputedStyle(each);
        if (overflowX === 'visible' || textOverflow === 'ellipsis') return false;
        if (each.closest('.only-spoken')) return false;
        return each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1;
      },
    );
    return [
      ...(scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px beyond the window`] : []),
      ...cut.map((each) => `cut off: ${each.outerHTML.slice(0, 200)}`),
      ...[...document.querySelectorAll(controls)]
        .flatMap(brokenWords)
        .map((each) => each.slice(0, 200)),
    ];
  });

/** Returns what does not fit of a page in these windows. It stays in the last one. */
async function notFitting(page: Page, windows: typeof TABLETS): Promise<string[]> {
  const found: string[] = [];
  for (const size of windows) {
    await page.setViewportSize(size);
    await settled(page); // lists and charts fit themselves to the window a frame later
    found.push(...(await misfits(page)).map((misfit) => `${size.width} px wide: ${misfit}`));
  }
  return found;
}

/** Returns how many pixels a finger needs: 44 in the pit, and 24 elsewhere (WCAG 2.5.8). */
const fingerOn = (path: string): number =>
  /^(queue|findings|coups|tables)\b/.test(path) ? 44 : 24;

/**
 * Returns what may be touched on a page and is smaller than a finger. A label belongs to its box,
 * and a row of the queue opens as a whole. A link in a sentence is as high as its line.
 */
const smallTargets = (page: Page, least: number): Promise<string[]> =>
  page.evaluate((pixels) => {
    const isInSentence = (each: Element): boolean =>
      getComputedStyle(each).display === 'inline' &&
      [...(each.parentElement?.childNodes ?? [])].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '',
      );
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((each) => !each.matches('.only-spoken, .skip') && !isInSentence(each))
      .flatMap((each) => {
        const target = each.closest('label, [role=row][aria-rowindex]') ?? each;
        const { width, height } = target.getBoundingClientRect();
        if (width === 0 || Math.min(width, height) >= pixels - 0.5) return [];
        return `${Math.round(width)} × ${Math.round(height)}: ${each.outerHTML.slice(0, 200)}`;
      });
  }, least);

/** One page for each person and language. Signing in again for each screen would take minutes. */
const opened = new Map<string, Page>();

async function openedFor(person: string, language: string): Promise<Page> {
  const known = opened.get(`${person} ${language}`);
  if (known) return known;
  // the screens that are measured for fingers must know that there are some
  const page = await browser.visitAs(person, 'settings', { hasTouch: language === 'en' });
  await page.evaluate(`localStorage.setItem('shoeprint.language', '${language}')`);
  opened.set(`${person} ${language}`, page);
  return page;
}

describe.each(LANGUAGES)('in %s', (language) => {
  it.each(SCREENS)(
    '%s has no violation of WCAG 2.2 AA for %s in the themes of the language, has a title, and fits each window',
    async (path, person) => {
      const page = await openedFor(person, language);
      await page.goto(addressOf(path));
      await settled(page);
      expect(await page.title()).toMatch(/^\S.* · Shoeprint$/);
      const found = await violationsInThemes(page, language);
      if (language === 'en') {
        found.push(...(await notFitting(page, TABLETS)));
        found.push(...(await smallTargets(page, fingerOn(path))));
      }
      found.push(...(await notFitting(page, SMALL_WINDOWS)));
      await space(page, SPACING);
      found.push(...(await misfits(page)).map((misfit) => `with its text spaced: ${misfit}`));
      await space(page, '');
      await page.setViewportSize(USUAL_WINDOW);
      expect(found).toEqual([]);
    },
    SCREEN_MS,
  );

  it.each(PARTS)(
    '$name has no violation of WCAG 2.2 AA in the themes of the language',
    async ({ path, person, open, at }) => {
      const page = await openedFor(person, language);
      await page.goto(addressOf(path));
      await settled(page);
      await open(page);
      await page.locator(at).first().waitFor();
      await settled(page);
      expect(await violationsInThemes(page, language, at)).toEqual([]);
      await page.unrouteAll();
    },
    SCREEN_MS,
  );

  it(
    'a finding beside the queue has no violation of WCAG 2.2 AA in the themes of the language',
    async () => {
      const page = await openedFor('pit-boss', language);
      await page.setViewportSize(WIDE_WINDOW);
      await page.goto(addressOf('queue?finding={finding}'));
      await page.locator('.finding').waitFor();
      await settled(page);
      expect(await violationsInThemes(page, language)).toEqual([]);
      await page.setViewportSize(USUAL_WINDOW);
    },
    SCREEN_MS,
  );

  it(
    'the page and the sheet for signing in have no violation of WCAG 2.2 AA in the themes of the language',
    async () => {
      const page = await browser.visit('sign-in');
      await page.evaluate(`localStorage.setItem('shoeprint.language', '${language}')`);
      await page.goto(browser.addressOf('settings'));
      await page.locator('main h1').first().waitFor();
      expect(await violationsInThemes(page, language)).toEqual([]);
      await browser.signIn(page, 'finance');
      await settled(page);
      await page.context().clearCookies();
      await page.locator('input[type=checkbox]').first().focus();
      await page.keyboard.press('Space');
      await page.locator(`${SHEET} input[name=password]`).waitFor();
      expect(await violationsInThemes(page, language, SHEET)).toEqual([]);
      await page.context().close();
    },
    SCREEN_MS,
  );
});

describe.each(['vi', 'pt'] as const)('in %s, whose words are longer', (language) => {
  it.each(SCREENS)(
    '%s fits each window for %s',
    async (path, person) => {
      const page = await openedFor(person, language);
      await page.goto(addressOf(path));
      await settled(page);
      expect(await notFitting(page, SMALL_WINDOWS)).toEqual([]);
      await page.setViewportSize(USUAL_WINDOW);
    },
    SCREEN_MS,
  );
});

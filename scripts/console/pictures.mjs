// Takes pictures of the console on the sample day: the ones of the documentation, or with --all
// every screen in every theme, and queue and coup in every language and width.
//   npm run pictures
//   npm run pictures -- --all /tmp/pictures
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { startSampleServer } from '../sample-server.mjs';
import { settled } from './settled.mjs';

const { values } = parseArgs({ options: { all: { type: 'string' } } });
const require = createRequire(import.meta.url);
const documentation = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const PAGE_MS_MAX = 60_000;

const THEMES = ['light', 'dark', 'surveillance', 'high-contrast'];
const LANGUAGES = ['en', 'vi', 'zh-Hant', 'zh-Hans', 'pt'];
const WIDTHS = /** @type {const} */ ([
  [320, 800],
  [768, 1024],
  [1024, 768],
  [1920, 1080],
]);
const USUAL = /** @type {const} */ ([1280, 900]);
/** Here the queue has room for a finding beside it. */
const WIDE = /** @type {const} */ ([1920, 1080]);

/**
 * @typedef {object} Screen
 * @property {string} name
 * @property {string} path
 * @property {string} person
 * @property {readonly [number, number]} [size] The size of the window, if not the usual one.
 */
/**
 * @typedef {object} Picture
 * @property {Screen} screen
 * @property {string} theme
 * @property {string} language
 * @property {readonly [number, number]} size
 * @property {string} file
 */

/** A machine without fonts for Chinese shows boxes, so the pictures bring their own. */
const FONTS = ['tc', 'sc'].map((script) => {
  const folder = dirname(require.resolve(`@fontsource-variable/noto-sans-${script}/index.css`));
  const css = readFileSync(join(folder, 'index.css'), 'utf8')
    .replaceAll(/url\(\.\/files\//g, `url(/__fonts/${script}/`)
    .replaceAll(/'Noto Sans [ST]C Variable'/g, `'Noto Sans ${script.toUpperCase()}'`);
  return { script, folder, css };
});

/** @param {Record<string, string>} places @returns {readonly Screen[]} */
const screens = ({ finding, coup, shoe }) => [
  { name: 'queue', path: 'queue', person: 'pit-boss' },
  { name: 'finding', path: `findings/${finding}?step=6`, person: 'pit-boss' },
  { name: 'beside', path: `queue?finding=${finding}`, person: 'pit-boss', size: WIDE },
  { name: 'coup', path: `coups/${encodeURIComponent(coup ?? '')}?table=B04`, person: 'pit-boss' },
  { name: 'tables', path: 'tables', person: 'surveillance' },
  { name: 'table', path: 'tables/B04', person: 'surveillance' },
  {
    name: 'shoe',
    path: `tables/B04/shoes/${encodeURIComponent(shoe ?? '')}`,
    person: 'surveillance',
  },
  ...['commission', 'misdealt', 'dealers', 'shoes', 'payouts', 'devices'].map((report) => ({
    name: `report-${report}`,
    path: `reports/${report}`,
    person: 'compliance',
  })),
  { name: 'evidence', path: 'evidence?new=table', person: 'compliance' },
  { name: 'rules', path: 'rules', person: 'regulator' },
  { name: 'rule-document', path: 'rules/nsw-crown@1', person: 'regulator' },
  {
    name: 'rules-diff',
    path: 'rules/diff?from=punto-banco@1&to=nsw-crown@1',
    person: 'regulator',
  },
  { name: 'policy', path: 'rules/policy', person: 'regulator' },
  { name: 'people', path: 'people', person: 'admin' },
  { name: 'devices', path: 'devices', person: 'integrator' },
  { name: 'settings', path: 'settings', person: 'pit-boss' },
];

/**
 * Returns the pictures to take.
 * @param {readonly Screen[]} all
 * @returns {readonly Picture[]}
 */
function pictures(all) {
  const named = (/** @type {string} */ name) =>
    /** @type {Screen} */ (all.find((screen) => screen.name === name));
  if (values.all === undefined)
    return [
      ['finding', 'light', 'finding.png'],
      ['queue', 'dark', 'queue.png'],
      ['shoe', 'surveillance', 'table.png'],
    ].map(([name = '', theme = '', file = '']) => ({
      screen: named(name),
      theme,
      language: 'en',
      size: USUAL,
      file: join(documentation, file),
    }));
  const folder = values.all;
  const of = (/** @type {Omit<Picture, 'file'>} */ picture) => ({
    ...picture,
    file: join(
      folder,
      `${picture.screen.name}-${picture.theme}-${picture.language}-${picture.size[0]}.png`,
    ),
  });
  return [
    ...all.flatMap((screen) =>
      THEMES.map((theme) => of({ screen, theme, language: 'en', size: screen.size ?? USUAL })),
    ),
    ...['queue', 'finding'].flatMap((name) => [
      ...LANGUAGES.slice(1).map((language) =>
        of({ screen: named(name), theme: 'light', language, size: USUAL }),
      ),
      ...WIDTHS.map((size) => of({ screen: named(name), theme: 'light', language: 'en', size })),
    ]),
  ];
}

/**
 * Returns the finding that the pictures show.
 * @param {string} url
 * @param {string} token
 */
async function shownFinding(url, token) {
  const answer = await fetch(`${url}/v1/findings?table=B04&code=TC-08&order=queue&limit=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { lines } = /** @type {{ lines: { id: string, coupRef: string, shoeRef: string }[] }} */ (
    await answer.json()
  );
  const [found] = lines;
  if (!found) throw new Error('the sample day has no TC-08 at table B04');
  return { finding: found.id, coup: found.coupRef, shoe: found.shoeRef };
}

/**
 * Takes a picture of somebody's screen.
 * @param {import('playwright-core').Browser} browser
 * @param {{ url: string, token: string }} server
 * @param {Picture} picture
 */
async function take(browser, { url, token }, { screen, theme, language, size, file }) {
  const [width, height] = size;
  const context = await browser.newContext({ viewport: { width, height }, locale: 'en-US' });
  context.setDefaultTimeout(PAGE_MS_MAX);
  await context.addCookies([{ name: 'shoeprint-session', value: token, url }]);
  const kept = {
    'shoeprint.account': screen.person,
    'shoeprint.theme': theme,
    [`shoeprint.preferences.${screen.person}`]: JSON.stringify({ theme }),
    'shoeprint.language': language,
  };
  await context.addInitScript(
    `const kept = ${JSON.stringify(kept)};
     for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, value);
     const sheet = new CSSStyleSheet();
     sheet.replaceSync(${JSON.stringify(FONTS.map(({ css }) => css).join('\n'))});
     document.adoptedStyleSheets.push(sheet);`,
  );
  await context.route('**/__fonts/**', async (route) => {
    const [, script, name = ''] = /__fonts\/(tc|sc)\/(.*)$/.exec(route.request().url()) ?? [];
    const font = FONTS.find((each) => each.script === script);
    await route.fulfill({ path: join(font?.folder ?? '', 'files', name) });
  });
  const page = await context.newPage();
  await page.goto(`${url}/console/${screen.path}`);
  await settled(page);
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: file });
  await context.close();
  console.log(file);
}

const server = await startSampleServer();
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  mkdirSync(values.all ?? documentation, { recursive: true });
  const token = await server.signIn();
  /** @type {Map<string, string>} */
  const tokens = new Map();
  for (const picture of pictures(screens(await shownFinding(server.url, token)))) {
    const { person } = picture.screen;
    tokens.set(person, tokens.get(person) ?? (await server.signIn(person)));
    await take(browser, { url: server.url, token: tokens.get(person) ?? '' }, picture);
  }
} finally {
  await browser.close();
  await server.stop();
}

// Draws every card, in both decks, four themes and four sizes, with every mark, so that a person
// can look at them: one picture for each theme. It needs no server.
//   node scripts/console/card-sheet.mjs /tmp/cards
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { createServer } from 'vite';

const [out = '.'] = process.argv.slice(2);
const THEMES = ['light', 'dark', 'surveillance', 'high-contrast'];
const PAGE = '/console/card-sheet.html';
const WIDTH = 1_400;
const DRAWN_MS_MAX = 60_000;

const HTML = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<base href="/console/"><body><div id="root"></div><script type="module" src="/console/card-sheet.js"></script>`;

/** The preference of the deck is of the whole page, so each sheet says it by the cards' attribute. */
const SHEET = `
import { createElement as h, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { CARDS } from '#baccarat';
import { PlayingCard } from '/src/game/card.tsx';
import { WordsProvider } from '/src/words/words.tsx';
import '/src/theme/tokens.css';
import '/src/theme/base.css';

const MARKS = ['moved', 'exposed', 'carried', 'burned'];
const row = (width, deck) =>
  h('p', { key: deck + width, style: { display: 'flex', flexWrap: 'wrap', gap: 4, margin: 8 } },
    CARDS.map((card) => h(PlayingCard, { key: card, card, width })),
    h(PlayingCard, { card: null, width }),
    h(PlayingCard, { card: 'TD', width, sideways: true }),
    h(PlayingCard, { card: '9S', width, faulty: true }),
    h(PlayingCard, { card: 'QH', width, faulty: true, sideways: true }),
    MARKS.map((mark) => h(PlayingCard, { key: mark, card: '4C', width, marks: [mark] })));

function Sheet() {
  useEffect(() => {
    for (const section of document.querySelectorAll('section'))
      for (const card of section.querySelectorAll('svg')) card.dataset.deck = section.dataset.of;
    document.title = 'drawn';
  });
  return ['four-color', 'two-color'].map((deck) =>
    h('section', { key: deck, 'data-of': deck, style: { background: 'var(--felt)' } },
      h('h2', { style: { color: 'var(--on-felt)', padding: 8 } }, deck),
      [24, 36, 60, 96].map((width) => row(width, deck))));
}
createRoot(document.getElementById('root')).render(h(WordsProvider, null, h(Sheet)));
`;

/** @type {import('vite').Plugin} */
const sheet = {
  name: 'card-sheet',
  resolveId: (id) => (id.endsWith('/card-sheet.js') ? '\0card-sheet.js' : undefined),
  load: (id) => (id === '\0card-sheet.js' ? SHEET : undefined),
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      if (request.url !== PAGE) return next();
      response.setHeader('content-type', 'text/html');
      void server.transformIndexHtml(PAGE, HTML).then((html) => response.end(html), next);
    });
  },
};

const configFile = fileURLToPath(new URL('../../apps/console/vite.config.mjs', import.meta.url));
const vite = await createServer({ configFile, plugins: [sheet], server: { port: 0 } });
await vite.listen();
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  mkdirSync(out, { recursive: true });
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 900 } });
  await page.goto(new URL(PAGE, vite.resolvedUrls?.local[0]).href);
  await page.waitForFunction(`document.title === 'drawn'`, undefined, { timeout: DRAWN_MS_MAX });
  for (const theme of THEMES) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    const path = join(out, `cards-${theme}.png`);
    await page.screenshot({ path, fullPage: true });
    console.log(path);
  }
} finally {
  await browser.close();
  await vite.close();
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../dist/apps/console/', import.meta.url));
/** What the first screen imports once it runs: English, its own chunk, and the live stream. */
const LATER = ['en', 'queue-screen', 'stream.worker'];

/**
 * @typedef {object} BuiltFile
 * @property {string} name Its path in the folder of the built console.
 * @property {number} bytes As gzip.
 * @property {boolean} isFirst Whether the first load of the queue needs it.
 */

/**
 * Returns the built scripts and styles of the console, the largest first, and which of them the
 * first load of the queue needs: what the page names, what the queue imports when it runs, and
 * what these import in turn.
 * @returns {readonly BuiltFile[]}
 */
export function builtFiles() {
  const assets = readdirSync(`${folder}assets`).filter((name) => /\.(js|css)$/.test(name));
  const page = readFileSync(`${folder}index.html`, 'utf8');
  const named = [...page.matchAll(/(?:src|href)="(?:\.\/)?([^"]+\.(?:js|css))"/g)];
  const later = LATER.flatMap((chunk) =>
    assets.filter((name) => name.startsWith(`${chunk}-`)).map((name) => `assets/${name}`),
  );
  const first = closureOf([...named.map(([, name = '']) => name), ...later]);
  return [...new Set([...first, ...assets.map((name) => `assets/${name}`)])]
    .map((name) => ({
      name,
      bytes: statSync(`${folder}${name}.gz`).size,
      isFirst: first.has(name),
    }))
    .sort((a, b) => b.bytes - a.bytes);
}

/**
 * Adds the scripts that scripts import as they load. Rolldown writes no space around `from`.
 * @param {readonly string[]} names
 */
function closureOf(names) {
  const found = new Set(names);
  for (const name of found) {
    if (!name.endsWith('.js')) continue;
    const script = readFileSync(`${folder}${name}`, 'utf8');
    for (const [, imported] of script.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g))
      found.add(`assets/${imported}`);
    const style = `${name.replace(/-[\w-]{8}\.js$/, '')}-`;
    for (const each of readdirSync(`${folder}assets`))
      if (each.endsWith('.css') && `assets/${each}`.startsWith(style)) found.add(`assets/${each}`);
  }
  return found;
}

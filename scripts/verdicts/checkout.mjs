// @ts-check
// A built checkout, and the logs that its verdict is asked about.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/**
 * @typedef {object} Verdict
 * @property {Record<string, number>} events
 * @property {object[]} shoes
 * @property {import('./differences.mjs').Fields[]} findings
 * @property {object[]} unjudgeable
 * @property {object[]} commission
 */

/**
 * A story, or an example of docs/findings.md, and its events.
 *
 * @typedef {object} Story
 * @property {string} name
 * @property {readonly string[]} lines
 */

/** The index of a checkout's built library. @param {string} folder @param {string} library */
const built = (folder, library) =>
  import(pathToFileURL(join(folder, 'dist/libs', library, 'src/index.js')).href);

/**
 * Returns what `audit --json` of a checkout prints about a file.
 *
 * @param {string} folder
 * @param {string} file
 * @returns {Verdict | { refused: unknown }}
 */
export function audited(folder, file) {
  const bin = join(folder, 'apps/cli/bin/shoeprint.js');
  try {
    return JSON.parse(
      execFileSync(process.execPath, [bin, 'audit', '--json', file], {
        maxBuffer: 1 << 30,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  } catch (error) {
    const { status, stdout } = /** @type {{ status?: number, stdout?: string }} */ (error);
    if ((status !== 1 && status !== 2) || !stdout) throw error;
    return JSON.parse(stdout);
  }
}

/**
 * Opens the simulator of a checkout.
 *
 * @param {string} folder
 */
export async function simulatorOf(folder) {
  const [audit, rules] = await Promise.all([built(folder, 'audit'), built(folder, 'rule-folder')]);
  const book = rules.installedRules();
  return {
    documents: /** @type {string[]} */ ([...book.keys()]),
    codes: /** @type {string[]} */ (audit.FINDING_CODES),
    /**
     * Deals one shoe at one table, with the complete list of expected findings. Returns null if the
     * document cannot have the fault.
     *
     * @param {{
     *   document: string, seed: string, table: string, bets: boolean, faults?: readonly string[]
     * }} asked
     * @returns {{ lines: string[], expected: object[] } | null}
     */
    deal({ document, table, ...asked }) {
      try {
        const { lines, expected } = audit.simulateTables({
          ...asked,
          rules: book.get(document),
          tables: [table],
          shoes: 1,
          currency: 'MOP',
        });
        return { lines: [...lines], expected: expected() };
      } catch (error) {
        if (error instanceof audit.SimulationRefusal) return null;
        throw error;
      }
    },

    /**
     * Deals a day of several tables with bets, each fault at one of them.
     *
     * @param {{
     *   document: string, seed: string, tables: readonly string[], shoes: number, start: string,
     *   faults: readonly string[]
     * }} asked
     * @returns {string[]}
     */
    dealDay({ document, ...asked }) {
      const game = { ...asked, rules: book.get(document), bets: true, currency: 'MOP' };
      return [...audit.simulateTables(game).lines];
    },
  };
}

/**
 * Returns the events of every story of a checkout, and of every example in docs/findings.md, each
 * at a table of its own. The test kit that reads stories is TypeScript, so it is transpiled into
 * `dist` for the time of the call.
 *
 * @param {string} folder
 * @returns {Promise<Story[]>}
 */
export async function storyLines(folder) {
  const kit = join(folder, 'test/kit');
  const made = mkdtempSync(join(folder, 'dist/story-kit-'));
  try {
    for (const name of readdirSync(kit).filter((file) => file.endsWith('.ts'))) {
      const { outputText } = ts.transpileModule(readFileSync(join(kit, name), 'utf8'), {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      writeFileSync(join(made, name.replace(/\.ts$/, '.js')), outputText);
    }
    const { readStory } = await import(pathToFileURL(join(made, 'story.js')).href);
    return storyTexts(folder).map(([name, text], i) => ({
      name,
      lines: readStory(text, name).events.map((/** @type {object} */ event) =>
        JSON.stringify({ ...event, table: `S${i + 1}` }),
      ),
    }));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** @param {string} folder @returns {(readonly [name: string, text: string])[]} */
function storyTexts(folder) {
  const stories = join(folder, 'test/stories');
  const page = readFileSync(join(folder, 'docs/findings.md'), 'utf8');
  return [
    ...readdirSync(stories)
      .filter((name) => name.endsWith('.story'))
      .map((name) => /** @type {const} */ ([name, readFileSync(join(stories, name), 'utf8')])),
    ...[...page.matchAll(/^```story\n([^]*?)^```$/gm)].map(
      ([, text = ''], i) => /** @type {const} */ ([`docs/findings.md, example ${i + 1}`, text]),
    ),
  ];
}

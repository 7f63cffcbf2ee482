import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OddsReport } from '#baccarat';
import { built, file, shoeprint } from './shoeprint.js';

beforeAll(built);

/** Copies these parts of the package to a folder. */
function copyOfThePackage(name: string, parts: readonly string[]): string {
  const copy = join(dirname(file('here', '')), name);
  const root = new URL('../../', import.meta.url);
  for (const part of parts) cpSync(new URL(part, root), join(copy, part), { recursive: true });
  symlinkSync(new URL('node_modules', root), join(copy, 'node_modules'));
  return copy;
}

describe('shoeprint odds', () => {
  it('prints the exact counts of eight decks', () => {
    const { code, stdout } = shoeprint(['odds']);
    expect(code).toBe(0);
    for (const count of [
      '2,292,252,566,437,888',
      '2,230,518,282,592,256',
      '475,627,426,473,216',
      '4,998,398,275,503,360',
    ])
      expect(stdout).toContain(count);
    expect(stdout).toMatch(/^tie .* 8 to 1 .* 14\.3596 %/m);
  });

  it('prints counts as decimal strings in JSON, for other decks and rules', () => {
    const report = JSON.parse(
      shoeprint(['odds', '--decks', '6', '--rules', 'ez-baccarat@1', '--json']).stdout,
    ) as OddsReport;
    expect(report).toMatchObject({
      rules: 'ez-baccarat@1',
      decks: 6,
      total: String(312n * 311n * 310n * 309n * 308n * 307n),
    });
    expect(Object.keys(report.bets)).toEqual(['player', 'banker', 'tie', 'dragon-7', 'panda-8']);
  });

  it('refuses what has no answer, and names what has one', () => {
    expect(shoeprint(['odds', '--decks', '13'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('1 to 12'),
    });
    expect(shoeprint(['odds', '--decks', 'six'])).toMatchObject({ code: 2, stdout: '' });
    expect(shoeprint(['odds', '--rules', 'baccara@1'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('punto-banco@1'),
    });
    expect(shoeprint(['odds', '--rules', 'chemin-de-fer@1']).code).toBe(2);
    expect(shoeprint(['odds', '--rules', 'chemin-de-fer@1', '--choice', 'draw']).code).toBe(0);
  });
});

describe('shoeprint rules', () => {
  it.each([
    ['seed-000', 0, []],
    [
      'seed-001',
      1,
      [
        '/values/A the ace has no value',
        '/banker/rows/2/stand banker 4 against a third card of 0: draw and stand',
        '/banker banker 3 against a third card of 9: neither draw nor stand',
      ],
    ],
    ['seed-002', 0, []],
    [
      'seed-003',
      1,
      [
        '/prose/1 banker 2 against a third card of 9: draw and stand',
        '/banker/heading the columns are headed "player hand rank"',
      ],
    ],
    ['seed-004', 1, ['/banker banker 3 when the player stood: neither draw nor stand']],
  ] as const)('lint judges the chart of %s, fault by fault', (chart, code, faults) => {
    const ran = shoeprint(['rules', 'lint', `rules/charts/${chart}.json`]);
    expect(ran.code).toBe(code);
    for (const fault of faults) expect(ran.stdout).toContain(fault);
  });

  it('lint accepts a published document, reports departures as information, and refuses what is not JSON', () => {
    expect(shoeprint(['rules', 'lint', 'rules/punto-banco@1.json']).code).toBe(0);
    const chemin = shoeprint(['rules', 'lint', 'rules/chemin-de-fer@1.json']);
    expect(chemin.code).toBe(0);
    expect(chemin.stdout).toContain('player on 5: draw → optional');
    expect(shoeprint(['rules', 'lint', file('no.json', '{')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not JSON'),
    });
    expect(
      JSON.parse(shoeprint(['rules', 'lint', '--json', 'rules/charts/seed-004.json']).stdout),
    ).toMatchObject([{ is: 'chart', problems: { length: 4 } }]);
  });

  it('list names every published document', () => {
    const published = Object.keys(
      JSON.parse(
        readFileSync(new URL('../../rules/manifest.json', import.meta.url), 'utf8'),
      ) as object,
    );
    const { stdout } = shoeprint(['rules', 'list']);
    for (const ref of published) expect(stdout).toContain(ref);
  });

  it('show prints the tableau as rule books do, and defaults to the latest version', () => {
    const { code, stdout } = shoeprint(['rules', 'show', 'nsw-crown']);
    expect(code).toBe(0);
    expect(stdout).toContain('  banker has 6     S S S S S S D D S S S');
    expect(stdout).toContain('[5 provisional]');
    expect(JSON.parse(shoeprint(['rules', 'show', 'nsw-crown@1', '--json']).stdout)).toMatchObject({
      id: 'nsw-crown',
    });
  });

  it('diff compares documents by name or file, in words', () => {
    expect(shoeprint(['rules', 'diff', 'punto-banco@1', 'rules/punto-banco@1.json']).code).toBe(0);
    const changed = shoeprint(['rules', 'diff', 'punto-banco@1', 'punto-banco-no-burn@1']);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toContain('burn: by the first card (ace 1, ten 10, face 10) → none');
  });

  it("reads documents of a house's own folder too, but never another text under a published name", () => {
    const own = dirname(file('here', ''));
    const text = readFileSync(new URL('../../rules/punto-banco@1.json', import.meta.url), 'utf8');
    const shoe = readFileSync(new URL('../../examples/clean-shoe.ndjson', import.meta.url), 'utf8');
    for (const folder of ['own', 'changed']) mkdirSync(join(own, folder), { recursive: true });
    writeFileSync(
      join(own, 'own', 'my-house@1.json'),
      text.replace('"id": "punto-banco"', '"id": "my-house"'),
    );
    writeFileSync(join(own, 'changed', 'punto-banco@1.json'), text.replace('8 to 1', '9 to 1'));
    const log = file('own.ndjson', shoe.replace('punto-banco@1', 'my-house@1'));
    expect(shoeprint(['audit', log]).code).toBe(2);
    expect(shoeprint(['audit', '--rules', join(own, 'own'), log]).code).toBe(0);
    expect(shoeprint(['audit', '--rules', join(own, 'own'), '--workers', '2', log]).code).toBe(0);
    expect(shoeprint(['audit', '--rules', join(own, 'changed'), log])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('punto-banco@1 is already installed with other content'),
    });
  });

  it('refuses to start on a published document that was changed, by name', () => {
    const copy = copyOfThePackage('changed-package', [
      'dist',
      'rules',
      'package.json',
      'apps/cli/bin',
    ]);
    const ezBaccarat = join(copy, 'rules', 'ez-baccarat@1.json');
    writeFileSync(ezBaccarat, readFileSync(ezBaccarat, 'utf8').replace('40 to 1', '400 to 1'));
    const ran = shoeprint(['rules', 'list'], { from: copy });
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'shoeprint: the file of the published rule document ez-baccarat@1 has changed, so it cannot be used\n',
    });
  });
});

describe('the command line as a whole', () => {
  it.each([[['--help']], [['audit', '--help']], [['odds', '--help']], [['rules', '--help']]])(
    '%s prints examples and exits 0',
    (args) => {
      const { code, stdout } = shoeprint(args);
      expect(code).toBe(0);
      expect(stdout).toContain('Examples:');
    },
  );

  it('suggests the command that was meant, and exits 2', () => {
    expect(shoeprint(['adit', 'x'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Did you mean audit?'),
    });
    expect(shoeprint(['audit', '--jsn', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean --json?'),
    });
    expect(shoeprint(['audit']).code).toBe(2);
    expect(shoeprint(['audit', '--workers', '0', 'x']).code).toBe(2);
    expect(shoeprint([]).code).toBe(2);
  });

  it('reports an internal error in one line, exits 70, and prints the stack only on request', () => {
    const from = copyOfThePackage('package-without-rules', [
      'dist',
      'package.json',
      'apps/cli/bin',
    ]);
    const wanted =
      'shoeprint: internal error: the folder rules/ of this package is missing (SHOEPRINT_DEBUG=1 prints the stack)\n';
    expect(shoeprint(['odds'], { from })).toEqual({ code: 70, stdout: '', stderr: wanted });
    expect(shoeprint(['odds'], { from, env: { SHOEPRINT_DEBUG: '1' } }).stderr).toMatch(
      /\n {4}at packageFolder/,
    );
  });

  it('prints its version', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(shoeprint(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ExpectedReview, PolicyDocument } from '#audit';
import type { OddsReport } from '#baccarat';
import { built, file, shoeprint } from './shoeprint.js';

beforeAll(built);

const policy = JSON.parse(
  readFileSync(new URL('../../rules/policies/review@1.json', import.meta.url), 'utf8'),
) as PolicyDocument;

/** Copies these parts of the package to a folder. */
function copyOfThePackage(name: string, parts: readonly string[]): string {
  const copy = join(dirname(file('here', '')), name);
  const root = new URL('../../', import.meta.url);
  for (const part of parts) cpSync(new URL(part, root), join(copy, part), { recursive: true });
  symlinkSync(new URL('node_modules', root), join(copy, 'node_modules'));
  return copy;
}

describe('shoeprint simulate --reviews', () => {
  it('expects the outcomes that shoeprint audit prints', () => {
    const out = join(dirname(file('here', '')), 'reviewed.ndjson');
    const words = 'same-person,conflict-of-interest,coup-open,evidence-changed,out-of-reach';
    const { code } = shoeprint([
      ...['simulate', '--shoes', '3', '--seed', '7', '--tables', '2', '--bets'],
      ...['--faults', 'TC-05,PY-03,TC-08,SH-10', '--reviews', '--review-faults', words],
      ...['--out', out],
    ]);
    expect(code).toBe(0);
    const { reviews: expected } = JSON.parse(readFileSync(`${out}.expected.json`, 'utf8')) as {
      readonly reviews: readonly ExpectedReview[];
    };
    const { reviews } = JSON.parse(shoeprint(['audit', '--json', out]).stdout) as {
      readonly reviews: readonly {
        readonly finding: string;
        readonly events: readonly { readonly ref: string }[];
      }[];
    };
    const printed = reviews.flatMap(({ finding, events }) =>
      events.map(({ ref: event, ...act }) => ({ finding, event, ...act })),
    );
    for (const word of words.split(','))
      expect(expected.map(({ outcome }) => outcome)).toContain(word);
    const inOrder = (acts: readonly { readonly event: string }[]) =>
      acts.toSorted((a, b) => (a.event < b.event ? -1 : 1));
    expect(inOrder(printed)).toEqual(inOrder(expected));
  });
});

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
    for (const ref of published) expect(stdout).toContain(`\n${ref.replace('policies/', '')} `);
    expect(JSON.parse(shoeprint(['rules', 'list', '--json']).stdout)).toContainEqual({
      policy: 'review@1',
      title: policy.title,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('show prints a review policy for people, and as it was published', () => {
    const { code, stdout } = shoeprint(['rules', 'show', 'review@1']);
    expect(code).toBe(0);
    for (const line of [
      '  sign        pit-boss, surveillance, compliance',
      '              and the person who made the ruling final, within 1 minute',
      '  findings    DV-15, PR-04',
      '  amounts     from 1,500.00 AUD, 1,000.00 EUR, 10,000.00 HKD, 10,000.00 MOP, 1,000.00 USD; any',
      '  severity 1  a ruling is due within 2 hours',
      '  severity 4  a ruling is due within 7 days',
      '  claim       lasts 10 minutes unless it is renewed',
      '  payout-error              yes     amount',
      '  dealer-error-corrected    yes',
      '  test-round                no      note',
    ])
      expect(stdout).toContain(`${line}\n`);
    expect(JSON.parse(shoeprint(['rules', 'show', 'review', '--json']).stdout)).toEqual(policy);
    expect(shoeprint(['rules', 'show', 'review@9'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'shoeprint: unknown review policy review@9; installed: review@1\n',
    });
  });

  it('lint recognizes a review policy, and names each problem by its JSON pointer', () => {
    expect(shoeprint(['rules', 'lint', 'rules/policies/review@1.json'])).toEqual({
      code: 0,
      stdout: 'rules/policies/review@1.json: accepted as a review policy\n',
      stderr: '',
    });
    const wrong = file('wrong.json', JSON.stringify({ ...policy, id: 'ours', lease: 59 }));
    const { code, stdout } = shoeprint(['rules', 'lint', wrong]);
    expect(code).toBe(1);
    expect(stdout).toContain('refused as a review policy: 2 problems');
    expect(stdout).toContain('  /lease is 59 and should be at least 60');
    expect(JSON.parse(shoeprint(['rules', 'lint', '--json', wrong]).stdout)).toMatchObject([
      { is: 'review policy', problems: [{ pointer: '/id' }, { pointer: '/lease' }] },
    ]);
  });

  it('diff compares review policies in words, and none with a rule document', () => {
    const ours = file('ours.json', JSON.stringify({ ...policy, version: 2, lease: 900 }));
    expect(shoeprint(['rules', 'diff', 'review@1', 'rules/policies/review@1.json']).code).toBe(0);
    expect(shoeprint(['rules', 'diff', 'review@1', ours])).toMatchObject({
      code: 1,
      stdout: 'review@1 → review@2: 1 difference\n  a claim lasts: 10 minutes → 15 minutes\n',
    });
    expect(shoeprint(['rules', 'diff', 'review@1', 'super-6@1'])).toMatchObject({
      code: 2,
      stderr:
        'shoeprint: review@1 and super-6@1 cannot be compared: one is a review policy, the other a rule document\n',
    });
    const wrong = file('wrong.json', JSON.stringify({ ...policy, lease: 59 }));
    expect(shoeprint(['rules', 'diff', 'review@1', wrong])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/lease is 59 and should be at least 60'),
    });
  });

  it('diff refuses a chart', () => {
    expect(shoeprint(['rules', 'diff', 'super-6@1', 'rules/charts/seed-000.json']).code).toBe(2);
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

  it("reads review policies of a house's own folder, each as its linter accepts it", () => {
    const own = dirname(file('here', ''));
    const log = 'examples/clean-shoe.ndjson';
    const write = (folder: string, name: string, document: object): string[] => {
      mkdirSync(join(own, folder, 'policies'), { recursive: true });
      writeFileSync(join(own, folder, 'policies', name), JSON.stringify(document));
      return ['audit', '--rules', join(own, folder), log];
    };
    const second = { ...policy, version: 2 };
    expect(shoeprint(write('second', 'review@2.json', second)).code).toBe(0);
    for (const [folder, name, document, problem] of [
      [
        'changed-policy',
        'review@1.json',
        policy,
        'review@1 is already installed with other content',
      ],
      ['misnamed', 'review@3.json', second, "must match the document's id and version, review@2"],
      ['unsound', 'review@2.json', { ...second, undo: 601 }, '/undo is 601 and should be at most'],
    ] as const)
      expect(shoeprint(write(folder, name, document))).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(problem),
      });
    mkdirSync(join(own, 'nothing', 'policies'), { recursive: true });
    expect(shoeprint(['audit', '--rules', join(own, 'nothing'), log])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no rule document (id@version.json) in this folder'),
    });
  });

  it.each([
    ['rule document', 'ez-baccarat@1', 'ez-baccarat@1', 'ez-baccarat@2', ''],
    ['review policy', 'review@1', 'policies/review@1', 'review@2', 'policies/'],
  ])(
    'refuses to start on a published %s that was changed, is gone or is not pinned, by name',
    (...[kind, ref, path, next, under]) => {
      const parts = ['dist', 'rules', 'package.json', 'apps/cli/bin'];
      const from = copyOfThePackage(`changed-${ref}`, parts);
      const place = join(from, 'rules', `${path}.json`);
      const text = readFileSync(place, 'utf8');
      const said = (): string => {
        const { code, stdout, stderr } = shoeprint(['rules', 'list'], { from });
        expect([code, stdout]).toEqual([2, '']);
        return stderr;
      };
      writeFileSync(place, `${text}\n`);
      expect(said()).toBe(
        `shoeprint: the file of the published ${kind} ${ref} has changed, so it cannot be used\n`,
      );
      rmSync(place);
      expect(said()).toBe(`shoeprint: the file of the published ${kind} ${ref} is missing\n`);
      writeFileSync(place, text);
      writeFileSync(join(from, 'rules', under, `${next}.json`), text);
      expect(said()).toBe(
        `shoeprint: ${kind} ${next} is in rules/${under} but not in rules/manifest.json\n`,
      );
    },
  );
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

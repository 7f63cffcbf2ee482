import { describe, expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  factsOf,
  lint,
  readRules,
  resultOf,
  RULE_DOCUMENT_FORM,
  STANDARD_TABLEAU,
  type Card,
} from '#baccarat';
import { installedRules } from '#rule-folder';
import { published, publishedPolicy, REFS, RULES, schema } from './published.js';

const NINE = [
  'chemin-de-fer@1',
  'ez-baccarat@1',
  'macau-2011@1',
  'nsw-crown@1',
  'pa-627a@1',
  'punto-banco-no-burn@1',
  'punto-banco-taken@1',
  'punto-banco@1',
  'super-6@1',
];

describe('the published rule documents', () => {
  const validate = new Ajv2020.default({ allErrors: true, strict: true }).compile(
    schema('rule-document'),
  );

  it('are the nine', () => expect([...REFS].sort()).toEqual(NINE));

  it.each(REFS)('include %s, which matches the schema, passes lint and can be parsed', (ref) => {
    const document = published(ref);
    validate(document);
    expect(validate.errors).toBeNull();
    expect(lint(document).problems).toEqual([]);
    expect(readRules(document).ref).toBe(ref);
  });

  it('use the standard tableau, except for the optional cells of chemin de fer', () => {
    for (const ref of NINE.slice(1)) expect(published(ref).tableau).toEqual(STANDARD_TABLEAU);
    expect(lint(published('chemin-de-fer@1')).departures).toEqual([
      'player on 5: draw → optional',
      'banker 3 against a third card of 9: draw → optional',
      'banker 5 against a third card of 4: draw → optional',
    ]);
  });

  it('use every bet that has an id', () => {
    const used = new Set(REFS.flatMap((ref) => published(ref).bets.map(({ id }) => id)));
    expect([...used].sort()).toEqual([
      'banker',
      'banker-pair',
      'big',
      'dragon-7',
      'dragon-bonus-banker',
      'dragon-bonus-player',
      'either-pair',
      'lucky-6',
      'panda-8',
      'perfect-pair',
      'player',
      'player-pair',
      'small',
      'super-6',
      'tie',
    ]);
  });

  it("say for every house value whether its source is a regulator's text", () => {
    for (const ref of REFS) {
      const { provenance } = published(ref);
      for (const [pointer, { source, provisional }] of Object.entries(provenance)) {
        const regulator =
          /^(pa|macau|nsw)-/.exec(source) && !['nsw-training', 'macau-regulation'].includes(source);
        if (!regulator) expect([ref, pointer, provisional]).toEqual([ref, pointer, true]);
      }
    }
  });

  it('have their provisional values listed in the README', () => {
    const readme = readFileSync(join(process.cwd(), 'docs', 'rules', 'README.md'), 'utf8');
    for (const ref of REFS) {
      const listed = (wanted: boolean): string =>
        Object.entries(published(ref).provenance)
          .filter(([, { provisional }]) => (provisional === true) === wanted)
          .map(([pointer]) => `\`${pointer}\``)
          .join(' ') || 'none';
      expect(readme).toContain(`| \`${ref}\` | ${listed(false)} | ${listed(true)} |`);
    }
    for (const row of [
      published('punto-banco@1').tableau.player,
      ...STANDARD_TABLEAU.banker.map((cells) => cells.replace(' ', '  ')),
    ])
      expect(readme).toContain(` ${row}\n`);
  });

  it('have a schema that is the form that lint uses', () => {
    expect(schema('rule-document')).toEqual(JSON.parse(JSON.stringify(RULE_DOCUMENT_FORM)));
  });
});

describe('bets of the published documents', () => {
  const settled = (ref: string, bet: string, player: string, banker: string): string => {
    const hands = { player: player.split(' ') as Card[], banker: banker.split(' ') as Card[] };
    const result = resultOf(
      readRules(published(ref)).bets.get(bet) as never,
      factsOf(hands),
      hands,
    );
    return result.result === 'win' ? result.odds.text : result.result;
  };

  it.each([
    ['punto-banco@1', 'player', '9S TD', '3C 4H', '1 to 1', 'player wins'],
    ['punto-banco@1', 'banker', 'KS 6D', '3C 3H', 'push', 'the banker bet pushes on a tie'],
    ['punto-banco@1', 'player', 'KS 6D', '3C 3H', 'push', 'the player bet pushes on a tie'],
    ['punto-banco@1', 'tie', 'KS 6D', '3C 3H', '8 to 1', 'the tie wins'],
    ['punto-banco@1', 'tie', '9S TD', '3C 4H', 'lose', 'the tie loses'],
    ['punto-banco@1', 'player-pair', 'JS QD 5C', '3C 4H', 'lose', 'a jack and a queen are no pair'],
    ['punto-banco@1', 'banker-pair', 'JS 2D 5C', '3C 3H', '11 to 1', 'two threes are a pair'],
    ['ez-baccarat@1', 'banker', 'KS 6D', '2C TH 5S', 'push', 'a three-card winning 7 pushes'],
    ['ez-baccarat@1', 'banker', 'KS 6D', '3C 4H', '1 to 1', 'a two-card winning 7 is paid'],
    ['ez-baccarat@1', 'dragon-7', 'KS 6D', '2C TH 5S', '40 to 1', 'it is the dragon 7'],
    [
      'ez-baccarat@1',
      'panda-8',
      '2S 3D 3C',
      '3C 4H',
      '25 to 1',
      'a three-card winning 8 of the player hand',
    ],
    ['super-6@1', 'banker', 'KS 5D TC', '3C 3H', '0.5 to 1', 'a winning banker 6 pays half'],
    ['super-6@1', 'banker', 'KS 5D TC', '3C 4H', '1 to 1', 'a winning banker 7 pays whole'],
    ['super-6@1', 'super-6', 'KS 5D TC', '3C 3H', '12 to 1', 'and the side bet wins'],
    ['super-6@1', 'either-pair', 'KS KD TC', '3C 3H', '5 to 1', 'two pairs pay as one'],
    ['super-6@1', 'perfect-pair', 'KS KS TC', '3C 3C', '200 to 1', 'two perfect pairs'],
    ['super-6@1', 'perfect-pair', 'KS KS TC', '3C 3H', '25 to 1', 'one perfect pair'],
    ['super-6@1', 'big', 'KS 5D TC', '3C 4H', '0.54 to 1', 'five cards are big'],
    ['super-6@1', 'small', 'KS 9D', '3C 4H', '1.5 to 1', 'four cards are small'],
    ['macau-2011@1', 'lucky-6', 'KS 5D TC', '3C 3H', '12 to 1', 'lucky 6 with two cards'],
    ['macau-2011@1', 'lucky-6', 'KS 5D TC', '2C TH 4S', '20 to 1', 'lucky 6 with three cards'],
    ['pa-627a@1', 'dragon-bonus-player', 'KS 9D', '3C 4H', '1 to 1', 'a natural win'],
    ['pa-627a@1', 'dragon-bonus-player', 'KS 9D', '4C 5H', 'push', 'a natural tie'],
    ['pa-627a@1', 'dragon-bonus-player', 'KS 7D', '3C 4H', 'lose', 'a tie without naturals'],
    ['pa-627a@1', 'dragon-bonus-banker', 'KS 2D 8C', 'TC 5H 4S', '30 to 1', 'a win by nine'],
    ['pa-627a@1', 'dragon-bonus-banker', 'KS 6D', 'TC 5H 4S', 'lose', 'a win by three'],
  ])('settles %s %s: player %s, banker %s: %s (%s)', (ref, bet, player, banker, expected) =>
    expect(settled(ref, bet, player, banker)).toBe(expected),
  );
});

describe('a published rule document', () => {
  const manifest = JSON.parse(readFileSync(join(RULES, 'manifest.json'), 'utf8')) as Record<
    string,
    string
  >;
  const check = (rules: string, ...more: string[]): { status: number | null; said: string } => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/rules-manifest.mjs', '--rules', rules, ...more],
      { encoding: 'utf8' },
    );
    return { status, said: stdout + stderr };
  };
  const onACopy = (play: (rules: string) => void): void => {
    const folder = mkdtempSync(join(tmpdir(), 'rules-'));
    cpSync(RULES, folder, { recursive: true });
    try {
      play(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('never changes: its bytes have the hash in the manifest', () => {
    const hashes = Object.fromEntries(
      [...REFS, 'policies/review@1'].map((ref) => [
        ref,
        createHash('sha256')
          .update(readFileSync(join(RULES, `${ref}.json`)))
          .digest('hex'),
      ]),
    );
    expect(hashes).toEqual(manifest);
    expect(check(RULES).status).toBe(0);
  });

  it('is read with its text, byte for byte', () => {
    const book = installedRules();
    for (const { ref, text } of book.values())
      expect(text).toBe(readFileSync(join(RULES, `${ref}.json`), 'utf8'));
    for (const { ref, text } of book.policies.values())
      expect(text).toBe(readFileSync(join(RULES, 'policies', `${ref}.json`), 'utf8'));
    onACopy((rules) => {
      const text = JSON.stringify({ ...published('super-6@1'), version: 1001 });
      writeFileSync(join(rules, 'super-6@1001.json'), text);
      expect(installedRules([rules]).get('super-6@1001')?.text).toBe(text);
    });
  });

  it.each(['super-6@1', 'policies/review@1'])('cannot be changed with --add either: %s', (ref) =>
    onACopy((rules) => {
      appendFileSync(join(rules, `${ref}.json`), '\n');
      for (const more of [[], ['--add']]) {
        const { status, said } = check(rules, ...more);
        expect(status).toBe(1);
        expect(said).toContain(`${ref} is published and its file has changed`);
      }
      expect(readFileSync(join(rules, 'manifest.json'), 'utf8')).toBe(
        readFileSync(join(RULES, 'manifest.json'), 'utf8'),
      );
    }),
  );

  it.each(['super-6@1', 'policies/review@1'])('cannot be removed: %s', (ref) =>
    onACopy((rules) => {
      rmSync(join(rules, `${ref}.json`));
      expect(check(rules, '--add')).toEqual({
        status: 1,
        said: `rules: ${ref} is published and its file is gone\n`,
      });
    }),
  );

  it('is rejected when it is added, until its hash is pinned', () =>
    onACopy((rules) => {
      writeFileSync(
        join(rules, 'super-6@2.json'),
        JSON.stringify({ ...published('super-6@1'), version: 2 }),
      );
      writeFileSync(
        join(rules, 'policies', 'review@2.json'),
        JSON.stringify({ ...publishedPolicy('review@1'), version: 2 }),
      );
      expect(check(rules).said).toContain('super-6@2 is not in the manifest');
      expect(check(rules).said).toContain('policies/review@2 is not in the manifest');
      expect(check(rules, '--add').status).toBe(0);
      expect(check(rules).status).toBe(0);
      const pinned = JSON.parse(readFileSync(join(rules, 'manifest.json'), 'utf8')) as Record<
        string,
        string
      >;
      expect({ ...pinned, ...manifest }).toEqual(pinned);
      expect(Object.keys(pinned)).toEqual(
        expect.arrayContaining(['super-6@2', 'policies/review@2']),
      );
    }));

  it('must have its reference as its file name', () =>
    onACopy((rules) => {
      writeFileSync(join(rules, 'super-6@2.json'), JSON.stringify(published('super-6@1')));
      writeFileSync(
        join(rules, 'policies', 'review@2.json'),
        JSON.stringify(publishedPolicy('review@1')),
      );
      expect(check(rules, '--add')).toEqual({
        status: 1,
        said: 'rules: super-6@2.json calls itself super-6@1\nrules: policies/review@2.json calls itself review@1\n',
      });
    }));
});

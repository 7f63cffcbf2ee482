import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, codesWhere, FINDING_CODES, type RuleBook } from '#audit';
import {
  CARDS,
  readRules,
  type BurnText,
  type CutCard,
  type RuleDocument,
  type Rules,
} from '#baccarat';
import { audit, codes, type Sent } from '../kit/audit.js';
import { BOOK, bookOf } from '../kit/house.js';
import { found, judged, readStory } from '../kit/story.js';
import { TableLog } from '../kit/table.js';

const COUP = 'player: 9S KH\nbanker: 5C 3D\ndeclared: player';
const copies = (count: number, card: string): string =>
  Array.from({ length: count }, () => card).join(' ');

/** Returns the published rules with one change to punto-banco-no-burn@1, which stories play by. */
function bookWith(change: Partial<RuleDocument>): RuleBook {
  const { document } = BOOK.get('punto-banco-no-burn@1') as Rules;
  return bookOf(readRules({ ...document, ...change }));
}

describe('extra copies of a card (SH-02)', () => {
  it.each([
    [
      'are not found up to the number of decks',
      `decks: 6\nreports: nothing\nburned: ${copies(6, '9S')}`,
      [],
    ],
    [
      'raise SH-02 for each copy beyond the number of decks',
      `decks: 6\nreports: nothing\nburned: ${copies(8, '9S')}`,
      ['SH-02', 'SH-02'],
    ],
    [
      'are counted by rank and suit',
      `decks: 6\nreports: nothing\nburned: ${copies(6, '9S')} ${copies(6, '9H')}`,
      [],
    ],
    [
      'are counted wherever the cards went',
      `decks: 6\nreports: nothing\nburned: ${copies(4, '9S')}\nplayer: 9S KH\nbanker: 9S 8D\nover:\ndealt: - 9S\ncoup:\nplayer: KS 9S\nbanker: 5C 3D`,
      ['SH-02', 'SH-02'],
    ],
    [
      'are not found among unread cards',
      `decks: 6\nreports: nothing\nburned: ${copies(6, '9S')} ?? ??`,
      ['DV-01', 'DV-01'],
    ],
    [
      'are counted from zero in the next shoe',
      `reports: nothing\nburned: ${copies(8, '9S')}\nclosed: end\nshoe: S2\nburned: 9S`,
      [],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('raise SH-02 with the coup in which the card came, and without one before the first coup', () => {
    const places = (lines: string): unknown[] =>
      audit(readStory(`${lines}\nfinds: nothing`, 'a case').events).findings.map(
        ({ code, coup }) => [code, coup],
      );
    expect(places(`decks: 6\nreports: nothing\nburned: ${copies(6, '9S')}\n${COUP}`)).toEqual([
      ['SH-02', 1],
    ]);
    expect(places(`decks: 6\nreports: nothing\nburned: ${copies(7, '9S')}`)).toEqual([
      ['SH-02', undefined],
    ]);
  });
});

describe('the cards at the end of a shoe (SH-04)', () => {
  const reports = 'reports: nothing\n';
  it.each([
    ['raise nothing if they add up', `${reports}${COUP}\nremaining: 412`, []],
    ['raise SH-04 if one is missing', `${reports}${COUP}\nremaining: 411`, ['SH-04']],
    ['raise SH-04 if there is one too many', `${reports}${COUP}\nremaining: 413`, ['SH-04']],
    ['are not judged if nobody counted them', `${reports}${COUP}\nclosed: end`, []],
    [
      'include burned cards and a card outside any coup',
      `${reports}burned: 4S 5S\n${COUP}\nover:\ndealt: - 2S\nremaining: 409`,
      [],
    ],
    ['include an unread card', `${reports}burned: ??\n${COUP}\nremaining: 411`, ['DV-01']],
    [
      'raise SH-04 if they do not add up despite an unread card',
      `${reports}burned: ??\n${COUP}\nremaining: 412`,
      ['DV-01', 'SH-04'],
    ],
    ['raise nothing if the list is complete', `${reports}${COUP}\nremaining: the rest`, []],
    [
      'raise SH-04 if the list lacks one',
      `${reports}${COUP}\nremaining: the rest without 8S`,
      ['SH-04'],
    ],
    [
      'raise SH-04 if the list has one card in place of another',
      `${reports}${COUP}\nremaining: the rest without 8S with 7S`,
      ['SH-04'],
    ],
    [
      'raise SH-04 once for a wrong number and a wrong list',
      `${reports}${COUP}\nremaining: the rest with 7S`,
      ['SH-04'],
    ],
    [
      'raise nothing if an unread card can be the missing one',
      `${reports}burned: ??\n${COUP}\nremaining: the rest`,
      ['DV-01'],
    ],
    [
      'raise SH-04 for one too many despite an unread card',
      `${reports}burned: ??\n${COUP}\nremaining: the rest without 8S with 7S`,
      ['DV-01', 'SH-04'],
    ],
    ['are judged by the decks of the shoe', `decks: 6\n${reports}${COUP}\nremaining: 308`, []],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('are judged if count and list are both reported and differ', () => {
    const log = new TableLog();
    log.open({ reports: [], decks: 6 });
    const all = CARDS.flatMap((card) => Array.from({ length: 6 }, () => card));
    log.add('terminal', 'shoe-closed', { reason: 'end', remaining: 311, remainingCards: all });
    expect(codes(audit(log.events).findings)).toEqual(['SH-04']);
  });
});

describe('the burn (SH-06, SH-07)', () => {
  const burn = (rules: string, decks: number, burned: string): readonly string[] =>
    found(`rules: ${rules}\ndecks: ${decks}\n${burned && `burned: ${burned}\n`}${COUP}`);

  it.each([
    ['punto-banco@1', '', ['SH-06']],
    ['punto-banco@1', 'AS 2S', []],
    ['punto-banco@1', 'AS', ['SH-07']],
    ['punto-banco@1', `3S ${copies(3, '4S')}`, []],
    ['punto-banco@1', `3S ${copies(2, '4S')}`, ['SH-07']],
    ['punto-banco@1', `3S ${copies(4, '4S')}`, ['SH-07']],
    ['punto-banco@1', `TS ${copies(8, '4S')} 5S 5S`, []],
    ['punto-banco@1', `QS ${copies(8, '4S')} 5S 5S`, []],
    ['punto-banco@1', `QS ${copies(8, '4S')} 5S`, ['SH-07']],
    ['punto-banco-no-burn@1', '', []],
    ['punto-banco-no-burn@1', 'AS 2S', ['SH-07']],
    ['macau-2011@1', '', ['SH-06']],
    ['macau-2011@1', '9S', []],
    ['macau-2011@1', `9S ${copies(7, '4S')}`, []],
    ['macau-2011@1', `9S ${copies(8, '4S')}`, ['SH-07']],
    ['macau-2011@1', `9S ${copies(8, '4S')} 5S`, []],
    ['macau-2011@1', `TS ${copies(8, '4S')} 5S 5S`, []],
    ['macau-2011@1', `TS ${copies(8, '4S')} 5S`, ['SH-07']],
    ['nsw-crown@1', '', ['SH-06']],
  ])('is judged by its document: %s, burned "%s"', (rules, burned, wanted) => {
    expect(burn(rules, 8, burned)).toEqual(wanted);
  });

  it.each([
    [12, 12, []],
    [12, 11, ['SH-07']],
    [10, 10, []],
    [10, 9, ['SH-07']],
  ])('may depend on the number of decks: %i decks, %i burned', (decks, count, wanted) => {
    expect(burn('macau-2011@1', decks, `2S ${copies(count - 1, '4S')}`)).toEqual(wanted);
  });

  it.each([
    [
      'another value for an ace',
      { count: 'first-card', ace: 11 },
      `AS ${copies(8, '4S')} 5S 5S 5S`,
      [],
    ],
    [
      'another value for an ace, against one card',
      { count: 'first-card', ace: 11 },
      'AS 4S',
      ['SH-07'],
    ],
    ['another value for a face', { count: 'first-card', face: 0 }, 'KS', []],
    ['a ten apart from faces', { count: 'first-card', face: 0 }, 'TS', ['SH-07']],
    ['a fixed number, too few', { count: 'fixed', from: 2, to: 3 }, '2S', ['SH-07']],
    ['a fixed number, from', { count: 'fixed', from: 2, to: 3 }, '2S 3S', []],
    ['a fixed number, to', { count: 'fixed', from: 2, to: 3 }, '2S 3S 4S', []],
    ['a fixed number, too many', { count: 'fixed', from: 2, to: 3 }, '2S 3S 4S 5S', ['SH-07']],
  ] as const)('follows a document with %s', (_, way: BurnText, burned, wanted) => {
    expect(found(`burned: ${burned}\n${COUP}`, bookWith({ burn: [way] }))).toEqual(wanted);
  });

  it('is judged only before the first coup', () => {
    expect(
      found(
        `rules: punto-banco@1\nburned: AS 2S\n${COUP}\nover:\ndealt: burn 4S\ncoup:\n${COUP}\ndealt: burn 4S`,
      ),
    ).toEqual([]);
  });

  it('raises SH-06 if it comes only inside the first coup', () => {
    expect(found(`rules: punto-banco@1\nbetting: closed\ndealt: burn AS 2S\n${COUP}`)).toEqual([
      'SH-06',
    ]);
  });

  it('is not judged if the table does not report burns', () => {
    expect(found(`rules: punto-banco@1\nreports: outcomes\n${COUP}`)).toEqual([]);
    expect(found(`rules: punto-banco@1\nreports: outcomes\nburned: AS\n${COUP}`)).toEqual([]);
  });

  it('is not judged in a shoe without a coup', () => {
    expect(found('rules: punto-banco@1\nclosed: end')).toEqual([]);
  });

  it('cannot be judged with an unread indicator if some card permits the number, and raises SH-07 if none does', () => {
    expect(judged(`rules: punto-banco@1\nburned: ?? 2S\n${COUP}`)).toEqual({
      finds: ['DV-01'],
      unjudgeable: ['SH-07'],
    });
    expect(judged(`rules: punto-banco@1\nburned: ??\n${COUP}`)).toEqual({
      finds: ['DV-01', 'SH-07'],
      unjudgeable: [],
    });
    expect(judged(`rules: punto-banco@1\nburned: ?? ${copies(8, '4S')} 5S 5S 5S\n${COUP}`)).toEqual(
      { finds: ['DV-01', 'SH-07'], unjudgeable: [] },
    );
  });

  it('counts an unread card other than the indicator', () => {
    expect(judged(`rules: punto-banco@1\nburned: AS ??\n${COUP}`)).toEqual({
      finds: ['DV-01'],
      unjudgeable: [],
    });
  });

  it('cannot be judged if messages of the shoe were lost before the first coup', () => {
    expect(
      judged(`rules: punto-banco@1\nburned: AS\nlost: 1 of the shoe\n${COUP}`).unjudgeable,
    ).toEqual(expect.arrayContaining(['SH-02', 'SH-04', 'SH-06', 'SH-07']));
    expect(judged(`rules: punto-banco@1\nburned: AS\nlost: 1 of the shoe\n${COUP}`).finds).toEqual([
      'DV-04',
    ]);
    expect(
      judged(`rules: punto-banco@1\nburned: 2S\nlost: 1 of the shoe\nburned: 3S\n${COUP}`).finds,
    ).toEqual(['DV-04']);
  });
});

describe('a coup after the last one permitted (SH-09)', () => {
  const inside = 'dealt: P 9S\ncut card:\ndealt: B 5C P KH B 3D\ndeclared: player';
  const after = (count: number): string => `coup:\n${COUP}\n`.repeat(count);
  it.each([
    ['is not found without a cut card', `${COUP}\n${after(3)}`, []],
    ['is not the one that may follow a cut card inside a coup', `${inside}\n${after(1)}`, []],
    ['raises SH-09 for each additional coup', `${inside}\n${after(3)}`, ['SH-09', 'SH-09']],
    [
      'is not the one that may follow a cut card between coups',
      `${COUP}\nover:\ncut card:\n${after(1)}`,
      [],
    ],
    [
      'raises SH-09 for each additional coup after a cut card between coups',
      `${COUP}\nover:\ncut card:\n${after(3)}`,
      ['SH-09', 'SH-09'],
    ],
    [
      'may be a coup that was open without a card when the cut card showed',
      `${COUP}\ncoup:\ncut card:\n${COUP}\n${after(1)}`,
      ['SH-09'],
    ],
    [
      'is counted from the first cut card',
      `${inside}\ncoup:\ncut card:\n${COUP}\n${after(1)}`,
      ['SH-09'],
    ],
    [
      'is counted from the first cut card, whenever the second shows',
      `${inside}\n${after(1)}over:\ncut card:\n${after(1)}`,
      ['SH-09'],
    ],
    [
      'is never a dummy coup',
      `${inside}\ncoup:\nkind: dummy\nplayer: 9S KH\nbanker: 5C 3D\n${after(1)}`,
      [],
    ],
    [
      'is never a demonstration or free coup',
      `${inside}\ncoup:\nkind: demonstration\nplayer: 9S KH\nbanker: 5C 3D\ncoup:\nkind: free\nplayer: 9S KH\nbanker: 5C 3D\n${after(1)}`,
      [],
    ],
    [
      'is not found for a dummy coup after the last one',
      `${inside}\n${after(1)}coup:\nkind: dummy\nplayer: 9S KH\nbanker: 5C 3D`,
      [],
    ],
    [
      'may be a void coup',
      `${inside}\ncoup:\nvoid: by mira because two cards stuck\n${after(1)}`,
      ['SH-09'],
    ],
    [
      'is counted from zero in the next shoe',
      `${inside}\n${after(1)}closed: cut-card\nshoe: S2\n${COUP}\n${after(2)}`,
      [],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it.each([
    ['inside', { insideCoup: 0, betweenCoups: 2 }, `${inside}\n${after(1)}`, ['SH-09']],
    [
      'between',
      { insideCoup: 2, betweenCoups: 0 },
      `${COUP}\nover:\ncut card:\n${after(1)}`,
      ['SH-09'],
    ],
    [
      'before the first card of an open coup, which is then one too many',
      { insideCoup: 2, betweenCoups: 0 },
      `${COUP}\ncoup:\ncut card:\n${COUP}`,
      ['SH-09'],
    ],
    ['inside, two to come', { insideCoup: 2, betweenCoups: 0 }, `${inside}\n${after(2)}`, []],
  ] as const)('depends on the document: cut card %s', (_, cutCard: CutCard, lines, wanted) => {
    expect(found(lines, bookWith({ cutCard }))).toEqual(wanted);
  });
});

describe('the closing of a shoe (SH-10)', () => {
  it.each([
    ['raises nothing with a reason', `${COUP}\nclosed: operator`, []],
    ['raises SH-10 without a reason', `${COUP}\nclosed: no reason`, ['SH-10']],
    ['raises SH-10 if another shoe opens instead', `${COUP}\nover:\nshoe: S2\n${COUP}`, ['SH-10']],
    [
      'ends an open coup if another shoe opens instead',
      'dealt: P 9S\nshoe: S2\nplayer: 9S KH\nbanker: 5C 3D\ndeclared: player',
      ['DL-04', 'SH-10'],
    ],
    ['is not required at the end of the log', COUP, []],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a shoe that runs out of cards during a coup (SH-13)', () => {
  const left = (cards: string): string => `reports: outcomes\nburned: all but ${cards}\n`;
  it.each([
    [
      'raises SH-13 with a third card due, and then no missing draw and no RS-07',
      `${left('2S KC KH 3H')}player: 2S KH\nbanker: KC 3H`,
      ['SH-13'],
    ],
    [
      'raises SH-13 even if an outcome was declared, and keeps what the declaration raised',
      `${left('2S KC KH 3H')}player: 2S KH\nbanker: KC 3H\ndeclared: banker`,
      ['SH-13', 'TC-03', 'TC-05'],
    ],
    [
      'raises SH-13 with one of the first four cards due, and then no DL-04',
      `${left('2S KC KH')}dealt: P 2S B KC P KH`,
      ['SH-13'],
    ],
    [
      "raises SH-13 with the banker hand's third card due",
      `${left('2S KC KH 3H 9D')}player: 2S KH 9D\nbanker: KC 3H`,
      ['SH-13'],
    ],
    [
      'raises nothing if its last card completes the coup',
      `${left('2S KC KH 3H 9D 5D')}player: 2S KH 9D\nbanker: KC 3H 5D\ndeclared: banker`,
      [],
    ],
    [
      'raises nothing while it has cards',
      `${left('2S KC KH 3H 9D')}player: 2S KH\nbanker: KC 3H\ndeclared: banker`,
      ['TC-03', 'TC-05'],
    ],
    [
      'raises nothing if the next card is optional',
      `rules: chemin-de-fer@1\n${left('2S KC 3H 7H')}player: 2S 3H\nbanker: KC 7H\ndeclared: banker`,
      [],
    ],
    [
      'raises nothing in a void coup',
      `${left('2S KC KH 3H')}player: 2S KH\nbanker: KC 3H\nvoid: by mira because the shoe is empty`,
      [],
    ],
    [
      'raises SH-13 in a dummy coup',
      `${left('2S KC KH 3H')}kind: dummy\nplayer: 2S KH\nbanker: KC 3H`,
      ['SH-13'],
    ],
    [
      'does not hide an unlawful draw',
      `${left('2S KC 4H 7H 9D')}player: 2S 4H 9D\nbanker: KC 7H\ndeclared: banker`,
      ['TC-04'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a shoe of which a gap may have hidden the last cards', () => {
  /** A shoe that loses a message before its first coup. `left`: its cards for the second and after. */
  const play = (left: string, second: string, lost = 'lost: 1 of the shoe'): string =>
    `reports: outcomes\nburned: all but 9S 5C KH 3D ${left}\n${lost}\nplayer: 9S KH\nbanker: 5C 3D\ndeclared: player\ncoup:\n${second}`;
  const DUE = 'player: 2S QH\nbanker: KC 3H';
  const AT_THE_END = ['DL-04', 'RS-07', 'TC-03', 'TC-05', 'TC-07'];

  /** Returns what is found, and what of the second coup is open for another reason than its place. */
  function played(lines: string): { finds: readonly string[]; unjudgeable: readonly string[] } {
    const { findings, unjudgeable } = audit(readStory(`${lines}\nfinds: nothing`, 'a case').events);
    const open = unjudgeable.filter(({ coup }) => coup === 2).flatMap((entry) => entry.codes);
    return {
      finds: codes(findings).sort(),
      unjudgeable: open.filter(
        (code) => !CATALOGUE[code].gap.some((loss) => loss === 'after play'),
      ),
    };
  }

  it.each([
    [
      'holds no missing card and no missing outcome of a coup against anybody',
      play('2S KC QH 3H 7D', DUE),
      { finds: ['DV-04'], unjudgeable: AT_THE_END },
    ],
    [
      'holds no hand of fewer than two cards against anybody',
      play('2S KC QH 7D', 'dealt: P 2S B KC P QH'),
      { finds: ['DV-04'], unjudgeable: AT_THE_END },
    ],
    [
      'keeps what a declaration raised before the end',
      play('2S KC QH 3H 7D', `${DUE}\ndeclared: banker`),
      { finds: ['DV-04', 'TC-03', 'TC-05'], unjudgeable: ['DL-04', 'RS-07', 'TC-07'] },
    ],
    [
      'leaves open what only some readings of an unread card make due',
      play('2S KC 9H 3H 7D', 'player: ?? 9H\nbanker: KC 7H'),
      { finds: ['DV-01', 'DV-04'], unjudgeable: AT_THE_END },
    ],
    [
      'judges a coup that ends with no card due',
      play('9H KC QH 7H 7D', 'player: 9H QH\nbanker: KC 7H\ndeclared: tie'),
      { finds: ['DV-04', 'RS-02'], unjudgeable: [] },
    ],
    [
      'judges a coup after which more cards were left than the gap can hide',
      play('2S KC QH 3H 7D 8D', DUE),
      { finds: ['DV-04', 'RS-07', 'TC-03', 'TC-05'], unjudgeable: [] },
    ],
    [
      'judges a coup if no message about cards was lost',
      play('2S KC QH 3H 7D', DUE, 'burned: 7D\nlost: 1 of the terminal'),
      { finds: ['DV-04', 'SH-13'], unjudgeable: [] },
    ],
  ])('%s', (_, lines, wanted) => {
    expect(played(lines)).toEqual(wanted);
  });

  it('counts no card as hidden that a correction has entered', () => {
    const lines = `${play('2S KC QH 3H 7D 8D 9D', DUE, 'burned: 7D 8D')}\nover:`;
    const { events } = readStory(`${lines}\nfinds: nothing`, 'a case');
    const at = events.findIndex(({ data }) => (data as { card?: string }).card === '7D');
    const [lost, , next] = events.slice(at, at + 3) as [Sent, Sent, Sent];
    const from = { source: lost.source, session: lost.session, from: lost.sequence };
    const by = (source: string, type: string, data: object): Sent => ({
      ...{ ...next, source, id: type, type: `shoeprint.${type}.v1`, data },
      ...{ session: undefined, sequence: undefined },
    });
    const { findings } = audit([
      ...events.slice(0, at),
      by('system/auditor', 'gap-declared', { ...from, to: (lost.sequence as number) + 1 }),
      ...events.slice(at + 2),
      lost,
      by('person/mira', 'observation-corrected', {
        event: `${lost.source as string}#${lost.id as string}`,
        data: lost.data,
        by: 'mira',
        reason: 'seen on video',
      }),
    ]);
    expect(codes(findings).sort()).toEqual(['DV-04', 'RS-07', 'TC-03', 'TC-05']);
  });
});

describe('a shoe under its rules (SH-19)', () => {
  const hash = (BOOK.get('punto-banco-no-burn@1') as Rules).hash;
  it.each([
    ['raises nothing with a number of decks that they allow', 'decks: 6', []],
    ['raises SH-19 with another number of decks', 'decks: 7', ['SH-19']],
    ['is judged by its own document', 'rules: macau-2011@1\ndecks: 7\nburned: 2S', []],
    ['raises nothing under the published text', `hash: ${hash}`, []],
    [
      'raises SH-19 under another text',
      `hash: ${hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`,
      ['SH-19'],
    ],
    ['raises SH-19 once if both are wrong', 'hash: abc\ndecks: 7', ['SH-19']],
  ])('%s', (_, lines, wanted) => {
    expect(found(`${lines}\n${COUP}`)).toEqual(wanted);
  });
});

describe('a finding', () => {
  /** A story with findings of all four families, in coups and about the shoe. */
  const lines = [
    'decks: 7',
    'burned: AS',
    'coup: 3',
    'dealt: P 9S P 4D B KH B 6S P 8C B 2D',
    'called: player 9',
    'declared: tie',
    'declared: player',
    'coup: 4',
    'dealt: P 9S',
    'over:',
    'dealt: P 5S',
    'closed: no reason, 4 remaining',
    'finds: nothing',
  ].join('\n');
  const { findings } = audit(readStory(lines, 'a case').events);

  it('has the severity of the catalogue, and names table, shoe and rules', () => {
    expect(codes(findings)).toEqual([
      'DL-02',
      'DL-04',
      'DL-15',
      'DL-16',
      'RS-01',
      'RS-02',
      'RS-08',
      'SH-04',
      'SH-07',
      'SH-10',
      'SH-19',
      'TC-08',
    ]);
    for (const finding of findings) {
      expect(finding).toMatchObject({
        severity: CATALOGUE[finding.code].severity,
        table: 'T1',
        shoe: 'S1',
        rules: 'punto-banco-no-burn@1',
        void: false,
        remedied: false,
      });
      for (const text of [finding.expected, finding.observed, finding.message])
        expect(text).not.toBe('');
      expect(finding.message).toMatch(/^[A-Z0-9].*\.$/);
    }
  });

  it('names events of the log', () => {
    const sent = new Set(
      readStory(lines, 'a case').events.map(
        ({ source, id }) => `${source as string}#${id as string}`,
      ),
    );
    for (const { events } of findings) {
      expect(events.length).toBeGreaterThan(0);
      for (const reference of events) expect(sent).toContain(reference);
    }
  });

  it('names its coup unless it is about the shoe as a whole', () => {
    const wholes = ['SH-04', 'SH-06', 'SH-07', 'SH-10', 'SH-19', 'CM-05', 'CM-06', 'CM-08'];
    expect([...codesWhere(({ about }) => about === 'shoe')].sort()).toEqual(wholes.sort());
    for (const finding of findings)
      expect([finding.code, 'coup' in finding]).toEqual([
        finding.code,
        !wholes.includes(finding.code) && finding.code !== 'DL-15',
      ]);
    expect(findings.find(({ code }) => code === 'TC-08')?.coup).toBe(3);
    expect(findings.find(({ code }) => code === 'DL-04')?.coup).toBe(4);
  });

  it('has a unique id, which is the same in a second run', () => {
    const again = audit(readStory(lines, 'a case').events).findings;
    expect(again).toEqual(findings);
    expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
  });

  it('keeps its id whatever its order in the log and whatever else is found', () => {
    const shifted = lines.replace(
      'coup: 3',
      'event: terminal supervisor-called {"reason":"a question"}\ncoup: 3',
    );
    const other = audit(readStory(shifted, 'a case').events).findings;
    const idOf = (of: typeof findings, code: string): string | undefined =>
      of.find((finding) => finding.code === code)?.id;
    for (const code of ['SH-04', 'SH-07', 'SH-10', 'SH-19'])
      expect(idOf(other, code)).toBe(idOf(findings, code));
  });

  it('has a severity from 1 to 3', () => {
    expect(FINDING_CODES.filter((code) => ![1, 2, 3].includes(CATALOGUE[code].severity))).toEqual(
      [],
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { readRules, type Irregularity, type RuleDocument } from '#baccarat';
import type { Consequence, Finding, FindingCode, RuleBook } from '#audit';
import { audit, type Sent } from '../kit/audit.js';
import { BOOK, bookOf } from '../kit/house.js';
import { play, settle } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

const NATURAL = 'P 4S B 2H P 5D B 5C';

/** A table that plays by one document, told what happens in the order in which it does. */
class Floor {
  readonly log = new TableLog();
  private coups = 0;
  drawn: string[] = [];

  constructor(
    private readonly rules: string,
    { burned = true, book = BOOK }: { burned?: boolean; book?: RuleBook } = {},
  ) {
    this.book = book;
    this.log.open({
      rules,
      reports: ['outcomes', 'bets', 'settlements', 'commission', 'burns', 'cut-card', 'dealers'],
    });
    this.log.dealer();
    if (burned) this.log.draw('burn AS 2S');
  }
  private readonly book: RuleBook;

  opens(kind?: 'dummy'): this {
    this.coups += 1;
    this.log.add('shoe', 'coup-opened', { coup: this.coups, ...(kind ? { kind } : undefined) });
    if (!kind) this.log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
    return this;
  }
  deals(cards: string): this {
    this.drawn = this.log.draw(cards);
    return this;
  }
  /** Moves the card drawn last, or the one that many before it. */
  moves(to: 'player' | 'banker' | 'burn' | 'discard' | 'next', back = 0): this {
    this.log.add('person/sam', 'card-moved', {
      event: this.drawn.at(-1 - back) as string,
      to,
      by: 'sam',
    });
    return this;
  }
  declares(outcome: 'player' | 'banker' | 'tie'): this {
    this.log.add('terminal', 'outcome-declared', { outcome, by: 'dealer' });
    return this;
  }
  settles(stake: 'returned' | 'taken', paid = 0): this {
    settle(this.log, [1, 'player', stake, paid]);
    return this;
  }
  ends(): this {
    this.log.add('terminal', 'coup-closed');
    return this;
  }
  /** Won by the player hand, settled and closed. */
  won(): this {
    return this.declares('player').settles('returned', 100).ends();
  }
  voids(): this {
    this.log.add('person/sam', 'coup-voided', { coup: this.coups, by: 'sam', reason: 'misdeal' });
    return this;
  }
  becomesDummy(): this {
    const opening = this.log.events.findLast(
      ({ type }) => type === 'shoeprint.coup-opened.v1',
    ) as Sent;
    this.log.add('person/sam', 'observation-corrected', {
      event: `${opening.source as string}#${opening.id as string}`,
      data: { coup: this.coups, kind: 'dummy' },
      by: 'sam',
      reason: 'dummy coup',
    });
    return this;
  }
  cutCard(): this {
    this.log.add('shoe', 'cut-card-drawn');
    return this;
  }
  closes(reason: 'end' | 'error' = 'end'): this {
    this.log.add('shoe', 'shoe-closed', { reason });
    return this;
  }
  /** A whole lawful coup, from which nothing is to be found. */
  playsOn(): this {
    return this.opens().deals(NATURAL).won();
  }

  get findings(): readonly Finding[] {
    return audit(this.log.events, { book: this.book }).findings;
  }
  get consequences(): readonly Consequence[] {
    return audit(this.log.events, { book: this.book }).consequences;
  }
  of(code: FindingCode): Finding | undefined {
    return this.findings.find((finding) => finding.code === code);
  }
  /** The codes found, a remedied one marked. */
  get said(): string[] {
    return this.findings
      .map(({ code, remedied }) => `${code}${remedied ? ' remedied' : ''}`)
      .sort();
  }
  /** What was done, or not done, instead. */
  get deviation(): string | undefined {
    return this.of('PR-07')?.observed;
  }
}

const sydney = (options = {}): Floor => new Floor('nsw-crown@1', options);
const macau = (): Floor => new Floor('macau-2011@1');

describe('NSW 11.1, no burn before the first coup: results stand', () => {
  const unburned = (): Floor => sydney({ burned: false }).playsOn();

  it('is prescribed with the finding', () => {
    expect(unburned().of('SH-06')?.disposition).toEqual({
      do: ['settle'],
      source: expect.stringContaining('Sydney'),
      section: 'rule 11.1',
    });
    expect(unburned().said).toEqual(['SH-06']);
  });

  it('settled, it is remedied when the next coup opens', () => {
    expect(unburned().playsOn().said).toEqual(['SH-06 remedied']);
  });

  it('declared void, it is PR-07', () => {
    expect(unburned().voids().said).toEqual(['PR-07', 'SH-06']);
    expect(unburned().voids().deviation).toBe('void-coup');
  });

  it('made a dummy coup, it is PR-07', () => {
    const floor = sydney({ burned: false })
      .opens()
      .deals(NATURAL)
      .becomesDummy()
      .settles('returned')
      .ends()
      .opens();
    expect(floor.deviation).toBe('this-coup-dummy');
  });
});

describe('NSW 11.2, an excess card that was not seen: the first card of the next coup', () => {
  const excess = (): Floor => sydney().opens().deals(`${NATURAL} - 6H`);

  it('is prescribed with the finding', () => {
    expect(excess().of('DL-06')?.disposition).toMatchObject({
      do: ['carry-over'],
      section: 'rule 11.2',
    });
  });

  it('carried over, it is remedied, and lies first on the player hand', () => {
    const floor = excess().moves('next').won().opens();
    expect(floor.said).toEqual(['DL-06 remedied']);
    floor.deals('B 2H P 3D B 5C').won();
    expect(floor.said).toEqual(['DL-06 remedied']);
    const coup = floor.consequences.findLast((each) => each.is === 'coup');
    expect(
      coup?.is === 'coup'
        ? coup.row.cards.map(({ card, to, carried }) => [card, to, carried])[0]
        : undefined,
    ).toEqual(['6H', 'player', true]);
  });

  it('carried over after the settlement and the close, it is in time still', () => {
    expect(excess().won().moves('next').opens().said).toEqual(['DL-06 remedied']);
  });

  it('left lying when the next coup opens, or the shoe closes, it is PR-07', () => {
    expect(excess().won().said).toEqual(['DL-06']);
    for (const floor of [excess().won().opens(), excess().won().closes()]) {
      expect(floor.said).toEqual(['DL-06', 'PR-07']);
      expect(floor.of('PR-07')).toMatchObject({
        severity: 1,
        coup: 1,
        expected: 'carry-over',
        observed: 'no carry-over',
      });
    }
  });

  it.each(['burn', 'discard', 'player', 'banker'] as const)(
    'moved to %s instead, it is PR-07',
    (to) => {
      const floor = excess().moves(to);
      expect(floor.said).toEqual(expect.arrayContaining(['DL-06', 'PR-07']));
      expect(floor.deviation).toBe(to === 'player' || to === 'banker' ? `move-to-${to}` : to);
    },
  );

  it('declared void instead, it is PR-07', () => {
    expect(excess().voids().deviation).toBe('void-coup');
  });

  it('in the last coup of the shoe nothing is prescribed', () => {
    const floor = sydney()
      .opens()
      .cutCard()
      .deals(NATURAL)
      .won()
      .opens()
      .deals(`${NATURAL} - 6H`)
      .moves('discard')
      .won()
      .closes();
    expect(floor.of('DL-06')).toBeDefined();
    expect(floor.of('DL-06')?.disposition).toBeUndefined();
    expect(floor.deviation).toBeUndefined();
  });

  it('seen, it is DL-07, for which nothing is prescribed', () => {
    const floor = sydney().opens().deals(`${NATURAL} - 6H!`).moves('burn').won().opens();
    expect(floor.said).toEqual(['DL-07']);
    expect(floor.of('DL-07')?.disposition).toBeUndefined();
  });
});

describe('NSW 11.3, a card given to the wrong hand: moved to the right one', () => {
  const misplaced = (): Floor => sydney().opens().deals('P 4S P 2H');

  it('is prescribed with the finding, for either hand', () => {
    expect(misplaced().of('DL-02')?.disposition).toMatchObject({
      do: ['move-to-banker'],
      section: 'rule 11.3',
    });
    expect(sydney().opens().deals('B 4S').of('DL-02')?.disposition).toMatchObject({
      do: ['move-to-player'],
    });
  });

  it('moved, it is remedied', () => {
    expect(misplaced().moves('banker').deals('P 5D B 5C').won().opens().said).toEqual([
      'DL-02 remedied',
    ]);
    expect(
      sydney().opens().deals('B 4S').moves('player').deals('B 2H P 5D B 5C').won().said,
    ).toEqual(['DL-02 remedied']);
  });

  it('moved only after the first settlement, it is PR-07', () => {
    const floor = misplaced().deals('B 5D B 5C').declares('player').settles('returned', 100);
    expect(floor.of('PR-07')).toMatchObject({
      expected: 'move-to-banker',
      observed: 'no move-to-banker',
    });
    expect(floor.ends().findings.filter(({ code }) => code === 'PR-07')).toHaveLength(1);
  });

  it("never moved, it is PR-07 at the coup's end", () => {
    const floor = misplaced().deals('B 5D B 5C').declares('player');
    expect(floor.deviation).toBeUndefined();
    expect(floor.ends().deviation).toBe('no move-to-banker');
  });

  it('moved elsewhere, it is PR-07', () => {
    expect(misplaced().moves('discard').deviation).toBe('discard');
    expect(misplaced().moves('next').deviation).toBe('carry-over');
  });
});

describe('NSW 11.5, a card face up in the shoe', () => {
  const first = (): Floor => sydney().opens().deals('P 4S! B 2H P 5D B 5C');
  const later = (): Floor => sydney().opens().deals('P 4S B 2H! P 5D B 5C');

  it('as the first card of the coup makes it a dummy coup', () => {
    expect(first().of('DL-05')?.disposition).toMatchObject({
      do: ['this-coup-dummy'],
      section: 'rule 11.5',
    });
    const floor = first().becomesDummy().settles('returned').ends().opens();
    expect(floor.said).toEqual(['BT-07', 'DL-05 remedied']);
  });

  it('as the first card, played on as if nothing were, is PR-07', () => {
    expect(first().won().said).toEqual(['DL-05']);
    const floor = first().won().opens();
    expect(floor.said).toEqual(['DL-05', 'PR-07']);
    expect(floor.deviation).toBe('no this-coup-dummy');
  });

  it('as the first card, declared void, is PR-07', () => {
    expect(first().voids().deviation).toBe('void-coup');
  });

  it('as a later card changes nothing: the coup is settled', () => {
    expect(later().of('DL-05')?.disposition).toMatchObject({ do: ['settle'] });
    expect(later().won().opens().said).toEqual(['DL-05 remedied']);
  });

  it('as a later card, made a dummy coup or void, is PR-07', () => {
    expect(later().becomesDummy().settles('returned').ends().opens().deviation).toBe(
      'this-coup-dummy',
    );
    expect(later().voids().deviation).toBe('void-coup');
  });

  it('that was not due is no such card', () => {
    expect(sydney().opens().deals(`${NATURAL} - 6H!`).of('DL-05')).toBeUndefined();
  });
});

describe('NSW 11.6, a third card against the tableau', () => {
  /** The player hand drew on 6; the banker hand, with 4 against a hand of two cards, must draw. */
  const bankerDraws = (): Floor => sydney().opens().deals('P 2S B 2H P 4D B 2C P 9H');
  /** The player hand drew on 7; the banker hand, with 6, stands. */
  const bankerStands = (): Floor => sydney().opens().deals('P 2S B 2H P 5D B 4C P 9H');
  /** The banker hand drew on 7 after a player hand that stood. */
  const bankerDrew = (): Floor => sydney().opens().deals('P 2S B 3H P 4D B 4C B 9H');

  it("to the player hand, where the banker hand must draw, becomes the banker's third card", () => {
    expect(bankerDraws().of('TC-04')?.disposition).toMatchObject({
      do: ['move-to-banker'],
      section: 'rule 11.6',
    });
    const floor = bankerDraws()
      .moves('banker')
      .declares('player')
      .settles('returned', 100)
      .ends()
      .opens(); // 6 against 2 + 2 + 9
    expect(floor.said).toEqual(['TC-04 remedied']);
  });

  it('to the player hand, where the banker hand must draw, left lying or carried over, is PR-07', () => {
    expect(bankerDraws().declares('player').settles('returned', 100).deviation).toBe(
      'no move-to-banker',
    );
    expect(bankerDraws().declares('player').ends().deviation).toBe('no move-to-banker');
    expect(bankerDraws().moves('next').deviation).toBe('carry-over');
  });

  it('to the player hand, where the banker hand stands, is carried over to a dummy coup, and the coup settled', () => {
    expect(bankerStands().of('TC-04')?.disposition).toMatchObject({
      do: ['settle', 'carry-over', 'next-coup-dummy'],
    });
    const floor = bankerStands().moves('next').won();
    expect(floor.said).toEqual(['TC-04']);
    expect(floor.opens('dummy').said).toEqual(['TC-04 remedied']);
    expect(floor.deals('B 2H P TD B 5C').ends().opens().said).toEqual(['TC-04 remedied']);
  });

  it.each<[string, (floor: Floor) => Floor, string]>([
    [
      'to a coup that is no dummy',
      (floor) => floor.moves('next').won().opens(),
      'no next-coup-dummy',
    ],
    [
      'to no coup, for the shoe closes',
      (floor) => floor.moves('next').won().closes(),
      'no next-coup-dummy',
    ],
    ['nowhere', (floor) => floor.won().opens('dummy'), 'no carry-over'],
    ['to the burn', (floor) => floor.moves('burn'), 'burn'],
    ['to the banker hand', (floor) => floor.moves('banker'), 'move-to-banker'],
  ])('where the banker hand stands, moved %s, it is PR-07', (_, then, observed) => {
    expect(then(bankerStands()).deviation).toBe(observed);
  });

  it('where the banker hand stands, with the coup declared void, it is PR-07', () => {
    expect(bankerStands().moves('next').voids().deviation).toBe('void-coup');
  });

  it('after a natural the same is done', () => {
    const natural = (): Floor => sydney().opens().deals('P 4S B 2H P 5D B 2C P 9H'); // player 9, banker 4
    expect(natural().of('TC-01')?.disposition).toMatchObject({
      do: ['settle', 'carry-over', 'next-coup-dummy'],
    });
    expect(natural().moves('next').won().opens('dummy').said).toEqual(['TC-01 remedied']);
  });

  it('to the banker hand is carried over to a dummy coup, and the coup settled on the valid cards', () => {
    expect(bankerDrew().of('TC-06')?.disposition).toMatchObject({
      do: ['settle', 'carry-over', 'next-coup-dummy'],
    });
    const floor = bankerDrew()
      .moves('next')
      .declares('banker')
      .settles('taken')
      .ends()
      .opens('dummy'); // 6 against 7
    expect(floor.said).toEqual(['TC-06 remedied']);
  });

  it('to the banker hand, left on it, is PR-07', () => {
    const floor = bankerDrew().declares('tie').settles('returned').ends().opens('dummy'); // 6 against 3 + 4 + 9
    expect(floor.said).toEqual(['PR-07', 'TC-06']);
  });

  it('is remedied by a dummy coup that was opened as another and corrected; what PR-07 said of it stays', () => {
    const floor = bankerStands().moves('next').won().opens();
    expect(floor.said).toEqual(['PR-07', 'TC-04']);
    expect(floor.becomesDummy().settles('returned').said).toEqual(['BT-07', 'PR-07', 'TC-04']);
  });
});

describe('Macau article 4, a card face up in the shoe: card and bets stay valid', () => {
  const faceUp = (): Floor => macau().opens().deals('P 4S! B 2H P 5D B 5C');

  it('settled, it is remedied', () => {
    expect(faceUp().of('DL-05')?.disposition).toMatchObject({ do: ['settle'], section: 'art. 4' });
    expect(faceUp().won().opens().said).toEqual(['DL-05 remedied']);
  });

  it('declared void, or made a dummy coup, it is PR-07', () => {
    expect(faceUp().voids().deviation).toBe('void-coup');
    expect(faceUp().becomesDummy().settles('returned').ends().opens().deviation).toBe(
      'this-coup-dummy',
    );
  });

  it('is all that the document prescribes: nothing is said of what is done about other faults', () => {
    const floor = macau().opens().deals(`${NATURAL} - 6H`).moves('discard').won().opens();
    expect(floor.said).toEqual(['DL-06']);
    expect(floor.of('DL-06')?.disposition).toBeUndefined();
  });
});

describe('a document without irregularities', () => {
  it('prescribes nothing, and knows no card face up', () => {
    const floor = new Floor('punto-banco@1')
      .opens()
      .deals('P 4S! B 2H P 5D B 5C - 6H')
      .moves('discard')
      .won()
      .opens();
    expect(floor.said).toEqual(['DL-06']);
    expect(floor.of('DL-06')?.disposition).toBeUndefined();
  });
});

describe('other dispositions that a document may prescribe', () => {
  function prescribing(...entries: Pick<Irregularity, 'codes' | 'do' | 'when'>[]): Floor {
    const { document } = BOOK.get('nsw-crown@1') as { document: RuleDocument };
    const irregularities = entries.map((entry) => ({
      ...entry,
      source: 'nsw-training',
      section: 'of a test',
    }));
    return sydney({
      book: bookOf(readRules({ ...document, irregularities })),
    });
  }

  it('draw-now: a missing card is drawn before the settlement', () => {
    const missed = (): Floor =>
      prescribing({ codes: ['TC-03'], do: ['draw-now'] })
        .opens()
        .deals('P 2S B 3H P 3D B 4C')
        .declares('banker');
    expect(missed().of('TC-03')?.disposition).toMatchObject({ do: ['draw-now'] });
    expect(missed().deals('P 4H').declares('player').settles('returned', 100).ends().said).toEqual([
      'TC-03 remedied',
    ]);
    expect(missed().settles('taken').deviation).toBe('no draw-now');
    expect(missed().ends().deviation).toBe('no draw-now');
  });

  it('void-coup: settled instead, it is PR-07 when the next coup opens', () => {
    const seen = (): Floor =>
      prescribing({ codes: ['DL-07'], do: ['void-coup'] })
        .opens()
        .deals(`${NATURAL} - 6H!`);
    expect(seen().voids().said).toEqual(['DL-07 remedied']);
    expect(seen().won().opens().deviation).toBe('no void-coup');
  });

  it('void-shoe: the shoe is closed for error before another coup', () => {
    const extra = (): Floor =>
      prescribing({ codes: ['DL-06'], do: ['void-shoe'] })
        .opens()
        .deals(`${NATURAL} - 6H`)
        .won();
    expect(extra().closes('error').said).toEqual(['DL-06 remedied']);
    expect(extra().closes('end').deviation).toBe('no void-shoe');
    expect(extra().opens().deviation).toBe('no void-shoe');
  });

  it('burn and discard: the card is put there before the next coup', () => {
    for (const action of ['burn', 'discard'] as const) {
      const extra = (): Floor =>
        prescribing({ codes: ['DL-06'], do: [action] })
          .opens()
          .deals(`${NATURAL} - 6H`);
      expect(extra().moves(action).won().opens().said).toEqual(['DL-06 remedied']);
      expect(extra().won().opens().deviation).toBe(`no ${action}`);
      expect(extra().moves('next').deviation).toBe('carry-over');
    }
  });

  it('the first entry that fits is the one', () => {
    const floor = prescribing(
      { codes: ['DL-06'], when: { lastCoup: true }, do: ['discard'] },
      { codes: ['DL-06'], do: ['burn'] },
      { codes: ['DL-06'], do: ['carry-over'] },
    );
    expect(floor.opens().deals(`${NATURAL} - 6H`).of('DL-06')?.disposition).toMatchObject({
      do: ['burn'],
    });
  });
});

describe('PR-01: game cards with no dealer signed on', () => {
  function dealt(
    steps: (log: TableLog) => void,
    reports: readonly ('dealers' | 'outcomes')[] = ['dealers', 'outcomes'],
  ): string[] {
    const log = new TableLog();
    log.open({ reports });
    steps(log);
    return audit(log.events).findings.map(({ code, coup }) => `${code} in ${coup}`);
  }
  const coup = (log: TableLog, number = 1): void => play(log, number, { outcome: 'player' });

  it('is found once a coup', () => {
    expect(dealt((log) => [coup(log), coup(log, 2)])).toEqual(['PR-01 in 1', 'PR-01 in 2']);
  });

  it('is not found with a dealer signed on, here or in an earlier shoe', () => {
    expect(dealt((log) => [log.dealer(), coup(log)])).toEqual([]);
    expect(
      dealt((log) => {
        log.dealer();
        log.add('shoe', 'shoe-closed', { reason: 'end' });
        log.shoe = 'S2';
        log.open({ reports: ['dealers', 'outcomes'] });
        coup(log);
      }),
    ).toEqual([]);
  });

  it('is found with a caller alone, and after the dealer was relieved', () => {
    expect(
      dealt((log) => [
        log.add('terminal', 'dealer-signed-on', { dealer: 'dora', role: 'caller' }),
        coup(log),
      ]),
    ).toEqual(['PR-01 in 1']);
    expect(
      dealt((log) => [
        log.dealer(),
        log.add('terminal', 'dealer-relieved', { dealer: 'dora', role: 'dealer' }),
        coup(log),
      ]),
    ).toEqual(['PR-01 in 1']);
  });

  it('is not found where another dealer took over, nor when somebody else is relieved', () => {
    expect(
      dealt((log) => [
        log.dealer(),
        log.dealer('ivan'),
        log.add('terminal', 'dealer-relieved', { dealer: 'dora', role: 'dealer' }),
        coup(log),
      ]),
    ).toEqual([]);
  });

  it('is not found where dealers are not reported, nor for burned cards', () => {
    expect(dealt((log) => coup(log), ['outcomes'])).toEqual([]);
    expect(dealt((log) => log.draw('burn 4H'))).toEqual([]);
  });
});

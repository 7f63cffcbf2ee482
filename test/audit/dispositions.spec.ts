import { describe, expect, it } from '@jest/globals';
import { readRules, type Irregularity, type RuleDocument } from '#baccarat';
import type { AuditedCoup, Finding, FindingCode, RuleBook } from '#audit';
import { audit, type Sent } from '../kit/audit.js';
import { BOOK, bookOf } from '../kit/house.js';
import { play, settle } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

const NATURAL = 'P 4S B 2H P 5D B 5C';

/** A table that plays by one document. Its methods report events in order. */
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
  /** Moves the card drawn last, or the one `back` cards before it. */
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
  /** Lets the player hand win, settles the bet and closes the coup. */
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
  /** Plays a whole lawful coup, without findings. */
  playsOn(): this {
    return this.opens().deals(NATURAL).won();
  }

  get findings(): readonly Finding[] {
    return audit(this.log.events, { book: this.book }).findings;
  }
  get lastCoup(): AuditedCoup | undefined {
    return audit(this.log.events, { book: this.book }).coups.at(-1);
  }
  of(code: FindingCode): Finding | undefined {
    return this.findings.find((finding) => finding.code === code);
  }
  /** Returns the codes found, with remedied ones marked. */
  get said(): string[] {
    return this.findings
      .map(({ code, remedied }) => `${code}${remedied ? ' remedied' : ''}`)
      .sort();
  }
  /** Returns what was done, or not done, instead. */
  get deviation(): string | undefined {
    return this.of('PR-07')?.observed;
  }
}

const sydney = (options = {}): Floor => new Floor('nsw-crown@1', options);
const macau = (): Floor => new Floor('macau-2011@1');

describe('no burn before the first coup (NSW 11.1: results stand)', () => {
  const unburned = (): Floor => sydney({ burned: false }).playsOn();

  it('shows the disposition in the finding', () => {
    expect(unburned().of('SH-06')?.disposition).toEqual({
      do: ['settle'],
      source: expect.stringContaining('Sydney'),
      section: 'rule 11.1',
    });
    expect(unburned().said).toEqual(['SH-06']);
  });

  it('is remedied when the next coup opens, if the coup was settled', () => {
    expect(unburned().playsOn().said).toEqual(['SH-06 remedied']);
  });

  it('raises PR-07 if the coup is declared void', () => {
    expect(unburned().voids().said).toEqual(['PR-07', 'SH-06']);
    expect(unburned().voids().deviation).toBe('void-coup');
  });

  it('raises PR-07 if the coup becomes a dummy coup', () => {
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

describe('an excess card that was not seen (NSW 11.2: it becomes the first card of the next coup)', () => {
  const excess = (): Floor => sydney().opens().deals(`${NATURAL} - 6H`);

  it('shows the disposition in the finding', () => {
    expect(excess().of('DL-06')?.disposition).toMatchObject({
      do: ['carry-over'],
      section: 'rule 11.2',
    });
  });

  it('is remedied when it is carried over, and is then first on the player hand', () => {
    const floor = excess().moves('next').won().opens();
    expect(floor.said).toEqual(['DL-06 remedied']);
    floor.deals('B 2H P 3D B 5C').won();
    expect(floor.said).toEqual(['DL-06 remedied']);
    const [first] = floor.lastCoup?.detail.cards ?? [];
    expect([first?.card, first?.to, first?.carried]).toEqual(['6H', 'player', true]);
  });

  it('may still be carried over after the settlement and the close', () => {
    expect(excess().won().moves('next').opens().said).toEqual(['DL-06 remedied']);
  });

  it('raises PR-07 if it was not carried over when the next coup opens or the shoe closes', () => {
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
    'raises PR-07 if it is moved to %s instead',
    (to) => {
      const floor = excess().moves(to);
      expect(floor.said).toEqual(expect.arrayContaining(['DL-06', 'PR-07']));
      expect(floor.deviation).toBe(to === 'player' || to === 'banker' ? `move-to-${to}` : to);
    },
  );

  it('raises PR-07 if the coup is declared void instead', () => {
    expect(excess().voids().deviation).toBe('void-coup');
  });

  it('has no disposition in the last coup of the shoe', () => {
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

  it('raises DL-07 without a disposition if it was seen', () => {
    const floor = sydney().opens().deals(`${NATURAL} - 6H!`).moves('burn').won().opens();
    expect(floor.said).toEqual(['DL-07']);
    expect(floor.of('DL-07')?.disposition).toBeUndefined();
  });
});

describe('a card given to the wrong hand (NSW 11.3: it is moved to the right one)', () => {
  const misplaced = (): Floor => sydney().opens().deals('P 4S P 2H');

  it('shows the disposition in the finding, for either hand', () => {
    expect(misplaced().of('DL-02')?.disposition).toMatchObject({
      do: ['move-to-banker'],
      section: 'rule 11.3',
    });
    expect(sydney().opens().deals('B 4S').of('DL-02')?.disposition).toMatchObject({
      do: ['move-to-player'],
    });
  });

  it('is remedied when it is moved', () => {
    expect(misplaced().moves('banker').deals('P 5D B 5C').won().opens().said).toEqual([
      'DL-02 remedied',
    ]);
    expect(
      sydney().opens().deals('B 4S').moves('player').deals('B 2H P 5D B 5C').won().said,
    ).toEqual(['DL-02 remedied']);
  });

  it('raises PR-07 if it is moved only after the first settlement', () => {
    const floor = misplaced().deals('B 5D B 5C').declares('player').settles('returned', 100);
    expect(floor.of('PR-07')).toMatchObject({
      expected: 'move-to-banker',
      observed: 'no move-to-banker',
    });
    expect(floor.ends().findings.filter(({ code }) => code === 'PR-07')).toHaveLength(1);
  });

  it('raises PR-07 at the end of the coup if it is never moved', () => {
    const floor = misplaced().deals('B 5D B 5C').declares('player');
    expect(floor.deviation).toBeUndefined();
    expect(floor.ends().deviation).toBe('no move-to-banker');
  });

  it('raises PR-07 if it is moved elsewhere', () => {
    expect(misplaced().moves('discard').deviation).toBe('discard');
    expect(misplaced().moves('next').deviation).toBe('carry-over');
  });
});

describe('a card face up in the shoe (NSW 11.5)', () => {
  const first = (): Floor => sydney().opens().deals('P 4S! B 2H P 5D B 5C');
  const later = (): Floor => sydney().opens().deals('P 4S B 2H! P 5D B 5C');

  it('makes the coup a dummy coup if it is the first card', () => {
    expect(first().of('DL-05')?.disposition).toMatchObject({
      do: ['this-coup-dummy'],
      section: 'rule 11.5',
    });
    const floor = first().becomesDummy().settles('returned').ends().opens();
    expect(floor.said).toEqual(['BT-07', 'DL-05 remedied']);
  });

  it('raises PR-07 if it is the first card and the coup is played normally', () => {
    expect(first().won().said).toEqual(['DL-05']);
    const floor = first().won().opens();
    expect(floor.said).toEqual(['DL-05', 'PR-07']);
    expect(floor.deviation).toBe('no this-coup-dummy');
  });

  it('raises PR-07 if it is the first card and the coup is declared void', () => {
    expect(first().voids().deviation).toBe('void-coup');
  });

  it('changes nothing if it is a later card: the coup is settled', () => {
    expect(later().of('DL-05')?.disposition).toMatchObject({ do: ['settle'] });
    expect(later().won().opens().said).toEqual(['DL-05 remedied']);
  });

  it('raises PR-07 if it is a later card and the coup becomes dummy or void', () => {
    expect(later().becomesDummy().settles('returned').ends().opens().deviation).toBe(
      'this-coup-dummy',
    );
    expect(later().voids().deviation).toBe('void-coup');
  });

  it('is ignored if the card was not due', () => {
    expect(sydney().opens().deals(`${NATURAL} - 6H!`).of('DL-05')).toBeUndefined();
  });
});

describe('an unlawful third card (NSW 11.6)', () => {
  /** The player hand drew on 6. The banker hand, with 4 against a hand of two cards, must draw. */
  const bankerDraws = (): Floor => sydney().opens().deals('P 2S B 2H P 4D B 2C P 9H');
  /** The player hand drew on 7. The banker hand, with 6, stands. */
  const bankerStands = (): Floor => sydney().opens().deals('P 2S B 2H P 5D B 4C P 9H');
  /** The banker hand drew on 7 after a player hand that stood. */
  const bankerDrew = (): Floor => sydney().opens().deals('P 2S B 3H P 4D B 4C B 9H');

  it("becomes the banker's third card if it went to the player hand and the banker hand must draw", () => {
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

  it("raises PR-07 if it was to become the banker's third card, but stays or is carried over", () => {
    expect(bankerDraws().declares('player').settles('returned', 100).deviation).toBe(
      'no move-to-banker',
    );
    expect(bankerDraws().declares('player').ends().deviation).toBe('no move-to-banker');
    expect(bankerDraws().moves('next').deviation).toBe('carry-over');
  });

  it('is carried over to a dummy coup if it went to the player hand and the banker hand stands, and the coup is settled', () => {
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
      'to a coup that is not a dummy coup',
      (floor) => floor.moves('next').won().opens(),
      'no next-coup-dummy',
    ],
    [
      'to the next coup when the shoe closes',
      (floor) => floor.moves('next').won().closes(),
      'no next-coup-dummy',
    ],
    ['nowhere', (floor) => floor.won().opens('dummy'), 'no carry-over'],
    ['to the burned cards', (floor) => floor.moves('burn'), 'burn'],
    ['to the banker hand', (floor) => floor.moves('banker'), 'move-to-banker'],
  ])('raises PR-07 if the banker hand stands and the card is moved %s', (_, then, observed) => {
    expect(then(bankerStands()).deviation).toBe(observed);
  });

  it('raises PR-07 if the banker hand stands and the coup is declared void', () => {
    expect(bankerStands().moves('next').voids().deviation).toBe('void-coup');
  });

  it('is carried over to a dummy coup after a natural too', () => {
    // Player 9, banker 4.
    const natural = (): Floor => sydney().opens().deals('P 4S B 2H P 5D B 2C P 9H');
    expect(natural().of('TC-01')?.disposition).toMatchObject({
      do: ['settle', 'carry-over', 'next-coup-dummy'],
    });
    expect(natural().moves('next').won().opens('dummy').said).toEqual(['TC-01 remedied']);
  });

  it('is carried over to a dummy coup if it went to the banker hand, and the coup is settled on the valid cards', () => {
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

  it('raises PR-07 if it went to the banker hand and stays there', () => {
    // 6 against 3 + 4 + 9.
    const floor = bankerDrew().declares('tie').settles('returned').ends().opens('dummy');
    expect(floor.said).toEqual(['PR-07', 'TC-06']);
  });

  it('is not remedied by correcting the next coup to a dummy coup: PR-07 stays', () => {
    const floor = bankerStands().moves('next').won().opens();
    expect(floor.said).toEqual(['PR-07', 'TC-04']);
    expect(floor.becomesDummy().settles('returned').said).toEqual(['BT-07', 'PR-07', 'TC-04']);
  });
});

describe('a card face up in the shoe (Macau article 4: card and bets stay valid)', () => {
  const faceUp = (): Floor => macau().opens().deals('P 4S! B 2H P 5D B 5C');

  it('is remedied by the settlement', () => {
    expect(faceUp().of('DL-05')?.disposition).toMatchObject({ do: ['settle'], section: 'art. 4' });
    expect(faceUp().won().opens().said).toEqual(['DL-05 remedied']);
  });

  it('raises PR-07 if the coup is declared void or becomes a dummy coup', () => {
    expect(faceUp().voids().deviation).toBe('void-coup');
    expect(faceUp().becomesDummy().settles('returned').ends().opens().deviation).toBe(
      'this-coup-dummy',
    );
  });

  it('is the only fault with a disposition: what is done about other faults is not judged', () => {
    const floor = macau().opens().deals(`${NATURAL} - 6H`).moves('discard').won().opens();
    expect(floor.said).toEqual(['DL-06']);
    expect(floor.of('DL-06')?.disposition).toBeUndefined();
  });
});

describe('a document without irregularities', () => {
  it('prescribes nothing, and never raises DL-05', () => {
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

describe('the other dispositions of a document', () => {
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

  it('draw-now requires that a missing card is drawn before the settlement', () => {
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

  it('void-coup raises PR-07 when the next coup opens if the coup was settled', () => {
    const seen = (): Floor =>
      prescribing({ codes: ['DL-07'], do: ['void-coup'] })
        .opens()
        .deals(`${NATURAL} - 6H!`);
    expect(seen().voids().said).toEqual(['DL-07 remedied']);
    expect(seen().won().opens().deviation).toBe('no void-coup');
  });

  it('void-shoe requires that the shoe is closed for error before another coup', () => {
    const extra = (): Floor =>
      prescribing({ codes: ['DL-06'], do: ['void-shoe'] })
        .opens()
        .deals(`${NATURAL} - 6H`)
        .won();
    expect(extra().closes('error').said).toEqual(['DL-06 remedied']);
    expect(extra().closes('end').deviation).toBe('no void-shoe');
    expect(extra().opens().deviation).toBe('no void-shoe');
  });

  it('burn and discard require that the card is moved there before the next coup', () => {
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

  it('come from the first entry that fits', () => {
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

describe('game cards without a dealer signed on (PR-01)', () => {
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

  it('raise PR-01 once a coup', () => {
    expect(dealt((log) => [coup(log), coup(log, 2)])).toEqual(['PR-01 in 1', 'PR-01 in 2']);
  });

  it('raise nothing if a dealer signed on, in this shoe or an earlier one', () => {
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

  it('raise PR-01 if only a caller is signed on, or after the dealer was relieved', () => {
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

  it('raise nothing if another dealer took over, or if somebody else is relieved', () => {
    expect(
      dealt((log) => [
        log.dealer(),
        log.dealer('ivan'),
        log.add('terminal', 'dealer-relieved', { dealer: 'dora', role: 'dealer' }),
        coup(log),
      ]),
    ).toEqual([]);
  });

  it('raise nothing if the table does not report dealers, and burned cards do not count', () => {
    expect(dealt((log) => coup(log), ['outcomes'])).toEqual([]);
    expect(dealt((log) => log.draw('burn 4H'))).toEqual([]);
  });
});

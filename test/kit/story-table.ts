import type { EventData, EventType, Report } from '#audit';
import { CARDS, type Card } from '#baccarat';
import type { Sent } from './audit.js';
import type { Line } from './story.js';
import { TableLog } from './table.js';

/** Words that open the first coup if no `coup:` line did. */
const OPENS_A_COUP = new Set([
  'bet',
  'withdrawn',
  'betting',
  'player',
  'banker',
  'dealt',
  'called',
  'declared',
  'settled',
  'void',
  'over',
]);
/** Words about the next coup or shoe, which open neither. */
const BEFORE_COUP = new Set(['coup', 'kind']);
const BEFORE_SHOE = new Set(['rules', 'decks', 'reports', 'limits', 'hash']);
const PLACES = new Set(['P', 'B', 'burn', 'out', '-']);

const minor = (text: string | undefined): number => Math.round(Number(text) * 100);
const AMOUNT = String.raw`(\d+(?:\.\d\d)?)`;
/** Who did something, and why. Both are optional. */
const REMARK = String.raw`(?:,? ?by (\S+))?(?: ?because (.+))?`;
const remark = (by: string | undefined, reason: string | undefined) => ({
  ...(by ? { by } : undefined),
  ...(reason ? { reason } : undefined),
});

/** Writes a story's lines into a table's log, in order. */
export class StoryTable {
  private readonly log = new TableLog();
  /** The reference of the last copy drawn of each card. */
  private readonly drawn = new Map<string, string>();
  private cards: Card[] = [];
  private opening: Partial<EventData['shoe-opened']>;
  private shoeIsOpen = false;
  /** The next coup. `asked`: a line asked for it, and whatever happens next opens it. */
  private next: { number: number; kind?: EventData['coup-opened']['kind']; asked: boolean } | null =
    { number: 1, asked: false };
  private number = 0;
  private coupIsOpen = false;
  private coupRef = '';
  private bettingClosed = false;
  private playerCards: string[] | null = null;
  private dealer: string | null = 'dora';

  constructor(lines: readonly Line[]) {
    const money = lines.some(({ word }) => word === 'bet' || word === 'settled');
    this.opening = {
      reports: [
        'outcomes',
        'burns',
        'cut-card',
        'dealers',
        ...(money ? (['bets', 'settlements', 'commission'] as const) : []),
      ],
    };
  }

  /** Applies one line. Rejects an unknown word and a value that cannot be parsed. */
  tell({ word, value, refuse }: Line): void {
    const teller = Object.hasOwn(this.words, word) ? this.words[word] : undefined;
    if (!teller) return refuse(`unknown word "${word}:"`);
    if (this.playerCards && word !== 'banker')
      refuse('a "banker:" line must follow the "player:" line');
    if (BEFORE_SHOE.has(word)) {
      if (this.shoeIsOpen) refuse(`"${word}:" comes before anything that happens in the shoe`);
    } else if (word !== 'dealer' && word !== 'shoe') this.openShoe();
    if (
      !BEFORE_SHOE.has(word) &&
      !BEFORE_COUP.has(word) &&
      (this.next?.asked || OPENS_A_COUP.has(word))
    )
      this.openCoup();
    teller(value, refuse);
  }

  /** Returns the events after the last line. Closes a coup that is still open. */
  finished(): Sent[] {
    this.openShoe();
    if (this.next?.asked) this.openCoup();
    this.closeCoup();
    return this.log.events;
  }

  private openShoe(): void {
    if (this.shoeIsOpen) return;
    this.shoeIsOpen = true;
    this.log.open(this.opening);
    this.cards = [...CARDS].flatMap((card) =>
      Array.from({ length: this.opening.decks ?? 8 }, () => card),
    );
    if (this.dealer !== null) this.log.dealer(this.dealer);
  }

  private openCoup(): void {
    if (!this.next) return;
    const { number, kind } = this.next;
    this.next = null;
    this.number = number;
    this.coupIsOpen = true;
    this.bettingClosed = false;
    this.coupRef = this.add('coup-opened', { coup: number, ...(kind ? { kind } : undefined) });
  }

  private closeCoup(): void {
    if (this.coupIsOpen) this.add('coup-closed', {});
    this.coupIsOpen = false;
  }

  private add<T extends EventType>(type: T, data: EventData[T], with_: Sent = {}): string {
    return this.log.add('terminal', type, data, with_);
  }

  /** Adds what somebody did, as that person sends it; the terminal sends what names nobody. */
  private addBy<T extends EventType>(
    type: T,
    data: EventData[T] & { readonly by?: string },
  ): string {
    return this.log.add(data.by === undefined ? 'terminal' : `person/${data.by}`, type, data);
  }

  /**
   * Draws cards as `TableLog.draw` reads them. The first card in a coup closes the betting, unless
   * a line said otherwise.
   */
  private draw(cards: string, refuse: Line['refuse']): void {
    const words = cards.split(/\s+/);
    const named = words.filter((word) => !PLACES.has(word));
    for (const word of named)
      if (!/^([A2-9TJQK][SHDC]|\?\?)!?$/.test(word)) refuse(`"${word}" is not a card`);
    if (this.coupIsOpen && !this.bettingClosed) this.closeBetting();
    for (const [i, reference] of this.log.draw(cards).entries()) {
      const card = (named[i] as string).replace('!', '');
      this.drawn.set(card, reference);
      this.takeOut(card);
    }
  }

  private takeOut(card: string): void {
    const at = card === '??' ? 0 : this.cards.indexOf(card as Card);
    if (at >= 0) this.cards.splice(at, 1);
  }

  /** Returns every card that is still in the shoe, except these. */
  private allBut(cards: string, refuse: Line['refuse']): string {
    const rest = [...this.cards];
    for (const card of cards.split(/\s+/)) {
      const at = rest.indexOf(card as Card);
      if (at < 0) refuse(`"${card}" is not in the shoe`);
      rest.splice(at, 1);
    }
    return rest.join(' ');
  }

  private closeBetting(): void {
    this.bettingClosed = true;
    this.add('betting-closed', {});
  }

  /**
   * Deals two hands in the usual order: player, banker, player, banker, then the third cards, the
   * player's first.
   */
  private deal(player: readonly string[], banker: readonly string[], refuse: Line['refuse']): void {
    const order: string[] = [];
    for (let i = 0; i < Math.max(player.length, banker.length); i += 1) {
      if (player[i]) order.push('P', player[i] as string);
      if (banker[i]) order.push('B', banker[i] as string);
    }
    if (order.length > 0) this.draw(order.join(' '), refuse);
  }

  private place(type: 'bet-placed' | 'bet-withdrawn'): Teller {
    return (value, refuse) => {
      const [, seat, bet, amount] = read(
        `seat (\\d+) (\\S+) ${AMOUNT}`,
        value,
        refuse,
        'seat 1 banker 100',
      );
      this.add(type, { seat: Number(seat), bet: bet as string, amount: minor(amount) });
    };
  }

  private settle(value: string, refuse: Line['refuse']): void {
    const pattern = `seat (\\d+) (\\S+) (returned|taken)(?: ${AMOUNT})?(?: marked ${AMOUNT})?(?: taken ${AMOUNT})?`;
    const [, seat, bet, stake, paid, marked, taken] = read(
      pattern,
      value,
      refuse,
      'seat 1 banker returned 100 marked 5',
    );
    this.add('bet-settled', {
      seat: Number(seat),
      bet: bet as string,
      stake: stake as 'returned' | 'taken',
      paid: minor(paid ?? '0'),
      ...(taken ? { commissionTaken: minor(taken) } : undefined),
      ...(marked ? { commissionMarked: minor(marked) } : undefined),
    });
  }

  private declare(value: string, refuse: Line['refuse']): void {
    const pattern =
      '(player|banker|tie)(?:,? (\\d) to (\\d))?(?:,? with (nothing|\\S+(?: and \\S+)*))?(?:,? by the (dealer|device))?';
    const [, outcome, player, banker, specials, by] = read(
      pattern,
      value,
      refuse,
      'banker, 5 to 6, with natural and banker-pair, by the device',
    );
    this.add('outcome-declared', {
      outcome: outcome as 'tie',
      ...(player ? { player: Number(player), banker: Number(banker) } : undefined),
      ...(specials
        ? { specials: specials === 'nothing' ? [] : specials.split(' and ') }
        : undefined),
      by: (by ?? 'dealer') as 'dealer',
    });
  }

  private close(value: string, refuse: Line['refuse']): void {
    const pattern =
      '(cut-card|operator|error|end|no reason)(?:, (?:(\\d+) remaining|remaining the rest(?: without (\\S+))?(?: with (\\S+))?))?';
    const [, reason, remaining, without, more] = read(pattern, value, refuse, 'end, 410 remaining');
    if (without) this.takeOut(without);
    const rest = value.includes('the rest')
      ? [...this.cards, ...(more ? [more as Card] : [])]
      : undefined;
    this.closeCoup();
    this.add('shoe-closed', {
      ...(reason === 'no reason' ? undefined : { reason: reason as 'end' }),
      ...(remaining ? { remaining: Number(remaining) } : undefined),
      ...(rest ? { remainingCards: rest } : undefined),
    });
  }

  private correct(value: string, refuse: Line['refuse']): void {
    const [, card, right, kind, by, reason] = read(
      `(?:(\\S{2}) is (\\S{2}(?: \\S+)?)|the coup is (\\S+))${REMARK}`,
      value,
      refuse,
      '8C is 9C, by mira because misread',
    );
    if (kind)
      this.addBy('observation-corrected', {
        event: this.coupRef,
        data: { coup: this.number, kind },
        ...remark(by, reason),
      });
    else {
      const event = this.reference(card as string, refuse);
      const { data } = this.log.events.find(
        (sent) => `${sent.source as string}#${sent.id as string}` === event,
      ) as { data: object };
      this.addBy('observation-corrected', {
        event,
        data: { ...data, card: right },
        ...remark(by, reason),
      });
    }
  }

  private reference(card: string, refuse: Line['refuse']): string {
    return this.drawn.get(card) ?? refuse(`${card} was not drawn`);
  }

  /**
   * Sends an event as a device or person does: source, type, data in JSON, and its number if it is
   * not the next.
   */
  private send(value: string, refuse: Line['refuse']): void {
    const [, source, type, data, number] = read(
      '(\\S+) (\\S+) (\\{.*\\})(?: numbered (\\d+))?',
      value,
      refuse,
      'shoe device-offline {"lastSequence":4}',
    );
    const says = JSON.parse(data as string) as EventData[EventType];
    if (number === undefined) return void this.log.add(source as string, type as EventType, says);
    const first = this.log.events.find(
      (sent) =>
        sent.sequence === Number(number) && (sent.source as string).endsWith(source as string),
    );
    if (!first) return refuse(`${source} sent nothing numbered ${number}`);
    this.log.events.push({ ...first, type: `shoeprint.${type}.v1`, data: says });
  }

  /** The first words of lines, and what each does. */
  private readonly words: Readonly<Record<string, Teller>> = {
    rules: (value) => void (this.opening = { ...this.opening, rules: value }),
    decks: (value) => void (this.opening = { ...this.opening, decks: Number(value) }),
    hash: (value) => void (this.opening = { ...this.opening, rulesHash: value }),
    reports: (value) =>
      void (this.opening = {
        ...this.opening,
        reports: value === 'nothing' ? [] : (value.split(/[\s,]+/) as Report[]),
      }),
    limits: (value, refuse) => {
      const [, bet, min, max] = read(
        `(\\S+) ${AMOUNT} to ${AMOUNT}`,
        value,
        refuse,
        'banker 10 to 500',
      );
      this.opening = {
        ...this.opening,
        limits: { ...this.opening.limits, [bet as string]: { min: minor(min), max: minor(max) } },
      };
    },
    dealer: (value) => {
      const was = this.dealer ?? 'dora';
      this.dealer = value === 'nobody' ? null : value;
      if (this.shoeIsOpen)
        this.add(value === 'nobody' ? 'dealer-relieved' : 'dealer-signed-on', {
          dealer: this.dealer ?? was,
          role: 'dealer',
        });
    },
    shoe: (value) => {
      this.openShoe();
      this.log.shoe = value;
      [this.shoeIsOpen, this.coupIsOpen, this.next, this.number] = [
        false,
        false,
        { number: 1, asked: false },
        0,
      ];
      this.dealer = null; // the dealer who dealt is still signed on
    },
    coup: (value, refuse) => {
      if (this.next?.asked) this.openCoup();
      this.closeCoup();
      const [number] = read('\\d*', value, refuse, '7');
      this.next = { number: number === '' ? this.number + 1 : Number(number), asked: true };
    },
    kind: (value, refuse) => {
      if (!this.next) return refuse('"kind:" comes before anything that happens in the coup');
      this.next = { ...this.next, kind: value as 'dummy' };
    },
    burned: (value, refuse) =>
      this.draw(
        `burn ${value.startsWith('all but ') ? this.allBut(value.slice(8), refuse) : value}`,
        refuse,
      ),
    bet: this.place('bet-placed'),
    withdrawn: this.place('bet-withdrawn'),
    betting: (value, refuse) => {
      const [state] = read('closed|never closed', value, refuse, 'closed');
      if (state === 'closed') this.closeBetting();
      this.bettingClosed = true;
    },
    player: (value) => void (this.playerCards = value.split(/\s+/).filter(Boolean)),
    banker: (value, refuse) => {
      const player =
        this.playerCards ?? refuse('a "player:" line must come before the "banker:" line');
      this.playerCards = null;
      this.deal(player, value.split(/\s+/).filter(Boolean), refuse);
    },
    dealt: (value, refuse) => this.draw(value, refuse),
    called: (value, refuse) => {
      const [, hand, total] = read('(player|banker) (\\d)', value, refuse, 'player 8');
      this.add('hand-called', { hand: hand as 'player', total: Number(total) });
    },
    declared: (value, refuse) => this.declare(value, refuse),
    settled: (value, refuse) => this.settle(value, refuse),
    collected: (value, refuse) => {
      const [, seat, amount] = read(`seat (\\d+) ${AMOUNT}`, value, refuse, 'seat 1 5');
      this.add('commission-collected', { seat: Number(seat), amount: minor(amount) });
    },
    waived: (value, refuse) => {
      const [, seat, amount, by, reason] = read(
        `seat (\\d+) ${AMOUNT}${REMARK}`,
        value,
        refuse,
        'seat 1 5, by mira because of a dispute',
      );
      this.addBy('commission-waived', {
        seat: Number(seat),
        amount: minor(amount),
        ...remark(by, reason),
      });
    },
    left: (value, refuse) => {
      const [, seat] = read('seat (\\d+)', value, refuse, 'seat 1');
      this.add('seat-left', { seat: Number(seat) });
    },
    moved: (value, refuse) => {
      const [, card, to, by, reason] = read(
        `(\\S{2}) to (player|banker|burn|discard|next)${REMARK}`,
        value,
        refuse,
        '8C to banker, by mira because it was misplaced',
      );
      this.addBy('card-moved', {
        event: this.reference(card as string, refuse),
        to: to as 'next',
        ...remark(by, reason),
      });
    },
    corrected: (value, refuse) => this.correct(value, refuse),
    void: (value, refuse) => {
      const [, coup, by, reason] = read(
        `(?:coup (\\d+))?${REMARK}`,
        value,
        refuse,
        'coup 1, by mira because two cards stuck',
      );
      this.addBy('coup-voided', {
        ...(coup ? { coup: Number(coup) } : undefined),
        ...remark(by, reason),
      });
      if (coup === undefined || Number(coup) === this.number) this.coupIsOpen = false;
    },
    over: () => this.closeCoup(),
    'cut card': () => void this.log.add('shoe', 'cut-card-drawn'),
    closed: (value, refuse) => this.close(value, refuse),
    remaining: (value, refuse) =>
      this.close(
        /^\d+$/.test(value) ? `end, ${value} remaining` : `end, remaining ${value}`,
        refuse,
      ),
    lost: (value, refuse) => {
      const [, count, source] = read(
        '(\\d+) of (?:the )?(shoe|terminal|device/\\S+)',
        value,
        refuse,
        '1 of the shoe',
      );
      this.log.lose(source as string, Number(count));
    },
    event: (value, refuse) => this.send(value, refuse),
  };
}

type Teller = (value: string, refuse: Line['refuse']) => void;

/** Matches a line's whole value with a pattern and returns the groups. */
function read(
  pattern: string,
  value: string,
  refuse: Line['refuse'],
  like: string,
): (string | undefined)[] {
  return new RegExp(`^(?:${pattern})$`).exec(value) ?? refuse(`"${value}" is not like "${like}"`);
}

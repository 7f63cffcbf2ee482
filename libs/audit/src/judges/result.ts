import {
  factsOf,
  outcomeOf,
  specialsOf,
  totalOf,
  totals,
  type Hands,
  type Outcome,
} from '#baccarat';
import { hides } from '../findings/catalogue.js';
import { cardsOn, handsOf, isCardDue, isOut } from '../coup/coup.js';
import { marksByHand, markOf, type Readings } from '../coup/readings/readings.js';
import type { Filling } from '../coup/readings/filling.js';
import { referenceOf, type AnyEvent, type EventOf, type Hand } from '../events/events.js';
import { raise, type Wrong } from '../findings/findings.js';
import { judgeDraws, totalText } from './drawing.js';
import { noteOutcome } from './settlement.js';
import type { Coup, Shoe } from '../state.js';

/** Judges the called total of a hand against its cards at that moment (RS-01, once a coup). */
export function callHand(shoe: Shoe, coup: Coup, event: EventOf<'hand-called'>): void {
  judgeTotal(shoe, coup, event, { hand: event.data.hand, called: event.data.total });
}

/** Records a declared outcome. Judges its totals now, and the rest once the hands are final. */
export function declareOutcome(shoe: Shoe, coup: Coup, event: EventOf<'outcome-declared'>): void {
  const { player, banker } = event.data;
  judgeShort(shoe, coup, event);
  judgeDraws(shoe, coup, 'declared', event);
  if (player !== undefined) judgeTotal(shoe, coup, event, { hand: 'player', called: player });
  if (banker !== undefined) judgeTotal(shoe, coup, event, { hand: 'banker', called: banker });
  judgeChange(shoe, coup, event);
  coup.declarations.push({ event, handVersion: coup.handVersion });
  if (coup.outcomeAt === null) {
    coup.outcomeAt = event;
    noteOutcome(shoe, coup, event);
  }
}

/** Raises RS-08 if the same one declared another outcome before, and no draw or move followed. */
function judgeChange(shoe: Shoe, coup: Coup, event: EventOf<'outcome-declared'>): void {
  const { by, outcome } = event.data;
  const at = coup.declarations.findLastIndex((declaration) => declaration.event.data.by === by);
  const former = coup.declarations[at];
  if (!former || former.event.data.outcome === outcome || coup.short === 'all') return;
  const wrong = {
    by,
    events: [referenceOf(former.event), referenceOf(event)],
    expected: former.event.data.outcome,
    observed: outcome,
    message: `The ${by} declared ${former.event.data.outcome}, then ${outcome}, with no draw or move between.`,
  };
  const { readings } = coup;
  if (readings) {
    const mark = markOf('RS-08', { by });
    const seen = readings.mark(({ current }) => {
      return at >= current ? mark : 0;
    });
    readings.settle(seen, () => ({ wrong }));
  } else if (former.handVersion === coup.handVersion) raise(shoe, coup, 'RS-08', wrong);
}

/**
 * Raises DL-04 if a hand has fewer than two cards when an outcome is declared or the coup ends.
 * Nothing that depends on the hands is judged in such a coup.
 */
export function judgeShort(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  const { readings } = coup;
  if (coup.short === 'all' || hides(coup.lost, 'DL-04')) return;
  if (!readings && coup.player.length >= 2 && coup.banker.length >= 2) return;
  const wrong = {
    events: [...coup.cards.map(({ event }) => referenceOf(event)), referenceOf(because)],
    expected: 'two cards or more on each hand',
    observed: `player ${coup.player.length}, banker ${coup.banker.length}`,
    message: `The coup was left with ${coup.player.length} cards on the player hand and ${coup.banker.length} on the banker hand.`,
  };
  if (readings) {
    readings.settle(readings.markShort(), () => ({ wrong }));
    coup.short = readings.short;
  } else {
    coup.short = 'all';
    raise(shoe, coup, 'DL-04', wrong);
  }
}

function judgeTotal(
  shoe: Shoe,
  coup: Coup,
  event: AnyEvent,
  { hand, called }: { readonly hand: Hand; readonly called: number },
): void {
  if (coup.short === 'all' || hides(coup.lost, 'RS-01')) return;
  const { readings } = coup;
  const [total] = totals(cardsOn(coup, hand));
  const wrongIf = (made: string): Wrong => ({
    hand,
    events: [...cardsOn(coup, hand).map((laid) => referenceOf(laid.event)), referenceOf(event)],
    expected: made,
    observed: String(called),
    message: `The ${hand} hand was called ${called}; its cards make ${made}.`,
  });
  if (readings) {
    let made = 0;
    const [mark, either] = [RS01[hand], RS01.player | RS01.banker];
    const seen = readings.mark(() => (player, banker, marks) => {
      const { total: here } = hand === 'player' ? player : banker;
      if (here === called || (marks & either) !== 0) return 0;
      made |= 1 << here;
      return mark;
    });
    readings.settle(seen, () => ({
      wrong: wrongIf(DIGITS.filter((total) => made & (1 << total)).join(' or ')),
    }));
  } else if (total !== called) raise(shoe, coup, 'RS-01', wrongIf(String(total)));
}

const RS01 = marksByHand('RS-01');
const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/**
 * Judges the result of a coup that is over or void, on its final hands (RS-02, RS-03, RS-05, and
 * RS-07 unless it is void). If a draw or a move changed the hands after a declaration, only the
 * totals of the declaration are judged.
 */
export function judgeResult(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  if (coup.short === 'all' || hides(coup.lost, 'RS-02')) return;
  if (coup.declarations.length === 0) judgeSilence(shoe, coup, because);
  else if (coup.readings) judgeDeclared(shoe, coup, coup.readings);
  else if (coup.player.length < 2 || coup.banker.length < 2) return;
  else {
    const hands = handsOf(coup);
    const outcome = outcomeOf(totalOf(hands.player), totalOf(hands.banker));
    for (const { event, handVersion } of coup.declarations) {
      if (handVersion !== coup.handVersion) continue;
      if (event.data.outcome !== outcome)
        raise(shoe, coup, CODE_BY[event.data.by], outcomeWrong(coup, [event], [outcome]));
      if (event.data.specials) judgeSpecials(shoe, coup, event, hands);
    }
  }
}

/** Raises RS-07 if a normal coup ended without an outcome, and not for want of cards. */
function judgeSilence(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  if (coup.kind !== 'normal' || coup.state === 'void' || !shoe.reports.outcomes) return;
  const wrong = {
    events: [coup.ref, referenceOf(because)],
    expected: 'an outcome',
    observed: 'none',
    message: 'The coup ended with no outcome declared.',
  };
  const isEmpty = isOut(shoe);
  const { readings } = coup;
  if (readings) {
    const seen = readings.mark(
      () => (player, banker) => (isEmpty && readings.mustDrawIn(player, banker) ? 0 : RS07),
    );
    readings.settle(seen, () => ({ wrong }));
  } else if (!isEmpty || !isCardDue(coup, shoe)) raise(shoe, coup, 'RS-07', wrong);
}

const RS07 = markOf('RS-07');
const RS05 = markOf('RS-05');
const CODE_BY = { dealer: 'RS-02', device: 'RS-03' } as const;
const OUTCOMES: readonly Outcome[] = ['player', 'banker', 'tie'];
type Declaring = EventOf<'outcome-declared'>;

/** Returns the declarations that no draw or move follows in a filling. */
const declaredOn = (coup: Coup, { current }: Filling): Declaring[] =>
  coup.declarations.slice(current).map(({ event }) => event);

/** Judges what was declared on the final hands of a coup with unread cards. */
function judgeDeclared(shoe: Shoe, coup: Coup, readings: Readings): void {
  for (const by of ['dealer', 'device'] as const) {
    const mark = markOf(CODE_BY[by]);
    const made = new Set<Outcome>();
    const seen = readings.mark((filling) => {
      const declared = declaredOn(coup, filling).filter(({ data }) => data.by === by);
      if (declared.length === 0 || !filling.isComplete) return 0;
      const isWrong = (outcome: Outcome): boolean =>
        declared.some(({ data }) => data.outcome !== outcome);
      const marks = { player: 0, banker: 0, tie: 0 };
      for (const outcome of OUTCOMES) marks[outcome] = isWrong(outcome) ? mark : 0;
      return (player, banker) => {
        const outcome = outcomeOf(player.total, banker.total);
        made.add(outcome);
        return marks[outcome];
      };
    });
    const declared = coup.declarations
      .map(({ event }) => event)
      .filter(({ data }) => data.by === by);
    readings.settle(seen, () => ({ wrong: outcomeWrong(coup, declared, [...made]) }));
  }
  judgeSpecialsRead(shoe, coup, readings);
}

/** Returns the finding about declared outcomes that the cards do not make. */
function outcomeWrong(coup: Coup, declared: readonly Declaring[], made: readonly Outcome[]): Wrong {
  const wrong = declared.filter(({ data }) => made.some((outcome) => outcome !== data.outcome));
  const expected = made.join(' or ');
  const observed = [...new Set(wrong.map(({ data }) => data.outcome))].join(', then ');
  const totals = `player ${totalText(coup.player)}, banker ${totalText(coup.banker)}`;
  return {
    events: wrong.map(referenceOf),
    expected,
    observed,
    message: `The ${wrong[0]?.data.by} declared ${observed}; the cards (${totals}) make it ${expected}.`,
  };
}

const namesText = (names: readonly string[]): string =>
  [...new Set(names)].sort().join(', ') || 'none';

function judgeSpecials(shoe: Shoe, coup: Coup, event: Declaring, hands: Hands): void {
  const announced = event.data.specials ?? [];
  const made = specialsOf(shoe.rules, factsOf(hands), hands);
  if (announced.length === made.length && made.every((name) => announced.includes(name))) return;
  if (namesText(announced) !== namesText(made))
    raise(shoe, coup, 'RS-05', specialsWrong([event], [namesText(made)]));
}

/** Judges the specials announced on the final hands of a coup with unread cards. */
function judgeSpecialsRead(shoe: Shoe, coup: Coup, readings: Readings): void {
  const { rules } = shoe;
  const bets = rules.document.specials.flatMap((name) => rules.bets.get(name) ?? []);
  const made = new Set<string>();
  const announced = new Set<Declaring>();
  const seen = { some: 0, every: RS05 };
  for (const filling of readings.fillings) {
    const declared = declaredOn(coup, filling).filter(({ data }) => data.specials);
    if (declared.length === 0 || !filling.isComplete || filling.isShort) {
      seen.every = 0;
      continue;
    }
    for (const event of declared) announced.add(event);
    for (const { facts, hands } of readings.facts.kindsForSpecials(filling, bets)) {
      const text = namesText(specialsOf(rules, facts, hands));
      made.add(text);
      if (declared.some(({ data }) => namesText(data.specials ?? []) !== text)) seen.some = RS05;
      else seen.every = 0;
    }
  }
  readings.settle(seen, () => ({ wrong: specialsWrong([...announced], [...made]) }));
}

/** Returns the finding about announced specials that the cards do not make. */
function specialsWrong(announced: readonly Declaring[], made: readonly string[]): Wrong {
  const texts = announced.map(({ data }) => namesText(data.specials ?? []));
  const observed = [...new Set(texts)].join('; then ');
  const expected = made.join(' or ');
  return {
    events: announced.map(referenceOf),
    expected,
    observed,
    message: `Announced with the result: ${observed}; the cards make: ${expected}.`,
  };
}

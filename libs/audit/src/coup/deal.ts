import { cardIndex, initialHand, valueOf } from '#baccarat';
import { markFinding, markShoe } from '../changes.js';
import { cardsOn, dueHand, inOrder, lay, takeUp } from './coup.js';
import { seeCard } from '../admission/outage.js';
import { hasEntry, noteDraw, noteMove, oblige } from '../judges/dispositions.js';
import { referenceOf, type AnyEvent, type EventOf, type Hand } from '../events/events.js';
import { TOO_CLOSE } from '../findings/finding.js';
import { amend, raise, unjudgeable, type Wrong } from '../findings/findings.js';
import type { FindingCode } from '../findings/catalogue.js';
import { coupAt, touch } from '../history/checkpoint.js';
import { fourthShown, judgeDraws } from '../judges/drawing.js';
import { markOf, Readings, type Exhibit } from './readings/readings.js';
import type { Checkpoint, Coup, Laid, Shoe } from '../state.js';

/**
 * Takes a card that left the shoe: counts it, lays it where it went and judges it against what was
 * due there.
 */
export function drawCard(shoe: Shoe, event: EventOf<'card-drawn'>): void {
  const { card, to, exposed } = event.data;
  const laid: Laid = {
    event,
    card,
    value: card === null ? -1 : valueOf(card),
    exposed: exposed === true,
    at: shoe.at,
    place: null,
    ordinal: -1,
    serial: -1,
    moved: false,
    carried: false,
  };
  count(shoe, laid);
  if (event.source.startsWith('person/')) {
    raise(shoe, shoe.coup, 'DV-11', {
      event: referenceOf(event),
      events: [referenceOf(event)],
      expected: 'a device',
      observed: event.source,
      message: `A card was entered by hand by ${event.source}.`,
    });
  }
  if (to === 'out') drawOut(shoe, laid);
  else if (to === 'burn') {
    laid.place = 'burn';
    (shoe.coups.length === 0 ? shoe.burned : shoe.loose).push(laid);
  } else if (shoe.coup) drawInCoup(shoe, shoe.coup, laid, to);
  else drawOutside(shoe, laid, to);
}

/** Takes a card that left the shoe outside the game. It only counts, and inside a coup is DL-11. */
function drawOut(shoe: Shoe, laid: Laid): void {
  shoe.loose.push(laid);
  if (!shoe.coup) return;
  const reference = referenceOf(laid.event);
  raise(shoe, shoe.coup, 'DL-11', {
    event: reference,
    events: [reference],
    expected: 'no card outside the game',
    observed: laid.card ?? 'an unread card',
    message: 'A card left the shoe outside the game while a coup was open.',
  });
}

function drawOutside(shoe: Shoe, laid: Laid, to: Hand | null): void {
  shoe.loose.push(laid);
  if (to === null) return;
  const reference = referenceOf(laid.event);
  raise(shoe, null, 'DL-15', {
    event: reference,
    events: [reference],
    expected: 'no card',
    observed: `${laid.card ?? 'an unread card'} to the ${to} hand`,
    message: `A card was drawn to the ${to} hand while no coup was open.`,
  });
}

function count(shoe: Shoe, laid: Laid): void {
  const { card, event } = laid;
  shoe.drawn += 1;
  shoe.draws.push(laid);
  markShoe(shoe);
  if (card === null) {
    shoe.unread += 1;
    const reference = referenceOf(event);
    raise(shoe, shoe.coup, 'DV-01', {
      event: reference,
      events: [reference],
      expected: 'a card',
      observed: 'unread',
      message: 'A card was drawn and could not be read.',
    });
    return;
  }
  const index = cardIndex(card);
  const copies = (shoe.copies[index] as number) + 1;
  shoe.copies[index] = copies;
  if (copies > shoe.decks) raise(shoe, shoe.coup, 'SH-02', extraCopy(shoe, laid, copies));
}

function extraCopy({ decks }: Shoe, { event, card }: Laid, copies: number): Wrong {
  const reference = referenceOf(event);
  return {
    event: reference,
    events: [reference],
    expected: `at most ${decks} of ${card}`,
    observed: `${copies} of ${card}`,
    message: `${card} came ${copies} times from a shoe of ${decks} decks.`,
  };
}

/**
 * Counts the copies of a card again after a correction before a checkpoint changed their number:
 * raises SH-02 for those drawn since that are now too many, and withdraws it for those that no
 * longer are.
 */
export function recount(shoe: Shoe, index: number, since: Checkpoint, because: string): void {
  let copies = since.copies[index] as number;
  for (let i = since.drawn; i < shoe.draws.length; i += 1) {
    const laid = shoe.draws[i] as Laid;
    if (laid.card === null || cardIndex(laid.card) !== index) continue;
    copies += 1;
    const coup = coupAt(shoe, laid.at);
    const reference = referenceOf(laid.event);
    const [known] = shoe.found
      .of(coup?.ref ?? null)
      .filter(([, { finding }]) => finding.code === 'SH-02' && finding.event === reference);
    if (copies > shoe.decks && known) {
      const { expected, observed, message } = extraCopy(shoe, laid, copies);
      amend(shoe, known[1], { expected, observed, message });
    } else if (copies > shoe.decks) {
      shoe.cause = laid.event;
      raise(shoe, coup, 'SH-02', extraCopy(shoe, laid, copies));
    } else if (known) {
      shoe.found.delete(known[0]);
      markFinding(shoe, known[1], { because });
    }
  }
}

function drawInCoup(shoe: Shoe, coup: Coup, laid: Laid, to: Hand | null): void {
  seeCard(shoe, coup, laid.event);
  coup.cards.push(laid);
  const late = coup.outcomeAt !== null;
  const hand = coup.readings
    ? layAmongReadings(shoe, coup, laid, { to })
    : layAmongKnown(shoe, coup, laid, to);
  if (late && hand && cardsOn(coup, hand)[2] === laid) noteDraw(shoe, coup, hand);
}

/**
 * Lays a card in a coup whose hands are known, and judges it. Returns the hand, or `null` for an
 * excess card.
 */
function layAmongKnown(shoe: Shoe, coup: Coup, laid: Laid, to: Hand | null): Hand | null {
  const due = to === null || isForeseen(shoe, laid) ? dueHand(coup, shoe) : null;
  const hand = to ?? due;
  if (hand === null) {
    raiseAbout(shoe, coup, excessCode(laid), { wrong: excess(laid), card: laid });
    return null;
  }
  if (laid.card === null) {
    coup.readings = new Readings(shoe, coup);
    return layAmongReadings(shoe, coup, laid, { to });
  }
  layGameCard(shoe, coup, laid, hand);
  if (due === hand && isForeseen(shoe, laid))
    raiseAbout(shoe, coup, 'DL-05', { wrong: foreseen(laid), card: laid });
  return hand;
}

/**
 * Lays a card in every world of a coup with unread cards, and judges it. Returns the hand on which
 * the record shows it, or `null`. `otherwise`: the hand for a card that none is due.
 */
function layAmongReadings(
  shoe: Shoe,
  coup: Coup,
  laid: Laid,
  { to, otherwise = null }: { readonly to: Hand | null; readonly otherwise?: Hand | null },
): Hand | null {
  const readings = coup.readings as Readings;
  const dues = new Set<Hand | null>();
  const isEarly = !laid.carried && isForeseen(shoe, laid) ? DL05 : 0;
  const tooMany = otherwise ? 0 : markOf(excessCode(laid));
  const look = readings.dueLook((due) => {
    dues.add(due);
    if (due !== null && (to ?? due) === due) return isEarly;
    return to === null ? tooMany : 0;
  });
  const seen = readings.markAll(to === null || isEarly > 0 ? look : () => 0);
  const hand = to ?? HANDS.find((each) => dues.has(each)) ?? otherwise;
  if (hand !== null) layGameCard(shoe, coup, laid, hand);
  if (to) judgeOrderRead(shoe, coup, laid, to);
  if (to) readings.lay(laid, to);
  else readings.layDue(laid, otherwise);
  const show = (code: FindingCode): Exhibit => ({
    wrong: code === 'DL-05' ? foreseen(laid) : excess(laid),
    card: laid,
  });
  readings.settle(seen, show, (finding, card) => oblige(shoe, coup, finding, { card }));
  if (hand !== null && coup.ordinals >= 4) judgeDraws(shoe, coup, 'laid', laid.event);
  readings.compact();
  return hand;
}

const HANDS: readonly Hand[] = ['player', 'banker'];
const DL02 = markOf('DL-02');
const DL05 = markOf('DL-05');

/** Returns whether a card was seen early and the rules say what to do if it was due. */
const isForeseen = (shoe: Shoe, laid: Laid): boolean => laid.exposed && hasEntry(shoe, 'DL-05');

/** Raises a finding about a card, with what the rules prescribe about it. */
function raiseAbout(
  shoe: Shoe,
  coup: Coup,
  code: FindingCode,
  { wrong, card }: { readonly wrong: Wrong; readonly card: Laid },
): void {
  const finding = raise(shoe, coup, code, wrong);
  if (finding) oblige(shoe, coup, finding, { card });
}

const foreseen = (laid: Laid): Wrong => ({
  event: referenceOf(laid.event),
  events: [referenceOf(laid.event)],
  expected: 'face down',
  observed: `${laid.card ?? 'an unread card'} face up`,
  message: 'A card that was due lay face up in the shoe, or was seen before it was due.',
});

const excessCode = ({ exposed }: Laid): 'DL-06' | 'DL-07' => (exposed ? 'DL-07' : 'DL-06');

const excess = (laid: Laid): Wrong => ({
  event: referenceOf(laid.event),
  events: [referenceOf(laid.event)],
  expected: 'no card',
  observed: `${laid.card ?? 'an unread card'}${laid.exposed ? ', exposed' : ''}`,
  message: `A card was drawn when none was due${laid.exposed ? ', and was seen' : ''}.`,
});

/** Lays a card as the coup's next game card and judges where it went. */
function layGameCard(shoe: Shoe, coup: Coup, laid: Laid, hand: Hand): void {
  laid.ordinal = coup.ordinals;
  coup.ordinals += 1;
  const belongsTo = initialHand(coup.player.length, coup.banker.length);
  lay(coup, laid, hand);
  if (!laid.carried) coup.firstCard ??= laid;
  if (shoe.reports.dealers && shoe.duty.dealer === null && !coup.withoutDealer) {
    coup.withoutDealer = true;
    judgeDuty(shoe, coup, referenceOf(laid.event));
  }
  if (coup.readings) return;
  if (belongsTo) judgeOrder(shoe, coup, laid, { hand, belongsTo });
  if (cardsOn(coup, hand).length === 4) fourth(shoe, coup, laid, hand);
  else if (laid.ordinal >= 4) judgeDraws(shoe, coup, 'laid', laid.event);
}

/** Raises PR-01, unless a gap may have hidden the sign-on. */
function judgeDuty(shoe: Shoe, coup: Coup, card: string): void {
  const { lost: gap } = shoe.duty;
  if (gap)
    return unjudgeable(shoe, coup, { codes: ['PR-01'], events: [card], cause: { is: 'gap', gap } });
  raise(shoe, coup, 'PR-01', {
    events: [card],
    expected: 'a dealer signed on',
    observed: 'none',
    message: 'Cards were dealt with no dealer signed on.',
  });
}

/**
 * Judges one of the first four cards by the hands as they lie: if a card was taken out of the coup,
 * its hand is due again.
 */
function judgeOrder(shoe: Shoe, coup: Coup, laid: Laid, { hand, belongsTo }: Misplaced): void {
  if (hand === belongsTo) return;
  const finding = raise(shoe, coup, 'DL-02', misplaced(laid, { hand, belongsTo }));
  if (finding) oblige(shoe, coup, finding, { card: laid, belongsTo });
}

/** Marks the worlds in which a card that names its hand is one of the first four out of place. */
function judgeOrderRead(shoe: Shoe, coup: Coup, laid: Laid, hand: Hand): void {
  const readings = coup.readings as Readings;
  const hands = new Set<Hand>();
  const seen = readings.markAll(({ counts }) => {
    const belongsTo = initialHand(counts.player, counts.banker);
    if (belongsTo === null || belongsTo === hand) return 0;
    hands.add(belongsTo);
    return DL02;
  });
  const [belongsTo = hand] = hands;
  readings.settle(
    seen,
    () => ({ wrong: misplaced(laid, { hand, belongsTo }), card: laid }),
    (finding) => oblige(shoe, coup, finding, { card: laid, belongsTo }),
  );
}

/** Where one of the first four cards went, and where it belongs. */
interface Misplaced {
  readonly hand: Hand;
  readonly belongsTo: Hand;
}

const misplaced = (laid: Laid, { hand, belongsTo }: Misplaced): Wrong => ({
  events: [referenceOf(laid.event)],
  expected: belongsTo,
  observed: hand,
  message: `Card ${laid.ordinal + 1} of the coup went to the ${hand} hand; the first four go player, banker, player, banker.`,
});

function fourth(shoe: Shoe, coup: Coup, laid: Laid, hand: Hand): void {
  if (coup.short === 'all') return;
  const { wrong } = fourthShown(coup, laid, hand);
  raiseAbout(shoe, coup, 'TC-11', { wrong, card: laid });
}

/** Raises DL-01, once a coup, if a game card was drawn before betting closed. */
export function judgeEarlyCards(shoe: Shoe, coup: Coup, closed: AnyEvent): void {
  const early = coup.cards.filter(({ carried, ordinal }) => !carried && ordinal >= 0);
  const [first] = early;
  if (first === undefined) return;
  const sure = early.find(({ event }) => inOrder(event as AnyEvent, closed, shoe));
  const events = [referenceOf((sure ?? first).event), referenceOf(closed)];
  if (sure)
    raise(shoe, coup, 'DL-01', {
      events,
      expected: 'betting closed',
      observed: 'a card drawn',
      message: 'A game card was drawn before betting was closed.',
    });
  else unjudgeable(shoe, coup, { codes: ['DL-01'], events, cause: TOO_CLOSE });
}

/**
 * Yields every card of the shoe with the coup in which it lies, the latest coup first. A card
 * carried over lies in two.
 */
function* cardsOf(shoe: Shoe): Generator<readonly [Laid, Coup | null]> {
  for (const coup of shoe.coups.toReversed()) for (const laid of coup.cards) yield [laid, coup];
  for (const laid of shoe.burned) yield [laid, null];
  for (const laid of shoe.loose) yield [laid, null];
}

/** Returns the card that the event of a reference drew, and the coup in which it lies. */
export function findCard(shoe: Shoe, reference: string): readonly [Laid, Coup | null] | undefined {
  for (const [laid, coup] of cardsOf(shoe))
    if (laid.event.id.length < reference.length && referenceOf(laid.event) === reference)
      return [laid, coup];
  return undefined;
}

/**
 * Moves a card. A move is a remedy: it withdraws no finding. What follows is judged on the hands as
 * they then lie.
 */
export function moveCard(
  shoe: Shoe,
  laid: Laid,
  home: Coup | null,
  event: EventOf<'card-moved'>,
): void {
  const { to } = event.data;
  const hand = to === 'player' || to === 'banker' ? to : null;
  const coup = home ?? shoe.coup;
  if (coup && hand) readFrom(shoe, coup, laid);
  if (home) takeUp(home, laid);
  remove(shoe.carried, laid);
  laid.moved = true;
  laid.place = to;
  coup?.readings?.move(laid, hand);
  if (hand && coup) {
    layMoved(coup, laid, hand);
  }
  if (to === 'next' && !shoe.closed) shoe.carried.push(laid);
  noteMove(shoe, laid, event);
}

/** Starts to follow the readings of an open coup with its first unread card. */
function readFrom(shoe: Shoe, coup: Coup, { card }: Laid): void {
  if (coup.state === 'open' && card === null) coup.readings ??= new Readings(shoe, coup);
}

function layMoved(coup: Coup, laid: Laid, hand: Hand): void {
  if (!coup.cards.includes(laid)) coup.cards.push(laid);
  if (laid.ordinal < 0) {
    laid.ordinal = coup.ordinals;
    coup.ordinals += 1;
  }
  lay(coup, laid, hand);
}

function remove(cards: Laid[], laid: Laid): void {
  const at = cards.indexOf(laid);
  if (at >= 0) cards.splice(at, 1);
}

/**
 * Lays the cards carried over as the first of the coup that opens. The coup in which they were
 * drawn keeps them on its record.
 */
export function layCarried(shoe: Shoe, coup: Coup): void {
  for (const { event, card, value, exposed, at } of shoe.carried.splice(0)) {
    touch(shoe, at);
    const laid: Laid = {
      event,
      card,
      value,
      exposed,
      at,
      place: null,
      ordinal: -1,
      serial: -1,
      moved: false,
      carried: true,
    };
    coup.cards.push(laid);
    readFrom(shoe, coup, laid);
    if (coup.readings) layAmongReadings(shoe, coup, laid, { to: null, otherwise: 'player' });
    else layGameCard(shoe, coup, laid, dueHand(coup, shoe) ?? 'player');
  }
}

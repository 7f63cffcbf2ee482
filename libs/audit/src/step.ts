import {
  judgeBetting,
  judgeOffered,
  judgeReturns,
  closeBetting,
  moveBet,
} from './judges/betting.js';
import { enterCommission, leaveSeat, reverseEntries, takeCommission } from './ledger/commission.js';
import { markCoup, markFinding, markShoe, markSums } from './changes.js';
import { isCardDue, isOut, kindOf, newCoup } from './coup/coup.js';
import { markOf } from './coup/readings/readings.js';
import { drawCard, findCard, layCarried, moveCard } from './coup/deal.js';
import { cardsAreFinal, coupsAreFinal, noteVoid } from './judges/dispositions.js';
import { referenceOf, type AnyEvent, type EventOf } from './events/events.js';
import { amend, delist, isNotJudgedInVoid, raise, withdraw } from './findings/findings.js';
import { judgeDraws } from './judges/drawing.js';
import { judgeSigner } from './judges/signer.js';
import { callHand, declareOutcome, judgeResult, judgeShort } from './judges/result.js';
import { closeShoe, countCoup, cutCardDrawn, judgeBurn } from './judges/shoe.js';
import { judgeSettlement, raiseLateSettlement } from './judges/settlement.js';
import { loseLastCards, meetGaps } from './admission/gap.js';
import { hearAgain, loseOfAway, loseUnseen, meetOutages } from './admission/outage.js';
import { coupsBefore, newCheckpoint, touch } from './history/checkpoint.js';
import type { Coup, Duty, Shoe } from './state.js';
import { settledOf, stakesOf, wagerOf } from './coup/wagers.js';

/**
 * Applies one event to the shoe that it concerns, and judges what can be judged now. `at` is the
 * event's index in the shoe's journal. Refuses nothing, because whatever the event reports did
 * happen.
 */
export function step(shoe: Shoe, event: AnyEvent, at: number): void {
  shoe.cause = event;
  shoe.at = at;
  if (shoe.away.length > 0) hearAgain(shoe, event);
  take(shoe, event, at);
  if (shoe.coup) markCoup(shoe, shoe.coup);
}

/**
 * Ends what came before an event that begins a stretch of play: the open coup, the time for
 * returning stakes and for what the rules prescribe. In a shoe that is closed it begins none.
 */
export function endStretch(shoe: Shoe, event: Beginning, at: number): void {
  shoe.cause = event;
  shoe.at = at;
  if (shoe.coup) endCoup(shoe, shoe.coup, event, at);
  demandReturns(shoe, event);
  if (shoe.closed) return;
  const closedForError = event.type === 'shoe-closed' && event.data.reason === 'error';
  coupsAreFinal(shoe, event.type === 'coup-opened' ? kindOf(event) : null, closedForError, event);
  shoe.checkpoints.push(newCheckpoint(shoe, at));
}

/** Begins the stretch of an event, once what came before has ended. */
export function beginStretch(shoe: Shoe, event: Beginning, at: number): void {
  shoe.cause = event;
  shoe.at = at;
  if (event.type === 'coup-opened') openCoup(shoe, event, at);
  else {
    loseOfAway(shoe);
    closeShoe(shoe, event);
  }
  if (shoe.coup) markCoup(shoe, shoe.coup);
}

/** An event that begins a stretch of play. */
export type Beginning = EventOf<'coup-opened'> | EventOf<'shoe-closed'> | EventOf<'shoe-opened'>;

function take(shoe: Shoe, event: AnyEvent, at: number): void {
  switch (event.type) {
    case 'card-drawn':
      return drawCard(shoe, event);
    case 'coup-closed':
      return shoe.coup ? endCoup(shoe, shoe.coup, event, at) : undefined;
    case 'coup-voided':
      return voidCoup(shoe, event, at);
    case 'bet-placed':
    case 'bet-withdrawn':
      if (shoe.coup) moveBet(shoe, shoe.coup, event);
      else shoe.betweenCoups.push(event);
      return;
    case 'betting-closed':
      if (shoe.coup) closeBetting(shoe, shoe.coup, event);
      else shoe.betweenCoups.push(event);
      return;
    case 'hand-called':
    case 'outcome-declared':
      return shoe.coup ? judgeStatement(shoe, shoe.coup, event) : undefined;
    case 'bet-settled':
      return settle(shoe, event);
    case 'commission-collected':
    case 'commission-waived':
      return takeCommission(shoe, event);
    case 'seat-left':
      return leaveSeat(shoe, event);
    case 'card-moved':
      return move(shoe, event);
    case 'cut-card-drawn':
      return cutCardDrawn(shoe, event);
    case 'coup-opened':
    case 'shoe-closed':
    case 'shoe-opened':
      endStretch(shoe, event, at);
      return shoe.closed ? undefined : beginStretch(shoe, event, at);
    case 'dealer-signed-on':
    case 'dealer-relieved':
      return changeOnDuty(shoe, event);
    default:
      return; // what no judge asks about
  }
}

/** Judges what a call or a declaration says about the cards of a coup. */
function judgeStatement(
  shoe: Shoe,
  coup: Coup,
  event: EventOf<'hand-called'> | EventOf<'outcome-declared'>,
): void {
  loseUnseen(shoe, coup);
  if (event.type === 'hand-called') callHand(shoe, coup, event);
  else declareOutcome(shoe, coup, event);
}

/**
 * Changes who is on duty: a sign-on replaces the former holder of the role, and a relief empties
 * the role if the person relieved holds it.
 */
export function changeDuty(
  duty: Duty,
  { type, data }: EventOf<'dealer-signed-on'> | EventOf<'dealer-relieved'>,
): void {
  if (type === 'dealer-signed-on') {
    duty[data.role] = data.dealer;
    if (data.role === 'dealer') duty.lost = null;
  } else if (duty[data.role] === data.dealer) duty[data.role] = null;
}

/** Records who is on duty from then on, in the open coup and in the shoe. */
function changeOnDuty(
  shoe: Shoe,
  event: EventOf<'dealer-signed-on'> | EventOf<'dealer-relieved'>,
): void {
  changeDuty(shoe.duty, event);
  const { dealer, caller } = shoe.duty;
  const { coup, dealersOfShoe } = shoe;
  if (coup && caller !== null && !coup.callers.includes(caller)) coup.callers.push(caller);
  if (dealer === null) return;
  if (!dealersOfShoe.includes(dealer)) dealersOfShoe.push(dealer);
  if (!coup || coup.dealers.includes(dealer)) return;
  coup.dealers.push(dealer);
  // The last dealer of a coup is named in its findings, and its money counts under that name.
  markSums(shoe);
  for (const [, found] of shoe.found.of(coup.ref)) markFinding(shoe, found, 'amended');
}

function openCoup(shoe: Shoe, event: EventOf<'coup-opened'>, at: number): void {
  const coup = newCoup(event, at, shoe.duty);
  const due = shoe.lastNumber + 1;
  shoe.lastNumber = coup.number;
  shoe.coups.push(coup);
  markShoe(shoe);
  shoe.coup = coup;
  meetGaps(shoe, coup, coup.number === due);
  meetOutages(shoe, coup);
  if (coup.number !== due) {
    raise(shoe, coup, 'DL-16', {
      events: [coup.ref],
      expected: String(due),
      observed: String(coup.number),
      message: `Coup ${coup.number} was opened where coup ${due} was next.`,
    });
  }
  if (shoe.coups.length === 1) judgeBurn(shoe, coup);
  countCoup(shoe, coup, event);
  for (const early of shoe.betweenCoups.splice(0)) {
    if (early.type === 'betting-closed') closeBetting(shoe, coup, early);
    else moveBet(shoe, coup, early);
  }
  layCarried(shoe, coup);
}

/**
 * Ends a coup: by its own closing, the next opening, or the closing of the shoe. Its findings are
 * then complete.
 */
function endCoup(shoe: Shoe, coup: Coup, because: AnyEvent, at: number): void {
  loseUnseen(shoe, coup);
  coup.state = 'over';
  coup.to = at;
  shoe.coup = null;
  loseLastCards(shoe, coup);
  if (!isOut(shoe)) judgeShort(shoe, coup, because); // else SH-13
  judgeExhaustion(shoe, coup, because);
  judgeDraws(shoe, coup, 'ended', because);
  judgeResult(shoe, coup, because);
  judgeBetting(shoe, coup, because);
  judgeSettlement(shoe, coup);
  cardsAreFinal(shoe, coup, because);
  if (coup.kind !== 'normal') oweReturn(shoe, coup);
  coup.readings = null;
  markCoup(shoe, coup);
}

/** Raises SH-13 if the cards ran out during a coup. */
function judgeExhaustion(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  if (!isOut(shoe)) return;
  const wrong = {
    events: [coup.ref, referenceOf(because)],
    expected: 'a card',
    observed: 'an empty shoe',
    message: 'The shoe ran out of cards with a card still due.',
  };
  const { readings } = coup;
  if (readings) {
    const seen = readings.markAll(
      () => (player, banker) => (readings.mustDrawIn(player, banker) ? SH13 : 0),
    );
    readings.settle(seen, () => ({ wrong }));
  } else if (isCardDue(coup, shoe)) raise(shoe, coup, 'SH-13', wrong);
}

const SH13 = markOf('SH-13');

function demandReturns(shoe: Shoe, because: AnyEvent): void {
  if (shoe.owing === 0) return;
  // a coup of an earlier stretch that is not judged again may be voided later: it owes nothing yet
  for (const coup of shoe.coups.slice(coupsBefore(shoe.resumedAt)))
    if (coup.owesReturn) judgeReturns(shoe, coup, because);
  shoe.owing = 0;
}

function oweReturn(shoe: Shoe, coup: Coup): void {
  if (!coup.owesReturn) shoe.owing += 1;
  coup.owesReturn = true;
}

/** Returns whether stakes of this shoe's coups are still to be returned. */
export const owesReturns = (shoe: Shoe): boolean => shoe.owing > 0;

function voidCoup(shoe: Shoe, event: EventOf<'coup-voided'>, at: number): void {
  const { coup: number, by, reason } = event.data;
  const coup =
    number === undefined
      ? (shoe.coup ?? shoe.coups.at(-1))
      : shoe.coups.findLast((known) => known.number === number);
  if (!coup) {
    judgeSigner(shoe, shoe.coup, event);
    return unknownReference(
      shoe,
      event,
      number === undefined ? 'no coup of this shoe' : `coup ${number}`,
    );
  }
  if (coup !== shoe.coup) reach(shoe, coup, event);
  if (coup.state !== 'void') {
    const wasOpen = coup === shoe.coup;
    loseUnseen(shoe, coup);
    coup.state = 'void';
    withdraw(shoe, coup, isNotJudgedInVoid, referenceOf(event));
    delist(shoe, coup, isNotJudgedInVoid);
    for (const [, found] of shoe.found.of(coup.ref))
      if (!found.finding.void) amend(shoe, found, { void: true });
    reverseEntries(shoe, coup, 'all');
    if (wasOpen) {
      coup.to = at;
      shoe.coup = null;
      judgeDraws(shoe, coup, 'voided', event);
      judgeResult(shoe, coup, event);
      judgeBetting(shoe, coup, event);
      coup.readings = null;
    }
    oweReturn(shoe, coup);
    noteVoid(shoe, coup, event);
    markCoup(shoe, coup);
  }
  judgeSigner(shoe, coup, event);
  const fault = !by
    ? 'without saying by whom'
    : !reason
      ? 'without a reason'
      : coup.dealers.includes(by)
        ? 'by the dealer who dealt it'
        : undefined;
  if (fault === undefined) return;
  raise(shoe, coup, 'RS-09', {
    event: referenceOf(event),
    events: [referenceOf(event)],
    expected: 'void with a reason, by somebody other than the dealer',
    observed: fault,
    message: `The coup was declared void ${fault}.`,
  });
}

/** Records that an event changes a coup in whose course it does not lie. */
function reach(shoe: Shoe, coup: Coup, event: AnyEvent): void {
  touch(shoe, coup.from);
  coup.reachedBy.push(referenceOf(event));
}

/** Raises PR-09 for an event that names something unknown to this shoe. */
export function unknownReference(shoe: Shoe, event: AnyEvent, what: string): void {
  const reference = referenceOf(event);
  raise(shoe, shoe.coup, 'PR-09', {
    event: reference,
    events: [reference],
    expected: 'a reference to this shoe or the one before',
    observed: what,
    message: `${/^[aeiou]/.test(event.type) ? 'An' : 'A'} ${event.type} event names ${what}, which is unknown or out of reach.`,
  });
}

/**
 * Returns the coup that a settlement belongs to: the open one, or else the last. If that has no
 * such stake, returns the coup that still owes it back.
 */
function coupOfSettlement(shoe: Shoe, { data }: EventOf<'bet-settled'>): Coup | undefined {
  const here = shoe.coup ?? shoe.coups.at(-1);
  if (!here || standsIn(here, data.seat, data.bet)) return here;
  return (
    shoe.coups.findLast(
      (coup) => coup !== here && coup.owesReturn && standsIn(coup, data.seat, data.bet),
    ) ?? here
  );
}

function standsIn(coup: Coup, seat: number, bet: string): boolean {
  const wager = coup.wagers.find((known) => known.seat === seat && known.bet === bet);
  if (!wager) return false;
  const { stands, late } = stakesOf(wager);
  return stands + late > 0 && (coup.state === 'open' || settledOf(wager)?.stake !== 'returned');
}

function settle(shoe: Shoe, event: EventOf<'bet-settled'>): void {
  const { seat, bet } = event.data;
  const coup = coupOfSettlement(shoe, event);
  if (!coup) {
    enterCommission(shoe, null, event);
    if (!shoe.reports.bets) return;
    raise(shoe, null, 'PY-06', {
      event: referenceOf(event),
      events: [referenceOf(event)],
      expected: 'no settlement',
      observed: `stake ${event.data.stake}, paid ${event.data.paid}`,
      message: `Seat ${seat}'s ${bet} was settled before any coup of the shoe.`,
    });
    return;
  }
  if (coup !== shoe.coup) reach(shoe, coup, event);
  loseUnseen(shoe, coup);
  const wager = wagerOf(coup, seat, bet);
  wager.settlements.push(event);
  enterCommission(shoe, coup, event);
  if (coup.state === 'open') {
    cardsAreFinal(shoe, coup, event);
    judgeOffered(shoe, coup, wager, event);
    return;
  }
  if (coup.state === 'void') reverseEntries(shoe, coup, 'all');
  else if (!shoe.rules.bets.has(bet)) judgeOffered(shoe, coup, wager, event);
  else if (coup.short !== 'all') raiseLateSettlement(shoe, coup, event);
  markCoup(shoe, coup);
}

function move(shoe: Shoe, event: EventOf<'card-moved'>): void {
  const found = findCard(shoe, event.data.event);
  if (!found) {
    judgeAuthority(shoe, shoe.coup, event);
    return unknownReference(shoe, event, event.data.event);
  }
  const [laid, home] = found;
  touch(shoe, home?.from ?? laid.at);
  judgeAuthority(shoe, home ?? shoe.coup, event);
  moveCard(shoe, laid, home, event);
  if (home) markCoup(shoe, home);
}

/**
 * Raises PR-04 for a move or correction that names nobody, or that the dealer of the coup made, and
 * PR-10 for one that another than its source made.
 */
export function judgeAuthority(
  shoe: Shoe,
  coup: Coup | null,
  event: EventOf<'card-moved'> | EventOf<'observation-corrected'>,
): void {
  judgeSigner(shoe, coup, event);
  const { by } = event.data;
  const dealers = coup ? coup.dealers : shoe.dealersOfShoe;
  if (by !== undefined && !dealers.includes(by)) return;
  const reference = referenceOf(event);
  raise(shoe, coup, 'PR-04', {
    event: reference,
    events: [reference],
    expected: 'by somebody other than the dealer',
    observed: by ?? 'nobody named',
    message:
      by === undefined
        ? 'The record was changed without saying by whom.'
        : `The record was changed by ${by}, who dealt.`,
  });
}

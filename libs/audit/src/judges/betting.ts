import { inOrder } from '../coup/coup.js';
import { judgeEarlyCards } from '../coup/deal.js';
import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import type { FindingCode } from '../findings/catalogue.js';
import { TOO_CLOSE, type Finding } from '../findings/finding.js';
import { raise, unjudgeable, withdraw } from '../findings/findings.js';
import type { BetMove, Coup, Shoe, Wager } from '../state.js';
import { impact, ofWager, settledOf, stakesOf, wagerOf } from '../coup/wagers.js';

type Staking = EventOf<'bet-placed'> | EventOf<'bet-withdrawn'>;

/** Records a bet that was placed or withdrawn in a coup, and judges it. */
export function moveBet(shoe: Shoe, coup: Coup, event: Staking): void {
  const wager = wagerOf(coup, event.data.seat, event.data.bet);
  const move: BetMove = { event, afterFirstCard: coup.firstCard !== null, late: false };
  wager.moves.push(move);
  if (coup.bettingClosed) judgeLate(shoe, coup, { wager, move }, coup.bettingClosed);
  judgeBet(shoe, coup, wager, event);
}

function judgeBet(shoe: Shoe, coup: Coup, wager: Wager, event: Staking): void {
  const { seat, bet } = wager;
  if (event.type === 'bet-placed' && coup.kind !== 'normal' && !wager.tooClose) {
    raise(shoe, coup, 'BT-07', {
      ...ofWager(wager),
      events: [coup.ref, referenceOf(event)],
      expected: 'no bet',
      observed: `${event.data.amount} on ${bet}`,
      message: `Seat ${seat}'s ${bet} bet was taken on a ${coup.kind} coup.`,
    });
  }
  judgeOffered(shoe, coup, wager, event);
}

/** Raises BT-10 for a bet that the house's rules do not offer. Its settlement is not judged. */
export function judgeOffered(shoe: Shoe, coup: Coup, wager: Wager, event: AnyEvent): void {
  if (shoe.rules.bets.has(wager.bet)) return;
  raise(shoe, coup, 'BT-10', {
    ...ofWager(wager),
    events: [referenceOf(event)],
    expected: `a bet of ${shoe.rules.ref}`,
    observed: wager.bet,
    message: `Seat ${wager.seat} bet on ${wager.bet}, which ${shoe.rules.ref} does not have.`,
  });
}

/** What depends on whether a move that was too close to call came in time. */
const TOO_CLOSE_BETS: readonly FindingCode[] = ['BT-02', 'BT-03', 'BT-07'];

/** Closes the betting of a coup. Only its first closing counts. */
export function closeBetting(shoe: Shoe, coup: Coup, event: AnyEvent): void {
  if (coup.bettingClosed) return;
  coup.bettingClosed = event;
  judgeEarlyCards(shoe, coup, event);
  judgeLimits(shoe, coup, event);
}

/**
 * Judges a bet that moved after the mark (BT-01): the closing of betting, or the first game card if
 * the coup has no such event. A late placement does not count as a bet, and a late withdrawal has
 * no effect. If the clocks are too close to call, the move counts, and is listed as unjudgeable
 * with what depends on whether it does.
 */
function judgeLate(
  shoe: Shoe,
  coup: Coup,
  { wager, move }: { readonly wager: Wager; readonly move: BetMove },
  mark: AnyEvent,
): void {
  const events = [referenceOf(mark), referenceOf(move.event)];
  if (!inOrder(mark, move.event, shoe)) {
    wager.tooClose = true;
    const isOpen = (_: unknown, { code, seat, bet }: Finding): boolean =>
      TOO_CLOSE_BETS.includes(code) && seat === wager.seat && bet === wager.bet;
    withdraw(shoe, coup, isOpen, referenceOf(move.event));
    return unjudgeable(shoe, coup, {
      codes: ['BT-01', ...TOO_CLOSE_BETS],
      events,
      cause: TOO_CLOSE,
    });
  }
  move.late = true;
  const did = move.event.type === 'bet-placed' ? 'placed' : 'withdrawn';
  raise(shoe, coup, 'BT-01', {
    ...ofWager(wager),
    events,
    expected: 'no bet moved',
    observed: `${move.event.data.amount} ${did}`,
    message: `Seat ${wager.seat} had ${move.event.data.amount} ${did} on ${wager.bet} after betting had closed.`,
  });
}

/**
 * Judges what is known of the bets only when the coup is over: late moves if betting was never
 * closed, limits, and a coup without any bet (DL-10).
 */
export function judgeBetting(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  if (!coup.bettingClosed && coup.firstCard) {
    const mark = coup.firstCard.event as AnyEvent;
    for (const wager of coup.wagers)
      for (const move of wager.moves)
        if (move.afterFirstCard) judgeLate(shoe, coup, { wager, move }, mark);
  }
  judgeLimits(shoe, coup, because);
  if (coup.kind !== 'normal' || coup.state === 'void' || !shoe.reports.bets) return;
  if (coup.wagers.some((wager) => stakesOf(wager).stands > 0)) return;
  raise(shoe, coup, 'DL-10', {
    events: [coup.ref, referenceOf(because)],
    expected: 'a bet',
    observed: 'none',
    message: 'The coup was dealt without any bet.',
  });
}

/** Raises BT-02 and BT-03 for stakes under the minimum or over the maximum when betting closes. */
function judgeLimits(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  const { limits } = shoe.opening.data;
  if (!limits) return;
  for (const wager of coup.wagers) {
    const limit = Object.hasOwn(limits, wager.bet) ? limits[wager.bet] : undefined;
    const { stands } = stakesOf(wager);
    if (!limit || stands === 0 || wager.tooClose) continue;
    const [code, expected] =
      stands < limit.min
        ? (['BT-02', `at least ${limit.min}`] as const)
        : (['BT-03', `at most ${limit.max}`] as const);
    if (stands >= limit.min && stands <= limit.max) continue;
    raise(shoe, coup, code, {
      ...ofWager(wager),
      events: [...wager.moves.map(({ event }) => referenceOf(event)), referenceOf(because)],
      expected,
      observed: String(stands),
      message: `Seat ${wager.seat}'s ${wager.bet} bet of ${stands} is ${code === 'BT-02' ? 'under the minimum' : 'over the maximum'}; ${expected} is allowed.`,
    });
  }
}

/**
 * Raises BT-08 for each stake of a void, dummy, demonstration or free coup that was not returned
 * before the next coup opened.
 */
export function judgeReturns(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  coup.owesReturn = false;
  for (const wager of coup.wagers) {
    const { stands, late } = stakesOf(wager);
    const stake = stands + late;
    const settled = settledOf(wager);
    if (stake === 0 || settled?.stake === 'returned' || (!settled && !shoe.reports.settlements))
      continue;
    raise(shoe, coup, 'BT-08', {
      ...ofWager(wager),
      events: [
        ...wager.moves.map(({ event }) => referenceOf(event)),
        ...(settled?.events() ?? []),
        referenceOf(because),
      ],
      expected: `stake of ${stake} returned`,
      observed: settled ? 'stake taken' : 'not returned',
      impact: impact(shoe, -stake),
      message: `Seat ${wager.seat}'s ${wager.bet} stake of ${stake} was not returned after a ${coup.state === 'void' ? 'void' : coup.kind} coup.`,
    });
  }
}

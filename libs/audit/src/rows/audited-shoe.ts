import { cardIndex, RANKS, SUITS, type Card } from '#baccarat';
import type { AnyEvent } from '../events/events.js';
import { eventIn } from '../history/journal.js';
import { asLastCorrected } from '../history/replay.js';
import type { Found, RaisedWhen } from '../findings/finding.js';
import type { ShoeLane } from '../lane/shoe-lane.js';
import type { Shoe } from '../state.js';
import { permittedAfter } from '../judges/shoe.js';
import { changeDuty } from '../step.js';

/** The burn of a shoe: the cards burned before its first coup. */
interface AuditedBurn {
  /** In the order drawn, as recorded and corrected; null was not read. */
  readonly cards: readonly (Card | null)[];
  /**
   * How many cards the rules permit, the first included; null if the first card decides it and is
   * not known.
   */
  readonly permitted: readonly number[] | null;
  /** Whether the rules can count by the first card. */
  readonly byFirstCard: boolean;
}

/** When the cut card of a shoe showed first. */
interface AuditedCutCard {
  /** The coup in which it showed, or else the last one before; null if there was none. */
  readonly coup: number | null;
  /** Whether cards of that coup had been drawn, and it was not over. */
  readonly inside: boolean;
  readonly cardsLeft: number;
  /** How many coups the rules still permit now. */
  readonly coupsLeft: number;
}

/** A shoe. Times are those of the events. */
export type AuditedShoe = Readonly<ReturnType<typeof steppedShoe>>;

/** Returns a shoe as it is now. */
export const auditedShoe = (shoe: Shoe): AuditedShoe =>
  shoe.lane?.isAhead ? { ...steppedShoe(shoe), ...aheadOf(shoe, shoe.lane) } : steppedShoe(shoe);

/** Returns what the lane of a shoe knows, which is ahead of it. */
function aheadOf(shoe: Shoe, lane: ShoeLane): Partial<AuditedShoe> {
  const { coups, drawn, copies, burned, closing } = lane;
  return {
    coups,
    cards: drawn,
    leftByRank: leftByRank({ decks: shoe.decks, copies }),
    burn: burnOf(shoe, burned),
    cutCard: cutCardAhead(shoe, lane),
    closed: lane.isClosed,
    ...(closing && {
      closeReason: closing.reason ?? null,
      remaining: closing.remaining ?? closing.remainingCards?.length ?? null,
      closedAt: closing.time,
    }),
  };
}

function cutCardAhead(shoe: Shoe, { coupsLeft, cutCard }: ShoeLane): AuditedCutCard | null {
  if (coupsLeft === null) return null;
  const known = cutCardOf(shoe);
  const left = Math.max(0, coupsLeft);
  if (!cutCard) return known && { ...known, coupsLeft: left };
  const { coup, inside, drawn } = cutCard;
  return { coup, inside, cardsLeft: CARDS_OF_DECK * shoe.decks - drawn, coupsLeft: left };
}

/** Returns a shoe as far as it was stepped through. */
function steppedShoe(shoe: Shoe) {
  const { opening, ref, table, name, rules, decks, currency, coups, drawn, unread, closed } = shoe;
  const closing = closingOf(shoe);
  const reported = closing?.type === 'shoe-closed' ? closing.data : undefined;
  return {
    /** The reference of its opening. */
    ref,
    table,
    shoe: name,
    rules: rules.ref,
    decks,
    kind: opening.data.kind,
    currency,
    coups: coups.length,
    /** Cards drawn, and those of them that were not read. */
    cards: drawn,
    unread,
    /**
     * Cards left of each rank, ace to king: those of the decks less those drawn, as recorded and
     * corrected. An unread card is taken from no rank. Negative if more came than the decks hold.
     */
    leftByRank: leftByRank(shoe),
    /** Null if its devices do not report burns, and none was seen. */
    burn: burnOf(
      shoe,
      shoe.burned.map(({ card }) => card),
    ),
    /** Null if it has not shown. */
    cutCard: cutCardOf(shoe),
    closed,
    /** Null if it is open, or if the next one was opened while it was. */
    closeReason: reported?.reason ?? null,
    /** Cards declared to remain; null if the closing does not say. */
    remaining: reported?.remaining ?? reported?.remainingCards?.length ?? null,
    openedAt: opening.time,
    closedAt: closing?.time ?? null,
  };
}

const CARDS_OF_RANK = RANKS.map((rank) => SUITS.map((suit) => cardIndex(`${rank}${suit}`)));

const leftByRank = ({
  decks,
  copies,
}: {
  readonly decks: number;
  readonly copies: ArrayLike<number>;
}): readonly number[] =>
  CARDS_OF_RANK.map((cards) =>
    cards.reduce((left, card) => left - (copies[card] as number), decks * cards.length),
  );

function burnOf(shoe: Shoe, burned: readonly (Card | null)[]): AuditedBurn | null {
  const { reports, rules } = shoe;
  if (!reports.burns && burned.length === 0) return null;
  const byFirstCard = rules.document.burn.some(({ count }) => count === 'first-card');
  const { counts, byFirstCard: more } = permittedAfter(shoe, burned[0]);
  const permitted = [...new Set([...counts, ...more.map((count) => count + 1)])];
  return {
    cards: [...burned],
    permitted: byFirstCard && more.length === 0 ? null : permitted.sort((a, b) => a - b),
    byFirstCard,
  };
}

function cutCardOf({ coupsLeft, played, decks, draws, coups }: Shoe): AuditedCutCard | null {
  if (coupsLeft === null) return null;
  const at = played.findIndex(({ type }) => type === 'cut-card-drawn');
  const begun = coups.findLast(
    ({ from, cards }) => from < at && cards.some((card) => card.at < at),
  );
  const drawn = draws.filter((card) => card.at < at).length;
  return {
    coup: begun?.number ?? null,
    inside: begun !== undefined && at <= begun.to,
    cardsLeft: CARDS_OF_DECK * decks - drawn,
    coupsLeft: Math.max(0, coupsLeft),
  };
}

const CARDS_OF_DECK = RANKS.length * SUITS.length;

/** Returns the event that closed a shoe: its closing, or the opening of the next one. */
function closingOf(shoe: Shoe): AnyEvent | undefined {
  if (!shoe.closed) return undefined;
  for (const entry of shoe.played) {
    const events = entry.type === 'gap' ? entry.late : [entry];
    const closing = events.find(({ type }) => type === 'shoe-closed' || type === 'shoe-opened');
    if (closing) return asLastCorrected(shoe)(closing);
  }
  return undefined;
}

/**
 * Returns the time of the event that raised a finding about no coup of the shoe, and the dealer
 * then on duty. The event is the shoe's opening or in its journal.
 */
export function whenRaised(shoe: Shoe, { raisedBy }: Found): RaisedWhen {
  const event = eventIn(shoe, raisedBy) ?? shoe.opening;
  if (event === shoe.opening) return { time: event.time, dealer: shoe.dutyAtOpening.dealer };
  const duty = { ...shoe.dutyAtOpening };
  const right = asLastCorrected(shoe);
  for (const entry of shoe.played) {
    if (entry === event) break;
    if (entry.type === 'dealer-signed-on' || entry.type === 'dealer-relieved')
      changeDuty(duty, right(entry) as typeof entry);
  }
  return { time: event.time, dealer: duty.dealer };
}

import { cardIndex, RANKS, SUITS } from '#baccarat';
import type { AnyEvent, EventData } from '../events/events.js';
import { eventIn } from '../history/journal.js';
import { asLastCorrected } from '../history/replay.js';
import type { Found } from '../findings/finding.js';
import type { Shoe } from '../state.js';
import { changeDuty } from '../step.js';

/** A shoe. Times are those of the events. */
export interface AuditedShoe {
  /** The reference of its opening. */
  readonly ref: string;
  readonly table: string;
  readonly shoe: string;
  readonly rules: string;
  readonly decks: number;
  readonly kind: EventData['shoe-opened']['kind'];
  readonly currency: string;
  readonly coups: number;
  /** Cards drawn, and those of them that were not read. */
  readonly cards: number;
  readonly unread: number;
  /**
   * Cards left of each rank, ace to king: those of the decks less those drawn, as recorded and
   * corrected. An unread card is taken from no rank. Negative if more came than the decks hold.
   */
  readonly leftByRank: readonly number[];
  readonly closed: boolean;
  /** Null if it is open, or if the next one was opened while it was. */
  readonly closeReason: Exclude<EventData['shoe-closed']['reason'], undefined> | null;
  /** Cards declared to remain; null if the closing does not say. */
  readonly remaining: number | null;
  readonly openedAt: string;
  readonly closedAt: string | null;
}

/** Returns a shoe as it is now. */
export function auditedShoe(shoe: Shoe): AuditedShoe {
  const { opening, ref, table, name, rules, decks, currency, coups, drawn, unread, closed } = shoe;
  const closing = closingOf(shoe);
  const said = closing?.type === 'shoe-closed' ? closing.data : undefined;
  return {
    ref,
    table,
    shoe: name,
    rules: rules.ref,
    decks,
    kind: opening.data.kind,
    currency,
    coups: coups.length,
    cards: drawn,
    unread,
    leftByRank: leftByRank(shoe),
    closed,
    closeReason: said?.reason ?? null,
    remaining: said?.remaining ?? said?.remainingCards?.length ?? null,
    openedAt: opening.time,
    closedAt: closing?.time ?? null,
  };
}

const leftByRank = ({ decks, copies }: Shoe): number[] =>
  RANKS.map((rank) =>
    SUITS.reduce(
      (left, suit) => left - (copies[cardIndex(`${rank}${suit}`)] as number),
      decks * SUITS.length,
    ),
  );

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
 * then on duty.
 */
export function whenRaised(
  shoe: Shoe,
  { raisedBy }: Found,
): { readonly time: string; readonly dealer: string | null } {
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

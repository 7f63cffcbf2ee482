import { cardIndex, CARDS, permittedBurns, rankOf, type Card } from '#baccarat';
import { markShoe } from '../changes.js';
import { judgeOutstanding } from '../ledger/commission.js';
import { SeatLedger } from '../ledger/seat-ledger.js';
import { oblige } from './dispositions.js';
import {
  REPORTS,
  referenceOf,
  type AnyEvent,
  type EventOf,
  type Report,
} from '../events/events.js';
import { lossBits } from '../findings/catalogue.js';
import { UNREAD, type Finding, type Missing } from '../findings/finding.js';
import { ByCoup } from '../findings/by-coup.js';
import { raise, unjudgeable } from '../findings/findings.js';
import { newCheckpoint } from '../history/checkpoint.js';
import type { Coup, Entry, Shoe } from '../state.js';

/** Returns a newly opened shoe. Judges its rules and its number of decks (SH-19). */
export function openShoe(
  table: string,
  opening: EventOf<'shoe-opened'>,
  given: Pick<Shoe, 'rules' | 'sha256' | 'changes'>,
  { dutyAtOpening: duty, awayAtOpening }: Pick<Shoe, 'dutyAtOpening' | 'awayAtOpening'>,
): Shoe {
  const { data, shoe: name } = opening;
  const journal: Entry[] = [];
  const shoe: Shoe = {
    table,
    name: name as string,
    opening,
    recordedOpening: opening,
    ref: referenceOf(opening),
    ...given,
    decks: data.decks,
    currency: data.currency,
    reports: Object.fromEntries(
      REPORTS.map((kind) => [kind, data.reports.includes(kind)]),
    ) as Record<Report, boolean>,
    dutyAtOpening: { ...duty },
    duty: { ...duty },
    awayAtOpening,
    away: awayAtOpening,
    ...unplayed(),
    openingLost: awayAtOpening.at(-1) ?? null,
    journal,
    played: journal,
    cause: opening,
    unrecorded: null,
    dealersOfShoe: duty.dealer === null ? [] : [duty.dealer],
  };
  shoe.checkpoints.push(newCheckpoint(shoe, 0));
  markShoe(shoe);
  judgeOpening(shoe);
  return shoe;
}

/** Returns what a shoe holds before its first event: no cards, no coups, no findings. */
const unplayed = () =>
  ({
    closed: false,
    found: new ByCoup(),
    unjudgeable: new ByCoup(),
    coups: [],
    coup: null,
    lastNumber: 0,
    copies: CARDS.map(() => 0),
    drawn: 0,
    draws: [],
    unread: 0,
    burned: [],
    loose: [],
    carried: [],
    betweenCoups: [],
    owing: 0,
    coupsLeft: null,
    lost: 0,
    hidden: 0,
    openingLost: null,
    ahead: { between: [], after: [] },
    ledger: new SeatLedger(),
    takings: [],
    obligations: [],
    balances: [],
    right: new Map(),
    positions: null,
    searches: 0,
    gaps: [],
    checkpoints: [],
    resumedAt: 0,
    at: 0,
    lane: null,
  }) satisfies Partial<Shoe>;

function judgeOpening(shoe: Shoe): void {
  const { rules } = shoe;
  const { data } = shoe.opening;
  const otherHash =
    data.rulesHash !== undefined && rules.hash !== '' && data.rulesHash !== rules.hash;
  if (otherHash || !rules.document.decks.includes(data.decks)) {
    raise(shoe, null, 'SH-19', {
      events: [shoe.ref],
      expected: otherHash
        ? `rules of hash ${rules.hash}`
        : `${rules.document.decks.join(' or ')} decks`,
      observed: otherHash ? `hash ${data.rulesHash}` : `${data.decks} decks`,
      message: otherHash
        ? `The shoe was opened under another text of ${rules.ref} than the one published.`
        : `The shoe was opened with ${data.decks} decks, which ${rules.ref} does not allow.`,
    });
  }
}

/**
 * Returns the numbers of cards that a shoe's rules permit to burn where this card comes first, not
 * counting itself in those by the first card.
 */
export const permittedAfter = (
  { rules, decks }: Shoe,
  card: Card | null | undefined,
): ReturnType<typeof permittedBurns> =>
  permittedBurns(rules.document.burn, decks, card ? rankOf(card) : undefined);

/** Judges the burn when the first coup opens (SH-06, SH-07). */
export function judgeBurn(shoe: Shoe, coup: Coup): void {
  if (!shoe.reports.burns) return;
  const burned = shoe.burned.length;
  const [first] = shoe.burned;
  const { counts, byFirstCard } = permittedAfter(shoe, first?.card);
  if (counts.includes(burned) || byFirstCard.includes(burned - 1)) return;
  const couldBePermitted = (): boolean =>
    CARDS.some((card) => permittedAfter(shoe, card).byFirstCard.includes(burned - 1));
  if (first?.card === null && couldBePermitted())
    return unjudgeable(shoe, null, {
      codes: ['SH-07'],
      events: [referenceOf(first.event)],
      cause: UNREAD,
    });
  const finding = first
    ? raiseBurn(shoe, coup, [...counts, ...byFirstCard.map((count) => count + 1)])
    : raise(shoe, null, 'SH-06', {
        events: [coup.ref],
        expected: 'a burn',
        observed: 'none',
        message: 'No card was burned before the first coup.',
      });
  if (finding) oblige(shoe, coup, finding);
}

function raiseBurn(shoe: Shoe, coup: Coup, wanted: readonly number[]): Finding | undefined {
  const burned = shoe.burned.length;
  const indicator = shoe.burned[0]?.card;
  return raise(shoe, null, 'SH-07', {
    events: [...shoe.burned.map(({ event }) => referenceOf(event)), coup.ref],
    expected:
      wanted.length > 0
        ? `${[...new Set(wanted)].sort((a, b) => a - b).join(' or ')} cards`
        : 'another number of cards',
    observed: `${burned} cards`,
    message: `${burned} cards were burned${indicator ? `, the first of them ${indicator}` : ''}; the rules do not permit that number.`,
  });
}

/**
 * Sets how many coups may still be opened once the cut card shows. Only its first showing counts.
 */
export function cutCardDrawn(shoe: Shoe, event: AnyEvent): void {
  if (shoe.coupsLeft !== null) return;
  markShoe(shoe);
  const { insideCoup, betweenCoups } = shoe.rules.document.cutCard;
  const { coup } = shoe;
  if (coup && coup.ordinals > 0) shoe.coupsLeft = insideCoup;
  else {
    shoe.coupsLeft = betweenCoups;
    if (!coup) return;
    coup.showsCutCardFirst = true;
    countCoup(shoe, coup, event);
  }
}

/**
 * Counts a coup after the cut card, and raises SH-09 if it is one too many. Only normal coups
 * count.
 */
export function countCoup(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  if (shoe.coupsLeft === null || coup.kind !== 'normal') return;
  shoe.coupsLeft -= 1;
  if (shoe.coupsLeft >= 0) return;
  const hidden = cardsBeforeCutCard(shoe);
  if (hidden && shoe.coupsLeft + hidden.more >= 0)
    return unjudgeable(shoe, coup, {
      codes: ['SH-09'],
      events: [coup.ref, hidden.event],
      cause: { is: 'gap', gap: hidden.missing },
    });
  const { insideCoup, betweenCoups } = shoe.rules.document.cutCard;
  const finding = raise(shoe, coup, 'SH-09', {
    events: [...new Set([coup.ref, referenceOf(because)])],
    expected: `at most ${Math.max(insideCoup, betweenCoups)} after the cut card`,
    observed: 'another coup',
    message: 'A coup was opened after the last one that the cut card permits.',
  });
  if (finding) oblige(shoe, coup, finding);
}

const PLAY = lossBits(['play']);

/**
 * Returns what may have hidden that the cut card showed inside a coup, with how many more coups it
 * then permits: the cards of the coup in which it seemed to show before the first, or a coup in
 * which it showed while none seemed open. Returns undefined if nothing hid that.
 */
function cardsBeforeCutCard(
  shoe: Shoe,
): { readonly missing: Missing; readonly event: string; readonly more: number } | undefined {
  const { played, coups, rules } = shoe;
  const shown = played.findIndex(({ type }) => type === 'cut-card-drawn');
  const during = coups.find(({ from, to }) => from <= shown && shown <= to);
  if (during && (!during.showsCutCardFirst || (during.lost & PLAY) === 0)) return undefined;
  const missing = (during ?? coups.find(({ from }) => from > shown))?.playLost;
  if (!missing) return undefined;
  const { insideCoup, betweenCoups } = rules.document.cutCard;
  const counted = during?.kind === 'normal' ? 1 : 0;
  const event = referenceOf(played[shown] as EventOf<'cut-card-drawn'>);
  return { missing, event, more: insideCoup - betweenCoups + counted };
}

/**
 * Closes a shoe, either by its own closing or because another shoe was opened. Judges its reason,
 * its cards and its commission (SH-10, SH-04, CM-05).
 */
export function closeShoe(shoe: Shoe, because: AnyEvent): void {
  shoe.closed = true;
  markShoe(shoe);
  const reference = referenceOf(because);
  const closing = because.type === 'shoe-closed' ? because.data : undefined;
  if (closing?.reason === undefined) {
    raise(shoe, null, 'SH-10', {
      events: [reference],
      expected: 'a reason',
      observed: closing ? 'none' : 'another shoe opened',
      message: closing
        ? 'The shoe was closed without a reason.'
        : 'Another shoe was opened while this one was not closed.',
    });
  }
  if (closing) judgeRemaining(shoe, closing, reference);
  const seats = [...shoe.ledger.keys()].sort((a, b) => a - b);
  for (const seat of seats) judgeOutstanding(shoe, seat, reference);
}

function judgeRemaining(
  shoe: Shoe,
  { remaining, remainingCards }: EventOf<'shoe-closed'>['data'],
  reference: string,
): void {
  const all = 52 * shoe.decks;
  const counts = [
    ...(remaining === undefined ? [] : [remaining]),
    ...(remainingCards ? [remainingCards.length] : []),
  ];
  const wrongCount = counts.find((count) => shoe.drawn + count !== all);
  const wrongCards = remainingCards ? wrongCopies(shoe, remainingCards) : [];
  if (wrongCount === undefined && wrongCards.length === 0) return;
  raise(shoe, null, 'SH-04', {
    events: [shoe.ref, reference],
    expected:
      wrongCount === undefined
        ? `${all} cards, ${shoe.decks} of each`
        : `${all - shoe.drawn} cards remaining`,
    observed: wrongCount === undefined ? wrongCards.join(', ') : `${wrongCount} remaining`,
    message:
      wrongCount === undefined
        ? `The cards drawn and remaining are not ${shoe.decks} decks: ${wrongCards.join(', ')}.`
        : `${shoe.drawn} cards were drawn and ${wrongCount} remain; ${shoe.decks} decks have ${all}.`,
  });
}

/**
 * Returns the cards whose drawn and remaining copies do not make up the decks. An unread card may
 * be any missing copy.
 */
function wrongCopies(shoe: Shoe, remaining: readonly Card[]): string[] {
  const copies = [...shoe.copies];
  for (const card of remaining) copies[cardIndex(card)] = (copies[cardIndex(card)] as number) + 1;
  const short = copies.reduce((sum, count) => sum + Math.max(0, shoe.decks - count), 0);
  const isWrong = (count: number): boolean =>
    count > shoe.decks || (count < shoe.decks && short > shoe.unread);
  return CARDS.flatMap((card, i) =>
    isWrong(copies[i] as number) ? [`${copies[i]} of ${card}`] : [],
  );
}

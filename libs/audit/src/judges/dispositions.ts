import { bankerMustDraw, type Action, type Circumstances, type Irregularity } from '#baccarat';
import type { FindingCode } from '../findings/catalogue.js';
import type { AnyEvent, CoupKind, Hand } from '../events/events.js';
import { referenceOf } from '../events/events.js';
import { amend, raise } from '../findings/findings.js';
import type { Coup, Laid, Obligation, Place, Shoe } from '../state.js';
import type { Finding } from '../findings/finding.js';

/**
 * Actions that must be done before the coup is settled or over. All others may wait until the next
 * coup opens.
 */
const BEFORE_SETTLEMENT: ReadonlySet<Action> = new Set([
  'move-to-player',
  'move-to-banker',
  'draw-now',
]);

/** The action that a moved card shows, by the place where it was put. */
const MOVES: Readonly<Record<Exclude<Place, null>, Action>> = {
  player: 'move-to-player',
  banker: 'move-to-banker',
  burn: 'burn',
  discard: 'discard',
  next: 'carry-over',
};

/** The card that a finding is about, and the hand on which it belongs if it was misplaced. */
interface Concerned {
  readonly card: Laid | null;
  readonly belongsTo?: Hand;
}

/**
 * Looks up what the rule document prescribes about a finding: the first entry of `irregularities`
 * for its code whose circumstances fit. Adds the disposition to the finding and awaits it: PR-07 is
 * raised if its time passes without it.
 */
export function oblige(
  shoe: Shoe,
  coup: Coup | null,
  finding: Finding,
  concerned: Concerned = { card: null },
): void {
  const entry = entryFor(shoe, coup, finding.code, concerned);
  const found = shoe.found.get(finding.id);
  if (!entry || !found) return;
  amend(shoe, found, {
    disposition: {
      do: entry.do,
      source: shoe.rules.document.sources[entry.source]?.title ?? entry.source,
      section: entry.section,
    },
  });
  shoe.obligations.push({
    finding: finding.id,
    code: finding.code,
    coup,
    card: concerned.card,
    entry,
    done: new Set(),
    open: true,
  });
}

/** Returns whether the rule document prescribes anything about a code. */
export const hasEntry = (shoe: Shoe, code: FindingCode): boolean =>
  shoe.rules.irregularities.some(({ codes }) => codes.includes(code));

function entryFor(
  shoe: Shoe,
  coup: Coup | null,
  code: FindingCode,
  { card, ...placing }: Concerned,
): Irregularity | undefined {
  const entries = shoe.rules.irregularities.filter(({ codes }) => codes.includes(code));
  if (entries.length === 0) return undefined;
  const seen: Circumstances = {
    exposed: card?.exposed === true,
    firstCard: card?.ordinal === 0,
    lastCoup: shoe.coupsLeft !== null && shoe.coupsLeft <= 0,
    bankerMustDraw: coup !== null && bankerMustDraw(coup, shoe.rules.tableau),
    ...placing,
  };
  return entries.find(({ when }) =>
    Object.entries(when ?? {}).every(
      ([name, wanted]) => seen[name as keyof Circumstances] === wanted,
    ),
  );
}

/**
 * Compares a card's move with what was prescribed about the card: it is done, or something else was
 * (PR-07).
 */
export function noteMove(shoe: Shoe, card: Laid, because: AnyEvent): void {
  if (card.place === null) return;
  const action = MOVES[card.place];
  for (const obligation of openOf(shoe))
    if (obligation.card === card) noteAction(shoe, obligation, action, because);
}

/** Marks `draw-now` as done when a missing card is drawn after all. */
export function noteDraw(shoe: Shoe, coup: Coup, hand: Hand): void {
  for (const obligation of openOf(shoe)) {
    const missed: readonly FindingCode[] = hand === 'player' ? ['TC-03'] : ['TC-05', 'TC-07'];
    if (obligation.coup === coup && missed.includes(obligation.code))
      isPrescribed(shoe, obligation, 'draw-now');
  }
}

/** Compares the void of a coup with what was prescribed about it. */
export function noteVoid(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  for (const obligation of openOf(shoe))
    if (obligation.coup === coup) noteAction(shoe, obligation, 'void-coup', because);
}

/** Marks an action as done, or raises PR-07 if it was not prescribed. */
function noteAction(shoe: Shoe, obligation: Obligation, action: Action, because: AnyEvent): void {
  if (!isPrescribed(shoe, obligation, action))
    deviate(shoe, obligation, because, { action, isDone: true });
}

/** Returns whether an action was prescribed, and marks it as done if it was. */
function isPrescribed(shoe: Shoe, obligation: Obligation, action: Action): boolean {
  if (!obligation.entry.do.includes(action)) return false;
  obligation.done.add(action);
  remedyWhenDone(shoe, obligation);
  return true;
}

/**
 * Raises PR-07 for each action with the cards of a coup that was not done by its first settlement
 * or its end.
 */
export function cardsAreFinal(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  for (const obligation of openOf(shoe)) {
    if (obligation.coup !== coup) continue;
    const missed = obligation.entry.do.find(
      (action) =>
        BEFORE_SETTLEMENT.has(action) &&
        !obligation.done.has(action) &&
        !liesThere(obligation, action),
    );
    if (missed) deviate(shoe, obligation, because, { action: missed, isDone: false });
  }
}

const liesThere = ({ card }: Obligation, action: Action): boolean =>
  card !== null && card.place !== null && MOVES[card.place] === action;

/**
 * Closes every obligation when the next coup opens or the shoe closes: its disposition was made or
 * not (PR-07). `next` is the kind of the next coup, `null` when the shoe closes. `closedForError`
 * is true when it closes for "error".
 */
export function coupsAreFinal(
  shoe: Shoe,
  next: CoupKind | null,
  closedForError: boolean,
  because: AnyEvent,
): void {
  for (const obligation of openOf(shoe)) {
    const { coup, entry, done } = obligation;
    if (coup?.correctedToDummy && !entry.do.includes('this-coup-dummy')) {
      deviate(shoe, obligation, because, { action: 'this-coup-dummy', isDone: true });
      continue;
    }
    for (const action of doneByThen(coup, next)) done.add(action);
    if (closedForError) done.add('void-shoe');
    const missed = entry.do.find((action) => !done.has(action) && !liesThere(obligation, action));
    if (missed) deviate(shoe, obligation, because, { action: missed, isDone: false });
    else {
      for (const action of entry.do) done.add(action);
      remedyWhenDone(shoe, obligation);
      obligation.open = false;
    }
  }
  shoe.obligations.length = 0;
}

/** Returns the actions that were done by what became of a coup and of the next. */
function doneByThen(coup: Coup | null, next: CoupKind | null): Action[] {
  const done: Action[] = [];
  if (coup?.correctedToDummy || coup?.kind === 'dummy') done.push('this-coup-dummy');
  if (next === 'dummy') done.push('next-coup-dummy');
  if (coup === null || (coup.state !== 'void' && coup.kind === 'normal')) done.push('settle');
  if (coup?.state === 'void') done.push('void-coup');
  return done;
}

function remedyWhenDone(shoe: Shoe, obligation: Obligation): void {
  const found = shoe.found.get(obligation.finding);
  if (
    found &&
    !found.finding.remedied &&
    obligation.entry.do.every((action) => obligation.done.has(action))
  )
    amend(shoe, found, { remedied: true });
}

function deviate(
  shoe: Shoe,
  obligation: Obligation,
  because: AnyEvent,
  { action, isDone }: { readonly action: Action; readonly isDone: boolean },
): void {
  obligation.open = false;
  const found = shoe.found.get(obligation.finding);
  if (!found) return;
  const prescribed = obligation.entry.do.join(', ') || 'nothing';
  raise(shoe, obligation.coup, 'PR-07', {
    irregularity: obligation.finding,
    events: [...found.finding.events, referenceOf(because)],
    expected: prescribed,
    observed: isDone ? action : `no ${action}`,
    message: `After ${obligation.code} the rules prescribe ${prescribed}; ${isDone ? `${action} was done` : `${action} was not done in time`}.`,
  });
}

const openOf = (shoe: Shoe): Obligation[] =>
  shoe.obligations.length === 0 ? NONE : shoe.obligations.filter(({ open }) => open);
const NONE: Obligation[] = [];

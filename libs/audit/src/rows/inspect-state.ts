import type { AnyEvent } from '../events/events.js';
import { asLastCorrected, eventIn } from '../history/replay.js';
import type { Coup, Shoe, TableState } from '../state.js';
import type { Found, NotJudged } from '../findings/finding.js';
import { changeDuty } from '../step.js';

/** A hole that a table waits for: the numbers still missing of a source's session, and the time of the event that skipped them. */
export interface Hole {
  readonly source: string;
  readonly session: string;
  readonly missing: readonly (readonly [from: number, to: number])[];
  /** As its source gave it. */
  readonly time: string;
}

/** The hole that a table waits for, if it waits. */
export function holeOf({ admission: { wait } }: TableState): Hole | null {
  const head = wait?.queue[0];
  if (!wait || !head) return null;
  return {
    source: head.source,
    session: head.session as string,
    missing: wait.missing,
    time: head.time,
  };
}

/** The shoes of a table of which anything may still change: the open one, or the last, and the one before. */
export const shoesInReach = ({ open, before }: TableState): Shoe[] =>
  [open, before].filter((shoe) => shoe !== null);

/** A finding as it stands, and where: its shoe and coup are null where it is about none that is held. */
export interface StandingFinding {
  readonly found: Found;
  readonly shoe: Shoe | null;
  readonly coup: Coup | null;
}

/** The finding of an id, if it stands with a table or with these shoes. */
export function standingFinding(
  state: TableState,
  shoes: readonly Shoe[],
  id: string,
): StandingFinding | undefined {
  for (const shoe of shoes) {
    const found = shoe.found.get(id);
    if (found)
      return { found, shoe, coup: found.coup === null ? null : (coupIn(shoe, found.coup) ?? null) };
  }
  const found = state.foundOutside.get(id);
  return found && { found, shoe: null, coup: null };
}

/** What could not be judged under a key, if it stands so. */
export const standingDoubt = (shoe: Shoe, key: string): NotJudged | undefined =>
  shoe.unjudgeable.get(key);

/** The coup of a reference; the latest are looked at first. */
export const coupIn = (shoe: Shoe, ref: string): Coup | undefined =>
  shoe.coups.findLast((coup) => coup.ref === ref);

/** The event that closed a shoe, or the opening of the next one that did; undefined while it is open. */
export function closingOf(shoe: Shoe): AnyEvent | undefined {
  if (!shoe.closed) return undefined;
  for (const entry of shoe.journal) {
    const events = entry.type === 'gap' ? entry.late : [entry];
    const closing = events.find(({ type }) => type === 'shoe-closed' || type === 'shoe-opened');
    if (closing) return asLastCorrected(shoe)(closing);
  }
  return undefined;
}

/** The time and the dealer on duty of the event that shows a finding about no coup of a shoe. */
export function whenRaised(
  shoe: Shoe,
  { raisedBy }: Found,
): { readonly time: string; readonly dealer: string | null } {
  const event = eventIn(shoe, raisedBy) ?? shoe.opening;
  if (event === shoe.opening) return { time: event.time, dealer: shoe.dutyAtOpening.dealer };
  const duty = { ...shoe.dutyAtOpening };
  const right = asLastCorrected(shoe);
  for (const entry of shoe.journal) {
    if (entry === event) break;
    if (entry.type === 'dealer-signed-on' || entry.type === 'dealer-relieved')
      changeDuty(duty, right(entry) as typeof entry);
  }
  return { time: event.time, dealer: duty.dealer };
}

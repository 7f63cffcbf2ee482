import { markCoup } from '../changes.js';
import { CATALOGUE, codesWhere, type CodeFacts, type FindingCode } from '../findings/catalogue.js';
import { reverseEntries } from '../ledger/commission.js';
import { referenceOf, type AnyEvent } from '../events/events.js';
import { amend, isNotJudgedInVoid, raise, unjudgeable, withdraw } from '../findings/findings.js';
import {
  numbersText,
  type Cause,
  type Finding,
  type Found,
  type Gap,
} from '../findings/finding.js';
import type { Coup, GapMark, Shoe } from '../state.js';

/** Returns whether two gaps are the same hole. */
export const isSameGap = (a: Gap | undefined, b: Gap): boolean =>
  a !== undefined &&
  a.source === b.source &&
  a.session === b.session &&
  a.boot === b.boot &&
  a.from === b.from;

/** Returns whether an event's number lies in a gap. */
export const lacks = ({ source, session, from, to }: Gap, event: AnyEvent): boolean =>
  source === event.source &&
  session === event.session &&
  from <= (event.sequence as number) &&
  (event.sequence as number) <= to;

const gapOf = ({ source, session, boot, from, to }: Gap): Gap => ({
  source,
  session,
  boot,
  from,
  to,
});

/** Returns the fields of DV-04 about a hole. */
export const gapFound = (
  mark: GapMark,
): Required<Pick<Finding, 'gap' | 'events' | 'expected' | 'observed' | 'message'>> => ({
  gap: gapOf(mark),
  events: [mark.after, ...mark.late.map(referenceOf)],
  expected: numbersText(mark),
  observed: mark.late.length > 0 ? `${mark.late.length} came late` : 'never came',
  message: `Of ${mark.source}, session ${mark.session}, ${numbersText(mark)} never came in time.`,
});

/**
 * Judges a hole in a source's numbers, at index `at` of the journal (DV-04). If the source draws
 * cards, withdraws what the hole could have hidden and lists it as unjudgeable: in every coup
 * between the events on its two sides, and in the count of the shoe's cards. `filled`: a correction
 * has since entered every number.
 */
export function passGap(shoe: Shoe, mark: GapMark, at: number, filled: boolean): void {
  shoe.cause = mark;
  if (mark.raises) raise(shoe, shoe.coup, 'DV-04', gapFound(mark));
  if (!mark.ofCards || filled) return;
  const cause: Cause = { is: 'gap', gap: gapOf(mark) };
  shoe.cardsLost = true;
  lose(shoe, null, 'shoe', { mark, cause });
  unjudgeable(shoe, null, { codes: LOST['later cards'], events: [mark.after], cause });
  const [first] = shoe.coups;
  if (!first || mark.since < first.from) {
    shoe.burnsLost = true;
    lose(shoe, null, 'burn', { mark, cause });
  }
  for (const coup of shoe.coups) {
    if (coup.to <= mark.since || coup.from >= at) continue;
    coup.gapped = true;
    lose(shoe, coup, 'coup', { mark, cause });
    reverseEntries(shoe, coup, 'due');
    markCoup(shoe, coup);
  }
}

type Loss = NonNullable<CodeFacts['gap']>;
const lostTo = (loss: Loss): readonly FindingCode[] => codesWhere(({ gap }) => gap === loss);
const LOST: Readonly<Record<Loss, readonly FindingCode[]>> = {
  coup: lostTo('coup'),
  shoe: lostTo('shoe'),
  'later cards': lostTo('later cards'),
  burn: lostTo('burn'),
};

/**
 * Withdraws what a gap takes away from a coup or from the shoe as a whole (`null`), and lists it as
 * unjudgeable.
 */
function lose(
  shoe: Shoe,
  coup: Coup | null,
  loss: Loss,
  { mark, cause }: { readonly mark: GapMark; readonly cause: Cause },
): void {
  withdraw(shoe, coup, ({ gap }) => gap === loss, mark.after);
  const isVoid = coup?.state === 'void';
  const codes = LOST[loss].filter((code) => !isVoid || !isNotJudgedInVoid(CATALOGUE[code]));
  unjudgeable(shoe, coup, { codes, events: [mark.after], cause });
}

/** Names an event that came too late for its number in the finding about the hole. */
export function nameLate(shoe: Shoe, mark: GapMark, found: Found | undefined): void {
  if (found) amend(shoe, found, gapFound(mark));
}

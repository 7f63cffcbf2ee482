import { LOST_TO_A_GAP } from '../findings/catalogue.js';
import { reverseEntries } from '../ledger/commission.js';
import { tellCoup } from '../coup/coup.js';
import { referenceOf } from '../events/events.js';
import { amend, raise, unjudgeable, withdraw } from '../findings/findings.js';
import type { Finding, Found, GapMark, Shoe } from '../state.js';

/** What a DV-04 finding is about: a hole in one session's numbers. */
export const aboutGap = ({
  source,
  session,
  from,
}: Pick<GapMark, 'source' | 'session' | 'from'>): string[] => [source, session, String(from)];

const numbers = ({ from, to }: Pick<GapMark, 'from' | 'to'>): string =>
  from === to ? `number ${from}` : `numbers ${from} to ${to}`;

/** The words of DV-04 for a hole. */
export const gapWords = (
  mark: Pick<GapMark, 'source' | 'session' | 'from' | 'to' | 'after' | 'late'>,
): Pick<Finding, 'events' | 'expected' | 'observed' | 'message'> => ({
  events: [mark.after, ...mark.late.map(referenceOf)],
  expected: numbers(mark),
  observed: mark.late.length > 0 ? `${mark.late.length} came late` : 'never came',
  message: `Of ${mark.source}, session ${mark.session}, ${numbers(mark)} never came in time.`,
});

/**
 * A hole in a source's numbers, at place `at` of the journal (DV-04). Where it is a source of cards, what the hole could
 * have hidden cannot be judged, and is no longer held against anybody: in every coup between the events on its two sides,
 * and in the reckoning of the shoe's cards. `filled`: every number was entered by a correction since.
 */
export function passGap(shoe: Shoe, mark: GapMark, at: number, filled: boolean): void {
  if (mark.raises) raise(shoe, shoe.coup, 'DV-04', { about: aboutGap(mark), ...gapWords(mark) });
  if (!mark.ofCards || filled) return;
  const why = `${numbers(mark)} of ${mark.source}, session ${mark.session}, never came`;
  shoe.cardsLost = true;
  withdrawOfShoe(shoe, 'SH-04', mark.after);
  unjudgeable(shoe, null, ['SH-02', 'SH-04'], [mark.after], why);
  const [first] = shoe.coups;
  if (!first || mark.since < first.from) {
    shoe.burnsLost = true;
    for (const code of ['SH-06', 'SH-07'] as const) withdrawOfShoe(shoe, code, mark.after);
    unjudgeable(shoe, null, ['SH-06', 'SH-07'], [mark.after], why);
  }
  for (const coup of shoe.coups) {
    if (coup.to <= mark.since || coup.from >= at) continue;
    coup.gapped = true;
    withdraw(shoe, coup, (code) => LOST_TO_A_GAP.includes(code), mark.after);
    reverseEntries(shoe, coup, 'due');
    unjudgeable(shoe, coup, LOST_TO_A_GAP, [mark.after], why);
    if (coup.state !== 'open') tellCoup(shoe, coup);
  }
}

function withdrawOfShoe(shoe: Shoe, code: 'SH-04' | 'SH-06' | 'SH-07', because: string): void {
  for (const [id, { finding }] of shoe.found) {
    if (finding.code !== code) continue;
    shoe.found.delete(id);
    shoe.news.push({ is: 'withdrawn', finding, because, shoeRef: shoe.ref, coupRef: null });
  }
}

/** An event that came too late for its number is named in the finding about the hole. */
export function nameLate(shoe: Shoe, mark: GapMark, found: Found | undefined): void {
  if (found) amend(shoe, found, gapWords(mark));
}

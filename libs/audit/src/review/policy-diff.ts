import { changed } from '#baccarat';
import { moneyText } from '../events/currency.js';
import { SEVERITIES } from '../findings/catalogue.js';
import type { Disposition, DispositionCode, PolicyDocument } from './policy.js';
import { durationInWords } from './policy-words.js';

/**
 * Returns the differences between two policies that `lintPolicy` accepts, in words, `a` before the
 * arrow and `b` after it: `a claim lasts: 10 minutes → 15 minutes`. Empty only if both are equal
 * except for their version.
 */
export function diffPolicies(a: PolicyDocument, b: PolicyDocument): string[] {
  return [
    ...changed('title', a.title, b.title),
    ...changed('a claim lasts', durationInWords(a.lease), durationInWords(b.lease)),
    ...changed('undo within', durationInWords(a.undo), durationInWords(b.undo)),
    ...SEVERITIES.flatMap((severity) =>
      changed(
        `severity ${severity} is due within`,
        durationInWords(a.due[severity]),
        durationInWords(b.due[severity]),
      ),
    ),
    ...changed('video is kept', durationInWords(a.video.kept), durationInWords(b.video.kept)),
    ...changed(
      'video before a coup',
      durationInWords(a.video.before),
      durationInWords(b.video.before),
    ),
    ...changed(
      'video after a coup',
      durationInWords(a.video.after),
      durationInWords(b.video.after),
    ),
    ...changed('may propose', inWords(a.may.propose), inWords(b.may.propose)),
    ...changed('may sign', inWords(a.may.sign), inWords(b.may.sign)),
    ...changed('may reopen', inWords(a.may.reopen), inWords(b.may.reopen)),
    ...diffTwo(a.two, b.two),
    ...diffDispositions(a.dispositions, b.dispositions),
  ];
}

const inWords = (items: readonly (string | number)[]): string => items.join(', ') || 'none';

function diffTwo(a: PolicyDocument['two'], b: PolicyDocument['two']): string[] {
  const from = ({ from: amounts }: PolicyDocument['two'], currency: string): string => {
    const amount = amounts[currency];
    return amount === undefined ? 'any amount' : moneyText(amount, currency);
  };
  const currencies = new Set([...Object.keys(a.from), ...Object.keys(b.from)]);
  return [
    ...changed('two persons for severity', inWords(a.severities), inWords(b.severities)),
    ...changed('two persons for findings', inWords(a.codes), inWords(b.codes)),
    ...changed('two persons for dispositions', inWords(a.dispositions), inWords(b.dispositions)),
    ...[...currencies]
      .sort()
      .flatMap((currency) =>
        changed(`two persons in ${currency} from`, from(a, currency), from(b, currency)),
      ),
  ];
}

/** Returns the codes of dispositions that others have too, in order. */
const kept = (of: ByCode, others: ByCode): string =>
  inWords([...of.keys()].filter((code) => others.has(code)));

type ByCode = ReadonlyMap<DispositionCode, Disposition>;

function diffDispositions(a: readonly Disposition[], b: readonly Disposition[]): string[] {
  const before: ByCode = new Map(a.map((each) => [each.code, each]));
  const after: ByCode = new Map(b.map((each) => [each.code, each]));
  const changes = a.flatMap((each) => {
    const now = after.get(each.code);
    return now ? diffDisposition(each, now) : [`disposition ${each.code} removed`];
  });
  for (const each of b)
    if (!before.has(each.code))
      changes.push(
        `disposition ${each.code} added: needs ${inWords(each.needs)}, ${countsInWords(each)}`,
      );
  if (kept(before, after) !== kept(after, before))
    changes.push(`dispositions in another order: ${kept(after, before)}`);
  return changes;
}

const diffDisposition = (a: Disposition, b: Disposition): string[] => [
  ...changed(`${a.code} needs`, inWords(a.needs), inWords(b.needs)),
  ...changed(a.code, countsInWords(a), countsInWords(b)),
];

const countsInWords = ({ counts }: Disposition): string => (counts ? 'counts' : 'does not count');

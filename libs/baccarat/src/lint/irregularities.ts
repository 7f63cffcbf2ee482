import type { LintProblem } from '../rules/json-form.js';
import type { Circumstances, Irregularity, RuleDocument } from '../rules/rule-document.js';

/**
 * Returns dispositions without a known source, and entries that an earlier entry always precedes.
 * The form must be valid.
 */
export function irregularityProblems({
  irregularities,
  sources,
}: Pick<RuleDocument, 'irregularities' | 'sources'>): LintProblem[] {
  const problems: LintProblem[] = [];
  for (const [i, entry] of irregularities.entries()) {
    const pointer = `/irregularities/${i}`;
    if (!Object.hasOwn(sources, entry.source))
      problems.push({
        pointer: `${pointer}/source`,
        problem: `"${entry.source}" is not a source of this document`,
      });
    for (const [k, code] of entry.codes.entries()) {
      const earlier = irregularities.slice(0, i).filter(({ codes }) => codes.includes(code));
      if (!leavesRoomFor(earlier, entry))
        problems.push({
          pointer: `${pointer}/codes/${k}`,
          problem: `earlier entries decide ${code} in every case that this one is for`,
        });
    }
  }
  return problems;
}

/** Returns whether some circumstances match `entry` and none of `earlier`. */
const leavesRoomFor = (earlier: readonly Irregularity[], entry: Irregularity): boolean =>
  EVERY_CASE.some(
    (circumstances) =>
      matches(entry.when, circumstances) &&
      !earlier.some(({ when }) => matches(when, circumstances)),
  );

const matches = (when: Circumstances | undefined, circumstances: Circumstances): boolean =>
  Object.entries(when ?? {}).every(
    ([name, wanted]) => circumstances[name as keyof Circumstances] === wanted,
  );

/**
 * Every combination of circumstances: each is true or false, and a card belongs to the player hand,
 * the banker hand or neither.
 */
const EVERY_CASE: readonly Circumstances[] = [true, false].flatMap((exposed) =>
  [true, false].flatMap((firstCard) =>
    [true, false].flatMap((lastCoup) =>
      [true, false].flatMap((bankerMustDraw) =>
        ([{ belongsTo: 'player' }, { belongsTo: 'banker' }, {}] as const).map((belongsTo) => ({
          exposed,
          firstCard,
          lastCoup,
          bankerMustDraw,
          ...belongsTo,
        })),
      ),
    ),
  ),
);

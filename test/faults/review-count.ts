import { needsTwo, type EventOf, type Policy } from '#audit';
import { Started } from '../cli/serving.js';
import { BOOK } from '../kit/house.js';
import { auditedOtherwise, type ActRow, type FindingRow, type Left } from './review-audit.js';
import { isAct, linesBetween, nameOf, type Placed, type Standing } from './count.js';
import { keyIn, type Command, type Reviewers } from './reviewers.js';
import type { System } from './system.js';

/** What people did in a round, counted. If nothing was lost or done twice, nothing is in it. */
export interface ReviewCount {
  /** Commands that took effect. */
  readonly acknowledged: number;
  /** Commands that were answered 200 and are not on the log, or not in the rows. */
  readonly lost: readonly string[];
  /** Acts that are in the rows more than once, and commands that took effect more than once. */
  readonly twice: number;
  /** Everything else that is not as it must be, in words. */
  readonly wrong: readonly string[];
  readonly ruled: number;
}

/**
 * Counts what people did since `before`, against the log, the rows, rows that are rebuilt, and an
 * audit of the log.
 */
export async function countReviews(
  system: System,
  reviewers: Reviewers,
  tables: readonly string[],
  { before, after }: { readonly before: Standing; readonly after: Standing },
): Promise<ReviewCount> {
  const lines = await linesBetween(system, before.heads, after.heads);
  const left = { heads: after.heads, lines, ...(await rowsOf(system, tables)) };
  const onLog = new Set(lines.filter(({ line }) => isAct(line)).map(({ line }) => nameOf(line)));
  const inRows = new Map(left.acts.map((act) => [act.ref, act]));
  const taken = left.acts.filter(({ outcome }) => outcome === 'taken');
  const lost = reviewers.done
    .map(({ ref }) => ref as string)
    .filter((ref) => !onLog.has(ref) || inRows.get(ref)?.outcome !== 'taken');
  const wrong = [
    ...missing('in the log and not in the rows', onLog, inRows),
    ...missing('in the rows and not in the log', inRows.keys(), onLog),
    ...left.acts
      .filter(({ ref }) => !reviewers.isTheirs(ref))
      .map(({ ref }) => `${ref} is in the rows, and nobody sent it`),
    ...reviewers.commands.flatMap((command) => answeredWrongly(command, inRows)),
    ...holdsOnLog(left.acts),
    ...holdsAsAnswered(reviewers.done),
    ...left.findings.flatMap((finding) => ruledWrongly(finding, left.acts, lines)),
    ...(await rebuiltOtherwise(system)),
    ...(await auditedOtherwise(system, left)),
  ];
  return {
    acknowledged: reviewers.done.length,
    lost,
    twice:
      left.acts.length -
      inRows.size +
      taken.length -
      new Set(taken.map(({ ref }) => keyIn(ref))).size,
    wrong,
    ruled: left.findings.filter(({ review, stands }) => review === 'ruled' && stands).length,
  };
}

async function rowsOf(
  system: System,
  tables: readonly string[],
): Promise<Pick<Left, 'acts' | 'findings'>> {
  const acts = await system.query<ActRow & { [column: string]: unknown }>(
    `select ref, finding, type, "by", (extract(epoch from "at") * 1000)::float8 as at, data, outcome
     from rows.review_event where "table" = any ($1) order by partition, "offset", line`,
    [tables],
  );
  const findings = await system.query<FindingRow & { [column: string]: unknown }>(
    `select id, "table", code, severity, impact_amount::float8 as amount,
       impact_currency as currency, review, disposition, proposed_by as "proposedBy",
       signed_by as "signedBy", ruling, evidence, regressed, touched,
       withdrawn_because is null as stands, escalated, people, lines
     from rows.finding where "table" = any ($1) order by id`,
    [tables],
  );
  return { acts, findings };
}

const missing = (
  what: string,
  names: Iterable<string>,
  among: { has(name: string): boolean },
): string[] => [...names].filter((name) => !among.has(name)).map((name) => `${name} is ${what}`);

/** Returns how the answer to a command differs from what the rows have of it. */
function answeredWrongly(
  { who, name, key, finding, status, problems }: Command,
  acts: ReadonlyMap<string, ActRow>,
): string[] {
  if (status === 200 || finding === undefined) return [];
  const act = acts.get(`person/${who}#${name}/${finding}/${key}`);
  return act === undefined || problems.includes(act.outcome)
    ? []
    : [`${act.ref} was answered ${problems.join(' and ')}, and is ${act.outcome}`];
}

/** Returns where somebody took a finding that another held, by the times of the acts. */
function holdsOnLog(acts: readonly ActRow[]): string[] {
  const held = new Map<string, { readonly by: string; readonly until: number }>();
  const wrong: string[] = [];
  for (const { ref, finding, type, by, at, data, outcome } of acts) {
    if (outcome !== 'taken') continue;
    const hold = held.get(finding);
    if (hold && hold.by !== by && hold.until > at)
      wrong.push(`${ref}: ${hold.by} holds ${finding} until ${hold.until}, and this is at ${at}`);
    if (type === 'finding-claimed')
      held.set(finding, { by, until: at + (data.lease as number) * 1000 });
    else held.delete(finding);
  }
  return wrong;
}

/**
 * Returns where two held a finding at the same time, as far as they know it: from the answer to a
 * claim until the next command of the same person about it was sent.
 */
function holdsAsAnswered(done: readonly Command[]): string[] {
  const ofFinding = new Map<string, Command[]>();
  for (const command of done) {
    const finding = command.finding as string;
    ofFinding.set(finding, [...(ofFinding.get(finding) ?? []), command]);
  }
  return [...ofFinding].flatMap(([finding, commands]) => {
    const holds = commands
      .filter(({ name }) => name === 'claim' || name === 'take-next')
      .map(({ who, asked, answered }) => {
        const next = commands.find((other) => other.who === who && other.asked > asked);
        return { who, from: answered, to: next?.asked ?? Infinity };
      });
    return holds.flatMap((one, at) =>
      holds
        .slice(at + 1)
        .filter(({ who, from, to }) => who !== one.who && from < one.to && one.from < to)
        .map(({ who }) => `${finding} was held by ${one.who} and by ${who} at the same time`),
    );
  });
}

/** Returns what is wrong with who ruled on a finding. */
function ruledWrongly(
  finding: FindingRow,
  acts: readonly ActRow[],
  lines: readonly Placed[],
): string[] {
  const { id, review, ruling, proposedBy, signedBy, people } = finding;
  if (review !== 'ruled') return ruling === null ? [] : [`${id} has a ruling and is ${review}`];
  const last = acts.findLast(
    (act) =>
      act.finding === id && act.type === 'finding-ruling-proposed' && act.outcome === 'taken',
  );
  const proposal = JSON.parse(
    lines.find(({ line }) => nameOf(line) === last?.ref)?.line ?? '{}',
  ) as EventOf<'finding-ruling-proposed'>;
  const item = { ...finding, amount: finding.amount ?? 0 };
  const policy = (ref: string) => BOOK.policies.get(ref) as Policy;
  const isByTwo = needsTwo(item, proposal, { policy });
  const wrong: string[] = [];
  if (last?.by !== proposedBy) wrong.push(`${id} was proposed by ${last?.by}, not ${proposedBy}`);
  if (signedBy === proposedBy) wrong.push(`${id} was proposed and signed by ${signedBy}`);
  if (isByTwo !== (signedBy !== null))
    wrong.push(`${id} needs two: ${isByTwo}; signed: ${signedBy}`);
  for (const who of [proposedBy, signedBy])
    if (who !== null && people.includes(who)) wrong.push(`${who} ruled on ${id} and is involved`);
  return wrong;
}

/** Rebuilds the rows, and returns what the command says if it finds a difference. */
async function rebuiltOtherwise(system: System): Promise<string[]> {
  const rebuilding = Started.shoeprint(['rebuild', 'rows'], system.settings());
  const code = await rebuilding.ended;
  return code === 0 ? [] : [`rebuild rows ended with ${code}: ${rebuilding.said.slice(-2_000)}`];
}

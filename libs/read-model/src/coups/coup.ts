import type { RuleBook, Unjudgeable } from '#audit';
import { SHOE, type CoupCommission, type CoupDetail, type ShoeRow } from '../entities/index.js';
import {
  FINDING_SELECT,
  findingLine,
  type FindingLine,
  type FindingRead,
} from '../findings/findings.js';
import { type AtTable, onlyOne } from '../reading/one-opening.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';
import { COUP_SELECT, coupLine, type CoupLine, type CoupRead } from './coups.js';
import { faultOf, type CardFault } from './fault.js';
import { judgedBets, type JudgedBet } from './lawful.js';
import { stepsOf, type CoupStep, type Steps } from './steps.js';

/**
 * Thrown if a shoe's rule document is not installed. Without the rules, the coup cannot be shown
 * with what was due.
 */
export class RulesNotInstalled extends Error {
  override readonly name = 'RulesNotInstalled';

  constructor(readonly rules: string) {
    super(`rule document ${rules} is not installed`);
  }
}

const OF_SHOE = ['rules', 'decks', 'currency'] as const;
type OfShoe = Pick<ShoeRow, (typeof OF_SHOE)[number]>;

/**
 * A coup with all its details, and the rules of its shoe. Amounts are in minor units of `currency`.
 */
export interface CoupWhole extends CoupLine, Omit<Steps, 'steps'>, OfShoe {
  /** Who was on duty in it as caller, in order. `dealer` is the last dealer. */
  readonly callers: CoupDetail['callers'];
  /** Each with the ids of the standing findings that name its card. */
  readonly steps: readonly (CoupStep & { readonly findings: readonly string[] })[];
  readonly bettingClosed: CoupDetail['bettingClosed'];
  readonly declared: CoupDetail['declared'];
  readonly bets: readonly JudgedBet[];
  /** Each seat's commission of this coup. */
  readonly commission: readonly CoupCommission[];
  /**
   * First the standing findings, the gravest first, then the withdrawn ones. `CoupLine.findings`
   * counts the standing ones.
   */
  readonly raised: readonly FindingOfCoup[];
  readonly unjudgeable: readonly Unjudgeable[];
}

/** A finding about a coup, and where its fault lies among the cards of the coup. */
export interface FindingOfCoup extends FindingLine {
  /** Null if no single card is wrong, and if the finding is withdrawn. */
  readonly fault: CardFault | null;
}

/**
 * Returns a coup by the reference of its opening, with its cards in order and what was due at each.
 * Returns undefined if it does not exist or its table is not in the scope. Throws `SeveralTables`
 * if `at` leaves more than one, and `RulesNotInstalled` if `book` does not have the rules of its
 * shoe.
 */
export async function coup(
  read: Snapshot,
  ref: string,
  book: RuleBook,
  at: AtTable = {},
): Promise<CoupWhole | undefined> {
  const where = new Where().named('c.ref = ?', ref).filter('c', at, 'null');
  const found = await read.rows<CoupRead & OfShoe>(
    `select ${COUP_SELECT}, ${SHOE.select('s', OF_SHOE)} from coup c join shoe s on s.ref = c.shoe_ref and s."table" = c."table" ${where.sql} limit 2`,
    where.parameters,
  );
  const row = onlyOne(found);
  if (!row) return undefined;
  const { rules, decks, currency, ...line } = row;
  const document = book.get(rules);
  if (!document) throw new RulesNotInstalled(rules);
  const raised = await findingsAbout(read, row);
  const { callers, cards, bettingClosed, declared, commission } = row.detail;
  const judged = stepsOf(cards, document);
  const { steps, then, thenCell } = judged;
  return {
    ...coupLine(line),
    rules,
    decks,
    currency,
    callers,
    steps: steps.map((step) => ({ ...step, findings: naming(step.ref, raised) })),
    then,
    thenCell,
    bettingClosed,
    declared,
    bets: judgedBets(row.detail, { ...line, then }, document),
    commission,
    raised: raised.map((finding) => ({
      ...findingLine(finding, at.viewer),
      fault: finding.withdrawnBecause === null ? faultOf(finding.body, judged) : null,
    })),
    unjudgeable: await doubtsAbout(read, row),
  };
}

/** Returns the ids of the standing findings that name an event. */
const naming = (ref: string, raised: readonly FindingRead[]): string[] =>
  raised
    .filter(({ body, withdrawnBecause }) => withdrawnBecause === null && body.events.includes(ref))
    .map(({ body }) => body.id);

function findingsAbout(read: Snapshot, { ref, table }: CoupRead): Promise<FindingRead[]> {
  return read.rows<FindingRead>(
    `select ${FINDING_SELECT} from finding f where f.coup_ref = $1 and f."table" = $2 order by f.withdrawn_because is not null, f.severity, f.code, f.id`,
    [ref, table],
  );
}

async function doubtsAbout(
  read: Snapshot,
  { shoeRef, table, ref }: CoupRead,
): Promise<Unjudgeable[]> {
  const doubts = await read.rows<{ readonly body: Unjudgeable }>(
    'select u.body from unjudgeable u where u.shoe_ref = $1 and u."table" = $2 and u.coup_ref = $3 order by u.key',
    [shoeRef, table, ref],
  );
  return doubts.map(({ body }) => body);
}

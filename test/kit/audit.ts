import assert from 'node:assert/strict';
import {
  blockOf,
  canonicalLine,
  Decoder,
  endOfLog,
  fold,
  newTable,
  rowsOf,
  takeChanges,
  type AnyEvent,
  type AuditedCoup,
  type Finding,
  type LedgerLine,
  type Line,
  type RuleBook,
  type Rows,
  type TableState,
  type Unjudgeable,
} from '#audit';
import { BOOK, HOUSE } from './house.js';

/** One event as a sender writes it. */
export type Sent = Readonly<Record<string, unknown>>;

const decoder = new Decoder(HOUSE);

/** Decodes a sent event. Fails the test if it is malformed. */
export function decoded(sent: Sent | string): AnyEvent {
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  const result = decoder.decode(
    blockOf(bytes, isAscii ? text : bytes.toString('latin1')),
    0,
    bytes.length,
  );
  if (!result.event)
    throw new Error(`malformed: ${JSON.stringify(result.faults)} in ${JSON.stringify(sent)}`);
  return result.event;
}

/** Returns the canonical line of a sent event. */
function lineOf(sent: Sent | string): Line {
  const bytes = Buffer.from(canonicalLine(typeof sent === 'string' ? sent : JSON.stringify(sent)));
  return { decoder, block: blockOf(bytes, bytes.toString('latin1')), from: 0, to: bytes.length };
}

const isDecoded = (event: Sent | string | AnyEvent): event is AnyEvent =>
  typeof event === 'object' && 'digest' in event;

/** Returns a function that decodes each sent event once, for logs that have many in common. */
export function onceDecoded(): (sent: Sent) => AnyEvent {
  const known = new Map<Sent, AnyEvent>();
  return (sent) => {
    const event = known.get(sent) ?? decoded(sent);
    known.set(sent, event);
    return event;
  };
}

/** The result of folding a table's log to its end. */
export interface Audited {
  readonly state: TableState;
  readonly findings: readonly Finding[];
  /** In the order withdrawn; `because` is the reference of the event that did. */
  readonly withdrawn: readonly { readonly finding: Finding; readonly because: string }[];
  /** Findings that changed under their id, as they were after each change. */
  readonly amended: readonly Finding[];
  readonly unjudgeable: readonly Unjudgeable[];
  readonly ledger: readonly LedgerLine[];
  /** Every row of a coup that was over or void, as it was drawn after each event that changed it. */
  readonly coups: readonly AuditedCoup[];
}

/** Collects what is in force from the rows of a table, as every reader of them does. */
export class Standing implements Omit<Audited, 'state'> {
  private readonly found = new Map<string, Finding>();
  private readonly entries = new Map<string, Unjudgeable>();
  private readonly lines = new Map<string, LedgerLine>();
  readonly withdrawn: { readonly finding: Finding; readonly because: string }[] = [];
  readonly amended: Finding[] = [];
  readonly coups: AuditedCoup[] = [];

  take({ shoes, outside }: Rows): void {
    for (const shoe of shoes) {
      this.takeFindings(shoe.findings());
      for (const { key, entry } of shoe.unjudgeable())
        if (entry) this.entries.set(key, entry);
        else this.entries.delete(key);
      for (const [key, line] of this.lines) if (line.shoe === shoe.name) this.lines.delete(key);
      for (const line of shoe.ledger()) this.lines.set(`${line.shoe} ${line.seat}`, line);
      for (const { mark: _, ...coup } of shoe.coups())
        if (coup.state !== 'open') this.coups.push(coup);
    }
    this.takeFindings(outside);
  }

  private takeFindings(findings: Rows['outside']): void {
    for (const { finding, withdrawnBecause: because } of findings) {
      const known = this.found.get(finding.id);
      if (because !== null) {
        if (this.found.delete(finding.id)) this.withdrawn.push({ finding, because });
        continue;
      }
      if (known && JSON.stringify(known) !== JSON.stringify(finding)) this.amended.push(finding);
      this.found.set(finding.id, finding);
    }
  }

  get findings(): Finding[] {
    return [...this.found.values()];
  }
  get unjudgeable(): Unjudgeable[] {
    return [...this.entries.values()];
  }
  get ledger(): LedgerLine[] {
    return [...this.lines.values()];
  }
}

/** How to fold events. */
interface Folding {
  readonly book?: RuleBook;
  /** False leaves the log open. */
  readonly end?: boolean;
  /**
   * Draws the rows at the end only, which is faster for whole shoes. What was withdrawn or amended
   * before then is not collected.
   */
  readonly once?: boolean;
}

/**
 * Folds the events of one table, in the given order, to the end of the log. Unless rows are drawn
 * `once`, it also folds them as lines, so that the lane takes what it can, and fails the test if
 * the verdict differs.
 */
export function audit(
  events: readonly (Sent | string | AnyEvent)[],
  folding: Folding = {},
): Audited {
  const decodedEvents = events.map((event) => (isDecoded(event) ? event : decoded(event)));
  const table = decodedEvents[0]?.table ?? 'T1';
  const audited = folded(table, decodedEvents, folding);
  if (folding.once || events.every(isDecoded)) return audited;
  const lines = events.map((event) => (isDecoded(event) ? event : lineOf(event)));
  assert.deepStrictEqual(verdictOf(folded(table, lines, folding)), verdictOf(audited));
  return audited;
}

function folded(
  table: string,
  events: readonly (AnyEvent | Line)[],
  { book = BOOK, end = true, once = false }: Folding,
): Audited {
  const state = newTable(table);
  const standing = new Standing();
  for (const event of events) {
    fold(state, event, book);
    if (!once) standing.take(rowsOf(takeChanges(state)));
  }
  if (end) endOfLog(state, book);
  standing.take(rowsOf(takeChanges(state)));
  const { findings, withdrawn, amended, unjudgeable, ledger, coups } = standing;
  return { state, findings, withdrawn, amended, unjudgeable, ledger, coups };
}

const verdictOf = ({ state: _, ...verdict }: Audited): unknown => verdict;

/** Returns the codes of findings, sorted, one for each finding. */
export const codes = (findings: readonly Finding[]): string[] =>
  findings.map(({ code }) => code).sort();

import {
  blockOf,
  Decoder,
  endOfLog,
  fold,
  newTable,
  type AnyEvent,
  type Consequence,
  type Finding,
  type LedgerRow,
  type RuleBook,
  type TableState,
  type Unjudgeable,
} from '#audit';
import { BOOK, HOUSE } from './house.js';

/** One event as a sender writes it. */
export type Sent = Readonly<Record<string, unknown>>;

const decoder = new Decoder(HOUSE);

/** Decodes a sent event. Fails the test if it is malformed. */
export function decoded(sent: Sent | string): AnyEvent {
  const bytes = new TextEncoder().encode(typeof sent === 'string' ? sent : JSON.stringify(sent));
  const result = decoder.decode(
    blockOf(bytes, Buffer.from(bytes).toString('latin1')),
    0,
    bytes.length,
  );
  if (!result.event)
    throw new Error(`malformed: ${JSON.stringify(result.faults)} in ${JSON.stringify(sent)}`);
  return result.event;
}

/** The result of folding a table's log to its end. */
export interface Audited {
  readonly state: TableState;
  readonly findings: readonly Finding[];
  readonly unjudgeable: readonly Unjudgeable[];
  readonly ledger: readonly LedgerRow[];
  readonly consequences: readonly Consequence[];
}

/** Collects the findings in force from a stream of consequences, as every reader of them does. */
export class Standing {
  private readonly found = new Map<string, Finding>();
  private readonly doubts = new Map<string, Unjudgeable>();
  private readonly rows = new Map<string, LedgerRow>();
  readonly all: Consequence[] = [];

  take(consequences: readonly Consequence[]): void {
    for (const consequence of consequences) {
      this.all.push(consequence);
      switch (consequence.is) {
        case 'raised':
        case 'amended':
          this.found.set(consequence.finding.id, consequence.finding);
          break;
        case 'withdrawn':
          this.found.delete(consequence.finding.id);
          break;
        case 'unjudgeable':
          this.doubts.set(consequence.key, consequence.entry);
          break;
        case 'judgeable':
          this.doubts.delete(consequence.key);
          break;
        case 'ledger':
          this.rows.set(`${consequence.row.shoe} ${consequence.row.seat}`, consequence.row);
          break;
        case 'coup':
        case 'shoe':
          break;
      }
    }
  }

  get findings(): Finding[] {
    return [...this.found.values()];
  }
  get unjudgeable(): Unjudgeable[] {
    return [...this.doubts.values()];
  }
  get ledger(): LedgerRow[] {
    return [...this.rows.values()];
  }
}

/**
 * Folds the events of one table, in the given order, to the end of the log. `end: false` leaves the
 * log open.
 */
export function audit(
  events: readonly (Sent | string | AnyEvent)[],
  { book = BOOK, end = true }: { book?: RuleBook; end?: boolean } = {},
): Audited {
  const list = events.map((event) =>
    typeof event === 'object' && 'digest' in event ? (event as AnyEvent) : decoded(event),
  );
  const state = newTable(list[0]?.table ?? 'T1');
  const standing = new Standing();
  for (const event of list) standing.take(fold(state, event, book));
  if (end) standing.take(endOfLog(state, book));
  return {
    state,
    findings: standing.findings,
    unjudgeable: standing.unjudgeable,
    ledger: standing.ledger,
    consequences: standing.all,
  };
}

/** Returns the codes of findings, sorted, one for each finding. */
export const codes = (findings: readonly Finding[]): string[] =>
  findings.map(({ code }) => code).sort();

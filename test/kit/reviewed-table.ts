import {
  endOfLog,
  fold,
  newTable,
  takeChanges,
  type Basis,
  type EventData,
  type ReviewChange,
  type ReviewType,
  type TableState,
} from '#audit';
import { decoded, type Sent } from './audit.js';
import { BOOK } from './house.js';
import { TableLog } from './table.js';

type Data<T extends ReviewType> = Omit<EventData[T], 'as'>;

/** How an act is sent: in which role, how many seconds after the last event, under which key. */
export interface Sending {
  readonly as?: 'pit-boss' | 'surveillance' | 'compliance' | 'regulator';
  readonly after?: number;
  readonly key?: string;
}

/** A table whose game is played and whose findings are reviewed, event by event. */
export class ReviewedTable {
  readonly log: TableLog;
  state: TableState;
  /** Everything that was folded, in the order of the log. */
  readonly events: Sent[] = [];
  readonly changes: ReviewChange[] = [];
  /** What each finding was last said to rest on. */
  readonly bases = new Map<string, Basis>();
  private played = 0;
  private ms = 0;
  private keys = 0;

  constructor(table = 'T1') {
    this.log = new TableLog(table);
    this.state = newTable(table);
  }

  /** Folds what the table did. */
  play(what: (log: TableLog) => void): this {
    what(this.log);
    for (const event of this.log.events.slice(this.played)) this.take(event);
    this.played = this.log.events.length;
    return this;
  }

  /** Ends the log: no message that is still awaited comes. */
  end(): this {
    endOfLog(this.state, BOOK);
    this.changes.push(...takeChanges(this.state).reviews);
    return this;
  }

  /** Folds an event as it stands in the log. */
  take(event: Sent): void {
    this.events.push(event);
    this.ms = Math.max(this.ms, Date.parse(event.time as string));
    fold(this.state, decoded(event), BOOK, { mark: this.events.length, received: null });
    const { reviews, items } = takeChanges(this.state);
    this.changes.push(...reviews);
    for (const { item, basis } of items) if (basis) this.bases.set(item.id, basis);
  }

  /** Returns the id of the finding of a code; of the last one, if there are more. */
  finding(code: string): string {
    const found = [...this.state.desk.items.values()].findLast((item) => item.code === code);
    if (!found) throw new Error(`no finding ${code}`);
    return found.id;
  }

  /** Returns where the review of a finding stands. */
  item(code: string) {
    const item = this.state.desk.items.get(this.finding(code));
    if (!item) throw new Error(`no finding ${code}`);
    return item;
  }

  /** Folds what a person did about a finding, and returns what became of it. */
  act<T extends ReviewType>(
    who: string,
    type: T,
    data: Data<T>,
    { as = 'pit-boss', after = 1, key = `key-${(this.keys += 1)}` }: Sending = {},
  ): string {
    const verb = type.replace('finding-', '');
    this.take({
      specversion: '1.0',
      type: `shoeprint.${type}.v1`,
      source: `person/${who}`,
      id: `${verb}/${data.finding}/${key}`,
      time: new Date(this.ms + after * 1000).toISOString(),
      table: this.log.table,
      data: { ...data, as },
    });
    const told = this.changes.findLast((change) => change.is === 'reviewed');
    return told?.is === 'reviewed' ? told.outcome : 'unheard';
  }

  claim(who: string, code: string, sending?: Sending): string {
    return this.act(who, 'finding-claimed', { finding: this.finding(code), lease: 600 }, sending);
  }

  propose(
    who: string,
    code: string,
    data: Partial<Data<'finding-ruling-proposed'>> = {},
    sending?: Sending,
  ): string {
    const { evidence } = this.item(code);
    return this.act(
      who,
      'finding-ruling-proposed',
      {
        finding: this.finding(code),
        disposition: 'dealer-error-corrected',
        policy: 'review@1',
        evidence: evidence ?? '0'.repeat(64),
        ...data,
      },
      sending,
    );
  }

  /** Signs what is proposed, with the evidence of the proposal. */
  sign(who: string, code: string, sending?: Sending): string {
    const { proposal } = this.item(code);
    const { ref = 'person/nobody#nothing', evidence = '0'.repeat(64) } = proposal ?? {};
    const data = { proposal: ref, evidence };
    return this.act(
      who,
      'finding-ruling-signed',
      { finding: this.finding(code), ...data },
      sending,
    );
  }

  /** Returns what the game did to reviews, in order. */
  turns(): string[] {
    return this.changes.flatMap((change) => (change.is === 'turned' ? [change.turn] : []));
  }
}

/** Opens a shoe with dora dealing, and plays a coup in which the banker draws on 6 against an 8. */
export function faultyCoup(log: TableLog, number = 1): void {
  log.add('terminal', 'coup-opened', { coup: number });
  log.add('terminal', 'bet-placed', { seat: 1, bet: 'banker', amount: 10_000 });
  log.add('terminal', 'betting-closed');
  log.draw('P 9S B KH P 4D B 6S P 5C B 2D');
  log.add('terminal', 'outcome-declared', { outcome: 'tie', by: 'dealer' });
  log.add('terminal', 'bet-settled', { seat: 1, bet: 'banker', stake: 'returned', paid: 0 });
  log.add('terminal', 'coup-closed');
}

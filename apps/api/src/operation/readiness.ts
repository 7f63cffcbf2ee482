import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventLog } from '#event-log';
import { within } from '#process';
import { KeyCopy, type KeyCopyState } from '../identity/keys/key-copy.js';
import { Beside } from '../settings/tokens.js';
import { ANSWER_MS_MAX, DatabaseWatch, type Need, reason } from './database-watch.js';

/** Whether requests can be served, and the state of the log and the database. */
export interface Readiness {
  readonly ready: boolean;
  readonly log: Need & { readonly powerSafe: boolean; readonly queuedBytes?: number };
  readonly database: Need;
  /** The copy of the device keys, with which events are taken while the database is away. */
  readonly keys: KeyCopyState;
  /**
   * Whether the auditor and the sealer do their work, where they run in this process. They have no
   * part in `ready`, because events are recorded without them.
   */
  readonly judging?: Need;
  readonly sealing?: Need;
}

/** Asks whether requests can be served now. The lag of the rows does not count. */
export class AskReadiness extends Query<Readiness> {}

/** Checks that the log and the database answer in time, and that the api's tables exist. */
@QueryHandler(AskReadiness)
export class AskReadinessHandler implements IQueryHandler<AskReadiness> {
  constructor(
    private readonly eventLog: EventLog,
    private readonly database: DatabaseWatch,
    private readonly keys: KeyCopy,
    private readonly beside: Beside,
  ) {}

  async execute(): Promise<Readiness> {
    const [log, database] = await Promise.all([this.logHealth(), this.database.look()]);
    const ready = log.ok && database.ok;
    const { parts } = this.beside;
    return {
      ...{ ready, log, database, keys: this.keys.state },
      ...(parts && { judging: needOf(parts.judging()), sealing: needOf(parts.sealing()) }),
    };
  }

  private async logHealth(): Promise<Readiness['log']> {
    try {
      const { takesRecords, powerSafe, notes, queuedBytes } = await within(
        ANSWER_MS_MAX,
        this.eventLog.health(),
      );
      return { ok: takesRecords, powerSafe, notes, queuedBytes };
    } catch (error) {
      return { ok: false, powerSafe: false, notes: [reason(error)] };
    }
  }
}

const needOf = (notes: readonly string[]): Need => ({ ok: notes.length === 0, notes });

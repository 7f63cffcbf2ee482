import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { EventLog } from '#event-log';
import { TimedOut, within } from '#process';
import { ROWS } from '../settings/tokens.js';

/** Whether the log or the database can be used, and notes about what is wrong. */
export interface Need {
  readonly ok: boolean;
  readonly notes: readonly string[];
}

/** Whether requests can be served, and the state of the log and the database. */
export interface Readiness {
  readonly ready: boolean;
  readonly log: Need & { readonly powerSafe: boolean; readonly queuedBytes?: number };
  readonly database: Need;
}

/** Asks whether requests can be served now. The lag of the rows does not count. */
export class AskReadiness extends Query<Readiness> {}

/** What has not answered within this time is out of reach. */
const ANSWER_MS_MAX = 2000;

/** Tables that the api cannot do without. */
const TABLES = ['rows.position', 'access.account', 'access.device_key'];

/** Checks that the log and the database answer in time, and that the api's tables exist. */
@QueryHandler(AskReadiness)
export class AskReadinessHandler implements IQueryHandler<AskReadiness> {
  constructor(
    private readonly eventLog: EventLog,
    @InjectDataSource(ROWS) private readonly rows: DataSource,
  ) {}

  async execute(): Promise<Readiness> {
    const [log, database] = await Promise.all([this.logHealth(), this.databaseHealth()]);
    return { ready: log.ok && database.ok, log, database };
  }

  private async logHealth(): Promise<Readiness['log']> {
    try {
      const { reachable, powerSafe, notes, queuedBytes } = await within(
        ANSWER_MS_MAX,
        this.eventLog.health(),
      );
      return {
        ok: reachable,
        powerSafe,
        notes:
          powerSafe || notes.some((note) => note.includes('not power-safe'))
            ? notes
            : ['not power-safe', ...notes],
        queuedBytes,
      };
    } catch (error) {
      return { ok: false, powerSafe: false, notes: [reason(error)] };
    }
  }

  private async databaseHealth(): Promise<Need> {
    try {
      const found = await within(
        ANSWER_MS_MAX,
        this.rows.query<{ name: string; there: boolean }[]>(
          'select name, to_regclass(name) is not null as there from unnest($1::text[]) as name',
          [TABLES],
        ),
      );
      const gone = found
        .filter(({ there }) => !there)
        .map(({ name }) => `the table ${name} is not there`);
      return { ok: gone.length === 0, notes: gone };
    } catch (error) {
      return { ok: false, notes: [reason(error)] };
    }
  }
}

/**
 * Returns the code of an error if it has one. A message may name an address or a user, and anybody
 * may ask here.
 */
const reason = (error: unknown): string => {
  const { code, message } = error as Error & { readonly code?: string };
  return code ?? (error instanceof TimedOut ? message : 'does not answer');
};

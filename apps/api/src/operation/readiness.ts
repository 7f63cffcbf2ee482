import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { EventLog } from '#event-log';
import { TimedOut, within } from '#process';
import { ROWS } from '../settings/tokens.js';

/** How one thing that the api needs does. */
export interface Need {
  readonly ok: boolean;
  readonly notes: readonly string[];
}

export interface Readiness {
  readonly ready: boolean;
  readonly log: Need & { readonly powerSafe: boolean; readonly queuedBytes?: number };
  readonly database: Need;
}

/** Whether requests can be served now. How far the rows lag behind the log has no part in it. */
export class AskReadiness extends Query<Readiness> {}

/** Whatever has not answered in this time is out of reach. */
const ANSWER_MS_MAX = 2000;

/** What the api reads and writes; without one of these it serves nothing. */
const TABLES = ['rows.position', 'access.account', 'access.device_key'];

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

/** The error's own code where it has one: its message may name an address or a user, and anybody may ask here. */
const reason = (error: unknown): string => {
  const { code, message } = error as Error & { readonly code?: string };
  return code ?? (error instanceof TimedOut ? message : 'does not answer');
};

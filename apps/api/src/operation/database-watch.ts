import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { TimedOut, within } from '#process';
import { FOLLOWED, ROWS } from '../settings/tokens.js';
import { Metrics } from './metrics.js';

/** Whether the log or the database can be used, and notes about what is wrong. */
export interface Need {
  readonly ok: boolean;
  readonly notes: readonly string[];
}

/** What has not answered within this time is out of reach. */
export const ANSWER_MS_MAX = 2000;
/** How often the metric and the log follow the database. */
const LOOK_MS = 2000;

/** Tables that the api cannot do without. */
const TABLES = ['rows.position', 'access.account', 'access.device_key'];

/**
 * Looks whether the database answers, through every pool that requests use: a pool whose
 * connections are lost does not show on another. A metric and a log line follow it.
 */
@Injectable()
export class DatabaseWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('database');
  private readonly reachable: Gauge;
  private readonly pools: readonly DataSource[];
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<Need> | undefined;
  private isAway = false;
  private isClosing = false;

  constructor(
    access: DataSource,
    @InjectDataSource(ROWS) rows: DataSource,
    @InjectDataSource(FOLLOWED) followed: DataSource,
    { registry }: Metrics,
  ) {
    this.pools = [access, rows, followed];
    this.reachable = new Gauge({
      name: 'shoeprint_database_reachable',
      help: 'Whether the database answers on every pool of the api: 1 or 0.',
      registers: [registry],
    });
    this.reachable.set(1);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
  }

  onModuleDestroy(): void {
    this.isClosing = true;
    clearInterval(this.timer);
  }

  /**
   * Returns whether the database answers and has the api's tables. Everybody who asks while a look
   * is under way gets its result.
   */
  look(): Promise<Need> {
    this.looking ??= this.ask()
      .then((found) => this.follow(found))
      .finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async ask(): Promise<Need> {
    const answers = await Promise.all(this.pools.map((pool) => ofPool(pool)));
    const notes = [...new Set(answers.flatMap((answer) => answer.notes))];
    return { ok: answers.every(({ ok }) => ok), notes };
  }

  private follow(found: Need): Need {
    const isAway = !found.ok;
    if (this.isClosing || isAway === this.isAway) return found;
    this.isAway = isAway;
    this.reachable.set(isAway ? 0 : 1);
    if (isAway) this.logger.warn({ message: 'database unavailable', notes: found.notes });
    else this.logger.log({ message: 'database available again' });
    return found;
  }
}

async function ofPool(pool: DataSource): Promise<Need> {
  try {
    const found = await within(
      ANSWER_MS_MAX,
      pool.query<{ name: string; there: boolean }[]>(
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

/**
 * Returns the code of an error if it has one. A message may name an address or a user, and anybody
 * may ask for readiness.
 */
export const reason = (error: unknown): string => {
  const { code, message } = error as Error & { readonly code?: string };
  return code ?? (error instanceof TimedOut ? message : 'does not answer');
};

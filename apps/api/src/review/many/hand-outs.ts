import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { errorCode } from '#process';
import {
  claimReference,
  nextInQueue,
  quotedSchema,
  ROWS_SCHEMA,
  type FindingsFilter,
} from '#read-model';
import { Problem } from '../../problems/problems.js';
import { ROWS } from '../../settings/tokens.js';

/** For how long a finding is kept for the person whom it was handed to and who claims it. */
const HELD_S = 60;
/** How often a statement is repeated in which others were faster. */
const TRIES_MAX = 50;
/** A number of our own, which no other advisory lock of the database uses. */
const LOCKS = 720_311;
const UNIQUE_VIOLATION = '23505';

/** Who takes a finding next, under which key. */
export interface TakingNext {
  readonly who: string;
  readonly key: string;
}

/**
 * Returns the condition that the rows have the claim that a finding was handed out for. Then they
 * say who holds it, and its hand-out counts for nothing, even if nobody ended it.
 */
const isClaimed = (handOut: string): string => {
  const [finding, key] = [`${handOut}.finding`, `${handOut}.key`];
  const claim = claimReference({ source: `'person/' || ${handOut}.who`, finding, key });
  return `exists (select from review_event e where e.finding = ${finding} and e.ref = ${claim})`;
};

/**
 * Hands out findings to people who ask for the next one, each to one person at a time. It is a hint
 * that saves refusals: the fold decides who holds a finding.
 */
@Injectable()
export class HandOuts {
  constructor(@InjectDataSource(ROWS) private readonly rows: DataSource) {}

  /** Returns the finding that is handed out to a person under a key, if there is one. */
  async handed({ who, key }: TakingNext): Promise<string | undefined> {
    const [row] = await this.rows.query<{ finding: string }[]>(
      `with late as (
         delete from access.hand_out where who = $1 and key = $2 and until < now())
       select finding from access.hand_out where who = $1 and key = $2 and until >= now()`,
      [who, key],
    );
    return row?.finding;
  }

  /**
   * Hands out the worst and oldest finding that fits, or returns undefined if there is none. Throws
   * `queue-contended` if others are faster time and again.
   */
  async next(filter: FindingsFilter, taker: TakingNext): Promise<string | undefined> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const { candidates, finding } = await this.take(filter, taker);
      if (finding !== null) return finding;
      if (Number(candidates) === 0) return undefined;
    }
    throw contended();
  }

  /** Keeps a finding that was handed out for this much longer, until the rows have its claim. */
  async keep(finding: string, { who, key }: TakingNext, seconds: number): Promise<void> {
    await this.rows.query(
      `update access.hand_out set until = now() + make_interval(secs => $4)
       where finding = $1 and who = $2 and key = $3`,
      [finding, who, key, seconds],
    );
  }

  /**
   * Forgets that a finding was handed out, unless it was handed to somebody else since, and what
   * was not claimed long ago.
   */
  async end(finding: string, { who, key }: TakingNext): Promise<void> {
    await this.rows.query(
      `delete from access.hand_out
       where finding = $1 and who = $2 and key = $3 or until < now() - interval '1 hour'`,
      [finding, who, key],
    );
  }

  /**
   * Picks the first of the findings that nobody else is just picking, and inserts it. Each
   * statement has a lock until its end, so many who ask at once each try another finding.
   */
  private async take(
    filter: FindingsFilter,
    { who, key }: TakingNext,
  ): Promise<{ candidates: string; finding: string | null }> {
    const handedOut = `select h.finding from access.hand_out h
      where h.until > now() and not ${isClaimed('h')}`;
    const [sql, parameters = []] = nextInQueue(filter, who, handedOut);
    const first = parameters.length + 1;
    try {
      return await this.rows.transaction(async (manager) => {
        await manager.query(`set local search_path to ${quotedSchema(ROWS_SCHEMA)}`);
        const [row] = await manager.query<[{ candidates: string; finding: string | null }]>(
          `with worst as materialized (${sql}),
           free as materialized (
             select id from worst where pg_try_advisory_xact_lock(${LOCKS}, hashtext(id)) limit 1),
           handed as (
             insert into access.hand_out (finding, who, key, until)
             select id, $${first}, $${first + 1}, now() + interval '${HELD_S} seconds' from free
             on conflict (finding) do update
             set who = excluded.who, key = excluded.key, until = excluded.until
             where hand_out.until < now() or ${isClaimed('hand_out')}
             returning finding)
           select (select count(*) from worst) as candidates, (select finding from handed) as finding`,
          [...parameters, who, key],
        );
        return row;
      });
    } catch (error) {
      // the same command runs in another api, and was faster
      if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
      return { candidates: '1', finding: (await this.handed({ who, key })) ?? null };
    }
  }
}

/** Returns the problem of somebody before whom others took everything. */
export const contended = (): Problem =>
  new Problem('queue-contended', undefined, { headers: { 'Retry-After': '1' } });

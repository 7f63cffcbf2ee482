import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ExportAsked, ExportStep, MadePackage } from '#export';
import { DataSource, type EntityManager } from 'typeorm';

/** The states of an export. `gone`: its package was removed, by somebody or by age. */
export const EXPORT_STATES = ['waiting', 'making', 'made', 'failed', 'gone'] as const;
type ExportState = (typeof EXPORT_STATES)[number];

/** Who asked for a package, for whom and why. */
export interface ExportOrder {
  /** The source of what the person does: `person/…`. */
  readonly askedBy: string;
  /** The value of `Idempotency-Key`. */
  readonly key: string;
  readonly purpose: string;
  readonly recipient: string;
  readonly asked: ExportAsked;
}

/** An export: a row of `access.export`. */
export interface ExportJob extends ExportOrder {
  readonly id: string;
  readonly askedAt: Date;
  readonly state: ExportState;
  /** While it is made. `recording`: it is made, and the record of the house does not say so yet. */
  readonly step: ExportStep | 'recording' | null;
  /** How much of the step is done, from 0 to 1, if known. */
  readonly share: number | null;
  /** How often a process that made it died. */
  readonly deaths: number;
  readonly made: MadePackage | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly endedAt: Date | null;
}

/** Thrown for an export that this process no longer makes. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

/** Why an export failed: a stable name of the reason, and a sentence. */
export interface ExportFailure {
  readonly code: string;
  readonly detail: string;
}

/** How an export ended. */
export type ExportEnd = { readonly made: MadePackage } | ExportFailure;

/** How long a process keeps an export without a heartbeat. */
const HELD_MS = 30_000;
/** The most exports that a list shows, the latest first. */
const EXPORTS_SHOWN = 200;
/** How long an export is kept that failed, or whose package is gone. */
const KEPT_DAYS = 90;

const COLUMNS = `e.id, e.asked_by as "askedBy", e.key, e.asked_at as "askedAt", e.asked,
  e.purpose, e.recipient, e.share, e.tries as deaths, e.made, e.code, e.detail, e.ended_at as "endedAt",
  case when o.id is null then e.state else 'making' end as state,
  case when o.id is null then e.step else 'recording' end as step`;
const FROM = 'access.export e left join access.outbox o on o.id = e.note';

/** The exports in the database, which every api of the house works on. */
@Injectable()
export class ExportJobs {
  constructor(private readonly source: DataSource) {}

  /** Returns an export that the sender may see: of all tables, or of some. */
  async find(id: string, tables: readonly string[] | undefined): Promise<ExportJob | undefined> {
    const [job] = await this.source.query<ExportJob[]>(
      `select ${COLUMNS} from ${FROM}
       where e.id::text = $1 and ($2::text[] is null or e."table" = any($2))`,
      [id, tables ?? null],
    );
    return job;
  }

  /** Returns what a person asked for under a key. */
  async under({ askedBy, key }: Pick<ExportOrder, 'askedBy' | 'key'>) {
    const [job] = await this.source.query<ExportJob[]>(
      `select ${COLUMNS} from ${FROM} where e.asked_by = $1 and e.key = $2`,
      [askedBy, key],
    );
    return job;
  }

  /** Returns the latest exports that the sender may see. */
  list(tables: readonly string[] | undefined): Promise<ExportJob[]> {
    return this.source.query<ExportJob[]>(
      `select ${COLUMNS} from ${FROM} where $1::text[] is null or e."table" = any($1)
       order by e.place desc limit ${EXPORTS_SHOWN}`,
      [tables ?? null],
    );
  }

  /** Returns how many exports wait or are made, in all and for a person. */
  async unfinished(askedBy: string): Promise<{ readonly all: number; readonly own: number }> {
    const [row] = await this.source.query<[{ all: string; own: string }]>(
      `select count(*) as all, count(*) filter (where asked_by = $1) as own
       from access.export where state in ('waiting', 'making')`,
      [askedBy],
    );
    return { all: Number(row.all), own: Number(row.own) };
  }

  /** Adds an export and returns its id; undefined if the person has one under this key. */
  async add(manager: EntityManager, order: ExportOrder): Promise<string | undefined> {
    const id = randomUUID();
    const { askedBy, key, purpose, recipient, asked } = order;
    const [row] = await manager.query<{ id: string }[]>(
      `insert into access.export (id, asked_by, key, "table", asked, purpose, recipient)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (asked_by, key) do nothing returning id`,
      [id, askedBy, key, asked.scope.table ?? null, JSON.stringify(asked), purpose, recipient],
    );
    return row?.id;
  }

  /**
   * Takes the oldest export that nobody makes; undefined if there is none. If the lease of the
   * process that made it ran out, that process counts as dead.
   */
  async take(runner: string): Promise<ExportJob | undefined> {
    const [[taken]] = await this.source.query<[{ id: string }[], number]>(
      `with next as (
         select id from access.export
         where state = 'waiting' or (state = 'making' and held_until < now())
         order by place limit 1 for update skip locked)
       update access.export e
       set state = 'making', runner = $1, step = 'sealing', share = null,
         tries = e.tries + (e.state = 'making')::int,
         held_until = now() + ${HELD_MS} * interval '1 millisecond'
       from next where e.id = next.id returning e.id`,
      [runner],
    );
    return taken && this.find(taken.id, undefined);
  }

  /** Shows progress. Returns false if the export was removed, or another process makes it. */
  async beat(
    id: string,
    runner: string,
    { step, share }: { readonly step: ExportStep; readonly share: number | undefined },
  ): Promise<boolean> {
    const [, count] = await this.source.query<[unknown, number]>(
      `update access.export
       set step = $3, share = $4, held_until = now() + ${HELD_MS} * interval '1 millisecond'
       where id = $1 and runner = $2 and state = 'making'`,
      [id, runner, step, share ?? null],
    );
    return count > 0;
  }

  /**
   * Lets any process make an export again, unless it ended or another process has it. `died`:
   * whether its process died, which is counted.
   */
  async giveBack(id: string, runner: string, died: boolean): Promise<void> {
    await this.source.query(
      `update access.export
       set state = 'waiting', runner = null, held_until = null, step = null,
         tries = tries + $3
       where id = $1 and runner = $2 and state = 'making'`,
      [id, runner, died ? 1 : 0],
    );
  }

  /**
   * Keeps how an export ended, under the note that records it. Throws `NotOurs` if it was removed,
   * or another process makes it.
   */
  async end(
    manager: EntityManager,
    job: { readonly id: string; readonly runner: string; readonly note: string },
    end: ExportEnd,
  ): Promise<void> {
    const isMade = 'made' in end;
    const [, count] = await manager.query<[unknown, number]>(
      `update access.export
       set state = $3, made = $4, code = $5, detail = $6, note = $7, ended_at = now(),
         step = null, share = null, runner = null, held_until = null
       where id = $1 and runner = $2 and state = 'making'`,
      [
        ...[job.id, job.runner, isMade ? 'made' : 'failed'],
        ...(isMade ? [JSON.stringify(end.made), null, null] : [null, end.code, end.detail]),
        job.note,
      ],
    );
    if (count === 0) throw new NotOurs(`export ${job.id} was removed, or another process makes it`);
  }

  /**
   * Ends an export for ever: one that is made is removed, one that waits or is made is ended.
   * Returns false if it was gone before.
   */
  async remove(manager: EntityManager, id: string): Promise<boolean> {
    const [, count] = await manager.query<[unknown, number]>(
      `update access.export
       set state = 'gone', runner = null, step = null, ended_at = coalesce(ended_at, now())
       where id = $1 and state <> 'gone'`,
      [id],
    );
    return count > 0;
  }

  /** Returns the size of the checkpoint that a recipient was given last. */
  async lastGivenTo(recipient: string): Promise<number | undefined> {
    const [row] = await this.source.query<{ checkpoint: number }[]>(
      `select (made->>'checkpoint')::bigint::float8 as checkpoint from access.export
       where recipient = $1 and made is not null order by ended_at desc limit 1`,
      [recipient],
    );
    return row?.checkpoint;
  }

  /**
   * Ends packages that are older than so many hours, and the oldest that are beyond so many bytes
   * in all, and returns their exports. Forgets what ended long ago.
   */
  async expire(hours: number, bytes: number): Promise<string[]> {
    const [expired] = await this.source.query<[{ id: string }[], number]>(
      `update access.export e set state = 'gone' from (
         select id, sum((made->>'size')::numeric) over (order by ended_at desc, place desc) as upto
         from access.export where state = 'made') made
       where e.id = made.id
         and (e.ended_at < now() - $1 * interval '1 hour' or made.upto > $2)
       returning e.id::text as id`,
      [hours, bytes],
    );
    await this.source.query(
      `delete from access.export
       where state in ('failed', 'gone') and ended_at < now() - ${KEPT_DAYS} * interval '1 day'`,
    );
    return expired.map(({ id }) => id);
  }

  /** Returns which of these exports need their files: they are made, or somebody makes them. */
  async needed(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.source.query<{ id: string }[]>(
      `select id::text as id from access.export
       where id::text = any($1) and state in ('making', 'made')`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }
}

import { randomUUID } from 'node:crypto';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { canonicalLine, fullName, HOUSE_TABLE, stamped } from '#audit';
import { EventLog, partitionOf } from '#event-log';
import { asError, within } from '#process';
import { Gauge } from 'prom-client';
import { DataSource, type EntityManager } from 'typeorm';
import { Metrics } from '../operation/metrics.js';
import { type Act, SERVER } from './acts.js';

/** How long an answer waits until its notes are on the log. */
const ANSWER_MS_MAX = 2_000;
/** How often notes are looked for that are due later or that another process left behind. */
const LOOK_MS = 1_000;
/** Notes of other processes are left to them for this long. */
const OTHERS_S = 5;
/** How long a process has notes to itself. An append that takes longer may come twice. */
const HELD_S = 30;
/** The most notes of one append. */
const NOTES_MAX = 100;

/** An act that is in the database and not yet on the log: a row of `access.outbox`. */
interface Note {
  readonly id: string;
  readonly type: Act['type'] | 'finding-viewed';
  readonly by: string;
  readonly at: Date;
  readonly data: object;
  /** How often it was done, if it is counted. */
  readonly count: number;
  /** The table of an act on a finding, under which id it stands there, and who sent it. */
  readonly table: string | null;
  readonly eventId: string | null;
  readonly receivedFrom: string | null;
}

/** An act in the house, without what only acts at a table have. */
export type HouseNote = Pick<Note, 'id' | 'type' | 'by' | 'at' | 'data' | 'count'>;

/** A look at a finding, which stands at the finding's table under an id of its own. */
export interface FindingLook {
  readonly by: string;
  readonly eventId: string;
  readonly table: string;
  readonly receivedFrom: string;
  readonly data: object;
}

/**
 * Brings notes from the database to the log, each at least once and under one id. They are acts in
 * the house and looks at findings.
 */
@Injectable()
export class HouseOutbox implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('house');
  private readonly waiting: Gauge;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isAway = false;

  constructor(
    private readonly source: DataSource,
    private readonly log: EventLog,
    { registry }: Metrics,
  ) {
    this.waiting = new Gauge({
      name: 'shoeprint_house_events_waiting',
      help: 'Acts in the house and looks at findings that are in the database and not yet on the log.',
      registers: [registry],
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined;
      });
    }, LOOK_MS);
  }

  /** Stops looking. What is left stays in the database, for the next process. */
  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    if (this.looking) await within(ANSWER_MS_MAX, this.looking).catch(() => undefined);
  }

  /** Appends these notes. Resolves once they are on the log, or after two seconds. */
  async sent(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const sending = this.send('id = any($1::uuid[])', ids).then(
      () => undefined,
      (error: unknown) => this.failed(error),
    );
    await within(ANSWER_MS_MAX, sending).catch(() => undefined);
  }

  /** Appends what is due and nobody appends. */
  private async look(): Promise<void> {
    try {
      const due = `due_at <= now()
         and (gathered is not null or at < now() - $1 * interval '1 second')`;
      while ((await this.send(due, OTHERS_S)) === NOTES_MAX);
      const [row] = await this.source.query<[{ waiting: string }]>(
        'select count(*) as waiting from access.outbox where due_at <= now()',
      );
      this.waiting.set(Number(row.waiting));
    } catch (error) {
      this.failed(error);
    }
  }

  /** Appends the notes that fit a condition and are free, and returns how many they were. */
  private async send(condition: string, parameter: unknown): Promise<number> {
    const [taken] = await this.source.query<[(Note & { readonly place: string })[], number]>(
      `with mine as (
         select id from access.outbox
         where (held_until is null or held_until < now()) and ${condition}
         order by place limit ${NOTES_MAX} for update skip locked)
       update access.outbox o set held_until = now() + $2 * interval '1 second'
       from mine where o.id = mine.id
       returning o.id, o.type, o."by", o.at, o.data, o.count, o.place, o."table",
         o.event_id as "eventId", o.received_from as "receivedFrom"`,
      [parameter, HELD_S],
    );
    if (taken.length === 0) return 0;
    const notes = taken.toSorted((a, b) => Number(a.place) - Number(b.place));
    const partitions = new Map<number, Note[]>();
    for (const note of notes) {
      const partition = partitionOf(note.table ?? HOUSE_TABLE, this.log.partitions);
      partitions.set(partition, [...(partitions.get(partition) ?? []), note]);
    }
    const outcomes = await Promise.allSettled(
      [...partitions].map(([partition, ofPartition]) => this.append(partition, ofPartition)),
    );
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    if (this.isAway) this.logger.log({ message: 'house acts recorded again' });
    this.isAway = false;
    return notes.length;
  }

  /** Appends the notes of a partition and deletes them. Frees them if the log refuses them. */
  private async append(partition: number, notes: readonly Note[]): Promise<void> {
    const ids = notes.map(({ id }) => id);
    const received = new Date().toISOString();
    try {
      await this.log.append({
        partition,
        urgency: 'live',
        records: notes.map((note) => ({
          key: note.table ?? HOUSE_TABLE,
          value: Buffer.from(lineOf(note, received)),
        })),
      });
    } catch (error) {
      await this.source.query('update access.outbox set held_until = null where id = any($1)', [
        ids,
      ]);
      throw error;
    }
    await this.source.query('delete from access.outbox where id = any($1)', [ids]);
  }

  private failed(error: unknown): void {
    if (!this.isAway)
      this.logger.warn({
        message: 'house acts wait in the database',
        error: asError(error).message,
      });
    this.isAway = true;
  }
}

/** Keeps an act in the database until it is on the log, and returns its id. */
export async function insertAct(manager: EntityManager, { type, by, data }: Act): Promise<string> {
  const id = randomUUID();
  await manager.query(
    `insert into access.outbox (id, type, "by", at, data, due_at)
     values ($1, $2, $3, clock_timestamp(), $4, clock_timestamp())`,
    [id, type, by, JSON.stringify(data)],
  );
  return id;
}

/**
 * Keeps a look at a finding in the database until it is on the log. Does nothing if one under the
 * same id waits there already.
 */
export async function insertLook(
  source: DataSource,
  { by, eventId, table, receivedFrom, data }: FindingLook,
): Promise<void> {
  await source.query(
    `insert into access.outbox
       (id, type, "by", at, data, due_at, gathered, "table", event_id, received_from)
     values ($1, 'finding-viewed', $2, clock_timestamp(), $3, clock_timestamp(), $4, $5, $6, $7)
     on conflict (gathered) do nothing`,
    [randomUUID(), by, JSON.stringify(data), `${by}#${eventId}`, table, eventId, receivedFrom],
  );
}

/** Returns the line of a note. A look was received when it was made: its time is its stamp. */
function lineOf(note: Note, received: string): string {
  const { table, eventId, receivedFrom } = note;
  if (table === null || eventId === null || receivedFrom === null)
    return stamped(canonicalLine(JSON.stringify(eventOf(note))), SERVER, received);
  const event = lookOf({ ...note, table, eventId, receivedFrom }, note.at);
  return stamped(canonicalLine(JSON.stringify(event)), receivedFrom, event.time);
}

/** Returns the event of a look at a finding. */
export const lookOf = ({ by, eventId, table, data }: FindingLook, at: Date) => ({
  specversion: '1.0',
  type: fullName('finding-viewed'),
  source: by,
  id: eventId,
  time: at.toISOString(),
  table,
  data,
});

/** Returns the event of an act, as a sender would write it. */
export function eventOf({ id, type, by, at, data, count }: HouseNote): object {
  const counted =
    type === 'record-read'
      ? { times: count }
      : type === 'person-sign-in-failed' && { attempts: count };
  return {
    specversion: '1.0',
    type: fullName(type),
    source: by,
    id: `${type}/${id}`,
    time: at.toISOString(),
    table: HOUSE_TABLE,
    data: { ...data, ...counted },
  };
}

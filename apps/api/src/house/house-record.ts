import { createHash, randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { canonicalLine, Decoder, EVENT_BYTES_MAX, houseFrom, HOUSE_TABLE } from '#audit';
import { appVersion, excerpt, settingsText } from '#process';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiSettings } from '../settings/api-settings.js';
import { Problem } from '../problems/problems.js';
import { policyInForce } from '../settings/rules-of-server.js';
import { InstalledRules } from '../settings/tokens.js';
import { type Act, SERVER } from './acts.js';
import { eventOf, HouseOutbox, insertAct } from './house-outbox.js';

/** Records one act, in the transaction that the act is done in. Returns the id of the note. */
type Note = (act: Act) => Promise<string>;

type Noting<Result> = (manager: EntityManager, note: Note) => Promise<Result>;

/** What a transaction returned, and the ids of its notes. */
export interface Noted<Result> {
  readonly result: Result;
  readonly noted: readonly string[];
}

/** Acts of one kind by one person are counted together for this long. */
const GATHERED_S = 60;
/** Texts that a person chose, such as a filter, are kept to this length. */
const TEXT_MAX = 400;

/**
 * Records who did what in the house. An act and its note are one transaction, so nothing is done
 * unrecorded. Notes go from the database to the log, to the table `HOUSE_TABLE`.
 */
@Injectable()
export class HouseRecord implements OnApplicationBootstrap {
  private readonly decoder: Decoder;

  constructor(
    private readonly source: DataSource,
    private readonly outbox: HouseOutbox,
    private readonly installed: InstalledRules,
    private readonly settings: ApiSettings,
  ) {
    this.decoder = new Decoder(houseFrom(installed.book), 'refused');
  }

  /** Notes that the server started, under which rules, review policy and settings. */
  async onApplicationBootstrap(): Promise<void> {
    const settings = JSON.parse(settingsText(this.settings)) as Readonly<Record<string, unknown>>;
    const rules = Object.fromEntries(
      [...this.installed.book].map(([ref, { hash }]) => [ref, hash]),
    );
    const { ref, hash } = policyInForce(this.installed.book, this.settings.policy);
    await this.note({
      type: 'server-started',
      by: SERVER,
      data: { version: appVersion(), rules, policy: { [ref]: hash }, settings },
    });
  }

  /**
   * Runs `work` in a transaction, in which it notes what it does. Resolves once the notes are on
   * the log, but at most two seconds after the commit: a log that is away keeps nobody waiting
   * longer, and gets the notes when it is back.
   */
  async transaction<Result>(work: Noting<Result>): Promise<Result> {
    const { result, noted } = await this.noting(work);
    await this.sent(noted);
    return result;
  }

  /** Runs `work` as `transaction` does and does not wait. The caller passes `noted` to `sent`. */
  async noting<Result>(work: Noting<Result>): Promise<Noted<Result>> {
    const noted: string[] = [];
    const result = await this.source.transaction((manager) =>
      work(manager, async (act) => {
        this.check(act);
        const id = await insertAct(manager, act);
        noted.push(id);
        return id;
      }),
    );
    return { result, noted };
  }

  /** Resolves once these notes are on the log, or after two seconds. */
  sent(noted: readonly string[]): Promise<void> {
    return this.outbox.sent(noted);
  }

  /** Records an act that needs no transaction, as `transaction` does. */
  async note(act: Act): Promise<void> {
    await this.transaction((_, note) => note(act));
  }

  /**
   * Counts an act that may be repeated often: one event says how often `by` did it within a minute.
   * Resolves once that is in the database.
   */
  async count(act: Act): Promise<void> {
    this.check(act);
    const { type, by, data } = act;
    const what = createHash('sha256')
      .update(JSON.stringify([type, by, data]))
      .digest('base64url');
    await this.source.query(
      `insert into access.outbox (id, type, "by", at, data, gathered, due_at)
       select $1, $2, $3, now(), $4, $5::text || extract(epoch from minute),
         minute + $6 * interval '1 second'
       from (select date_bin($6 * interval '1 second', now(), 'epoch') as minute) of_minute
       on conflict (gathered) do update set count = access.outbox.count + 1`,
      [randomUUID(), type, by, JSON.stringify(data), `${what} `, GATHERED_S],
    );
  }

  /**
   * Throws if the act could not be read again from the log: one line that no auditor can read stops
   * its partition until somebody passes it. Throws `too-large` if its values are too long for an
   * event, and an error if they are wrong otherwise, which would be a bug of ours.
   */
  private check(act: Act): void {
    const longest = { id: randomUUID(), at: new Date(), count: Number.MAX_SAFE_INTEGER };
    const text = JSON.stringify(eventOf({ ...act, ...longest }));
    if (Buffer.byteLength(canonicalLine(text)) > EVENT_BYTES_MAX)
      throw new Problem(
        'too-large',
        `its record would be over ${EVENT_BYTES_MAX} bytes: shorten its lists`,
      );
    const [fault] = this.decoder.explain(Buffer.from(text)).faults ?? [];
    if (fault) throw new Error(`${act.type} for ${HOUSE_TABLE}: ${fault.pointer} ${fault.reason}`);
  }
}

/** Returns the beginning of a text that a person chose, as acts keep it. */
export const beginning = (text: string): string => excerpt(text, TEXT_MAX);

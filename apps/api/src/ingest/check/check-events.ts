import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AnyEvent, Decoder, houseFrom } from '#audit';
import type { Identity } from '../../identity/identity.js';
import { KeyTables, type TableAsked } from '../../identity/keys/key-tables.js';
import { Problem } from '../../problems/problems.js';
import { LivePlay } from '../../reading/live-play.js';
import { InstalledRules } from '../../settings/tokens.js';
import type { EventForm } from '../body/event-form.js';
import { RequestEvents } from '../events/request-events.js';
import { type Checked, TablesApart } from './tables-apart.js';

/** The most events of one check: about eleven shoes without bets, or a shoe with many. */
export const CHECKED_MAX = 2000;
/** How many checks a process does at the same time. Each holds its events and their state. */
const UNDER_WAY_MAX = 4;
/** How long a check may fold before other requests get a turn. */
const SLICE_MS = 5;
/** How long a check may fold in all. Senders who correct everything they sent need more. */
const FOLD_MS_MAX = 5000;
/** How much of the time all checks may fold while events are being recorded. */
const SHARE = 0.2;
/** The most characters of what is found. Each finding repeats references of any length. */
const VERDICT_LENGTH_MAX = 8 * 1024 * 1024;

/**
 * Asks what would become of the events of one body. Throws what `AppendEvents` would throw before
 * it appends. Records nothing.
 */
export class CheckEvents extends Query<Checked> {
  constructor(
    readonly sender: Identity,
    readonly form: EventForm,
    readonly body: Buffer,
  ) {
    super();
  }
}

/** Validates events like those that are recorded, and judges them as of empty tables. */
@QueryHandler(CheckEvents)
export class CheckEventsHandler implements IQueryHandler<CheckEvents> {
  private readonly decoder: Decoder;
  private underWay = 0;

  constructor(
    private readonly rules: InstalledRules,
    private readonly keyTables: KeyTables,
    private readonly live: LivePlay,
  ) {
    this.decoder = new Decoder(houseFrom(rules.book), 'refused');
  }

  async execute(asked: CheckEvents): Promise<Checked> {
    if (this.underWay >= UNDER_WAY_MAX)
      throw new Problem('not-recorded', 'Too many checks are under way. Send this one again.', {
        headers: { 'Retry-After': '1' },
      });
    this.underWay += 1;
    try {
      return await this.check(asked);
    } finally {
      this.underWay -= 1;
    }
  }

  private async check({ sender, form, body }: CheckEvents): Promise<Checked> {
    const taken: AnyEvent[] = [];
    const tablesAsked = new Map<string, TableAsked>();
    const reading = new RequestEvents(form, sender, {
      most: CHECKED_MAX,
      add: (table, _content, position, event) => {
        taken.push(event);
        if (!tablesAsked.has(table)) tablesAsked.set(table, { table, position });
      },
    });
    await reading.read(body, this.decoder);
    await this.keyTables.check(sender, [...tablesAsked.values()]);
    const tables = new TablesApart(this.rules.book);
    const slices = new Slices(this.live);
    for (const event of taken) {
      tables.take(event);
      await slices.next(tables.length);
    }
    for (const _ of tables.ended()) await slices.next(tables.length);
    return tables.verdict();
  }
}

/**
 * Gives other requests a turn between slices of work, and rests while events are recorded. Ends
 * work that takes too long.
 */
class Slices {
  private began = performance.now();
  private spentMs = 0;

  constructor(private readonly live: LivePlay) {}

  /** Throws `too-large` if the work took too long, or found too much. */
  async next(length: number): Promise<void> {
    const ms = performance.now() - this.began;
    if (ms < SLICE_MS && length <= VERDICT_LENGTH_MAX) return;
    this.spentMs += ms;
    if (length > VERDICT_LENGTH_MAX)
      throw new Problem(
        'too-large',
        'The result for these events is too large for one answer: check fewer at once.',
      );
    if (this.spentMs > FOLD_MS_MAX)
      throw new Problem('too-large', 'These events take too long to judge: check fewer at once.');
    await this.live.rest(ms, SHARE / UNDER_WAY_MAX);
    this.began = performance.now();
  }
}

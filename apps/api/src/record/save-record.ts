import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { HOUSE_TABLE } from '#audit';
import { BrokenLog, EventLog } from '#event-log';
import { passedUnderKey, type Positions, tableSeen } from '#read-model';
import { plainText } from '../http/parameters.js';
import { logAway } from '../problems/log-away.js';
import { Problem } from '../problems/problems.js';
import { Export } from '../reading/files/export.js';
import { FILE_SHARE, FileSlots } from '../reading/files/file-slots.js';
import { LivePlay } from '../reading/live-play.js';
import type { Reading } from '../reading/reading.js';
import { RowsReader } from '../reading/rows-reader.js';
import { type LinesAsked, recordFile, type TableRecord } from './record-file.js';

/** Asks for the exact lines of a table as a file. */
export class SaveRecord extends Query<Export> {
  readonly by: string;
  readonly scope: readonly string[] | undefined;
  readonly least: Positions | undefined;

  constructor(
    readonly table: string,
    readonly lines: LinesAsked,
    by: Reading,
  ) {
    super();
    this.by = by.sender;
    this.scope = by.scope;
    this.least = by.least;
  }
}

/**
 * Begins the file. Throws `not-found` if the sender may not see the table or it has no line,
 * `too-many-at-once` if too many files are being sent, and `not-ready` if the log does not answer.
 */
@QueryHandler(SaveRecord)
export class SaveRecordHandler implements IQueryHandler<SaveRecord> {
  constructor(
    private readonly log: EventLog,
    private readonly rows: RowsReader,
    private readonly live: LivePlay,
    private readonly slots: FileSlots,
  ) {}

  async execute(asked: SaveRecord): Promise<Export> {
    const of = await this.tableOf(asked);
    const { free } = this.slots.take(asked.by);
    try {
      const rest = (tookMs: number): Promise<void> => this.live.rest(tookMs, FILE_SHARE);
      return await Export.begin(await recordFile(this.log, of, asked.lines, { rest, free }));
    } catch (error) {
      free();
      if (error instanceof BrokenLog) throw error;
      throw logAway(error);
    }
  }

  /**
   * Returns the whole id of the table, and what was passed under it. A reader of some tables does
   * not read what the house did.
   */
  private async tableOf({ table: asked, scope, least }: SaveRecord): Promise<TableRecord> {
    const isOfHouse = asked === HOUSE_TABLE && scope !== undefined;
    const { result } = await this.rows.read(least, async (read) => {
      if (isOfHouse) return undefined;
      const table = await tableSeen(read, { table: plainText(asked), ...(scope && { scope }) });
      return table === undefined ? undefined : { table, passed: await passedUnderKey(read, table) };
    });
    if (result) return result;
    throw new Problem(
      'not-found',
      'no table has this id and sent an event, or this identity may not see it',
    );
  }
}

import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Paging, ReadAt, Slices, Snapshot } from '#read-model';
import type { LinesFile } from './files/columns.js';
import { Export } from './files/export.js';
import { FILE_SHARE, FileSlots } from './files/file-slots.js';
import { linesFile } from './files/lines-file.js';
import { LivePlay } from './live-play.js';
import type { Asked } from './reading.js';
import { RowsReader } from './rows-reader.js';

/** How a list or report is read: a page as JSON, and every line as a file. */
export interface List<Filter, Answer, Line> {
  readonly page: (read: Snapshot, filter: Filter, paging: Paging) => Promise<Answer>;
  readonly every: (read: Snapshot, filter: Filter) => Slices<Line>;
  readonly file: LinesFile<Line>;
  /** Returns what a file says after its lines: nothing without it. */
  readonly notes?: (read: Snapshot, filter: Filter) => Promise<readonly string[]>;
}

/** Asks for the lines of any list or report, from rows at `least` or later. */
export class AskLines<Filter, Answer extends object, Line> extends Query<ReadAt<Answer> | Export> {
  constructor(
    readonly list: List<Filter, Answer, Line>,
    readonly asked: Asked<Filter>,
  ) {
    super();
  }
}

/**
 * Reads a page of a list or report, or begins an export of all its lines, each from one snapshot.
 * Throws `too-many-at-once` if too many exports are under way.
 */
@QueryHandler(AskLines)
export class AskLinesHandler implements IQueryHandler<AskLines<object, object, unknown>> {
  constructor(
    private readonly rows: RowsReader,
    private readonly live: LivePlay,
    private readonly slots: FileSlots,
  ) {}

  async execute({
    list: { page, every, file, notes },
    asked: { by, filter, pages, least, seesFindings },
  }: AskLines<object, object, unknown>): Promise<ReadAt<object> | Export> {
    if (!('all' in pages)) return this.rows.read(least, (read) => page(read, filter, pages));
    const { free } = this.slots.take(by);
    try {
      return await this.rows.open(least, (snapshot) =>
        Export.begin(
          linesFile({
            snapshot,
            slices: every(snapshot.read, filter),
            notes: async () => (await notes?.(snapshot.read, filter)) ?? [],
            name: file.name,
            sheet: file.seenBy(seesFindings),
            form: pages.all,
            rest: (tookMs) => this.live.rest(tookMs, FILE_SHARE),
            free,
          }),
        ),
      );
    } catch (error) {
      free();
      throw error;
    }
  }
}

import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Paging, ReadAt, Slices, Snapshot } from '#read-model';
import { Metrics } from '../operation/metrics.js';
import type { CsvFile } from './csv.js';
import { Export } from './export.js';
import { LivePlay } from './live-play.js';
import { AnswerPlaces } from './answer-places.js';
import type { Asked } from './reading.js';
import { RowsReader } from './rows-reader.js';

/** The most exports at a time in this process. One person may have both places. */
const EXPORTS_MAX = { inAll: 2, each: 2 };

/** The part of the time that one export takes while events are being recorded. */
const SHARE = 0.1;

/** How a list or report is read: a page as JSON, and every line as a CSV file. */
export interface List<Filter, Answer, Line> {
  readonly page: (read: Snapshot, filter: Filter, paging: Paging) => Promise<Answer>;
  readonly every: (read: Snapshot, filter: Filter) => Slices<Line>;
  readonly csv: CsvFile<Line>;
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
  private readonly places: AnswerPlaces;

  constructor(
    private readonly rows: RowsReader,
    private readonly live: LivePlay,
    metrics: Metrics,
  ) {
    this.places = new AnswerPlaces('exports', EXPORTS_MAX, metrics);
  }

  async execute({
    list: { page, every, csv },
    asked: { by, filter, pages, least, seesFindings },
  }: AskLines<object, object, unknown>): Promise<ReadAt<object> | Export> {
    if (pages !== 'all') return this.rows.read(least, (read) => page(read, filter, pages));
    const { free } = this.places.take(by);
    try {
      return await this.rows.open(least, (snapshot) =>
        Export.begin({
          snapshot,
          slices: every(snapshot.read, filter),
          name: csv.name,
          text: csv.seenBy(seesFindings),
          rest: (tookMs) => this.live.rest(tookMs, SHARE),
          free,
        }),
      );
    } catch (error) {
      free();
      throw error;
    }
  }
}

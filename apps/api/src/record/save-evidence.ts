import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { BrokenLog, EventLog } from '#event-log';
import { findingAt, type Positions, type ReadBy } from '#read-model';
import { noFinding, plainId } from '../findings/show-finding.js';
import { Problem } from '../problems/problems.js';
import { Export } from '../reading/export.js';
import type { Reading } from '../reading/reading.js';
import { RowsReader } from '../reading/rows-reader.js';
import { evidenceFile } from './evidence-file.js';

/** Asks for what a finding rests on as a file, with the api's stamps or without. */
export class SaveEvidence extends Query<Export> {
  readonly by: ReadBy;
  readonly least: Positions | undefined;

  constructor(
    readonly id: string,
    readonly stamps: boolean,
    by: Reading,
  ) {
    super();
    this.by = by.readBy;
    this.least = by.least;
  }
}

/**
 * Begins the file. Throws `not-found` if the finding does not exist or the sender may not see it,
 * `conflict` if its evidence was not made yet, and `not-ready` if the log does not answer.
 */
@QueryHandler(SaveEvidence)
export class SaveEvidenceHandler implements IQueryHandler<SaveEvidence> {
  constructor(
    private readonly log: EventLog,
    private readonly rows: RowsReader,
  ) {}

  async execute({ id, stamps, by, least }: SaveEvidence): Promise<Export> {
    const { result: place, positions } = await this.rows.read(
      least,
      async (read) => (await findingAt(read, plainId(id), by)) ?? noFinding(),
    );
    if (place.evidence === null)
      throw new Problem(
        'conflict',
        'this finding has no evidence yet: it is made once somebody has claimed it and its coup is over, or once its shoe is out of reach',
      );
    try {
      return await Export.begin(evidenceFile(this.log, { place, positions }, stamps));
    } catch (error) {
      if (error instanceof BrokenLog) throw error;
      throw new Problem('not-ready', 'the log does not answer', {
        headers: { 'Retry-After': '1' },
        cause: error,
      });
    }
  }
}

import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { BrokenLog, EventLog } from '#event-log';
import {
  actAt,
  type FindingLocation,
  findingAt,
  type LinePosition,
  type Positions,
  type ReadBy,
  type Snapshot,
} from '#read-model';
import { noFinding, plainId } from '../findings/show-finding.js';
import { logAway } from '../problems/log-away.js';
import { Problem } from '../problems/problems.js';
import { Export } from '../reading/files/export.js';
import type { Reading } from '../reading/reading.js';
import { RowsReader } from '../reading/rows-reader.js';
import { evidenceFile } from './evidence-file.js';

interface Asked {
  readonly stamps: boolean;
  /** The reference of an act: only the lines that came to the log after it are wanted. */
  readonly after?: string;
}

/** Asks for what a finding rests on as a file, with the api's stamps or without. */
export class SaveEvidence extends Query<Export> {
  readonly by: ReadBy;
  readonly least: Positions | undefined;

  constructor(
    readonly id: string,
    readonly asked: Asked,
    by: Reading,
  ) {
    super();
    this.by = by.readBy;
    this.least = by.least;
  }
}

/**
 * Begins the file. Throws `not-found` if the finding does not exist or the sender may not see it,
 * `conflict` if its evidence was not made yet, `invalid-request` if it has no such act, and
 * `not-ready` if the log does not answer.
 */
@QueryHandler(SaveEvidence)
export class SaveEvidenceHandler implements IQueryHandler<SaveEvidence> {
  constructor(
    private readonly log: EventLog,
    private readonly rows: RowsReader,
  ) {}

  async execute({ id, asked, by, least }: SaveEvidence): Promise<Export> {
    const { result, positions } = await this.rows.read(least, async (read) => {
      const location = (await findingAt(read, plainId(id), by)) ?? noFinding();
      return { location, after: await positionOf(read, location, asked.after) };
    });
    const { location, after } = result;
    if (location.evidence === null)
      throw new Problem(
        'conflict',
        'this finding has no evidence yet: it is made once somebody has claimed it and its coup is over, or once its shoe is out of reach',
      );
    try {
      return await Export.begin(
        evidenceFile(this.log, { location, positions }, { stamps: asked.stamps, after }),
      );
    } catch (error) {
      if (error instanceof BrokenLog) throw error;
      throw logAway(error);
    }
  }
}

/** Returns where an act on a finding is. Throws `invalid-request` if the finding has no such act. */
async function positionOf(
  read: Snapshot,
  location: FindingLocation,
  ref: string | undefined,
): Promise<LinePosition | undefined> {
  if (ref === undefined) return undefined;
  const found = await actAt(read, location, ref);
  if (found) return found;
  throw new Problem('invalid-request', undefined, {
    errors: [{ pointer: '/after', reason: 'must be the reference of an act on this finding' }],
  });
}

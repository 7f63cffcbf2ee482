import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  findingHistory,
  findingWhole,
  RulesNotInstalled,
  type FindingHistory,
  type FindingWhole,
  type HistoryOrder,
  type Paging,
  type Positions,
  type ReadAt,
  type ReadBy,
} from '#read-model';
import { permitted } from '../identity/permissions.js';
import type { Identity } from '../identity/identity.js';
import { Deadlines } from '../lists/deadlines.js';
import { Problem } from '../problems/problems.js';
import type { Reading } from '../reading/reading.js';
import { RowsReader } from '../reading/rows-reader.js';
import { reviewerIn } from '../review/acts/commands.js';
import { LooksAtFindings } from '../review/looks-at-findings.js';
import { InstalledRules } from '../settings/tokens.js';

/** Asks for something about a finding by its id. */
class AskFinding<Answer> extends Query<ReadAt<Answer>> {
  readonly by: ReadBy;
  readonly least: Positions | undefined;

  constructor(
    readonly id: string,
    readonly identity: Identity,
    by: Reading,
  ) {
    super();
    this.by = by.readBy;
    this.least = by.least;
  }

  /** Whether the sender sees by name who looked. */
  get seesLooks(): boolean {
    return permitted('read-looks', this.identity.roles);
  }
}

/** Asks for everything about a finding. */
export class ShowFinding extends AskFinding<FindingWhole> {}

/** Asks for a page of what people did about a finding. */
export class ShowHistory extends AskFinding<FindingHistory> {
  constructor(
    id: string,
    identity: Identity,
    by: Reading,
    readonly paging: Paging & { readonly order?: HistoryOrder },
  ) {
    super(id, identity, by);
  }
}

/**
 * Reads everything about a finding from one snapshot, and records the look before it is shown,
 * also to a reader who has the same answer already. Throws `not-found` if it does not exist or
 * the sender may not see it, and `conflict` if the rules of its shoe are not installed.
 */
@QueryHandler(ShowFinding)
export class ShowFindingHandler implements IQueryHandler<ShowFinding> {
  constructor(
    private readonly rows: RowsReader,
    private readonly rules: InstalledRules,
    private readonly deadlines: Deadlines,
    private readonly looks: LooksAtFindings,
  ) {}

  async execute(asked: ShowFinding): Promise<ReadAt<FindingWhole>> {
    const shown = await this.read(asked);
    await this.looks.looked(asked.identity, shown.result.finding);
    return shown;
  }

  private read({ id, by, identity, seesLooks, least }: ShowFinding): Promise<ReadAt<FindingWhole>> {
    const { book } = this.rules;
    const reader = {
      ...by,
      book,
      policies: book.policies,
      inForce: this.deadlines.policy,
      now: Date.now(),
      reviewer: reviewerIn(identity),
      seesLooks,
    };
    return this.rows.read(least, async (read) => {
      try {
        return (await findingWhole(read, plainId(id), reader)) ?? noFinding();
      } catch (error) {
        if (error instanceof RulesNotInstalled)
          throw new Problem('conflict', error.message, { cause: error });
        throw error;
      }
    });
  }
}

/** Reads a page of the history of a finding. Throws `not-found` as `ShowFinding` does. */
@QueryHandler(ShowHistory)
export class ShowHistoryHandler implements IQueryHandler<ShowHistory> {
  constructor(private readonly rows: RowsReader) {}

  execute({ id, by, seesLooks, paging, least }: ShowHistory): Promise<ReadAt<FindingHistory>> {
    return this.rows.read(
      least,
      async (read) =>
        (await findingHistory(read, plainId(id), { ...by, seesLooks }, paging)) ?? noFinding(),
    );
  }
}

/** Returns the id if it can be one of a finding, or else `''`, which no finding has. */
export const plainId = (id: string): string => (/^[0-9a-f]{1,64}$/.test(id) ? id : '');

/** Throws `not-found`, the same for an unknown finding and one of a table out of scope. */
export function noFinding(): never {
  throw new Problem('not-found', 'no finding has this id, or this identity may not see it');
}

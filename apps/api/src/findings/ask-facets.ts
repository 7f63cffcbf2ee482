import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  findingFacets,
  hasReached,
  positionsFrom,
  type FindingFacets,
  type FindingsFilter,
  type Positions,
  type ReadAt,
} from '#read-model';
import { RowsReader } from '../reading/rows-reader.js';

/** How long counts are kept, and for how many filters. */
const KEPT_MS = 1_000;
const KEPT_MAX = 64;

/** Asks how many findings a filter has, by some fields. */
export class AskFacets extends Query<ReadAt<FindingFacets>> {
  constructor(
    readonly filter: FindingsFilter,
    readonly least: Positions | undefined,
  ) {
    super();
  }
}

interface Kept {
  readonly at: number;
  readonly counts: Promise<ReadAt<FindingFacets>>;
}

/**
 * Counts the findings of a filter. Requests for the same within a second share one count, unless
 * one must include a later position. A person is part of the question only if the filter asks for
 * what depends on who reads.
 */
@QueryHandler(AskFacets)
export class AskFacetsHandler implements IQueryHandler<AskFacets> {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly rows: RowsReader) {}

  async execute({ filter, least }: AskFacets): Promise<ReadAt<FindingFacets>> {
    const { viewer: _, ...others } = filter;
    const isOwn = filter.mine !== undefined || filter.disposition !== undefined;
    const asked = isOwn ? filter : others;
    const key = JSON.stringify(Object.entries(asked).sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = this.kept.get(key);
    if (known && performance.now() - known.at < KEPT_MS) {
      const counts = await known.counts;
      if (!least || hasReached(positionsOf(counts), least)) return counts;
    }
    const counts = this.rows.read(least, (read) => findingFacets(read, asked));
    this.keep(key, counts);
    return counts;
  }

  private keep(key: string, counts: Promise<ReadAt<FindingFacets>>): void {
    const kept = { at: performance.now(), counts };
    this.kept.delete(key);
    this.kept.set(key, kept);
    if (this.kept.size > KEPT_MAX) this.kept.delete(this.kept.keys().next().value as string);
    counts.catch(() => {
      if (this.kept.get(key) === kept) this.kept.delete(key);
    });
  }
}

const positionsOf = ({ positions }: ReadAt<unknown>): Positions =>
  positions === '' ? new Map() : positionsFrom(positions);

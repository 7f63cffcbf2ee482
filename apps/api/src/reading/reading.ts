import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Paging, Positions, ReadBy } from '#read-model';
import { identityOf } from '../identity/requires.js';
import { formatAsked, type Format, type Mark } from './files/formats.js';
import type { FileForm } from './files/lines-file.js';
import { offeredBy } from './files/offers.js';
import { leastPosition } from './positions.js';
import { refuseHiddenFilters, seesFindings } from './view.js';

/** The parameters of a list or report that are not part of its filter. */
interface PagesAsked {
  readonly format?: Format;
  readonly bom?: Mark;
  readonly cursor?: string;
  readonly limit?: number;
}

/** The lines that a request asks for: a page, or all as a file, at `least` or later. */
export interface Asked<Filter> {
  readonly filter: Filter & ReadBy;
  readonly pages: Paging | { readonly all: FileForm };
  /** The id of the identity that asks. */
  readonly by: string;
  readonly least: Positions | undefined;
  /** Whether a file has columns of findings. */
  readonly seesFindings: boolean;
}

/** A request that reads rows: which tables its sender may see, and how fresh the rows must be. */
export class Reading {
  constructor(
    private readonly request: FastifyRequest,
    private readonly offered: readonly Format[],
  ) {}

  /** The id of the identity that asks. */
  get sender(): string {
    return identityOf(this.request).id;
  }

  /** Returns the ids of the tables that the sender may see, or undefined for all. */
  get scope(): readonly string[] | undefined {
    const { tables } = identityOf(this.request);
    return tables === 'all' ? undefined : tables;
  }

  /** Returns the id of the human who sends it, or undefined for a device. */
  get viewer(): string | undefined {
    return identityOf(this.request).person?.id;
  }

  /** Returns which tables the sender may see, and which person that is. */
  get readBy(): ReadBy {
    const { scope, viewer } = this;
    return { ...(scope && { scope }), ...(viewer !== undefined && { viewer }) };
  }

  /**
   * Returns the positions that the rows must have reached. Throws `invalid-request` if the header
   * `Min-Position` cannot be read.
   */
  get least(): Positions | undefined {
    return leastPosition(this.request);
  }

  /**
   * Splits a query string into its filter, limited to the sender's tables, and its pages. A file
   * holds every line. Throws `not-permitted` if the filter asks about what the sender may not
   * see.
   */
  asks<Fields extends PagesAsked>({
    format,
    bom,
    cursor,
    limit,
    ...filter
  }: Fields): Asked<Omit<Fields, keyof PagesAsked>> {
    const identity = identityOf(this.request);
    refuseHiddenFilters(identity, filter);
    const form = formatAsked(this.request, this.offered, format);
    const pages =
      form === 'csv' || form === 'xlsx'
        ? { all: { format: form, bom: bom === 'true' } }
        : { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) };
    return {
      filter: { ...filter, ...this.readBy },
      pages,
      by: identity.id,
      seesFindings: seesFindings(identity),
      least: this.least,
    };
  }
}

/** Injects the request as a `Reading` into a controller method. */
export const Reader = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    new Reading(context.switchToHttp().getRequest<FastifyRequest>(), offeredBy(context)),
);

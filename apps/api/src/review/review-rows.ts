import { Injectable } from '@nestjs/common';
import {
  actsByReference,
  claimsUnder,
  findingsAtHand,
  type ActLine,
  type FindingAtHand,
  type Positions,
} from '#read-model';
import { Problem } from '../problems/problems.js';
import { RowsReader } from '../reading/rows-reader.js';

/** The form of a finding's id. */
const FINDING_ID = /^[0-9a-f]{32}$/;

/** Findings and acts on them, by id and by reference. */
export interface AtHand {
  readonly findings: ReadonlyMap<string, FindingAtHand>;
  readonly acts: ReadonlyMap<string, ActLine>;
}

/** What is asked for: findings of some tables (default: all), and acts on them. */
export interface ReviewAsked {
  readonly findings: readonly string[];
  readonly acts: readonly string[];
  readonly scope: readonly string[] | undefined;
}

/** Reads findings and what was done about them. */
@Injectable()
export class ReviewRows {
  constructor(private readonly rows: RowsReader) {}

  /** Reads findings, and acts on them, from one snapshot. */
  async read({ findings, acts, scope }: ReviewAsked, least?: Positions): Promise<AtHand> {
    const ids = findings.filter((id) => FINDING_ID.test(id));
    // a finding has no act of another id, whose text PostgreSQL might refuse
    const refs = acts.filter((ref) => !/[\0\p{Cs}]/u.test(ref));
    const { result } = await this.rows.read(least, async (read) => {
      const found = await findingsAtHand(read, ids, scope);
      const tables = found.map(({ body }) => body.table);
      return { found, done: refs.length > 0 ? await actsByReference(read, refs, tables) : [] };
    });
    return {
      findings: new Map(result.found.map((row) => [row.id, row])),
      acts: new Map(result.done.map((act) => [act.ref, act])),
    };
  }

  /** Returns the claims that took effect under this key, the first one first. */
  claimsUnder(source: string, key: string): Promise<ActLine[]> {
    return this.rows.now(claimsUnder(source, key));
  }

  /**
   * Reads as `read` does once the rows have these positions. Returns undefined if they do not get
   * there within two seconds, or the database does not answer: what was appended stays appended.
   */
  async readAt(asked: ReviewAsked, written: Positions): Promise<AtHand | undefined> {
    try {
      return await this.read(asked, written);
    } catch (error) {
      if (error instanceof Problem && AWAITED.includes(error.problem)) return undefined;
      throw error;
    }
  }
}

const AWAITED: readonly string[] = ['not-yet-visible', 'not-ready'];

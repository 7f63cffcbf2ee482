import { Injectable } from '@nestjs/common';
import type { FindingsFilter } from '#read-model';
import { actorOf, type Identity } from '../../identity/identity.js';
import { personIn } from '../../identity/requires.js';
import { Problem } from '../../problems/problems.js';
import { type Acted, Acts, isTaken, type Taken } from '../acts/acts.js';
import { contended, HandOuts, type TakingNext } from './hand-outs.js';
import { ActDesk } from '../acts/act-desk.js';
import { ReviewRows } from '../review-rows.js';

/** How many findings in a row may go to somebody else. */
const REFUSED_MAX = 5;
/** Problems of a finding that is taken or cannot be claimed: the next one may still be free. */
const PASSED: readonly number[] = [404, 409];

const isPassed = (error: unknown): boolean =>
  error instanceof Problem && PASSED.includes(error.status);

/** Which findings somebody may be handed. */
export type NextFilter = Omit<FindingsFilter, 'status'>;

/** Claims findings for people who ask for the next one. */
@Injectable()
export class NextFindings {
  constructor(
    private readonly rows: ReviewRows,
    private readonly handOuts: HandOuts,
    private readonly desk: ActDesk,
    private readonly acts: Acts,
  ) {}

  /**
   * Claims the next finding for a person, or resolves with undefined if there is none. The same key
   * gets the same finding. Throws `queue-contended` if five in a row go to somebody else.
   */
  async take(by: Identity, key: string, filter: NextFilter): Promise<Acted | undefined> {
    const before = await this.taken(by, key);
    if (before) return before;
    const taker = { who: personIn(by).id, key };
    const scoped = {
      ...filter,
      viewer: taker.who,
      ...(by.tables !== 'all' && { scope: by.tables }),
    };
    let finding = await this.handOuts.handed(taker);
    for (let refused = 0; refused < REFUSED_MAX; refused += 1) {
      if (finding === undefined) {
        finding = await this.handOuts.next(scoped, taker);
        // another api may have ended the same command since it was looked for
        const since = await this.taken(by, key);
        if (since && finding !== undefined) await this.handOuts.end(finding, taker);
        if (since || finding === undefined) return since;
      }
      const acted = await this.claim(by, finding, taker);
      if (acted) return this.first(by, key, acted);
      finding = undefined;
    }
    throw contended();
  }

  /**
   * Claims a finding, or resolves with undefined if somebody else has it. The log refuses it, never
   * the rows alone: another api that runs the same command claims it under the same id, and then
   * gets the same answer, even if the finding has become free since.
   */
  private async claim(
    by: Identity,
    finding: string,
    taker: TakingNext,
  ): Promise<Acted | undefined> {
    const { lease } = this.desk.policy.document;
    const sent = { by, finding, key: taker.key, body: { lease } };
    try {
      const acted = await this.acts.perform('claim', sent, 'log');
      if (isTaken(acted)) await this.handOuts.end(finding, taker);
      else await this.handOuts.keep(finding, taker, lease);
      return acted;
    } catch (error) {
      if (!isPassed(error)) throw error;
      await this.handOuts.end(finding, taker);
      return undefined;
    }
  }

  /**
   * Returns the first claim under this key. Another api can have claimed another finding under it
   * since this one was handed out.
   */
  private async first(by: Identity, key: string, acted: Acted): Promise<Acted> {
    if (!isTaken(acted)) return acted;
    const claims = await this.rows.claimsUnder(actorOf(by), key);
    if (claims.every(({ ref }) => ref === acted.act.ref)) return acted;
    return (await this.taken(by, key)) ?? acted;
  }

  /**
   * Returns the claim that the same command led to before, if it did. If it led to several,
   * releases all but the first: an api that claimed later by its clock may have looked before the
   * first was in the rows, and then only the one that claimed first sees both.
   */
  private async taken(by: Identity, key: string): Promise<Taken | undefined> {
    const [claim, ...others] = await this.rows.claimsUnder(actorOf(by), key);
    if (!claim) return undefined;
    for (const { finding } of others) await this.release(by, finding, key);
    const scope = by.tables === 'all' ? undefined : by.tables;
    const { findings } = await this.rows.read({ findings: [claim.finding], acts: [], scope });
    const row = findings.get(claim.finding);
    return row && { act: claim, row };
  }

  /** Releases a finding, unless it is no longer this person's to release. */
  private async release(by: Identity, finding: string, key: string): Promise<void> {
    try {
      await this.acts.perform('release', { by, finding, key, body: {} });
    } catch (error) {
      if (!isPassed(error)) throw error;
    }
  }
}

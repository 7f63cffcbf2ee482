import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Decoder, houseFrom, REVIEW_ROLES } from '#audit';
import { insertLook, type FindingLook, lookOf } from '../house/house-outbox.js';
import { actorOf, type Identity } from '../identity/identity.js';
import { permitted } from '../identity/permissions.js';
import { InstalledRules } from '../settings/tokens.js';
import { actId } from './acts/act-desk.js';

/** A person's looks at a finding within this time are one. */
const QUARTER_MS = 15 * 60_000;
/** The looks of a quarter of an hour that are remembered, so that most of them need no database. */
const REMEMBERED_MAX = 10_000;

/** Records who looks at a finding, once for each person and quarter of an hour. */
@Injectable()
export class LooksAtFindings {
  private readonly decoder: Decoder;
  private readonly seen = new Set<string>();
  private quarter = 0;

  constructor(
    private readonly source: DataSource,
    { book }: InstalledRules,
  ) {
    this.decoder = new Decoder(houseFrom(book), 'refused');
  }

  /**
   * Records that somebody looks at a finding, at its table by its full id. Resolves once that is in
   * the database, from where it goes to the log: an answer sent after that is never unrecorded.
   */
  async looked(
    by: Identity,
    finding: { readonly id: string; readonly table: string },
    at = new Date(),
  ): Promise<void> {
    const quarter = Math.floor(at.getTime() / QUARTER_MS);
    const as = by.roles.find(
      (role) => REVIEW_ROLES.some((each) => each === role) && permitted('read-findings', [role]),
    );
    const look: FindingLook = {
      by: actorOf(by),
      eventId: actId('view', finding.id, String(quarter)),
      table: finding.table,
      receivedFrom: by.id,
      data: { finding: finding.id, as },
    };
    const key = `${look.by}#${look.eventId}`;
    if (this.isSeen(key, quarter)) return;
    this.check(look, at);
    await insertLook(this.source, look);
    this.seen.add(key);
  }

  private isSeen(key: string, quarter: number): boolean {
    if (quarter !== this.quarter || this.seen.size >= REMEMBERED_MAX) this.seen.clear();
    this.quarter = quarter;
    return this.seen.has(key);
  }

  /** Throws if an auditor could not read the look: one unreadable line stops its partition. */
  private check(look: FindingLook, at: Date): void {
    const { faults = [] } = this.decoder.explain(Buffer.from(JSON.stringify(lookOf(look, at))));
    if (faults.length > 0) throw new Error(`look at a finding: ${JSON.stringify(faults)}`);
  }
}

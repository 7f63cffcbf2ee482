import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EventOf, ReviewOutcome } from '#audit';
import { furthest, itemOf, type ActLine, type FindingAtHand, type Positions } from '#read-model';
import type { Identity } from '../../identity/identity.js';
import { Problem } from '../../problems/problems.js';
import { ActLog, type ActEvent } from '../acts/act-log.js';
import { actRef, hasBody, ActDesk } from '../acts/act-desk.js';
import { type ReviewAsked, type AtHand, ReviewRows } from '../review-rows.js';

/** One ruling for many findings, as it was sent. */
export interface BulkSent {
  readonly by: Identity;
  readonly key: string;
  readonly ids: readonly string[];
  /** What each proposal says, without its evidence. */
  readonly ruling: Readonly<Record<string, unknown>>;
  /** The preview that the sender saw; undefined asks for one. */
  readonly preview: string | undefined;
}

/** What happened to one finding, or would happen. */
export interface BulkItem {
  readonly finding: string;
  readonly outcome: ReviewOutcome | 'not-found' | 'table-parked' | 'pending';
  readonly row: FindingAtHand | undefined;
  /** The proposal, once it is on the rows. */
  readonly act: ActLine | undefined;
}

/** What happened to each finding of many, or would happen, in the order in which they were sent. */
export interface BulkDone {
  readonly preview: string;
  readonly items: readonly BulkItem[];
  readonly written: Positions;
}

/** Stands in where the evidence is not known: before the first claim. */
const NO_EVIDENCE = '0'.repeat(64);

/** Proposes one ruling for many findings. */
@Injectable()
export class Bulk {
  constructor(
    private readonly rows: ReviewRows,
    private readonly desk: ActDesk,
    private readonly log: ActLog,
  ) {}

  /**
   * Returns what would happen, and the preview to name. With a preview, claims each finding of
   * which the rows foresee no refusal, and proposes the ruling with the evidence that its claim was
   * answered. A finding that changed before or after its claim gets no proposal, because nobody saw
   * it so: `evidence-changed`. Throws `preview-changed` if the rows are not as they were, unless
   * the command was begun before under this key.
   */
  async rule(sent: BulkSent): Promise<BulkDone> {
    const before = await this.rows.read(askedBy(sent));
    const preview = previewOf(sent.ids, before);
    const plan = sent.ids.map((id) => this.foreseen(sent, id, before));
    if (sent.preview === undefined) return { preview, items: plan, written: new Map() };
    if (before.acts.size === 0 && sent.preview !== preview) throw new Problem('preview-changed');
    const going = plan.filter(({ outcome, act }) => outcome === 'taken' && !act);
    const claims = going
      .filter(({ finding }) => !before.acts.has(refOf(sent, 'claim', finding)))
      .map(({ row }) => this.claim(sent, row as FindingAtHand));
    const claimed = await this.append(sent, claims);
    const held = going.flatMap((item) => {
      const row = claimed.now?.findings.get(item.finding);
      const claim = claimed.now?.acts.get(refOf(sent, 'claim', item.finding));
      return row && claim?.outcome === 'taken' ? [{ item, row, claim }] : [];
    });
    const changed = new Map(
      held.filter((each) => !isAsSeen(each)).map(({ item, row }) => [item, row]),
    );
    const proposals = held
      .filter(({ item }) => !changed.has(item))
      .map(({ row }) => this.proposal(sent, row));
    const proposed = await this.append(sent, proposals);
    return {
      preview,
      items: plan.map((item): BulkItem => {
        const row = changed.get(item);
        if (row) return { ...item, row, outcome: 'evidence-changed' };
        return going.includes(item) ? cameOf(sent, item, proposed.now) : item;
      }),
      written: furthest(claimed.written, proposed.written),
    };
  }

  /** Returns what the rows say about a finding: what was done under the key, or what would be. */
  private foreseen(sent: BulkSent, finding: string, { findings, acts }: AtHand): BulkItem {
    const row = findings.get(finding);
    if (!row) return { finding, outcome: 'not-found', row, act: undefined };
    const [claimed, act] = VERBS.map((verb) => acts.get(refOf(sent, verb, finding)));
    if (act && !hasBody(act, { ...sent.ruling, evidence: evidenceIn(act) }))
      throw new Problem('idempotency-key-reused');
    const done = act ?? (claimed?.outcome === 'taken' ? undefined : claimed);
    if (done) return { finding, outcome: done.outcome, row, act: done };
    const { event } = this.claim(sent, row);
    const proposal = this.proposal(sent, row).event as EventOf<'finding-ruling-proposed'>;
    this.desk.requireInForce(sent.ruling.policy);
    const errors = this.desk.missing(proposal);
    if (errors.length > 0) throw new Problem('ruling-incomplete', undefined, { errors });
    if (row.isParked) return { finding, outcome: 'table-parked', row, act };
    if (row.lapsed) return { finding, outcome: 'out-of-reach', row, act };
    const item = { ...itemOf(row), evidence: proposal.data.evidence };
    const claim = this.desk.foreseen(event, row, item);
    const { outcome } =
      claim.outcome === 'taken'
        ? this.desk.foreseen(proposal, row, { ...item, ...claim.change })
        : claim;
    return { finding, outcome, row, act };
  }

  private claim({ by, key }: BulkSent, row: FindingAtHand): ActEvent {
    const data = { lease: this.desk.policy.document.lease };
    return this.desk.event({ command: 'claim', by, key, data }, row);
  }

  private proposal({ by, key, ruling }: BulkSent, row: FindingAtHand): ActEvent {
    const data = { ...ruling, evidence: row.evidence ?? NO_EVIDENCE, batch: key };
    return this.desk.event({ command: 'propose', by, key, data }, row);
  }

  /** Appends acts and reads all findings again, unless the rows do not follow in time. */
  private async append(
    sent: BulkSent,
    acts: readonly ActEvent[],
  ): Promise<{ readonly written: Positions; readonly now: AtHand | undefined }> {
    const written = acts.length > 0 ? await this.log.append(acts) : new Map<number, number>();
    return { written, now: await this.rows.readAt(askedBy(sent), written) };
  }
}

/** A finding that is claimed for the command, as the rows have it now, and what was foreseen. */
interface Held {
  readonly item: BulkItem;
  readonly row: FindingAtHand;
  readonly claim: ActLine;
}

/**
 * Returns whether a finding is what the plan was made of: nothing changed it after its claim, and
 * before it neither what was found nor the evidence changed.
 */
function isAsSeen({ item, row, claim }: Held): boolean {
  const before = item.row as FindingAtHand;
  return (
    row.changed === claim.changed &&
    isDeepStrictEqual(row.body, before.body) &&
    (before.evidence === null || before.evidence === row.evidence)
  );
}

/** The commands that a ruling for many sends about each finding. */
const VERBS = ['claim', 'propose'] as const;

const refOf = ({ by, key }: BulkSent, verb: (typeof VERBS)[number], finding: string): string =>
  actRef(by, verb, finding, key);

const askedBy = (sent: BulkSent): ReviewAsked => ({
  findings: sent.ids,
  acts: VERBS.flatMap((verb) => sent.ids.map((id) => refOf(sent, verb, id))),
  scope: sent.by.tables === 'all' ? undefined : sent.by.tables,
});

const evidenceIn = ({ data }: ActLine): unknown => ('evidence' in data ? data.evidence : undefined);

/** Returns what became of an item for which acts were appended. */
function cameOf(sent: BulkSent, item: BulkItem, now: AtHand | undefined): BulkItem {
  const [claimed, proposed] = VERBS.map((verb) => now?.acts.get(refOf(sent, verb, item.finding)));
  const act = proposed ?? (claimed?.outcome === 'taken' ? undefined : claimed);
  const row = now?.findings.get(item.finding) ?? item.row;
  return { ...item, row, act, outcome: act?.outcome ?? 'pending' };
}

/** Returns the SHA-256 of what a preview shows: the findings, and the version of each row. */
const previewOf = (ids: readonly string[], { findings }: AtHand): string =>
  createHash('sha256')
    .update(JSON.stringify(ids.map((id) => [id, findings.get(id)?.changed ?? null])))
    .digest('hex');

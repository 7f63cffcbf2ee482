import { Injectable, Logger } from '@nestjs/common';
import type { EventOf, ReviewRefusal } from '#audit';
import {
  positionsText,
  type ActLine,
  type FindingAtHand,
  type Positions,
  type ReviewCommand,
} from '#read-model';
import { asker, type Identity } from '../../identity/identity.js';
import { confirmedUntil } from '../../identity/me/confirm-session.js';
import { personIn } from '../../identity/requires.js';
import { Problem } from '../../problems/problems.js';
import { ActLog, type ActEvent } from './act-log.js';
import type { ActSent } from './act-request.js';
import { PersonTurns } from '../person-turns.js';
import { actRef, hasBody, isRefusedByRows, refusalOf, ActDesk } from './act-desk.js';
import { ReviewRows, type AtHand } from '../review-rows.js';

/** An act that took effect, with the finding as it is now. */
export interface Taken {
  readonly act: ActLine;
  readonly row: FindingAtHand;
}

/** An act that is on the log, and that the rows do not have yet. */
interface Pending {
  readonly ref: string;
  readonly table: string;
  readonly finding: string;
  /** The positions that the rows must reach. */
  readonly at: string;
}

/** What became of a command on a finding. */
export type Acted = Taken | Pending;

/** Returns whether the rows have an act. */
export const isTaken = (acted: Acted): acted is Taken => 'act' in acted;

/** An act that is on the log: its reference, its finding, and where the log has it. */
interface Sent {
  readonly ref: string;
  readonly row: FindingAtHand;
  /** What the rows have of an earlier command under the same key. */
  readonly before: ActLine | undefined;
  readonly written: Positions;
}

/** What the rows have of a command. */
interface Found {
  readonly row: FindingAtHand;
  readonly before?: ActLine;
  readonly act?: ActEvent;
  readonly refusal?: Problem;
}

/** Appends acts on findings, and reads what became of them. */
@Injectable()
export class Acts {
  private readonly logger = new Logger('review');

  constructor(
    private readonly rows: ReviewRows,
    private readonly desk: ActDesk,
    private readonly log: ActLog,
    private readonly turns: PersonTurns,
  ) {}

  /**
   * Appends an act and resolves with what became of it. Throws a refusal as a problem. The same
   * command again under its key is answered as the first time. An act that `refusedBy` says the log
   * refuses is appended even if the rows are enough to refuse it.
   */
  async perform(
    command: ReviewCommand,
    sent: ActSent,
    refusedBy: 'rows' | 'log' = 'rows',
  ): Promise<Acted> {
    const person = personIn(sent.by).id;
    const { ref, row, before, written } = await this.turns.run(person, () =>
      this.send(command, sent, refusedBy),
    );
    const { finding, body } = sent;
    const table = row.body.table;
    if (before) return this.answer({ act: before, row }, person, body);
    const read = await this.rows.readAt(
      { findings: [finding], acts: [ref], scope: undefined },
      written,
    );
    const [act, now] = [read?.acts.get(ref), read?.findings.get(finding)];
    if (!act || !now) return { ref, table, finding, at: positionsText(written) };
    return this.answer({ act, row: now }, person, body);
  }

  private async send(
    command: ReviewCommand,
    sent: ActSent,
    refusedBy: 'rows' | 'log',
  ): Promise<Sent> {
    const { by, finding, key } = sent;
    const ref = actRef(by, command, finding, key);
    const scope = by.tables === 'all' ? undefined : by.tables;
    const asked = { findings: [finding], acts: [ref], scope };
    let found = this.found(command, sent, ref, await this.rows.read(asked));
    if (refusedBy === 'rows' && found.refusal) {
      // the log may have this command already, or what frees the finding
      const now = await this.rows.readAt(asked, await this.log.head(found.row.body.table));
      if (now) found = this.found(command, sent, ref, now);
      if (now && found.refusal) throw found.refusal;
    }
    const { row, before, act } = found;
    if (!act) return { ref, row, before, written: new Map() };
    const written = await this.log.append([act]);
    this.logger.log({ message: 'act on a finding recorded', command, finding, ...asker(by) });
    return { ref, row, before, written };
  }

  /**
   * Returns what the rows have of a command that was sent before, or else its act, and why the rows
   * refuse that.
   */
  private found(
    command: ReviewCommand,
    { by, finding, key, body }: ActSent,
    ref: string,
    { findings, acts }: AtHand,
  ): Found {
    const row = findings.get(finding);
    if (!row) throw unknownFinding();
    const before = acts.get(ref);
    if (before) return { row, before };
    const added = command === 'sign' ? { confirmed: confirmedBy(by) } : {};
    const act = this.desk.event({ command, by, key, data: { ...body, ...added } }, row);
    if (command === 'propose') this.desk.requireInForce(body.policy);
    if (row.isParked) throw new Problem('table-parked');
    const { outcome } = this.desk.foreseen(act.event, row);
    if (!isRefusedByRows(outcome)) return { row, act };
    return { row, act, refusal: refusalOf(outcome, personIn(by).id, row) };
  }

  private answer({ act, row }: Taken, person: string, body: object): Taken {
    if (!hasBody(act, body)) throw refusalOf('idempotency-key-reused', person, row);
    if (act.outcome === 'taken') return { act, row };
    const refusal: ReviewRefusal = act.outcome;
    throw refusalOf(refusal, person, row, {
      at: actPosition(act),
      ...(refusal === 'ruling-incomplete' && {
        errors: this.desk.missing(act as unknown as EventOf<'finding-ruling-proposed'>),
      }),
    });
  }
}

/**
 * Returns when a person last proved who they are. Throws `confirm-first` if that has expired.
 */
function confirmedBy(by: Identity): string {
  const { confirmedAt } = personIn(by);
  if (confirmedUntil(confirmedAt).getTime() <= Date.now()) throw new Problem('confirm-first');
  return confirmedAt.toISOString();
}

/** Returns the position from which on the rows have an act. */
export const actPosition = ({ partition, changed }: ActLine): string => `${partition}:${changed}`;

/** Returns the problem of a finding that does not exist or that the sender may not see. */
const unknownFinding = (): Problem =>
  new Problem('not-found', 'no finding has this id, or this identity may not see it');

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HOUSE_TABLE, type needsTwo } from '#audit';
import { partitionOf } from '#event-log';
import { Started } from '../cli/serving.js';
import type { Audited } from '../cli/shoeprint.js';
import { isAct, linesBetween, type Placed } from './count.js';
import { PARTITIONS, type System } from './system.js';

/** A row of `review_event`. */
export interface ActRow {
  readonly ref: string;
  readonly finding: string;
  readonly type: string;
  readonly by: string;
  /** Times are in milliseconds since 1970. */
  readonly at: number;
  readonly data: { readonly lease?: number };
  readonly outcome: string;
}

/** A row of `finding`. */
export interface FindingRow extends Omit<Parameters<typeof needsTwo>[0], 'amount'> {
  readonly id: string;
  readonly table: string;
  readonly amount: number | null;
  readonly review: string;
  readonly disposition: string | null;
  readonly proposedBy: string | null;
  readonly signedBy: string | null;
  readonly ruling: string | null;
  readonly evidence: string | null;
  readonly regressed: boolean;
  readonly touched: boolean;
  readonly stands: boolean;
  readonly people: readonly string[];
  readonly lines: readonly (readonly [offset: number, line: number])[];
}

/** What a round left in the log and in the rows. */
export interface Left {
  readonly heads: readonly number[];
  readonly lines: readonly Placed[];
  /** In the order of the log. */
  readonly acts: readonly ActRow[];
  readonly findings: readonly FindingRow[];
}

/** Figures of a line: the last of its time, the first of an amount, and of a card. */
const CHANGES = [/("time":"[^"]*)(\d)(?=Z")/, /("amount":)([1-8])/, /("card":")([2-8])/] as const;

type Review = Audited['reviews'][number];

/**
 * Audits the log of a round with `shoeprint audit`: as it is, without the house, without the
 * reviews of other findings, and with a character behind a ruling changed. Returns how the answers
 * differ from the rows, and from what they must say.
 */
export const auditedOtherwise = (system: System, left: Left): Promise<string[]> =>
  new Auditing(system, left).differences();

/** Audits the log of a round, as it is and with parts of it left out or changed. */
class Auditing {
  constructor(
    private readonly system: System,
    private readonly left: Left,
  ) {}

  /** Returns how the audits differ from the rows, and from what they must say. */
  async differences(): Promise<string[]> {
    const { lines } = this.left;
    const all = lines.map(({ line }) => line);
    const house = await this.house();
    const reviews = await this.audit([...house, ...all]);
    const wrong = [
      ...(house.length > 0 ? [] : ['the log has nothing of the house']),
      ...different('an audit of the log', reviews, this.asInRows()),
      ...different('an audit without the house', await this.audit(all), reviews),
    ];
    const one = this.oneOfEachTable();
    const alone = await this.audit(
      lines.filter(({ line }) => !isAct(line) || one.has(findingIn(line))).map(({ line }) => line),
    );
    const own = reviews.filter(({ finding }) => one.has(finding));
    return [
      ...wrong,
      ...different('an audit without the reviews of others', alone, own),
      ...(await this.undetected([...one.values()])),
    ];
  }

  /** Returns a finding of each table that was ruled on, by its id. */
  private oneOfEachTable(): Map<string, FindingRow> {
    const ruled = this.left.findings.filter(({ review, stands }) => review === 'ruled' && stands);
    const each = new Map(ruled.map((finding) => [finding.table, finding]));
    return new Map([...each.values()].map((finding) => [finding.id, finding]));
  }

  /** Returns the reviews as the rows have them, by finding. */
  private asInRows(): Review[] {
    const { acts, findings } = this.left;
    return findings.flatMap((row) => {
      const { id, review, disposition, proposedBy, signedBy, evidence, regressed, touched } = row;
      const events = acts
        .filter(({ finding }) => finding === id)
        .map(({ ref, type, by, outcome }) => ({ ref, type, by, outcome }));
      const state = review as Review['state'];
      const standing = { state, disposition, proposedBy, signedBy, evidence, regressed, touched };
      return events.length === 0 ? [] : [{ finding: id, ...standing, events }];
    });
  }

  /**
   * Changes a character of a line behind each of these rulings, and returns which of them an audit
   * keeps.
   */
  private async undetected(rulings: readonly FindingRow[]): Promise<string[]> {
    const changed = new Map<string, string>();
    for (const [nth, { table, lines: places }] of rulings.entries()) {
      const behind = this.left.lines.filter(
        ({ key, offset, at }) =>
          key === table && places.some((place) => place[0] === offset && place[1] === at),
      );
      for (const change of [CHANGES[nth % CHANGES.length] as RegExp, ...CHANGES]) {
        const found = behind.find(({ line }) => change.test(line));
        if (!found) continue;
        const next = (_: string, before: string, figure: string): string =>
          `${before}${(Number(figure) + 1) % 10}`;
        changed.set(found.line, found.line.replace(change, next));
        break;
      }
    }
    const reviews = await this.audit(this.left.lines.map(({ line }) => changed.get(line) ?? line));
    const outcomes = rulings.map(({ id }) => {
      const review = reviews.find(({ finding }) => finding === id);
      return { id, state: review?.state, acts: review?.events.map(({ outcome }) => outcome) ?? [] };
    });
    return [
      ...(changed.size === rulings.length ? [] : ['a ruling rests on no line that can be changed']),
      ...outcomes
        .filter(
          ({ state, acts }) =>
            state === 'ruled' ||
            !(acts.includes('evidence-changed') || acts.includes('out-of-reach')),
        )
        .map(({ id, state, acts }) => `changed, ${id} is ${state}: ${acts.join(', ')}`),
    ];
  }

  /** Returns the lines of the house, from the beginning of the log. */
  private async house(): Promise<string[]> {
    const from = Array.from({ length: PARTITIONS }, () => 0);
    const to = from.map((_, partition) =>
      partition === partitionOf(HOUSE_TABLE, PARTITIONS)
        ? (this.left.heads[partition] as number)
        : 0,
    );
    return (await linesBetween(this.system, from, to))
      .filter(({ key }) => key === HOUSE_TABLE)
      .map(({ line }) => line);
  }

  /** Audits lines as a file, and returns the reviews by finding. */
  private async audit(lines: readonly string[]): Promise<readonly Review[]> {
    const folder = mkdtempSync(join(tmpdir(), 'shoeprint-faults-'));
    try {
      const file = join(folder, 'log.ndjson');
      writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
      const auditing = Started.shoeprint(['audit', '--json', file]);
      const code = await auditing.ended;
      if (code !== 0 && code !== 1) throw new Error(`audit ended with ${code}: ${auditing.said}`);
      const { reviews } = JSON.parse(auditing.said) as Audited;
      return reviews.toSorted((a, b) => (a.finding < b.finding ? -1 : 1));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Returns the finding that an act is about. */
const findingIn = (line: string): string =>
  (JSON.parse(line) as { data: { finding: string } }).data.finding;

/** Returns in words how reviews differ from others. */
function different(what: string, is: readonly Review[], must: readonly Review[]): string[] {
  const [have, expected] = [is, must].map(
    (list) => new Map(list.map((each) => [each.finding, each])),
  );
  return [...new Set([...is, ...must].map(({ finding }) => finding))].flatMap((finding) => {
    const [one, other] = [have?.get(finding), expected?.get(finding)];
    return isDeepStrictEqual(one, other)
      ? []
      : [`${what} says ${JSON.stringify(one)} of ${finding}, not ${JSON.stringify(other)}`];
  });
}

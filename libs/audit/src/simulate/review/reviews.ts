import { timeOf } from '../../events/time.js';
import { REFUSALS, type ReviewRefusal } from '../../review/arbitrate.js';
import type { Item } from '../../review/desk.js';
import type { TableState } from '../../state.js';
import type { ExpectedReview } from '../expected.js';
import { Random } from '../random.js';
import { SimulationRefusal } from '../setting.js';
import type { ReviewOptions } from '../simulate.js';
import { Case, needyDisposition } from './case.js';
import { review } from './course.js';
import { DeskLog } from './desk-log.js';
import { correctedInError } from './floor-error.js';
import { isInCase, WRONGS } from './wrongs.js';

/** What is reviewed, and where the expected outcomes go. */
export interface ReviewsAsked extends ReviewOptions {
  readonly table: string;
  readonly seed: string | number;
  /** How many faults cause findings at the table. */
  readonly findings: number;
  readonly expected: ExpectedReview[];
}

/**
 * Adds to the lines of one table, in order of time, what people do about its findings. Once the
 * coup of a finding is over, they look at it, claim it, propose a ruling and sign it, or leave it
 * at some stage. Some wait until its shoe is out of reach. Each refusal of `faults` is caused once.
 * Throws `SimulationRefusal` at once for a word that is not a refusal or that cannot be caused, and
 * at the end for one that no finding allowed.
 */
export function withReviews(
  lines: Iterable<string>,
  asked: ReviewsAsked,
): Generator<string, void, undefined> {
  const office = new Office(asked, refusalsAsked(asked));
  function* all(): Generator<string, void, undefined> {
    for (const line of lines) {
      yield* office.workUntil(line);
      yield line;
    }
    yield* office.finish();
  }
  return all();
}

function refusalsAsked({ faults = [], findings, policy }: ReviewsAsked): ReviewRefusal[] {
  const unknown = faults.find((word) => !(REFUSALS as readonly string[]).includes(word));
  if (unknown !== undefined)
    throw new SimulationRefusal(
      `"${unknown}" is not a refusal of a review; it must be one of ${REFUSALS.join(', ')}`,
    );
  const [first] = faults;
  if (first !== undefined && findings === 0)
    throw new SimulationRefusal(
      `${first} cannot be caused: a review needs a finding, so inject faults too, such as TC-05`,
    );
  if (faults.includes('ruling-incomplete') && !needyDisposition(policy))
    throw new SimulationRefusal(
      `ruling-incomplete cannot be caused: no disposition of ${policy.ref} needs anything`,
    );
  return [...faults] as ReviewRefusal[];
}

/** Work on a finding that continues at a time, in milliseconds since 1970. */
interface Work {
  at: number;
  readonly course: Generator<number, void, undefined>;
}

/** A finding whose review has not begun. */
interface Waiting {
  /** Begins when its shoe is out of reach. */
  readonly isLate: boolean;
  readonly involved: string | undefined;
}

/** Between two lines of the game, something can happen after this part of the time. */
const SOONER = 1 / 4;
/** Errors of the floor that raised no finding. */
const ERRORS_MAX = 8;
const MINUTE = 60_000;

/** The people who review the findings of one table, and what they have still to do. */
class Office {
  private readonly random: Random;
  private readonly log: DeskLog;
  private readonly waiting = new Map<string, Waiting>();
  private readonly underWay = new Set<string>();
  private readonly work: Work[] = [];
  private begun = 0;
  private errors = 0;

  constructor(
    private readonly asked: ReviewsAsked,
    /** Refusals that are still to be caused. */
    private readonly wrongs: ReviewRefusal[],
  ) {
    const { table, book, seed, expected } = asked;
    this.random = new Random(`${seed} ${table} reviews`);
    this.log = new DeskLog(table, book, expected);
  }

  /** Does what comes before a line of the game, returns its lines, and folds the line. */
  workUntil(line: string): string[] {
    const event = this.log.read(line);
    const time = timeOf(event.time) as number;
    if (this.log.now === 0) this.log.now = time;
    this.useMoment(time);
    this.workTo(time);
    this.log.now = time;
    this.notice(this.log.take(event));
    this.begin();
    return this.log.takeLines();
  }

  /** Does everything that is left, once the game is over. */
  *finish(): Generator<string> {
    for (const [finding, each] of this.waiting)
      this.waiting.set(finding, { ...each, isLate: false });
    this.begin();
    for (let before = Infinity; ; before = this.wrongs.length) {
      // an error of the floor is corrected in the first of two moments, and too late in the second
      for (let moment = 0; moment < 2; moment += 1) {
        this.useMoment(this.log.now + 4 * MINUTE);
        this.workTo(Infinity);
      }
      yield* this.log.takeLines();
      if (this.wrongs.length === 0) return;
      const host = this.host();
      if (this.wrongs.length >= before || !host) throw this.refusal();
      this.start(host.id, this.involvedIn(host.id));
    }
  }

  /** Continues with all work that is due before a time, in order. */
  private workTo(time: number): void {
    for (;;) {
      const next = this.work.reduce<Work | undefined>(
        (least, each) => (least && least.at <= each.at ? least : each),
        undefined,
      );
      if (!next || next.at >= time) return;
      this.log.now = next.at;
      const { done, value } = next.course.next();
      if (done) this.work.splice(this.work.indexOf(next), 1);
      else next.at = this.log.now + value;
    }
  }

  private later(ms: number, course: Generator<number, void, undefined>): void {
    this.work.push({ at: this.log.now + ms, course });
  }

  /** Notices standing findings that nobody works on. */
  private notice(findings: readonly string[]): void {
    for (const finding of findings) {
      const item = this.log.item(finding);
      if (!item?.standing || item.state === 'ruled' || this.underWay.has(finding)) continue;
      const isLate = this.waiting.get(finding)?.isLate ?? this.random.chance(15);
      this.waiting.set(finding, { isLate, involved: this.involvedIn(finding) });
    }
  }

  /** Begins the reviews whose time has come. */
  private begin(): void {
    for (const [finding, { isLate, involved }] of this.waiting) {
      const item = this.log.item(finding);
      if (item?.standing && (isLate ? item.people === null : this.log.isCoupOpen(item))) continue;
      this.waiting.delete(finding);
      if (item?.standing) this.start(finding, involved);
    }
  }

  private start(finding: string, involved: string | undefined): void {
    const { random, log, asked } = this;
    const { policy } = asked;
    const wrongs = this.wrongsFor(involved);
    const needsTwo = wrongs.some((word) => isInCase(word) && WRONGS[word].at === 'proposed');
    const about = new Case({ log, random, policy, finding, involved, wrongs, needsTwo });
    this.underWay.add(finding);
    this.later(this.random.between(20_000, 10 * MINUTE), this.whole(about));
  }

  private *whole(about: Case): Generator<number, void, undefined> {
    yield* review(about);
    this.underWay.delete(about.finding);
    this.wrongs.push(...about.wrongs);
  }

  /** Takes the next finding's share of the refusals that are still to be caused. */
  private wrongsFor(involved: string | undefined): ReviewRefusal[] {
    const fitting = this.wrongs.filter(
      (word) => isInCase(word) && (word !== 'conflict-of-interest' || involved !== undefined),
    );
    const left = Math.max(1, this.asked.findings - this.begun);
    this.begun += 1;
    const share = fitting.slice(0, Math.ceil(this.wrongs.length / left));
    for (const word of share) this.wrongs.splice(this.wrongs.indexOf(word), 1);
    return share;
  }

  /** Causes refusals that depend on the game, if it allows one before the time of its next line. */
  private useMoment(time: number): void {
    if (time <= this.log.now) return;
    const ms = Math.floor((time - this.log.now) * SOONER);
    const { items } = this.log.state.desk;
    if (this.wrongs.includes('coup-open')) {
      const item = [...items.values()].findLast((each) => this.isInOpenCoup(each));
      if (item) this.later(ms, this.tooEarly(item));
    }
    if (!this.wrongs.includes('finding-withdrawn')) return;
    const gone = [...items.values()].find(({ standing }) => !standing);
    if (gone) this.later(ms, this.tooLate(gone));
    else if (this.errors < ERRORS_MAX && correctedInError(this.log.state)) {
      this.errors += 1;
      this.later(ms, this.errorOfTheFloor(ms));
    }
  }

  private isInOpenCoup(item: Item): boolean {
    return item.standing && item.state === 'open' && this.log.isCoupOpen(item);
  }

  private *tooEarly({ id }: Item): Generator<number, void, undefined> {
    const about = this.caseOf(id);
    const evidence = this.log.sha256('');
    const data = about.proposal({ ...(this.log.item(id) as Item), evidence });
    about.act(about.proposer, 'finding-ruling-proposed', data, { outcome: 'coup-open' });
    this.done('coup-open');
  }

  private *tooLate({ id }: Item): Generator<number, void, undefined> {
    const about = this.caseOf(id);
    const outcome = 'finding-withdrawn';
    about.act(about.proposer, 'finding-claimed', { lease: 60 }, { outcome });
    this.done(outcome);
  }

  /** Corrects an outcome that was right, and then corrects it back. */
  private *errorOfTheFloor(ms: number): Generator<number, void, undefined> {
    const error = correctedInError(this.log.state);
    if (!error) return;
    const { shoe, event, wrong } = error;
    const by = 'floor-1';
    const signed = { by, reason: 'seen on video' };
    const named = { event: `${event.source}#${event.id}` };
    this.log.floor(by, 'observation-corrected', shoe, { ...named, data: wrong, ...signed });
    yield ms;
    const right = { ...event.data };
    const reason = 'the wrong coup was corrected';
    this.log.floor(by, 'observation-corrected', shoe, { ...named, data: right, by, reason });
  }

  private caseOf(finding: string): Case {
    const { random, log, asked } = this;
    const { policy } = asked;
    return new Case({
      ...{ log, random, policy, finding, wrongs: [] },
      ...{ involved: undefined, needsTwo: false },
    });
  }

  private done(word: ReviewRefusal): void {
    this.wrongs.splice(this.wrongs.indexOf(word), 1);
  }

  /** Returns a finding for the refusals that are left, with somebody involved if there is one. */
  private host(): Item | undefined {
    const items = [...this.log.state.desk.items.values()].filter(
      (item) => item.standing && !this.log.isCoupOpen(item),
    );
    return items.findLast(({ id }) => this.involvedIn(id) !== undefined) ?? items.at(-1);
  }

  /** Returns a dealer of a finding's coup or shoe; undefined if it is about none within reach. */
  private involvedIn(finding: string): string | undefined {
    const shoe = shoesOf(this.log.state).find(({ found }) => found.has(finding));
    const ref = shoe?.found.get(finding)?.finding.coupRef;
    if (ref === undefined) return shoe?.dealersOfShoe[0];
    return shoe?.coups.find((coup) => coup.ref === ref)?.dealers[0];
  }

  private refusal(): SimulationRefusal {
    const words = this.wrongs.join(', ');
    const why = this.wrongs.includes('coup-open')
      ? 'was raised while its coup was open, as TC-05 is'
      : 'allowed it';
    return new SimulationRefusal(
      `${words} cannot be caused: no finding of table ${this.asked.table} ${why}; inject more faults`,
    );
  }
}

const shoesOf = ({ open, before }: TableState) => [open, before].filter((shoe) => shoe !== null);

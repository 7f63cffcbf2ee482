import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { CONTRADICTIONS, type ExportStep, type ExportTask } from '#export';
import { asError, excerpt } from '#process';
import { Counter, Gauge } from 'prom-client';
import { type Act, SERVER } from '../../house/acts.js';
import { HouseRecord } from '../../house/house-record.js';
import { Metrics } from '../../operation/metrics.js';
import {
  ExportJobs,
  NotOurs,
  type ExportEnd,
  type ExportFailure,
  type ExportJob,
} from './export-jobs.js';
import { ExporterProcess, type MakingEnd } from './exporter-process.js';
import { Exporting } from './exporting.js';

/** How often to look for work, save progress and measure the folder. */
const LOOK_MS = 1_000;
/** How often to look for old packages. */
const TIDY_MS = 60_000;
/** How long exports rest after a process could not reach the log or the database. */
const AWAY_MS = 5_000;
/** An export whose process dies this often is given up. */
const TRIES_MAX = 3;
/** The most warnings that the record of the house keeps of a package, and how long each may be. */
const WARNINGS_MAX = 20;
const TEXT_MAX = 400;

/** The log or the database was out of reach of the process that makes a package, and why. */
interface Away {
  readonly away: string;
}

/** Makes packages that were asked for, one at a time, each in a process of its own. */
@Injectable()
export class ExportRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('exports');
  /** What this process writes of an export, apart from what others do, and its name as a runner. */
  private readonly attempt = randomUUID().slice(0, 8);
  private readonly runner = `${hostname()}/${process.pid}/${this.attempt}`;
  private readonly waiting: Gauge;
  private readonly ended: Counter<'result'>;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private making: ExporterProcess | undefined;
  private tidyAt = 0;
  private restUntil = 0;
  private isClosing = false;
  private isAway = false;
  /** An export that this process holds and no longer makes, until the database knows. */
  private held: { readonly id: string; readonly died: boolean } | undefined;

  constructor(
    private readonly jobs: ExportJobs,
    private readonly record: HouseRecord,
    private readonly exporting: Exporting,
    { registry }: Metrics,
  ) {
    this.waiting = new Gauge({
      name: 'shoeprint_exports_waiting',
      help: 'Exports that wait or are made, by every api of the house.',
      registers: [registry],
    });
    this.ended = new Counter({
      name: 'shoeprint_exports_ended_total',
      help: 'Exports that this process ended, by result.',
      labelNames: ['result'],
      registers: [registry],
    });
    for (const result of ['made', 'failed', 'contradicted', 'died']) this.ended.inc({ result }, 0);
  }

  /** Whether this server makes packages. */
  get isOn(): boolean {
    return this.exporting.isOn;
  }

  onApplicationBootstrap(): void {
    if (!this.isOn) return;
    this.timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Ends the export under way. Another process, or the next start, makes it again. */
  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.making?.end();
    await this.working;
  }

  /** Looks for work, unless it is under way. */
  look(): void {
    if (this.isClosing || !this.exporting.isOn || performance.now() < this.restUntil) return;
    this.working ??= this.work()
      .then(() => {
        if (this.isAway) this.logger.log({ message: 'exports resumed' });
        this.isAway = false;
      })
      .catch((error: unknown) => {
        if (!this.isAway)
          this.logger.warn({ message: 'exports paused', error: asError(error).message });
        this.isAway = true;
      })
      .finally(() => {
        this.working = undefined;
      });
  }

  private async work(): Promise<void> {
    await this.giveBack();
    await this.tidy();
    this.waiting.set((await this.jobs.unfinished('')).all);
    for (let job = await this.next(); job; job = await this.next()) {
      this.held = { id: job.id, died: false };
      await this.make(job);
      await this.giveBack();
    }
  }

  /** Lets any process make what this one held and did not end. */
  private async giveBack(): Promise<void> {
    const { held } = this;
    if (held) await this.jobs.giveBack(held.id, this.runner, held.died);
    this.held = undefined;
  }

  private async next(): Promise<ExportJob | undefined> {
    return this.isClosing ? undefined : this.jobs.take(this.runner);
  }

  private async make(job: ExportJob): Promise<void> {
    const { id, deaths } = job;
    if (deaths >= TRIES_MAX) {
      const detail = `the process that made it ended ${TRIES_MAX} times`;
      return this.end(job, { code: 'given-up', detail });
    }
    const given = await this.jobs.lastGivenTo(job.recipient);
    const task = await this.exporting.task(job, this.attempt, given);
    const end = await this.made(job, task);
    if (end && 'away' in end) {
      this.restUntil = performance.now() + AWAY_MS;
      await this.giveBack();
      throw new Error(end.away);
    }
    if (end) await this.end(job, end);
    else if (!this.isClosing) {
      this.ended.inc({ result: 'died' });
      const times = deaths + 1;
      this.logger.error({ message: 'the process that makes a package died', export: id, times });
      this.held = { id, died: true };
    }
    this.tidyAt = 0;
  }

  /**
   * Makes a package and shows progress. Returns undefined if its process died, and why if it could
   * not reach what it needs. Ends the process if the export was removed meanwhile, or what it
   * writes does not fit into the folder.
   */
  private async made(job: ExportJob, task: ExportTask): Promise<ExportEnd | Away | undefined> {
    let at: { step: ExportStep; share: number | undefined } = { step: 'sealing', share: undefined };
    const making = new ExporterProcess(task, ({ step, share }) => {
      at = { step, share };
    });
    this.making = making;
    let failure: ExportFailure | undefined;
    let beating: Promise<void> | undefined;
    const beat = async (): Promise<void> => {
      const isOurs = await this.jobs.beat(job.id, this.runner, at);
      failure ??= this.largest(job.id, await this.makeRoom());
      if (!isOurs || failure) await making.end();
    };
    const timer = setInterval(() => {
      beating ??= beat()
        .catch(() => undefined) // the next beat tries again; if none gets through, the lease ends
        .finally(() => (beating = undefined));
    }, LOOK_MS);
    try {
      const end = this.endOf(await making.ended());
      return failure ?? end;
    } finally {
      clearInterval(timer);
      await beating;
      this.making = undefined;
    }
  }

  private endOf(end: MakingEnd): ExportEnd | Away | undefined {
    switch (end.is) {
      case 'made': {
        const { size } = end.made;
        const isTooLarge = size > this.exporting.bytesMax;
        return isTooLarge ? this.tooLarge(`the package has ${size} bytes`) : { made: end.made };
      }
      case 'refused':
        return { code: end.code, detail: end.message };
      case 'away':
        return { away: end.message };
      case 'died':
        return undefined;
    }
  }

  private tooLarge(what: string): ExportFailure {
    const detail = `${what}, and SHOEPRINT_EXPORTS_MB allows ${this.exporting.bytesMax}`;
    return { code: 'too-large', detail };
  }

  /**
   * Removes packages that are old, and the oldest that do not fit beside what exports under way
   * have written. Returns how many bytes those have, by export.
   */
  private async makeRoom(): Promise<ReadonlyMap<string, number>> {
    const { packages, hours, bytesMax } = this.exporting;
    const underWay = await packages.underWay();
    const room = Math.max(0, bytesMax - sum(underWay));
    for (const id of await this.jobs.expire(hours, room)) await packages.remove(id);
    return underWay;
  }

  /** Returns why an export ends: it is the largest under way, and they do not fit together. */
  private largest(id: string, underWay: ReadonlyMap<string, number>): ExportFailure | undefined {
    const own = underWay.get(id) ?? 0;
    if (sum(underWay) <= this.exporting.bytesMax || own < Math.max(...underWay.values()))
      return undefined;
    return this.tooLarge(`the package has ${own} bytes while it is made`);
  }

  /** Keeps and records how an export ended. Its package can be fetched once that is on the log. */
  private async end(job: ExportJob, end: ExportEnd): Promise<void> {
    const { id } = job;
    const { packages } = this.exporting;
    const isMade = 'made' in end;
    try {
      await this.record.transaction(async (manager, note) => {
        const noteId = await note(actOf(id, end));
        await this.jobs.end(manager, { id, runner: this.runner, note: noteId }, end);
        if (isMade) await packages.keep(id, this.attempt); // the row is locked, so nobody else does
      });
    } catch (error) {
      if (!(error instanceof NotOurs)) throw error;
      await packages.removeAttempt(id, this.attempt);
      this.logger.log({ message: 'export was removed, or another process makes it', export: id });
      return;
    }
    if (!isMade) await packages.remove(id);
    if (isMade) {
      this.ended.inc({ result: 'made' });
      const { id: name, size } = end.made;
      this.logger.log({ message: 'export ended', export: id, package: name, size });
    } else if (CONTRADICTIONS.includes(end.code)) {
      this.ended.inc({ result: 'contradicted' });
      this.logger.error({ message: 'export ended', export: id, ...end });
    } else {
      this.ended.inc({ result: 'failed' });
      this.logger.log({ message: 'export ended', export: id, ...end });
    }
  }

  /** Removes packages that are old or too many, and files that no export has. */
  private async tidy(): Promise<void> {
    if (performance.now() < this.tidyAt) return;
    const { packages } = this.exporting;
    await packages.create();
    await this.makeRoom();
    const old = await packages.old();
    const needed = await this.jobs.needed(old);
    for (const id of old) if (!needed.has(id)) await packages.remove(id);
    this.tidyAt = performance.now() + TIDY_MS;
  }
}

const sum = (sizes: ReadonlyMap<string, number>): number =>
  [...sizes.values()].reduce((total, size) => total + size, 0);

/** Returns what the record of the house says about the end of an export. */
function actOf(id: string, end: ExportEnd): Act {
  if (!('made' in end)) {
    const detail = excerpt(end.detail, TEXT_MAX);
    return { type: 'export-failed', by: SERVER, data: { export: id, code: end.code, detail } };
  }
  const { id: name, sha256, size, checkpoint, records, warnings } = end.made;
  const kept = warnings.slice(0, WARNINGS_MAX).map((text) => excerpt(text, TEXT_MAX));
  const more = warnings.length - kept.length;
  return {
    type: 'export-made',
    by: SERVER,
    data: {
      ...{ export: id, package: name, sha256, size, checkpoint, records },
      warnings: more > 0 ? [...kept, `and ${more} more`] : kept,
    },
  };
}

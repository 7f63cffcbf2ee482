import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { ExportStep, ExportTask } from '#export';
import { asError, excerpt } from '#process';
import { Counter, Gauge } from 'prom-client';
import { type Act, SERVER } from '../house/acts.js';
import { HouseRecord } from '../house/house-record.js';
import { Metrics } from '../operation/metrics.js';
import { ExportJobs, NotOurs, type ExportEnd, type ExportJob } from './export-jobs.js';
import { ExporterProcess } from './exporter-process.js';
import { Exporting } from './exporting.js';

/** How often work is looked for, and progress is kept. */
const LOOK_MS = 1_000;
/** How often old packages are looked for. */
const TIDY_MS = 60_000;
/** An export whose process dies so often is given up. */
const TRIES_MAX = 3;
/** The most warnings that the record of the house keeps of a package, and how long each may be. */
const WARNINGS_MAX = 20;
const TEXT_MAX = 400;

/** Makes packages that were asked for, one at a time, each in a process of its own. */
@Injectable()
export class ExportRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('exports');
  private readonly runner = `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
  private readonly waiting: Gauge;
  private readonly ended: Counter<'result'>;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private making: ExporterProcess | undefined;
  private tidyAt = 0;
  private isClosing = false;
  private isAway = false;

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
    for (const result of ['made', 'failed', 'died']) this.ended.inc({ result }, 0);
  }

  /** Whether this server makes packages. */
  get isOn(): boolean {
    return this.exporting.isOn;
  }

  onApplicationBootstrap(): void {
    if (!this.isOn) return;
    this.timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Ends what is made. Another process, or the next start, makes it again. */
  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.making?.end();
    await this.working;
  }

  /** Looks for work, unless it is under way. */
  look(): void {
    if (this.isClosing || !this.exporting.isOn) return;
    this.working ??= this.work()
      .then(() => {
        if (this.isAway) this.logger.log({ message: 'exports go on' });
        this.isAway = false;
      })
      .catch((error: unknown) => {
        if (!this.isAway)
          this.logger.warn({ message: 'exports wait', error: asError(error).message });
        this.isAway = true;
      })
      .finally(() => {
        this.working = undefined;
      });
  }

  private async work(): Promise<void> {
    await this.tidy();
    this.waiting.set((await this.jobs.unfinished('')).all);
    for (let job = await this.next(); job; job = await this.next()) await this.make(job);
  }

  private async next(): Promise<ExportJob | undefined> {
    return this.isClosing ? undefined : this.jobs.take(this.runner);
  }

  private async make(job: ExportJob): Promise<void> {
    const { id, tries } = job;
    if (tries > TRIES_MAX) {
      const detail = `the process that made it ended ${TRIES_MAX} times`;
      return this.end(job, { code: 'given-up', detail });
    }
    const task = await this.exporting.task(job, await this.jobs.lastGivenTo(job.recipient));
    const end = await this.made(job, task);
    if (end.is === 'refused') await this.end(job, { code: end.code, detail: end.message });
    else if (end.is === 'made' && end.made.size > this.exporting.bytesMax)
      await this.end(job, {
        code: 'too-large',
        detail: `the package has ${end.made.size} bytes, and SHOEPRINT_EXPORTS_MB allows ${this.exporting.bytesMax}`,
      });
    else if (end.is === 'made') await this.end(job, { made: end.made });
    else if (this.isClosing) await this.jobs.giveBack(id, this.runner, false);
    else {
      this.ended.inc({ result: 'died' });
      this.logger.error({ message: 'the process that makes a package died', export: id, tries });
      await this.jobs.giveBack(id, this.runner, true);
    }
    this.tidyAt = 0;
  }

  /** Makes a package and shows progress. Ends the process if the export was removed meanwhile. */
  private async made(job: ExportJob, task: ExportTask) {
    let at: { step: ExportStep; share: number | undefined } = { step: 'sealing', share: undefined };
    const making = new ExporterProcess(task, ({ step, share }) => {
      at = { step, share };
    });
    this.making = making;
    const beating = setInterval(() => {
      void this.jobs.beat(job.id, this.runner, at).then(
        (isOurs) => (isOurs ? undefined : making.end()),
        () => undefined, // the next beat tries again, and the lease ends if none comes through
      );
    }, LOOK_MS);
    try {
      return await making.ended();
    } finally {
      clearInterval(beating);
      this.making = undefined;
    }
  }

  /** Keeps and records how an export ended. Its package can be fetched once that is on the log. */
  private async end(job: ExportJob, end: ExportEnd): Promise<void> {
    const { id } = job;
    try {
      await this.record.transaction(async (manager, note) => {
        const noteId = await note(actOf(id, end));
        await this.jobs.end(manager, { id, runner: this.runner, note: noteId }, end);
      });
    } catch (error) {
      if (!(error instanceof NotOurs)) throw error;
      // Its files are old one day, and are removed then unless another process needs them.
      this.logger.log({ message: 'export was removed', export: id });
      return;
    }
    this.ended.inc({ result: 'made' in end ? 'made' : 'failed' });
    this.logger.log({
      message: 'export ended',
      export: id,
      ...('made' in end ? { package: end.made.id, size: end.made.size } : end),
    });
  }

  /** Removes packages that are old or too many, and files that no export has. */
  private async tidy(): Promise<void> {
    if (performance.now() < this.tidyAt) return;
    const { packages, hours, bytesMax } = this.exporting;
    await packages.create();
    for (const id of await this.jobs.expire(hours, bytesMax)) await packages.remove(id);
    const old = await packages.old();
    const needed = await this.jobs.needed(old);
    for (const id of old) if (!needed.has(id)) await packages.remove(id);
    this.tidyAt = performance.now() + TIDY_MS;
  }
}

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

import { Injectable } from '@nestjs/common';
import type { ExportTask } from '#export';
import { ApiSettings } from '../../settings/api-settings.js';
import { DatabaseUrl, ExportFrom } from '../../settings/tokens.js';
import type { ExportJob } from './export-jobs.js';
import type { ExportSettings } from '../export-settings.js';
import { PackageFolder } from '../package-folder.js';

const MEGABYTE = 1_000_000;

/** How this server makes packages, if its settings name a folder for them. */
@Injectable()
export class Exporting {
  constructor(
    private readonly settings: ApiSettings,
    private readonly database: DatabaseUrl,
    private readonly from: ExportFrom,
  ) {}

  /** Whether this server makes packages. */
  get isOn(): boolean {
    return this.settings.exports !== undefined && this.from.sources !== undefined;
  }

  /** The folder of packages. */
  get packages(): PackageFolder {
    return new PackageFolder(this.set.folder);
  }

  /** How long a package is kept there, in hours. */
  get hours(): number {
    return this.set.hours;
  }

  /** The most bytes of all packages. */
  get bytesMax(): number {
    return this.set.megabytes * MEGABYTE;
  }

  /**
   * Returns what a process needs to make a package, where `attempt` writes. `given`: the size of
   * the checkpoint that the recipient was given last, which the package proves itself consistent
   * with.
   */
  async task(
    { id, asked }: ExportJob,
    attempt: string,
    given: number | undefined,
  ): Promise<ExportTask> {
    const { sources } = this.from;
    if (!sources) throw new Error('this server makes no packages');
    await this.packages.create();
    const since = new Set([...asked.since, ...(given === undefined ? [] : [given])]);
    return {
      asked: { ...asked, since: [...since] },
      ...{ databaseUrl: this.database.url, log: sources.log, rules: sources.rules },
      gamingDays: this.settings.gamingDays,
      key: this.set.key,
      lanes: this.set.lanes,
      ...this.packages.attemptOf(id, attempt),
    };
  }

  private get set(): ExportSettings {
    const { exports } = this.settings;
    if (!exports) throw new Error('this server has no folder for packages');
    return exports;
  }
}

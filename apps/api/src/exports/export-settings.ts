import { resolve } from 'node:path';
import type { LaneSetting } from '#audit';
import type { LogSettings } from '#event-log';
import { laneSetting, type Environment } from '#process';
import type { KeyFile } from '#seal-store';

/** How packages are made and kept. */
export interface ExportSettings {
  /** The folder of packages. Every api of the house has the same. */
  readonly folder: string;
  readonly key: KeyFile;
  /** The most megabytes of packages in the folder. The oldest go first. */
  readonly megabytes: number;
  /** How long a package is kept there. */
  readonly hours: number;
  /** How lines are folded. */
  readonly lanes: LaneSetting;
}

/** What a process of its own reads when it makes a package. */
export interface ExportSources {
  readonly log: LogSettings;
  /** Folders of rule documents beside the published ones. */
  readonly rules: readonly string[];
}

/** A package of one table and day is a few megabytes. */
const MEGABYTES = 10_000;
const MEGABYTES_MAX = 10_000_000;
/** A week: long enough for a recipient on leave. The same package can be made again. */
const HOURS = 7 * 24;
const HOURS_MAX = 10 * 366 * 24;

/**
 * Reads how packages are made and kept; undefined if no folder is set, then none are made. Collects
 * faults in `env`. `on`: the folder and the key of a server on one machine.
 */
export function exportSettings(
  env: Environment,
  on?: Pick<ExportSettings, 'folder' | 'key'>,
): ExportSettings | undefined {
  const folder = env.text('SHOEPRINT_EXPORTS') ?? on?.folder;
  const path = env.text('SHOEPRINT_EXPORTS_KEY') ?? on?.key.path;
  const megabytes = env.whole('SHOEPRINT_EXPORTS_MB', MEGABYTES, 1, MEGABYTES_MAX);
  const hours = env.whole('SHOEPRINT_EXPORTS_HOURS', HOURS, 1, HOURS_MAX);
  const lanes = laneSetting(env);
  if (folder === undefined) return undefined;
  if (path === undefined)
    env.fault(
      'SHOEPRINT_EXPORTS_KEY',
      'is missing beside SHOEPRINT_EXPORTS: the file of the key that signs packages',
    );
  const key = { setting: 'SHOEPRINT_EXPORTS_KEY', path: resolve(path ?? '.') };
  return Object.freeze({
    ...{ folder: resolve(folder), key: Object.freeze(key), megabytes, hours, lanes },
  });
}

import { join, resolve } from 'node:path';
import { listenSettings, type ListenSettings } from '#api';
import type { LaneSetting } from '#audit';
import { Environment, laneSetting, type Variables } from '#process';
import { sealingSettings, type SealingSettings } from '#sealer';
import { logPartitions } from '#server';

/** Settings of the server for one machine: those of the api and the sealer, and of its data. */
export interface StandaloneSettings extends ListenSettings, SealingSettings {
  /** The folder of the database. It is created if it is missing. */
  readonly data: string;
  /** Number of partitions of the log. It cannot change once the folder exists. */
  readonly partitions: number;
  /** How the auditor folds lines. */
  readonly lanes: LaneSetting;
}

/**
 * Reads the environment once, checks all of it and freezes the result. Throws `SettingsRefused`
 * with every fault.
 */
export function standaloneSettings(variables: Variables): StandaloneSettings {
  const env = new Environment(variables);
  const data = resolve(env.text('SHOEPRINT_DATA') ?? 'data');
  const sealing = sealingSettings(env, data);
  const settings = {
    ...listenSettings(env, { folder: join(data, 'exports'), key: sealing.keyFiles.exports }),
    ...sealing,
    data,
    partitions: logPartitions(env),
    lanes: laneSetting(env),
  };
  env.check();
  return Object.freeze(settings);
}

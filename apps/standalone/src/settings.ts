import { resolve } from 'node:path';
import { listenSettings, type ListenSettings } from '#api';
import { Environment, type Variables } from '#process';
import { logPartitions } from '#server';

/** Settings of the server for one machine: those of the api, and where it keeps its data. */
export interface StandaloneSettings extends ListenSettings {
  /** The folder of the database. It is created if it is missing. */
  readonly data: string;
  /** Number of partitions of the log. It cannot change once the folder exists. */
  readonly partitions: number;
}

/**
 * Reads the environment once, checks all of it and freezes the result. Throws `SettingsRefused`
 * with every fault.
 */
export function standaloneSettings(variables: Variables): StandaloneSettings {
  const env = new Environment(variables);
  const settings = {
    ...listenSettings(env),
    data: resolve(env.text('SHOEPRINT_DATA') ?? 'data'),
    partitions: logPartitions(env),
  };
  env.check();
  return Object.freeze(settings);
}

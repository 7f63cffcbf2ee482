import { resolve } from 'node:path';
import { listenSettings, type ListenSettings } from '#api';
import { Environment, type Variables } from '#process';
import { logPartitions } from '#server';

/** What everything on one machine is set by: the api's settings, and where it keeps its data. */
export interface StandaloneSettings extends ListenSettings {
  /** The folder of the database, made where it is not there. */
  readonly data: string;
  /** Partitions of the log: set for life when the folder is new. */
  readonly partitions: number;
}

/**
 * Reads the environment once, checks the whole of it, and freezes it. Throws `SettingsRefused` with
 * everything that is wrong.
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

import { Environment, type Variables } from '#process';
import { storeSettings, type StoreSettings } from '#server';
import { listenSettings, type ListenSettings } from './api-settings.js';

/** The settings of the api when it runs as a program of its own. */
export interface ServerSettings extends ListenSettings, StoreSettings {}

/**
 * Reads the settings from the environment, checks all of them and freezes them. Throws
 * `SettingsRefused` with every fault. Its message contains no value.
 */
export function serverSettings(variables: Variables): ServerSettings {
  const env = new Environment(variables);
  const settings = { ...storeSettings(env), ...listenSettings(env) };
  env.check();
  return Object.freeze(settings);
}

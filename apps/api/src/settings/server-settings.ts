import { Environment, type Variables } from '#process';
import { storeSettings, type StoreSettings } from '#server';
import { listenSettings, type ListenSettings } from './api-settings.js';

/** All that an api of its own reads from the environment. */
export interface ServerSettings extends ListenSettings, StoreSettings {}

/** Reads the environment once, checks the whole of it, and freezes it. Throws `SettingsRefused` with everything that is wrong; never tells a value. */
export function serverSettings(variables: Variables): ServerSettings {
  const env = new Environment(variables);
  const settings = { ...storeSettings(env), ...listenSettings(env) };
  env.check();
  return Object.freeze(settings);
}

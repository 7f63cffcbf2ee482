import { Environment, type Variables } from '#process';
import {
  houseSettings,
  logLevelSettings,
  storeSettings,
  type HouseSettings,
  type LogLevelSettings,
  type StoreSettings,
} from '#server';
import { LEASE_MS } from './start-auditor.js';

/** All that an auditor of its own reads from the environment. */
export interface AuditorSettings extends HouseSettings, LogLevelSettings, StoreSettings {
  readonly host: string;
  /** Where health and metrics are served. */
  readonly metricsPort: number;
  readonly leaseMs: number;
}

const METRICS_PORT = 8378;

/** Reads the environment once, checks the whole of it, and freezes it. Throws `SettingsRefused` with everything that is wrong; never tells a value. */
export function auditorSettings(variables: Variables): AuditorSettings {
  const env = new Environment(variables);
  const settings = {
    ...storeSettings(env),
    ...houseSettings(env),
    ...logLevelSettings(env),
    host: env.text('SHOEPRINT_HOST') ?? '127.0.0.1',
    metricsPort: env.whole('SHOEPRINT_METRICS_PORT', METRICS_PORT, 0, 65_535),
    leaseMs: env.whole('SHOEPRINT_LEASE_MS', LEASE_MS, 500, 60_000),
  };
  env.check();
  return Object.freeze(settings);
}

import type { LaneSetting } from '#audit';
import { Environment, heapLimit, laneSetting, type Variables } from '#process';
import {
  houseSettings,
  logLevelSettings,
  pageSettings,
  storeSettings,
  type HouseSettings,
  type LogLevelSettings,
  type PageSettings,
  type StoreSettings,
} from '#server';
import { LEASE_MS } from './start-auditor.js';

/** The settings that the auditor program reads from the environment. */
export interface AuditorSettings
  extends HouseSettings, LogLevelSettings, PageSettings, StoreSettings {
  readonly host: string;
  /** The port that serves health and metrics. */
  readonly metricsPort: number;
  readonly leaseMs: number;
  /** How lines are folded. */
  readonly lanes: LaneSetting;
  /** The limit of the heap in megabytes, which what starts the program applies. */
  readonly heapMb: number;
}

const METRICS_PORT = 8378;

/**
 * Reads and checks the whole environment once, and freezes the result. Throws `SettingsRefused`
 * with every fault; no fault contains a value.
 */
export function auditorSettings(variables: Variables): AuditorSettings {
  const env = new Environment(variables);
  const host = env.text('SHOEPRINT_HOST') ?? '127.0.0.1';
  const settings = {
    ...storeSettings(env),
    ...houseSettings(env),
    ...logLevelSettings(env),
    host,
    ...pageSettings(env, host),
    metricsPort: env.whole('SHOEPRINT_METRICS_PORT', METRICS_PORT, 0, 65_535),
    heapMb: heapLimit(env),
    lanes: laneSetting(env),
    leaseMs: env.whole('SHOEPRINT_LEASE_MS', LEASE_MS, 500, 60_000),
  };
  env.check();
  return Object.freeze(settings);
}

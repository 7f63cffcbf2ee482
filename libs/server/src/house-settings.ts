import { gamingDayFaults, type GamingDayRule } from '#read-model';
import type { Environment } from '#process';

/** Settings of a house. They must be the same for every program that serves the house. */
export interface HouseSettings {
  readonly gamingDays: readonly GamingDayRule[];
  /** Folders of rule documents in addition to the published ones. */
  readonly rules: readonly string[];
}

/** The default: days begin at midnight, UTC. */
export const UTC_DAYS: readonly GamingDayRule[] = Object.freeze([
  Object.freeze({ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }),
]);

/** Reads the settings of the house, deeply frozen. Collects faults in `env`. */
export function houseSettings(env: Environment): HouseSettings {
  return Object.freeze({
    gamingDays: gamingDays(env),
    rules: Object.freeze(
      (env.text('SHOEPRINT_RULES') ?? '').split(/[:;,]/).filter((folder) => folder !== ''),
    ),
  });
}

function gamingDays(env: Environment): readonly GamingDayRule[] {
  const list = env.json('SHOEPRINT_GAMING_DAY');
  if (list === undefined) return UTC_DAYS;
  const faults = gamingDayFaults(list);
  for (const fault of faults) env.fault('SHOEPRINT_GAMING_DAY', fault);
  return faults.length > 0
    ? UTC_DAYS
    : Object.freeze((list as GamingDayRule[]).map((rule) => Object.freeze({ ...rule })));
}

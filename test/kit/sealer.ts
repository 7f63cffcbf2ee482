import { join } from 'node:path';
import type { EventLog } from '#event-log';
import { startSealer, type RunningSealer } from '#sealer';
import { SILENT } from '#server';
import { UTC_DAYS } from './server.js';

/**
 * Starts a sealer that seals five times a second, without witnesses. It keeps its keys in `folder`,
 * and makes those that are absent.
 */
export function sealOften(
  log: EventLog,
  databaseUrl: string,
  folder: string,
): Promise<RunningSealer> {
  const keyFile = (name: string) => ({ setting: 'a test', path: join(folder, name) });
  return startSealer({
    log,
    databaseUrl,
    settings: {
      site: 'shoeprint.example/test',
      keyFiles: {
        log: keyFile('log.key'),
        safe: keyFile('safe.key'),
        exports: keyFile('exports.key'),
      },
      tiles: undefined,
      rhythm: { everyMs: 200, records: 50_000, graceMs: 900_000 },
      sealLeaseMs: 10_000,
      readAgainBytes: 2_000_000,
      witnesses: [],
      witnessQuorum: 0,
    },
    gamingDays: UTC_DAYS,
    journal: SILENT,
  });
}

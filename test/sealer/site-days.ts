import { jest } from '@jest/globals';
import type { GamingDayRule } from '#read-model';
import type { Site } from './site.js';

/** What a fake clock must not replace: only the time of day moves. */
const NOT_FAKE = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** As far as the clock of a sealer may be from the database's, less some seconds for the test. */
const APART_MS = 50_000;

/** Sets the time of day of this process, which then goes on. */
export function setTimeOfDay(ms: number): void {
  jest.useRealTimers();
  jest.useFakeTimers({ now: ms, advanceTimers: true, doNotFake: [...NOT_FAKE] });
}

/** A cut-over that lies within the time by which a sealer's clock may be wrong. */
export interface NearCutover {
  readonly rules: readonly GamingDayRule[];
  /** Moves the clock behind the cut-over. Before, it stands before it. */
  readonly pass: () => void;
}

/** Sets the clock before a cut-over that comes soon. The test restores the clock. */
export function nearCutover(): NearCutover {
  const now = Date.now();
  const cutover = Math.ceil((now - APART_MS + 5_000) / 60_000) * 60_000;
  const [, time = ''] = new Date(cutover).toISOString().split('T');
  setTimeOfDay(Math.min(now, cutover - 5_000));
  return {
    rules: [{ from: '2000-01-01', zone: 'UTC', cutover: time.slice(0, 5) }],
    pass: () => setTimeOfDay(Math.max(now, cutover + 1_000)),
  };
}

/**
 * Sets the time of day of this process and of the site's database, which then go on. The first call
 * comes before the first sealer: it holds for connections that are opened after it. The test
 * restores the clock of the process.
 */
export async function setClocks(site: Site, ms: number): Promise<void> {
  jest.useRealTimers();
  const aheadMs = ms - Date.now();
  await site.query(`
    create schema if not exists faked;
    create or replace function faked.clock_timestamp() returns timestamptz language sql volatile
      as 'select pg_catalog.clock_timestamp() + ${Math.round(aheadMs)} * interval ''1 ms''';
    do $$ begin
      execute format(
        'alter database %I set search_path = faked, pg_catalog, public', current_database());
    end $$`);
  setTimeOfDay(ms);
}

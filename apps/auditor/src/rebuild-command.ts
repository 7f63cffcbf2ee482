import { SingleBar } from 'cli-progress';
import { Refusal, STOP_REQUESTS } from '#process';
import type { Journal } from '#server';
import {
  rebuildRows,
  type RebuildProgress,
  type RebuildReport,
  type RebuildRows,
} from './rebuild.js';

/** The options of the command. */
export interface RebuildOptions {
  /** Shows a progress bar on standard error instead of logging progress as JSON lines. */
  readonly bar: boolean;
  readonly acceptDifferences: boolean;
}

/**
 * The exit codes of a rebuild that a signal or a bug ended. Neither is 1, which means that the rows
 * differ.
 */
export const REBUILD_EXIT = { interrupted: 130, fault: 70 } as const;

const LOG_EVERY_MS = 1_000;

/** Parses the options `--progress` and `--accept-differences`. Throws `Refusal` for any other. */
export function rebuildOptions(options: readonly string[]): RebuildOptions {
  const unknown = options.find(
    (option) => option !== '--progress' && option !== '--accept-differences',
  );
  if (unknown !== undefined)
    throw new Refusal(`unknown option ${unknown} (expected --progress or --accept-differences)`);
  return {
    bar: options.includes('--progress'),
    acceptDifferences: options.includes('--accept-differences'),
  };
}

/**
 * Rebuilds the rows and reports the progress. Returns the exit code: 0 swapped, 1 the rows differ
 * and were not swapped, 130 interrupted. Throws `Refusal` if the rows cannot be rebuilt.
 */
export async function runRebuild(
  parts: Pick<RebuildRows, 'log' | 'book' | 'databaseUrl' | 'gamingDays' | 'lanes'> & {
    readonly journal: Journal;
  },
  options: RebuildOptions,
): Promise<number> {
  const { journal, ...from } = parts;
  const aborting = new AbortController();
  const interrupt = (): void => aborting.abort(INTERRUPTED);
  for (const request of STOP_REQUESTS) process.on(request, interrupt);
  const display = options.bar ? barOf() : linesOf(journal);
  try {
    const report = await rebuildRows({
      ...from,
      acceptDifferences: options.acceptDifferences,
      progress: display.show,
      signal: aborting.signal,
    });
    display.end();
    if (options.bar) process.stderr.write(inWords(report));
    else logReport(report, journal);
    return report.swapped ? 0 : 1;
  } catch (error) {
    if (error !== INTERRUPTED) throw error;
    display.end();
    if (options.bar) process.stderr.write(`shoeprint: ${INTERRUPTED.message}\n`);
    else journal.info(INTERRUPTED.message);
    return REBUILD_EXIT.interrupted;
  } finally {
    display.end();
    for (const request of STOP_REQUESTS) process.off(request, interrupt);
  }
}

/** The reason of a rebuild that was interrupted. The next rebuild resumes it. */
const INTERRUPTED = new Error('interrupted; run it again to resume');

interface ProgressDisplay {
  readonly show: (progress: RebuildProgress) => void;
  readonly end: () => void;
}

function barOf(): ProgressDisplay {
  const bar = new SingleBar({
    format: '{phase} [{bar}] {percentage}% | {value}/{total} | {left} left',
    stream: process.stderr,
    clearOnComplete: false,
    hideCursor: true,
  });
  let phase: RebuildProgress['phase'] | undefined;
  let first = { done: 0, ms: 0 };
  return {
    show: (progress) => {
      if (progress.phase !== phase) {
        if (phase !== undefined) bar.stop();
        bar.start(progress.total, progress.done, { phase: progress.phase, left: '?:??' });
        phase = progress.phase;
        first = { done: progress.done, ms: performance.now() };
      }
      bar.setTotal(progress.total);
      bar.update(progress.done, {
        phase: progress.phase,
        left: timeLeft(
          ((performance.now() - first.ms) * (progress.total - progress.done)) /
            (progress.done - first.done),
        ),
      });
    },
    end: () => {
      if (phase !== undefined) bar.stop();
      phase = undefined;
    },
  };
}

/**
 * Formats the time left, which the caller estimates by the pace of the whole phase. cli-progress
 * estimates it by the last updates, so its figure jumps and is NaN at the end.
 */
function timeLeft(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return Number.isFinite(seconds)
    ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    : '0:00';
}

function linesOf(journal: Journal): ProgressDisplay {
  let loggedAt = 0;
  return {
    show: (progress) => {
      if (performance.now() - loggedAt < LOG_EVERY_MS && progress.done < progress.total) return;
      loggedAt = performance.now();
      journal.info('rebuilding', { ...progress });
    },
    end: () => undefined,
  };
}

function logReport({ swapped, resumed, events, tables }: RebuildReport, journal: Journal): void {
  for (const { equal, ...table } of tables)
    if (!equal) journal.error('the rebuilt rows differ from the live ones', table);
  const counts = Object.fromEntries(tables.map(({ table, rebuilt }) => [table, rebuilt]));
  const fields = { resumed, events, rows: counts };
  if (swapped) journal.info('the rebuilt rows are live', fields);
  else
    journal.error(
      'the rebuilt rows were not swapped in; pass --accept-differences to swap them anyway',
      fields,
    );
}

/** Renders the report for a terminal. */
function inWords({ swapped, resumed, events, tables }: RebuildReport): string {
  const differing = tables
    .filter(({ equal }) => !equal)
    .map(
      ({ table, live, rebuilt, differing: keys }) =>
        `  ${table}: ${live.toLocaleString('en')} live, ${rebuilt.toLocaleString('en')} rebuilt; some that differ: ${keys.join(', ')}\n`,
    );
  const rows = tables
    .filter(({ rebuilt }) => rebuilt > 0)
    .map(({ table, rebuilt }) => `${rebuilt.toLocaleString('en')} ${table}`)
    .join(', ');
  const differ =
    differing.length > 0
      ? `the rebuilt rows differ from the live ones:\n${differing.join('')}`
      : '';
  const judged = `${events.toLocaleString('en')} events were judged${resumed ? ', resuming the previous rebuild' : ''}.`;
  return `${differ}${swapped ? `the rebuilt rows are live: ${rows || 'none'}. ${judged}` : 'the rebuilt rows were not swapped in; pass --accept-differences to swap them anyway.'}\n`;
}

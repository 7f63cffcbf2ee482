import { setTimeout as pause } from 'node:timers/promises';
import { heapArgument } from '../heap-settings.js';
import { Foreground, type Ended } from './run-child.js';

/**
 * The exit code of a program that must be started again: `EX_TEMPFAIL` of sysexits.h. Another start
 * cures what ended it.
 */
export const START_AGAIN_EXIT = 75;
/** The exit code of a program that refuses what it was asked (`Refusal`). */
const REFUSED_EXIT = 2;
/** Signals by which people and service managers end a program. */
const ASKING: readonly (NodeJS.Signals | null)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** A program that was ready for so long is healthy: the next pause is the shortest again. */
const HEALTHY_MS = 60_000;

/**
 * Runs a server in the foreground as `runChild` does, with a limit of its heap (`heapArgument`),
 * and starts it again if it ends by itself: if it was killed, crashed, asked for it
 * (`START_AGAIN_EXIT`), or failed after it was ready once. Waits 1 s before the next start, then
 * 2 s, 4 s and so on, at most 30 s, and 1 s again once the server was ready for a minute. Writes a
 * line about each such end to standard error.
 *
 * Resolves with the exit code of a server that ended in order, refused to start, or failed before
 * it was ever ready; with 0 if this process is asked to stop while it waits to start the server
 * again.
 */
export async function keepRunning(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const foreground = new Foreground();
  let wasReady = false;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    const ended = await foreground.run([heapArgument(env), ...args], env);
    const { code, readyMs } = ended;
    wasReady ||= readyMs !== undefined;
    if (foreground.stopping.aborted || !isCuredByStart(ended, wasReady)) return code;
    if ((readyMs ?? 0) >= HEALTHY_MS) pauseMs = PAUSE_MS;
    process.stderr.write(
      `shoeprint: ${inWords(ended)}. Starting it again in ${pauseMs / 1_000} s.\n`,
    );
    const { stopping: signal } = foreground;
    const isAsked = await pause(pauseMs, false, { signal }).catch(() => true);
    if (isAsked) return 0;
  }
}

/**
 * Returns whether another start may cure what ended a server. A failure before it was ever ready is
 * for a person to look at, who has just started it.
 */
function isCuredByStart({ code, signal }: Ended, wasReady: boolean): boolean {
  if (signal !== null) return !ASKING.includes(signal);
  if (code === START_AGAIN_EXIT) return true;
  return wasReady && code !== 0 && code !== REFUSED_EXIT;
}

const inWords = ({ code, signal }: Ended): string =>
  signal === null ? `the server ended with code ${code}` : `the server was killed by ${signal}`;

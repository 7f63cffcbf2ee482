import { asError, Refusal, reportReady, START_AGAIN_EXIT, stopRequest, within } from '#process';
import type { ServerLogger } from './server-logger.js';

/** Longest time that a server may take to stop. Then the process exits anyway. */
const STOP_MS_MAX = 25_000;

/** How often the work of a server is looked at. */
const LOOK_MS = 5_000;
/** Work that stands still for this long, although new connections are served, ends the process. */
const STANDSTILL_MS_MAX = 60_000;
/** How long a start may go on after a request to stop, in order to be closed in order. */
const ABANDON_MS = 1_000;

/** Thrown if a server cannot go on, and another start would cure it. */
export class StartAgain extends Error {
  override readonly name = 'StartAgain';
}

/** A server that runs until it is closed. */
export interface Running {
  /** Finishes the work that is under way and releases everything. */
  readonly close: () => Promise<void>;
  /**
   * Returns for how long work that another start would cure has stood still, in milliseconds, or
   * undefined.
   */
  readonly standstill?: () => Promise<{ readonly ms: number; readonly what: string } | undefined>;
  /** Rejects with why the server cannot go on, for example `StartAgain`. Never resolves. */
  readonly failed?: Promise<never>;
}

/**
 * Runs a program and exits this process with the code that `main` returns, or 0. A `Refusal` exits
 * with 2 and prints its sentence to standard error; `StartAgain` is logged and exits with 75. Any
 * other error is a bug: it is logged with its stack, and exits with `bugCode`.
 */
export async function runProgram(
  logger: ServerLogger,
  main: () => Promise<number | undefined>,
  bugCode = 1,
): Promise<never> {
  try {
    process.exit((await main()) ?? 0);
  } catch (thrown) {
    process.exit(codeOf(logger, thrown, bugCode));
  }
}

/** Says why a program ends, and returns its exit code. */
function codeOf(logger: ServerLogger, thrown: unknown, bugCode: number): number {
  const { message, stack } = asError(thrown);
  if (thrown instanceof Refusal) {
    process.stderr.write(`shoeprint: ${message}\n`);
    return 2;
  }
  if (thrown instanceof StartAgain) {
    logger.fatal({ message: 'exiting, to be restarted', why: message });
    return START_AGAIN_EXIT;
  }
  logger.fatal({ message: 'exiting after an internal error', error: message, stack });
  return bugCode;
}

/**
 * Starts a server, waits for a request to stop (see `stopRequest`), and closes the server. A
 * request that comes during the start aborts `stopping`, and closes the server if the start ends
 * within a second. Otherwise the start is abandoned, unless it `stopsItself`: then it rejects once
 * it has stopped what it started.
 *
 * Exits with 1 if stopping takes longer than 25 s, and with 75 if the work has stood still for a
 * minute: the service manager starts it again.
 */
export async function runServer(
  logger: ServerLogger,
  start: (stopping: AbortSignal) => Promise<Running>,
  stopsItself = false,
): Promise<void> {
  const stopping = new AbortController();
  const stopped = stopRequest().then((by) => {
    logger.log({ message: 'stopping', by });
    setTimeout(() => {
      logger.error({ message: 'did not stop in time', ms: STOP_MS_MAX });
      process.exit(1);
    }, STOP_MS_MAX).unref();
    stopping.abort();
  });
  const starting = start(stopping.signal);
  await Promise.race([starting, stopped]);
  const server = stopping.signal.aborted
    ? await within(stopsItself ? STOP_MS_MAX : ABANDON_MS, starting).catch(() => undefined)
    : await starting;
  if (!server) return;
  reportReady();
  const looking = watch(logger, server);
  await Promise.race([stopped, ...(server.failed ? [server.failed] : [])]);
  clearInterval(looking);
  await server.close();
}

/** Ends the process once the work of the server has stood still for too long. */
function watch(logger: ServerLogger, { standstill }: Running): NodeJS.Timeout {
  const look = async (): Promise<void> => {
    const { ms, what } = (await standstill?.()) ?? { ms: 0, what: '' };
    if (ms < STANDSTILL_MS_MAX) return;
    logger.fatal({ message: 'exiting: its work made no progress', what, ms: Math.round(ms) });
    process.exit(START_AGAIN_EXIT);
  };
  return setInterval(() => void look(), LOOK_MS).unref();
}

import { setFlagsFromString } from 'node:v8';
import { isHeapLimitIgnored, type Variables } from '#process';
import type { ServerLogger } from './server-logger.js';

/** How much the heap may grow before V8 collects it whole, in percent of what is alive. */
const GROWTH_PERCENT = 60;

/**
 * Makes V8 collect the whole heap more often. By default it grows to several times what is alive
 * before that, on a machine with much memory. Call it at the start of a program.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** Warns if the limit of the heap is set and has no effect. */
export function warnOfHeap(logger: ServerLogger, variables: Variables): void {
  if (isHeapLimitIgnored(variables))
    logger.warn({
      message: 'SHOEPRINT_HEAP_MB has no effect: start this program with deploy/start',
    });
}

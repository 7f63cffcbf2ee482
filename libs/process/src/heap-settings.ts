import { totalmem } from 'node:os';
import { Environment, type Variables } from './environment.js';

const MB = 1024 * 1024;
/** Less is not enough to start a program and to judge a table. */
const HEAP_MB_MIN = 128;
const HEAP_MB_MAX = 65_536;
/** The part of a container's memory: the rest is for what is not in the heap. */
const OF_CONTAINER = 1 / 2;
/** The part of a machine's memory: other programs run there, too. */
const OF_MACHINE = 1 / 4;

/** The memory that this process may use, in bytes. */
interface Memory {
  readonly machine: number;
  /** The limit of the container or service, by its control group. Undefined or more: no limit. */
  readonly container: number | undefined;
}

const memoryHere = (): Memory => ({
  machine: totalmem(),
  container: process.constrainedMemory(),
});

/**
 * Reads the limit of the heap of a program in megabytes. The default is half of the container's
 * memory, or a quarter of the machine's where the container has no limit. Collects faults in `env`.
 */
export const heapLimit = (env: Environment, memory = memoryHere()): number =>
  env.whole('SHOEPRINT_HEAP_MB', usual(memory), HEAP_MB_MIN, HEAP_MB_MAX);

function usual({ machine, container = 0 }: Memory): number {
  const isLimited = container > 0 && container < machine;
  const bytes = isLimited ? container * OF_CONTAINER : machine * OF_MACHINE;
  return Math.min(Math.max(Math.floor(bytes / MB), HEAP_MB_MIN), HEAP_MB_MAX);
}

/**
 * Returns the argument of Node that limits the heap of a program to its setting. V8 takes it at its
 * start only. An invalid setting counts as absent here: the program itself refuses it.
 */
export const heapArgument = (variables: Variables, memory = memoryHere()): string =>
  `--max-old-space-size=${heapLimit(new Environment(variables), memory)}`;

/**
 * Returns whether the setting is there and has no effect, because this process was started without
 * its argument.
 */
export const isHeapLimitIgnored = (variables: Variables): boolean =>
  Boolean(variables.SHOEPRINT_HEAP_MB) && !process.execArgv.includes(heapArgument(variables));

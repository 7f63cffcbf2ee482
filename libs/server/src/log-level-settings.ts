import { filterLogLevels, type LogLevel } from '@nestjs/common';
import type { Environment } from '#process';

/** The log levels of a program. */
export interface LogLevelSettings {
  /** Undefined leaves the choice to the program. */
  readonly logLevels: readonly LogLevel[] | undefined;
}

const LEVEL = '(verbose|debug|log|warn|error|fatal)';
const LEVELS = new RegExp(`^(>=?${LEVEL}|${LEVEL}(,${LEVEL})*)$`);

/**
 * Reads NEST_LOG_LEVEL in the forms that Nest's own logger accepts. Nest logs everything if the
 * value is invalid; this collects a fault in `env`.
 */
export function logLevelSettings(env: Environment): LogLevelSettings {
  const text = env.text('NEST_LOG_LEVEL')?.replaceAll(' ', '').toLowerCase();
  if (text === undefined) return { logLevels: undefined };
  if (LEVELS.test(text)) return { logLevels: Object.freeze(filterLogLevels(text)) };
  env.fault(
    'NEST_LOG_LEVEL',
    'must be a level (verbose, debug, log, warn, error, fatal), several separated by commas, or a threshold such as ">=warn"',
  );
  return { logLevels: undefined };
}

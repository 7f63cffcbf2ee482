import { ConsoleLogger, type ConsoleLoggerOptions, type LogLevel } from '@nestjs/common';
import { visible } from '#process';

/** The default log levels of a server. */
const LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'log'];

/**
 * A Nest logger that logs the framework's own progress (routes, modules) at `debug`. The framework
 * logs plain text; our messages are objects. Its JSON has no unseen character.
 */
export class ServerLogger extends ConsoleLogger {
  constructor(context: string, { logLevels = [...LEVELS], ...options }: ConsoleLoggerOptions) {
    super(context, { ...options, logLevels });
  }

  override log(message: unknown, ...params: unknown[]): void {
    if (typeof message === 'string') super.debug(message, ...params);
    else super.log(message, ...params);
  }

  protected override stringifyJsonLogObject(logObject: Record<string, unknown>): string {
    return visible(super.stringifyJsonLogObject(logObject));
  }
}

/**
 * Returns a logger that writes JSON, one object a line: errors and worse to standard error, the
 * rest to standard output.
 */
export const jsonLogger = (context: string): ServerLogger =>
  new ServerLogger(context, { json: true });

import type { LoggerService } from '@nestjs/common';
import { jsonLogger } from './server-logger.js';

/** Where a program logs messages for its operators, with fields. */
export interface Journal {
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Returns a `Journal` that writes to a Nest logger with a context, the name of a program. */
export const journalOn = (logger: LoggerService, context: string): Journal => ({
  info: (message, fields) => void logger.log({ message, ...fields }, context),
  error: (message, fields) => void logger.error({ message, ...fields }, undefined, context),
});

/** Returns a journal that writes JSON lines. */
export const jsonJournal = (context: string): Journal => journalOn(jsonLogger(context), context);

/** A journal that discards everything. */
export const SILENT: Journal = { info: () => undefined, error: () => undefined };

/** Returns an error as text for a field of a log message. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

import type { LoggerService } from '@nestjs/common';
import { jsonLogger } from '#server';

/** Where an auditor logs messages for its operators, with fields. */
export interface Journal {
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Returns a `Journal` that writes to a Nest logger with the context `auditor`. */
export const journalOn = (logger: LoggerService): Journal => ({
  info: (message, fields) => void logger.log({ message, ...fields }, 'auditor'),
  error: (message, fields) => void logger.error({ message, ...fields }, undefined, 'auditor'),
});

/** Returns a journal that writes JSON lines. */
export const jsonJournal = (): Journal => journalOn(jsonLogger('auditor'));

/** A journal that discards everything. */
export const SILENT: Journal = { info: () => undefined, error: () => undefined };

/** Returns an error as text for a field of a log message. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

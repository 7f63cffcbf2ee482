import type { LoggerService } from '@nestjs/common';
import { jsonLogger } from '#server';

/** What an auditor tells those who run it: a message, and what belongs to it. */
export interface Journal {
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** A journal among what a logger is told, under the context `auditor`. */
export const journalOn = (logger: LoggerService): Journal => ({
  info: (message, fields) => void logger.log({ message, ...fields }, 'auditor'),
  error: (message, fields) => void logger.error({ message, ...fields }, undefined, 'auditor'),
});

/** A journal of its own, in JSON lines. */
export const jsonJournal = (): Journal => journalOn(jsonLogger('auditor'));

/** A journal that nobody reads. */
export const SILENT: Journal = { info: () => undefined, error: () => undefined };

/** An error as a field of a line. */
export const inWords = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

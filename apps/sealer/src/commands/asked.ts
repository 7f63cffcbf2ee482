import { readFileSync } from 'node:fs';
import type { EventLog } from '#event-log';
import { fileRefusal, Refusal, within } from '#process';
import type { SealReader, SealStore } from '#seal-store';
import type { SiteKeyFiles } from '../keys/site-keys.js';
import { houseAppending, type SealerEvent } from '../monitoring/house-events.js';

/** What a command about seals works on. */
export interface SealCommandParts {
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly keyFiles: SiteKeyFiles;
  /** Prints a line. */
  readonly print: (line: string) => void;
}

/** The same with the open schema. */
export interface OpenParts extends SealCommandParts {
  readonly store: SealStore;
  readonly reader: SealReader;
  readonly origin: string;
}

/** What was asked: the words after the command, and its options. */
export interface CommandAsked {
  readonly words: readonly string[];
  readonly reason: string | undefined;
  /** Who asks, as the source of an event. */
  readonly by: string;
  /** The file of the second log key. */
  readonly safeKey?: string | undefined;
  /** Keys and checkpoints that the reader of a report trusts. */
  readonly key?: string | undefined;
  readonly trusted: readonly string[];
  /** Prints one JSON object for programs. */
  readonly json: boolean;
}

/** Returns the reason of a command that changes something. Throws `Refusal` without one. */
export function givenReason({ reason }: CommandAsked): string {
  if (reason === undefined || reason.trim() === '')
    throw new Refusal('--reason is missing: say why, for the record of the house');
  return reason;
}

/** The longest that the log may take for the record of a command. */
const RECORD_MS = 4_000;

/** Records what a person did. Throws `Refusal` if the log does not take it. */
export async function recordInHouse({ log }: OpenParts, event: SealerEvent): Promise<void> {
  await within(RECORD_MS, log.append(houseAppending(log, event))).catch((error: unknown) => {
    throw new Refusal(
      `nothing was done, because the log did not take the record of it: ${String(error)}`,
    );
  });
}

/** Returns the text of a file. Throws `Refusal` with its name. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw fileRefusal(file, error);
  }
}

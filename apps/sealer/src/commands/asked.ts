import { readFileSync } from 'node:fs';
import type { EventLog } from '#event-log';
import { fileRefusal, Refusal } from '#process';
import type { SealReader, SealStore } from '#seal-store';
import type { SiteKeyFiles } from '../keys/site-keys.js';
import { houseAppending, type HouseEvent } from '../monitoring/house-events.js';

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
}

/** Returns the reason of a command that changes something. Throws `Refusal` without one. */
export function givenReason({ reason }: CommandAsked): string {
  if (reason === undefined || reason.trim() === '')
    throw new Refusal('--reason is missing: say why, for the record of the house');
  return reason;
}

/** Records what a person did. Throws `Refusal` if the log does not take it. */
export async function recordInHouse(
  { log }: OpenParts,
  event: HouseEvent<'evidence-resumed'> | HouseEvent<'evidence-keys-changed'>,
): Promise<void> {
  await log.append(houseAppending(log, event)).catch((error: unknown) => {
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

import { setTimeout as delay } from 'node:timers/promises';
import { partitionOf, type EventLog } from '#event-log';
import { readSeal } from '#evidence';
import type { SealReader } from '#seal-store';
import { ExportRefusal } from './refusal.js';
import { SealedParts } from './sealed-parts.js';

/** How long an export waits for a seal. */
const SEAL_MS_MAX = 15_000;
/** A request is lost while the sealer starts. It makes a seal at most this often, if asked. */
const ASK_MS = 5_000;
const LOOK_MS = 200;

/**
 * Asks for a seal and resolves once what is now on the log of a table, or of every table, is sealed
 * and signed. Throws `ExportRefusal` `not-sealed` after 15 s, and the reason of the signal.
 */
export async function sealedUpToNow(
  { log, seals }: { readonly log: EventLog; readonly seals: SealReader },
  table: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const partitions =
    table === undefined
      ? Array.from({ length: log.partitions }, (_, partition) => partition)
      : [partitionOf(table, log.partitions)];
  const heads = await Promise.all(partitions.map((partition) => log.head(partition)));
  const until = performance.now() + SEAL_MS_MAX;
  for (let askAt = 0; ;) {
    const next = await sealedNext(seals);
    const behind = partitions.find((partition, i) => (next[partition] ?? 0) < (heads[i] ?? 0));
    if (behind === undefined) return;
    if (performance.now() > until)
      throw new ExportRefusal(
        'not-sealed',
        `partition ${behind} of the log is sealed up to offset ${next[behind] ?? 0}, and the last ${SEAL_MS_MAX / 1_000} s brought no seal of what is there: see whether the sealer runs`,
      );
    if (performance.now() >= askAt) {
      await seals.ask();
      askAt = performance.now() + ASK_MS;
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** Returns by partition the offset after the last record that is sealed and signed. */
async function sealedNext(seals: SealReader): Promise<readonly number[]> {
  const state = await SealedParts.shown(seals);
  return state ? readSeal(state.latest.text).next : [];
}

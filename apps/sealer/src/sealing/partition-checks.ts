import { leafHash, sameBytes, type Sha256 } from '#evidence';
import { BrokenLog, type EventLog } from '#event-log';
import { within } from '#process';
import type { PartitionStop, SealPosition } from '#seal-store';
import type { EvidenceAlarm } from '#audit';

/** How long the log may take to answer for a head or a record. */
const LOG_MS = 10_000;
/** Partitions that are checked at once. */
const AT_ONCE = 16;

/** Why a partition cannot be sealed further, and what kind of alarm that is. */
export interface PartitionFault extends PartitionStop {
  readonly partition: number;
  readonly alarm: EvidenceAlarm;
}

/**
 * Returns the partitions whose log is not the one that was sealed: another log, one that ends
 * before its position, or one with another record there. Rejects if the log does not answer.
 */
export async function faultsOfPositions(
  log: EventLog,
  sha256: Sha256,
  { logId, positions }: { readonly logId: string; readonly positions: readonly SealPosition[] },
): Promise<PartitionFault[]> {
  const open = positions.filter(({ stopped }) => stopped === null);
  if (log.id !== logId)
    return open.map(({ partition, next }) => ({
      partition,
      offset: next,
      alarm: 'other-log',
      reason: `the log is ${log.id}, and what was sealed came from ${logId}`,
    }));
  const faults: PartitionFault[] = [];
  for (let at = 0; at < open.length; at += AT_ONCE) {
    const some = open.slice(at, at + AT_ONCE);
    const found = await Promise.all(some.map((position) => faultOf(log, sha256, position)));
    faults.push(...found.flatMap((fault) => (fault ? [fault] : [])));
  }
  return faults;
}

async function faultOf(
  log: EventLog,
  sha256: Sha256,
  { partition, next, lastDigest }: SealPosition,
): Promise<PartitionFault | undefined> {
  if (next === 0 || lastDigest === null) return undefined;
  const head = await within(LOG_MS, log.head(partition, next));
  if (head < next) {
    const reason = `the log ends at offset ${head}, and was sealed to offset ${next}`;
    return { partition, offset: head, alarm: 'behind', reason };
  }
  const offset = next - 1;
  const [last] = await within(LOG_MS, log.read(partition, offset, 1)).catch((error: unknown) => {
    if (error instanceof BrokenLog) return [];
    throw error;
  });
  if (last === undefined || last.offset !== offset)
    return { partition, offset, alarm: 'missing', reason: `offset ${offset} cannot be read` };
  if (sameBytes(leafHash(sha256, last.value), lastDigest)) return undefined;
  const reason = `the record at offset ${offset} is not the one that was sealed`;
  return { partition, offset, alarm: 'changed', reason };
}

import type { EventLog } from '#event-log';
import { inTime, type Probes } from '#server';
import type { RunningSealer } from './start-sealer.js';

/** What the probes of a sealer look at. */
export interface SealerTarget extends Omit<Probes, 'ready'> {
  readonly log: EventLog;
  readonly sealer: RunningSealer;
}

/**
 * Returns the probes and metrics of a sealer. It is ready while the log and the database answer,
 * and it seals or leaves that to another sealer. `/readyz` also says whether it is the active one,
 * what it signed last, and which partitions are sealed no further; they do not affect readiness.
 */
export const sealerProbes = ({ log, sealer, ...rest }: SealerTarget): Probes => ({
  ...rest,
  ready: () => readinessOf(log, sealer),
});

async function readinessOf(
  log: EventLog,
  sealer: RunningSealer,
): Promise<Awaited<ReturnType<Probes['ready']>>> {
  const [ofLog, positions, checkpoint] = await Promise.all([
    inTime(log.health()),
    inTime(sealer.positions()),
    inTime(sealer.checkpoint()),
  ]);
  const stopped = positions?.flatMap(({ partition, stopped: at }) =>
    at === null ? [] : [{ partition, ...at }],
  );
  const trouble = sealer.trouble();
  const body = {
    ready: ofLog?.reachable === true && positions !== undefined && trouble === undefined,
    log: { reachable: ofLog?.reachable === true },
    database: { reachable: positions !== undefined },
    active: sealer.isActive(),
    trouble: trouble ?? null,
    size: checkpoint?.size ?? 0,
    stopped: stopped ?? [],
  };
  return body;
}

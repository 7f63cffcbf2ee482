import type { EventLog } from '#event-log';
import { inTime, type Probes } from '#server';
import type { RunningAuditor } from './start-auditor.js';

/** What the health checks inspect. */
export interface HealthTarget extends Omit<Probes, 'ready'> {
  readonly log: EventLog;
  readonly auditor: RunningAuditor;
}

/**
 * Returns the probes and metrics of an auditor. It is ready while the log and the database answer,
 * and the database takes what it writes. `/readyz` also lists the followed and stopped partitions;
 * they do not affect readiness.
 */
export const auditorProbes = ({ log, auditor, ...rest }: HealthTarget): Probes => ({
  ...rest,
  ready: () => readiness(log, auditor),
});

async function readiness(
  log: EventLog,
  auditor: RunningAuditor,
): Promise<Awaited<ReturnType<Probes['ready']>>> {
  const [ofLog, positions] = await Promise.all([inTime(log.health()), inTime(auditor.positions())]);
  const stopped = positions
    ?.filter(({ stopped: at }) => at !== null)
    .map(({ partition, stopped: at }) => ({ partition, ...at }));
  const { following, failing } = auditor.stats();
  const body = {
    ready: ofLog?.reachable === true && positions !== undefined && failing.length === 0,
    log: ofLog
      ? { reachable: ofLog.reachable, powerSafe: ofLog.powerSafe, notes: ofLog.notes }
      : { reachable: false },
    database: { reachable: positions !== undefined },
    following,
    failing,
    stopped: stopped ?? [],
  };
  return body;
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Acknowledged, Load } from './load.js';
import { Readers } from './readers.js';
import { PARTITIONS, type System } from './system.js';

/** When a fault began. `restored` resolves once it is undone as far as possible. */
export interface Struck {
  readonly at: number;
  readonly restored: Promise<unknown>;
}

/**
 * How long it took until everything worked again, in ms: from the fault, and from the moment at
 * which a client of the tests' own was served by what had been away.
 */
export interface Recovery {
  /** From the fault until the first request made after it was acknowledged. */
  readonly acknowledgedAfter: number;
  /** From the fault until the rows included the first event acknowledged after it. */
  readonly visibleAfter: number;
  /** From the fault until this was true for every partition. */
  readonly allVisibleAfter: number;
  /** From the service until every table and every api had an acknowledgement. */
  readonly writesRecovery: number;
  /** From the service until the rows of every partition included what was acknowledged since. */
  readonly rowsRecovery: number;
  /** From the service until every api answered a read. */
  readonly readsRecovery: number;
  /** Requests of readers, probes and senders that got no answer at all within 15 seconds. */
  readonly hung: number;
}

/** Thrown if an auditor stopped a partition, although the log is whole. */
export class FalseAlarm extends Error {
  override readonly name = 'FalseAlarm';

  constructor(readonly stopped: readonly string[]) {
    super(stopped.join('; '));
  }
}

const RECOVERY_MS_MAX = 90_000;
const LOOK_MS = 10;

interface Position {
  readonly partition: number;
  readonly next: string;
  readonly stopped_reason: string | null;
}

/** Throws `FalseAlarm` if a partition is stopped. */
export function assertNoneStopped(positions: readonly Position[]): void {
  const stopped = positions.filter(({ stopped_reason: why }) => why !== null);
  if (stopped.length > 0)
    throw new FalseAlarm(
      stopped.map(
        ({ partition, stopped_reason: why }) => `partition ${partition} is stopped: ${why}`,
      ),
    );
}

/** Waits until everything works again after a fault, and returns how long that took. */
export async function recoveryOf(
  system: System,
  load: Load,
  { at, restored }: Struck,
): Promise<Recovery> {
  const served = restored.then(() => system.served());
  const readers = new Readers(system);
  const hungBefore = load.hung;
  try {
    const [fromFault, fromService] = await Promise.all([
      visible(system, load, { mark: at, by: 'asked', from: served }),
      served.then((mark) => comeBack(system, load, { mark, readers })),
    ]);
    await readers.close();
    return {
      acknowledgedAfter: Math.min(
        ...load.acknowledged.filter(({ asked }) => asked > at).map(({ answered }) => answered - at),
      ),
      visibleAfter: Math.min(...fromFault),
      allVisibleAfter: Math.max(...fromFault),
      ...fromService,
      hung: load.hung - hungBefore + readers.hung,
    };
  } finally {
    await readers.close();
  }
}

type ComeBack = Pick<Recovery, 'writesRecovery' | 'rowsRecovery' | 'readsRecovery'>;

async function comeBack(
  system: System,
  load: Load,
  { mark, readers }: { readonly mark: number; readonly readers: Readers },
): Promise<ComeBack> {
  const from = Promise.resolve(mark);
  const [writesRecovery, rows, readsRecovery] = await Promise.all([
    written(system, load, mark),
    visible(system, load, { mark, by: 'answered', from }),
    readAgain(readers, mark),
  ]);
  return {
    writesRecovery,
    rowsRecovery: Math.max(...rows),
    readsRecovery,
  };
}

/** Resolves with the time until every table and every api had an acknowledgement after `mark`. */
async function written({ urls }: System, load: Load, mark: number): Promise<number> {
  const wanted = [...load.tables, ...urls];
  for (;;) {
    const first = new Map<string, number>();
    for (const { table, url, answered } of load.acknowledged)
      for (const each of answered > mark ? [table, url] : [])
        first.set(each, Math.min(answered, first.get(each) ?? Infinity));
    const missing = wanted.filter((each) => !first.has(each));
    if (missing.length === 0)
      return Math.max(...wanted.map((each) => first.get(each) as number)) - mark;
    if (performance.now() > mark + RECOVERY_MS_MAX)
      throw new Error(
        `nothing was acknowledged for ${missing.join(', ')} within ${RECOVERY_MS_MAX} ms, though a client of the tests was served; answers since the load began: ${JSON.stringify(load.unanswered)}`,
      );
    await pause(LOOK_MS);
  }
}

/** Resolves with the time until every api answered a read after `mark`. */
async function readAgain(readers: Readers, mark: number): Promise<number> {
  while (performance.now() < mark + RECOVERY_MS_MAX) {
    const first = readers.firstAfter(mark);
    if (first.every((time) => time !== undefined)) return Math.max(...first) - mark;
    await pause(LOOK_MS);
  }
  throw new Error(
    `an api answered no read within ${RECOVERY_MS_MAX} ms, though a client of the tests was served; last: ${readers.lastAnswers()}`,
  );
}

/** Which acknowledgements count, and from when the time to wait for their rows runs. */
interface Since {
  readonly mark: number;
  readonly by: 'asked' | 'answered';
  readonly from: Promise<number>;
}

/**
 * Waits until the rows of every partition include an event that was asked for, or acknowledged,
 * after a moment. Returns the times from that moment, one for each partition.
 */
async function visible(
  system: System,
  load: Load,
  { mark, by, from }: Since,
): Promise<readonly number[]> {
  const times = new Map<number, number>();
  let until = Infinity;
  void from.then((moment) => (until = moment + RECOVERY_MS_MAX)).catch(() => (until = 0));
  let looked = 'nothing was acknowledged';
  while (performance.now() < until) {
    const awaited = firstOf(load.acknowledged.filter((each) => each[by] > mark));
    const positions = await system
      .query<Position & Record<string, unknown>>(
        'select partition, next, stopped_reason from rows.position',
      )
      .catch((error: unknown) => void (looked = (error as Error).message));
    const now = performance.now() - mark;
    if (positions) {
      assertNoneStopped(positions);
      for (const { partition, next } of positions)
        if (Number(next) >= (awaited.get(partition) ?? Infinity) && !times.has(partition))
          times.set(partition, now);
      looked = `rows are at ${JSON.stringify(positions)}, expected ${JSON.stringify([...awaited])}`;
    }
    if (times.size === PARTITIONS) return [...times.values()];
    await pause(LOOK_MS);
  }
  throw new Error(
    `what was acknowledged was not in the rows within ${RECOVERY_MS_MAX} ms, though a client of the tests was served: ${looked}`,
  );
}

/** Returns, for each partition, the position after the first acknowledged event. */
function firstOf(acknowledged: readonly Acknowledged[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { positions } of acknowledged)
    for (const { partition, next } of positions)
      first.set(partition, Math.min(next, first.get(partition) ?? Infinity));
  return first;
}

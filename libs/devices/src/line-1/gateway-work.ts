import type {
  Observation,
  ObservationFields,
  ObservationKind,
  LostBecause,
} from '../observation.js';
import type { BootClock } from './clock.js';
import { busyLine, encodeLine1, type Line1, type NakReason } from './line.js';
import type { OpenLine } from './line-reader.js';
import { remember, type Line1Memory, type UnitMemory } from './memory.js';

/** Seconds between two queries, and between two lines of `N`. */
const QUERY_EVERY = 1;
const NAK_EVERY = 0.25;

/** How a site's device is connected. */
export interface Line1Settings {
  /** The device cannot hear the gateway. It sends each line three times. */
  readonly listenOnly: boolean;
  /** Returns eight random hexadecimal digits, for a session of numbers that are used again. */
  readonly freshDigits: () => string;
}

/** A number that has not come, while later ones have. */
export interface Wait {
  readonly due: number;
  readonly since: number;
  readonly seenAt: number;
  /** The lowest later number that came. */
  readonly ahead: number | null;
}

/** The gateway's side of line protocol 1 on one connection, as plain JSON. */
export interface Line1GatewayState {
  readonly open: OpenLine;
  readonly memory: Line1Memory;
  /** The session that the last `H` named. */
  readonly session: string | null;
  /** By session, the last number that is durable. */
  readonly stored: Readonly<Record<string, number>>;
  readonly clock: BootClock;
  /** Whether an `H` is awaited, and when it was last asked for. */
  readonly asking: boolean;
  readonly askedAt: number | null;
  readonly busy: { readonly reason: string; readonly saidAt: number } | null;
  readonly nakAt: number | null;
  readonly wait: Wait | null;
}

/** The gateway's side at work on one input. */
export interface Work {
  state: Line1GatewayState;
  readonly settings: Line1Settings;
  readonly up: number;
  readonly observations: Observation[];
  readonly write: string[];
}

/** Changes the state. */
export const change = (work: Work, changes: Partial<Line1GatewayState>): void => {
  work.state = { ...work.state, ...changes };
};
const say = (work: Work, line: Line1): void => void work.write.push(encodeLine1(line));
/** Returns the last durable number of the current session. */
export const storedNow = ({ state }: Work): number => state.stored[state.session ?? ''] ?? 0;
/** Returns what is remembered of the unit and boot that the last `H` named. */
export const currentUnit = ({ state }: Work): UnitMemory | undefined =>
  state.memory.find(({ session }) => session === state.session);

/** Asks for an `H`, at most once a second. */
export function ask(work: Work): void {
  const { askedAt } = work.state;
  change(work, { asking: true });
  if (askedAt !== null && work.up - askedAt < QUERY_EVERY) return;
  change(work, { askedAt: work.up });
  say(work, { type: 'Q' });
}

/** Writes `B` while busy, and `A` otherwise. */
export function sayBusyOrStored(work: Work): void {
  const { busy } = work.state;
  const boot = currentUnit(work)?.boot;
  if (boot === undefined) return;
  if (busy) {
    change(work, { busy: { ...busy, saidAt: work.up } });
    say(work, busyLine(boot, busy.reason));
  } else say(work, { type: 'A', boot, seq: storedNow(work) });
}

/** A line that came, with the time of its first byte. */
export interface Came {
  readonly raw: string;
  readonly up: number;
}

/** Adds an observation, and remembers it. */
export function observe<K extends ObservationKind>(
  work: Work,
  kind: K,
  fields: ObservationFields[K],
  { raw, up, number }: Came & { readonly number?: number },
): void {
  const { session } = work.state;
  const observation = {
    kind,
    fields,
    raw,
    integrity: kind === 'damaged' ? 'damaged' : raw === '' ? 'none' : 'ok',
    up,
    ...(session === null ? {} : { session }),
    ...(number === undefined ? {} : { deviceNumber: number }),
  } as Observation;
  work.observations.push(observation);
  change(work, { memory: remember(work.state.memory, observation) });
}

/** Reports numbers that will never come, and no longer waits for them. */
export function lose(work: Work, count: number, because: LostBecause): void {
  observe(work, 'lost', { count, because }, { raw: '', up: work.up });
  change(work, { wait: null });
}

/** Asks for the number due, at most four times a second. */
export function nak(work: Work, reason: NakReason, number?: number): void {
  const unit = currentUnit(work);
  const { nakAt, busy } = work.state;
  if (unit === undefined || busy || (nakAt !== null && work.up - nakAt < NAK_EVERY)) return;
  change(work, { nakAt: work.up });
  say(work, { type: 'N', boot: unit.boot, seq: number ?? unit.taken + 1, reason });
}

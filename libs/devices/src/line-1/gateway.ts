import { hexOf, type Feed, type LostBecause, type Observation } from '../observation.js';
import type { ObservationFields, ObservationKind, ReportedEvent } from '../observation.js';
import { eventTime, heardLine, NO_CLOCK, type BootClock } from './clock.js';
import { encodeLine1, parseLine } from './line.js';
import type { EventLine, Hello, Line1, NakReason, ParsedLine } from './line.js';
import { asciiBytes, NO_LINE, readLines, type OpenLine, type ReadLine } from './line-reader.js';
import { known, remember, type Line1Memory, type UnitMemory } from './memory.js';

/** Seconds between two queries, two lines of `B`, and two lines of `N`. */
const QUERY_EVERY = 1;
const BUSY_EVERY = 3;
const NAK_EVERY = 0.25;
/** Seconds of `N` after which a number that never came is lost. */
const LOST_AFTER = 30;
/** A longer pause between two signs of a hole begins the wait again. */
const WAIT_PAUSE = 15;

/** How a site's device is connected. */
export interface Line1Settings {
  /** The device cannot hear the gateway. It sends each line three times. */
  readonly listenOnly: boolean;
  /** Returns eight random hexadecimal digits, for a session of numbers that are used again. */
  readonly freshDigits: () => string;
}

/** A number that has not come, while later ones have. */
interface Wait {
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

/** What the gateway made of its input, and the lines that it has to write. */
export interface Line1GatewayTurn extends Feed<Line1GatewayState> {
  readonly write: readonly string[];
}

/** The gateway's side at work on one input. */
interface Work {
  state: Line1GatewayState;
  readonly settings: Line1Settings;
  readonly up: number;
  readonly observations: Observation[];
  readonly write: string[];
}

/**
 * The gateway's side of line protocol 1 (docs/devices/line-protocol-1.md). Each function is pure.
 * `up` is a monotonic clock in seconds.
 */
export interface Line1Gateway {
  /** Returns the state of a gateway that starts. `memory` is what was made durable. */
  start(memory: Line1Memory): Line1GatewayState;
  /** Takes that the connection was opened, at first or again. */
  opened(state: Line1GatewayState, up: number): Line1GatewayTurn;
  /** Takes bytes. Call it with none at least four times a second: it then writes what is due. */
  feed(state: Line1GatewayState, bytes: Uint8Array, up: number): Line1GatewayTurn;
  /**
   * Takes that a session's observations up to a number are on disk. The device then forgets them,
   * so call it only after a sync.
   */
  stored(
    state: Line1GatewayState,
    upTo: { readonly session: string; readonly number: number },
    up: number,
  ): Line1GatewayTurn;
  /** Takes why events cannot be taken now, or null once they can. */
  busy(state: Line1GatewayState, reason: string | null, up: number): Line1GatewayTurn;
}

/** Returns the gateway's side of line protocol 1. */
export function line1Gateway(settings: Line1Settings): Line1Gateway {
  const turn = (
    state: Line1GatewayState,
    up: number,
    act: (work: Work) => void,
  ): Line1GatewayTurn => {
    const work: Work = { state, settings, up, observations: [], write: [] };
    act(work);
    const write = settings.listenOnly ? [] : work.write;
    return { state: work.state, observations: work.observations, write };
  };
  return {
    start,
    opened: (state, up) =>
      turn({ ...start(state.memory), stored: state.stored, busy: state.busy }, up, (work) => {
        if (settings.listenOnly) change(work, { session: state.memory[0]?.session ?? null });
        keepTime(work);
      }),
    feed: (state, bytes, up) =>
      turn(state, up, (work) => {
        const { open, lines } = readLines(state.open, bytes, up);
        work.state = { ...work.state, open };
        for (const line of lines) takeLine(work, line);
        keepTime(work);
      }),
    stored: (state, upTo, up) => turn(state, up, (work) => noteStored(work, upTo)),
    busy: (state, reason, up) => turn(state, up, (work) => setBusy(work, reason)),
  };
}

const start = (memory: Line1Memory): Line1GatewayState => ({
  open: NO_LINE,
  memory,
  session: null,
  stored: Object.fromEntries(memory.map(({ session, taken }) => [session, taken])),
  clock: NO_CLOCK,
  asking: true,
  askedAt: null,
  busy: null,
  nakAt: null,
  wait: null,
});

const change = (work: Work, changes: Partial<Line1GatewayState>): void => {
  work.state = { ...work.state, ...changes };
};
const say = (work: Work, line: Line1): void => void work.write.push(encodeLine1(line));
const storedNow = ({ state }: Work): number => state.stored[state.session ?? ''] ?? 0;
const currentUnit = ({ state }: Work): UnitMemory | undefined =>
  state.memory.find(({ session }) => session === state.session);

/** Writes `Q` until an `H` came, and `B` while busy. */
function keepTime(work: Work): void {
  const { asking, askedAt, busy } = work.state;
  if (asking && (askedAt === null || work.up - askedAt >= QUERY_EVERY)) {
    change(work, { askedAt: work.up });
    say(work, { type: 'Q' });
  }
  if (busy && work.up - busy.saidAt >= BUSY_EVERY) sayBusyOrStored(work);
}

/** Writes `B` while busy, and `A` otherwise. */
function sayBusyOrStored(work: Work): void {
  const { busy } = work.state;
  const boot = currentUnit(work)?.boot;
  if (boot === undefined) return;
  if (busy) {
    change(work, { busy: { ...busy, saidAt: work.up } });
    say(work, { type: 'B', boot, reason: busy.reason });
  } else say(work, { type: 'A', boot, seq: storedNow(work) });
}

function setBusy(work: Work, reason: string | null): void {
  if (reason === null && work.state.busy === null) return;
  change(work, { busy: reason === null ? null : { reason, saidAt: work.up } });
  sayBusyOrStored(work);
}

function noteStored(
  work: Work,
  { session, number }: { readonly session: string; readonly number: number },
): void {
  const before = work.state.stored[session];
  if (before === undefined) return;
  change(work, { stored: { ...work.state.stored, [session]: Math.max(before, number) } });
  if (session === work.state.session && work.state.busy === null) sayBusyOrStored(work);
}

/** A line that came, with the time of its first byte. */
interface Came {
  readonly raw: string;
  readonly up: number;
}

function takeLine(work: Work, { text, is, up }: ReadLine): void {
  const came = { raw: hexOf(asciiBytes(text)), up };
  const parsed: ParsedLine =
    is === 'whole' ? parseLine(text) : { is: 'damaged', problem: CUT_BECAUSE[is] };
  if (parsed.is === 'damaged') {
    observe(work, 'damaged', { reason: parsed.problem }, came);
    nak(work, 'CRC');
  } else if (parsed.is === 'malformed') takeMalformed(work, parsed, came);
  else takeParsed(work, parsed.line, parsed.body, came);
}

const CUT_BECAUSE = {
  cut: 'line: was cut by another line',
  long: 'line: has no end within 160 bytes',
} as const;

function takeParsed(work: Work, line: Line1, body: string, came: Came): void {
  if (line.type === 'E') takeUnannounced(work, line, came);
  const unit = currentUnit(work);
  if (line.type === 'H') takeHello(work, line, came);
  else if (line.type !== 'E' && line.type !== 'I') observe(work, 'read-past', {}, came);
  else if (unit?.boot !== line.boot) {
    observe(work, 'read-past', {}, came);
    change(work, { asking: true });
  } else if (line.type === 'E') takeEvent(work, unit, { ...line, body }, came);
  else {
    change(work, { clock: heardLine(work.state.clock, came.up, line.ms) });
    observe(work, 'read-past', {}, came);
    if (line.last > unit.taken) seekHole(work, unit, null, line.last);
  }
}

/** Adds an observation, and remembers it. */
function observe<K extends ObservationKind>(
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

function lose(work: Work, count: number, because: LostBecause): void {
  observe(work, 'lost', { count, because }, { raw: '', up: work.up });
  change(work, { wait: null });
}

/** Asks for the number due, at most four times a second. */
function nak(work: Work, reason: NakReason, number?: number): void {
  const unit = currentUnit(work);
  const { nakAt, busy } = work.state;
  if (unit === undefined || busy || (nakAt !== null && work.up - nakAt < NAK_EVERY)) return;
  change(work, { nakAt: work.up });
  say(work, { type: 'N', boot: unit.boot, seq: number ?? unit.taken + 1, reason });
}

function takeHello(work: Work, hello: Hello, came: Came): void {
  const { unit, firmware, boot } = hello;
  const before = work.state.memory.find((each) => each.unit === unit);
  const goesOn = before?.boot === boot && hello.last >= before.taken;
  const reused = before !== undefined && !goesOn && boot <= before.highest;
  const session = goesOn ? before.session : newSession(work, hello, reused);
  const isNews = session !== work.state.session || before?.firmware !== firmware;
  if (session !== work.state.session) enter(work, session);
  change(work, { asking: false, wait: null });
  if (isNews) observe(work, 'session', { unit, firmware, boot, reused }, came);
  else observe(work, 'read-past', {}, came);
  change(work, { clock: heardLine(work.state.clock, came.up, hello.ms) });
  acceptForgotten(work, hello);
  sayBusyOrStored(work);
}

/** Makes a session the current one. */
function enter(work: Work, session: string): void {
  const { memory, stored } = work.state;
  const known = memory.map((each) => [each.session, stored[each.session] ?? 0]);
  const kept = { ...Object.fromEntries(known), [session]: stored[session] ?? 0 };
  change(work, { session, stored: kept, clock: NO_CLOCK, wait: null });
}

const newSession = (
  { settings }: Work,
  { unit, boot }: Pick<Hello, 'unit' | 'boot'>,
  reused: boolean,
): string => `${unit}.${boot}${reused ? `~${settings.freshDigits()}` : ''}`;

/** Numbers that the device no longer keeps will never come. */
function acceptForgotten(work: Work, { last, oldest }: Hello): void {
  const unit = currentUnit(work);
  const kept = oldest === 0 ? last + 1 : oldest;
  if (unit && kept > unit.taken + 1) lose(work, kept - unit.taken - 1, 'number');
}

/** A device that cannot hear is not asked: its unit is the last known, and the boot is a new one. */
function takeUnannounced(work: Work, { boot, seq, ms }: EventLine, { up }: Came): void {
  const unit = currentUnit(work);
  if (!work.settings.listenOnly || unit === undefined || unit.boot === boot) return;
  const hello = { type: 'H', ...unit, boot, ms, last: seq - 1, oldest: 0 } as const;
  takeHello(work, hello, { raw: '', up });
}

type NumberedEvent = EventLine & { readonly body: string };

function takeEvent(work: Work, unit: UnitMemory, line: NumberedEvent, came: Came): void {
  if (work.state.busy) {
    observe(work, 'read-past', {}, came);
    sayBusyOrStored(work);
  } else if (line.seq > unit.taken + 1) {
    const lost = seekHole(work, unit, line.seq, line.seq - 1);
    const now = currentUnit(work);
    if (lost && now && line.seq === now.taken + 1) report(work, now, line, came);
    else observe(work, 'read-past', {}, came);
  } else if (line.seq === unit.taken + 1) report(work, unit, line, came);
  else takeAgain(work, unit, line, came);
}

/** Takes an event under the number that is due, or another one under a number that is known. */
function report(work: Work, unit: UnitMemory, { seq, ms, event }: EventLine, came: Came): void {
  const isDue = seq === unit.taken + 1;
  const { at, clock } = eventTime(work.state.clock, came.up, ms);
  if (isDue) change(work, { clock, wait: null });
  const fields = { events: [withUnit(event, unit.unit)] };
  observe(work, 'report', fields, { raw: came.raw, up: isDue ? at : came.up, number: seq });
}

/** What `ON` does not say: its unit, and that nothing is known of what it missed. */
const withUnit = (event: ReportedEvent, unit: string): ReportedEvent =>
  event.type === 'device-online'
    ? { ...event, data: { missed: null, ...event.data, unit } }
    : event;

/** Takes an event whose number was passed. */
function takeAgain(work: Work, unit: UnitMemory, line: NumberedEvent, came: Came): void {
  const is = known(unit, line.seq, line.body);
  if (is === 'same') {
    observe(work, 'repeat', {}, { ...came, number: line.seq });
    if (line.seq <= storedNow(work)) sayBusyOrStored(work);
  } else if (is === 'other' && line.seq === 1 && line.event.type === 'device-online')
    beginReused(work, unit, line, came);
  else report(work, unit, line, came);
}

/** Another `ON` under a known boot: the device uses the boot again. */
function beginReused(work: Work, unit: UnitMemory, line: NumberedEvent, came: Came): void {
  const { firmware, boot } = unit;
  enter(work, newSession(work, unit, true));
  const fields = { unit: unit.unit, firmware, boot, reused: true };
  observe(work, 'session', fields, { raw: '', up: came.up });
  report(work, currentUnit(work) as UnitMemory, line, came);
}

function takeMalformed(
  work: Work,
  { problem, body, of }: ParsedLine & { readonly is: 'malformed' },
  came: Came,
): void {
  const unit = currentUnit(work);
  const fields = { problem };
  if (of === undefined) return observe(work, 'refused', fields, came);
  if (unit?.boot !== of.boot || work.state.busy || of.seq > unit.taken + 1) {
    observe(work, 'read-past', {}, came);
    if (unit?.boot !== of.boot) change(work, { asking: true });
    else if (work.state.busy) sayBusyOrStored(work);
    else seekHole(work, unit, of.seq, of.seq - 1);
  } else if (of.seq <= unit.taken && known(unit, of.seq, body) === 'same') {
    observe(work, 'repeat', {}, { ...came, number: of.seq });
    if (of.seq <= storedNow(work)) sayBusyOrStored(work);
  } else {
    change(work, { wait: null, nakAt: null });
    nak(work, 'FORM', of.seq);
    observe(work, 'refused', fields, { ...came, number: of.seq });
  }
}

/**
 * Asks for numbers that were passed over. Returns whether they are now given up: `ahead` is the
 * number of the event that shows the hole, and `last` the last number of the hole if it is given
 * up at once.
 */
function seekHole(work: Work, unit: UnitMemory, ahead: number | null, last: number): boolean {
  if (work.settings.listenOnly) {
    lose(work, last - unit.taken, 'number');
    return true;
  }
  const wait = waitAfter(work, unit.taken + 1, ahead);
  change(work, { wait });
  if (work.up - wait.since < LOST_AFTER) {
    nak(work, 'GAP');
    return false;
  }
  lose(work, (wait.ahead ?? wait.due + 1) - wait.due, 'number');
  return true;
}

function waitAfter({ state, up }: Work, due: number, ahead: number | null): Wait {
  const { wait } = state;
  if (wait?.due !== due || up - wait.seenAt > WAIT_PAUSE)
    return { due, since: up, seenAt: up, ahead };
  const lower = Math.min(wait.ahead ?? Infinity, ahead ?? Infinity);
  return { ...wait, seenAt: up, ahead: Number.isFinite(lower) ? lower : null };
}

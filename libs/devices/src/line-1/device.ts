import type { ReportedEvent } from '../observation.js';
import { encodeLine1, parseLine, type Line1 } from './line.js';
import { NO_LINE, readLines, type OpenLine } from './line-reader.js';

/** The most events that are sent and not acknowledged. */
const WINDOW = 8;
/** The most events of a boot that a device keeps until they are acknowledged. */
export const LINE1_EVENTS_MAX = 64;
/** The most boots of which events are kept. */
const BOOTS_MAX = 4;
/** Seconds until the oldest event is sent again, at first and at most. */
const RETRY_FIRST = 0.5;
const RETRY_MAX = 8;
/** Seconds without a line after which the device says that it is there. */
const IDLE = 5;
/** Seconds after which a `B` no longer holds. */
const BUSY = 10;
/** Seconds between two `H` of a device that cannot hear, and how often it sends each line. */
const HELLO_EVERY = 30;
const COPIES = 3;

/** An event that was made and is not known to be on disk. */
interface Made {
  readonly seq: number;
  readonly ms: number;
  readonly event: ReportedEvent;
}

/** The events of one boot. */
interface BootMemory {
  readonly boot: number;
  readonly last: number;
  readonly lastMs: number;
  readonly acknowledged: number;
  readonly events: readonly Made[];
}

/** What a device keeps while it has no power: its boots, the oldest first. */
export type Line1DeviceMemory = readonly BootMemory[];

/** The device's side of line protocol 1, as plain JSON. */
export interface Line1DeviceState {
  readonly unit: string;
  readonly firmware: string;
  /** The device cannot hear: it sends each line three times and waits for nothing. */
  readonly isDeaf: boolean;
  /** When this boot began, by the clock of `up`. */
  readonly bootedAt: number;
  /** The events of the first boot are sent until all of them are acknowledged. */
  readonly boots: Line1DeviceMemory;
  readonly open: OpenLine;
  /** The last number of the first boot that was sent. */
  readonly sent: number;
  readonly retryAt: number;
  readonly retryAfter: number;
  readonly busyUntil: number | null;
  readonly wroteAt: number;
  readonly helloAt: number;
}

/** What the device made of its input, and the lines that it has to write. */
export interface Line1DeviceTurn {
  readonly state: Line1DeviceState;
  readonly write: readonly string[];
}

/** A device that gets power. */
export interface PowerUp {
  readonly unit: string;
  readonly firmware: string;
  /** Higher than at any power-up before. */
  readonly boot: number;
  /** What it kept while it had no power. A device without such a memory keeps nothing. */
  readonly memory: Line1DeviceMemory;
  /** 0 only if no card left the device without power, and no event was lost with its memory. */
  readonly missed: number | null;
  readonly isDeaf?: boolean;
}

/** The device's side at work on one input. */
interface Work {
  state: Line1DeviceState;
  readonly up: number;
  readonly write: string[];
}

/**
 * Starts a device: it says `H`, makes `ON` as its first event, and sends what an earlier boot did
 * not get acknowledged first. `up` is a monotonic clock in seconds.
 */
export function powerUp(device: PowerUp, up: number): Line1DeviceTurn {
  const { unit, firmware, boot, memory, isDeaf = false } = device;
  const kept = isDeaf ? [] : memory.filter(({ events }) => events.length > 0);
  const boots = kept.slice(-(BOOTS_MAX - 1));
  const missed = boots.length < kept.length ? null : device.missed;
  const online: ReportedEvent = {
    type: 'device-online',
    data: { firmware, ...(missed === null ? {} : { missed }) },
  };
  const fresh = { boot, last: 0, lastMs: 0, acknowledged: 0, events: [] };
  const [first = fresh] = boots;
  const state: Line1DeviceState = {
    unit,
    firmware,
    isDeaf,
    bootedAt: up,
    boots: [...boots, fresh],
    open: NO_LINE,
    sent: first.acknowledged,
    retryAt: up,
    retryAfter: RETRY_FIRST,
    busyUntil: null,
    wroteAt: up,
    helloAt: up,
  };
  return turn(state, up, (work) => {
    sayHello(work);
    make(work, online);
  });
}

/**
 * Makes an event at `up`: numbers it, keeps it, and sends it when its turn comes. Throws a
 * `RangeError` if the event does not fit a line.
 */
export const recordEvent = (
  state: Line1DeviceState,
  event: ReportedEvent,
  up: number,
): Line1DeviceTurn => turn(state, up, (work) => make(work, event));

/** Takes bytes of the gateway. Call it with none at least four times a second, for what is due. */
export const feedDevice = (
  state: Line1DeviceState,
  bytes: Uint8Array,
  up: number,
): Line1DeviceTurn =>
  turn(state, up, (work) => {
    const { open, lines } = readLines(state.open, bytes, up);
    change(work, { open });
    if (state.isDeaf) return;
    for (const { text, is } of lines) {
      const parsed = parseLine(text);
      if (is === 'whole' && parsed.is === 'line') obey(work, parsed.line);
    }
  });

function turn(state: Line1DeviceState, up: number, act: (work: Work) => void): Line1DeviceTurn {
  const work: Work = { state, up, write: [] };
  act(work);
  if (state.isDeaf) keepTimeDeaf(work);
  else keepTime(work);
  return { state: work.state, write: work.write };
}

const change = (work: Work, changes: Partial<Line1DeviceState>): void => {
  work.state = { ...work.state, ...changes };
};
/** The boot whose events are sent now, and the boot that makes events. */
const sending = ({ state }: Work): BootMemory => state.boots[0] as BootMemory;
const making = ({ state }: Work): BootMemory => state.boots.at(-1) as BootMemory;
const msNow = ({ state, up }: Work): number => Math.round((up - state.bootedAt) * 1000);

function say(work: Work, line: Line1): void {
  const written = encodeLine1(line);
  for (let copy = 0; copy < (work.state.isDeaf ? COPIES : 1); copy += 1) work.write.push(written);
  change(work, { wroteAt: work.up });
}

function sayHello(work: Work): void {
  const { unit, firmware, boots } = work.state;
  const { boot, last, lastMs, events } = sending(work);
  const ms = boots.length === 1 ? msNow(work) : lastMs;
  say(work, { type: 'H', unit, firmware, boot, ms, last, oldest: events[0]?.seq ?? 0 });
  change(work, { helloAt: work.up });
}

function sayEvent(work: Work, { seq, ms, event }: Made): void {
  say(work, { type: 'E', boot: sending(work).boot, seq, ms, event });
}

function make(work: Work, event: ReportedEvent): void {
  const { boot, last, acknowledged, events } = making(work);
  const made = { seq: last + 1, ms: msNow(work), event };
  // The line must fit before its number is used: a number without a line would be a hole.
  encodeLine1({ type: 'E', boot, ...made });
  if (work.state.isDeaf) sayEvent(work, made);
  const kept = work.state.isDeaf ? [] : [...events, made].slice(-LINE1_EVENTS_MAX);
  const now = { boot, last: made.seq, lastMs: made.ms, acknowledged, events: kept };
  change(work, { boots: [...work.state.boots.slice(0, -1), now] });
}

/** Does what the gateway asks. Lines of another boot, and those of devices, mean nothing. */
function obey(work: Work, line: Line1): void {
  if (line.type === 'Q') return sayHello(work);
  if (line.type !== 'A' && line.type !== 'N' && line.type !== 'B') return;
  const { boot, last } = sending(work);
  if (line.boot !== boot) return;
  if (line.type === 'B') change(work, { busyUntil: work.up + BUSY });
  else if (line.type === 'A') {
    if (line.seq <= last) acknowledge(work, line.seq);
  } else if (line.reason !== 'FORM') sendFrom(work, line.seq);
}

function acknowledge(work: Work, upTo: number): void {
  const before = sending(work);
  const { state, up } = work;
  if (state.busyUntil !== null) change(work, { busyUntil: null, sent: before.acknowledged });
  if (upTo <= before.acknowledged) return;
  const events = before.events.filter(({ seq }) => seq > upTo);
  change(work, {
    boots: [{ ...before, acknowledged: upTo, events }, ...state.boots.slice(1)],
    sent: Math.max(work.state.sent, upTo),
    retryAt: up + RETRY_FIRST,
    retryAfter: RETRY_FIRST,
  });
  if (events.length > 0 || state.boots.length === 1) return;
  const next = state.boots[1] as BootMemory;
  change(work, { boots: state.boots.slice(1), sent: next.acknowledged });
  sayHello(work);
}

/** Sends from a number on, or says what is kept if that number is not. */
function sendFrom(work: Work, seq: number): void {
  const { last, events } = sending(work);
  if (seq === last + 1) return;
  const oldest = events[0]?.seq ?? last + 1;
  if (seq < oldest || seq > last) sayHello(work);
  else change(work, { sent: seq - 1 });
}

function keepTime(work: Work): void {
  const { busyUntil } = work.state;
  if (busyUntil !== null && work.up >= busyUntil)
    change(work, { busyUntil: null, sent: sending(work).acknowledged });
  if (work.state.busyUntil === null) sendWhatIsDue(work);
  if (work.up - work.state.wroteAt >= IDLE) sayIdle(work);
}

/** Sends what the window allows, and the oldest event again where its answer is late. */
function sendWhatIsDue(work: Work): void {
  const { events } = sending(work);
  const [oldest] = events;
  const { sent, retryAt, retryAfter } = work.state;
  if (oldest === undefined) return;
  if (sent >= oldest.seq && work.up >= retryAt) {
    sayEvent(work, oldest);
    const doubled = Math.min(2 * retryAfter, RETRY_MAX);
    change(work, { retryAt: work.up + doubled, retryAfter: doubled });
  }
  const fresh = events.filter(({ seq }) => seq > sent && seq < oldest.seq + WINDOW);
  const newest = fresh.at(-1);
  if (newest === undefined) return;
  for (const made of fresh) sayEvent(work, made);
  const isFirst = sent < oldest.seq;
  change(work, {
    sent: newest.seq,
    ...(isFirst ? { retryAt: work.up + RETRY_FIRST, retryAfter: RETRY_FIRST } : {}),
  });
}

function sayIdle(work: Work): void {
  const { boot, last, lastMs } = sending(work);
  const ms = work.state.boots.length === 1 ? msNow(work) : lastMs;
  say(work, { type: 'I', boot, ms, last });
}

function keepTimeDeaf(work: Work): void {
  if (work.up - work.state.helloAt >= HELLO_EVERY) sayHello(work);
  else if (work.up - work.state.wroteAt >= IDLE) sayIdle(work);
}

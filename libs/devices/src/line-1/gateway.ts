import { hexOf, type Feed, type ReportedEvent } from '../observation.js';
import { eventTime, heardLine, NO_CLOCK } from './clock.js';
import {
  ask,
  change,
  currentUnit,
  nak,
  observe,
  sayBusyOrStored,
  storedNow,
} from './gateway-work.js';
import type { Came, Line1GatewayState, Line1Settings, Work } from './gateway-work.js';
import { beginReused, takeHello, takeUnannounced } from './hello.js';
import { seekHole } from './hole.js';
import { parseLine, type EventLine, type Line1, type ParsedLine } from './line.js';
import { asciiBytes, NO_LINE, readLines, type ReadLine } from './line-reader.js';
import { known, type Line1Memory, type UnitMemory } from './memory.js';

/** Seconds between two lines of `B`. */
const BUSY_EVERY = 3;

/** What the gateway made of its input, and the lines that it has to write. */
export interface Line1GatewayTurn extends Feed<Line1GatewayState> {
  readonly write: readonly string[];
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
        // Time goes first, so that it does not matter how bytes of one moment are cut.
        keepTime(work);
        const { open, lines } = readLines(state.open, bytes, up);
        change(work, { open });
        for (const line of lines) takeLine(work, line);
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

/** Writes `Q` until an `H` came, and `B` while busy. */
function keepTime(work: Work): void {
  const { asking, busy } = work.state;
  if (asking) ask(work);
  if (busy && work.up - busy.saidAt >= BUSY_EVERY) sayBusyOrStored(work);
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
    ask(work);
  } else if (line.type === 'E') takeEvent(work, unit, { ...line, body }, came);
  else {
    change(work, { clock: heardLine(work.state.clock, came.up, line.ms) });
    observe(work, 'read-past', {}, came);
    if (line.last > unit.taken) seekHole(work, unit, null, line.last);
  }
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
    ? { ...event, data: { ...event.data, missed: event.data.missed ?? null, unit } }
    : event;

/** Takes an event whose number was passed. */
function takeAgain(work: Work, unit: UnitMemory, line: NumberedEvent, came: Came): void {
  const is = known(unit, line.seq, line.body);
  if (is === 'same') {
    observe(work, 'repeat', {}, { ...came, number: line.seq });
    if (line.seq <= storedNow(work)) sayBusyOrStored(work);
  } else if (is === 'other' && line.seq === 1 && line.event.type === 'device-online') {
    beginReused(work, unit, came);
    report(work, currentUnit(work) as UnitMemory, line, came);
  } else report(work, unit, line, came);
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
    if (unit?.boot !== of.boot) ask(work);
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

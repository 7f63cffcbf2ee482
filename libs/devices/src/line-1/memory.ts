import type { Observation } from '../observation.js';
import { parseLine, type ParsedLine } from './line.js';

/** The most units that are remembered. The one that was heard longest ago is forgotten first. */
const UNITS_MAX = 8;
/** The most numbers of a session whose bodies are remembered, to tell a repeat from other bytes. */
const CONTENTS_MAX = 64;
/** The most bodies that are remembered for one number. */
const BODIES_MAX = 4;

/** The bodies that came under one number. */
interface Content {
  readonly number: number;
  readonly bodies: readonly string[];
}

/** What is remembered of a unit, as plain JSON. */
export interface UnitMemory {
  readonly unit: string;
  readonly firmware: string;
  readonly boot: number;
  /** The highest boot that the unit ever named. */
  readonly highest: number;
  /** The session of its boot: `unit.boot`, and more if it used numbers again. */
  readonly session: string;
  /** The last number taken or accepted as lost. */
  readonly taken: number;
  readonly contents: readonly Content[];
}

/** What the gateway must remember over a restart. The unit that spoke last is first. */
export type Line1Memory = readonly UnitMemory[];

/**
 * Returns what is remembered after an observation of line protocol 1. A gateway that starts again
 * folds the observations that it made durable.
 */
export function remember(memory: Line1Memory, observation: Observation): Line1Memory {
  const { kind, fields, session } = observation;
  if (kind === 'session') return withSession(memory, fields, session ?? '');
  const unit = memory.find((each) => each.session === session);
  if (unit === undefined) return memory;
  if (kind === 'lost') return withUnit(memory, { ...unit, taken: unit.taken + fields.count });
  const { deviceNumber, raw } = observation;
  if (typeof deviceNumber !== 'number' || (kind !== 'report' && kind !== 'refused')) return memory;
  return withUnit(memory, {
    ...unit,
    taken: Math.max(unit.taken, deviceNumber),
    contents: withBody(unit.contents, deviceNumber, bodyOf(raw)),
  });
}

/**
 * Returns what is remembered after a line that was kept, for a caller that kept lines and not
 * observations. `session` is that of the event that the line became, or null if it became none: its
 * number then counts for the unit that was heard last in that boot.
 */
export function rememberKept(
  memory: Line1Memory,
  { raw, session }: { readonly raw: string; readonly session: string | null },
): Line1Memory {
  const parsed = parseLine(lineOf(raw));
  if (parsed.is === 'malformed') return rememberRefused(memory, raw, parsed);
  if (session === null || parsed.is !== 'line' || parsed.line.type !== 'E') return memory;
  const { boot, seq: deviceNumber, event } = parsed.line;
  const named = session.replace(FRESH, '');
  if (!named.endsWith(`.${boot}`)) return memory;
  const unit = named.slice(0, -`.${boot}`.length);
  const before = memory.find((each) => each.unit === unit);
  const { firmware = before?.firmware ?? '' } =
    event.type === 'device-online' ? event.data : { firmware: undefined };
  const fields = { unit, boot, firmware, reused: false };
  const begun = remember(memory, { ...KEPT, raw, session, kind: 'session', fields });
  const events = [event];
  return remember(begun, {
    ...KEPT,
    raw,
    session,
    deviceNumber,
    kind: 'report',
    fields: { events },
  });
}

/** What the session of a boot that used numbers again has after it. */
const FRESH = /~[0-9a-f]{8}$/;

const KEPT = { integrity: 'ok', up: 0 } as const;

function rememberRefused(
  memory: Line1Memory,
  raw: string,
  { of, problem }: ParsedLine & { readonly is: 'malformed' },
): Line1Memory {
  const session = memory.find(({ boot }) => boot === of?.boot)?.session;
  if (of === undefined || session === undefined) return memory;
  const fields = { problem };
  return remember(memory, {
    ...{ ...KEPT, raw, session, deviceNumber: of.seq, kind: 'refused', fields },
  });
}

/** Returns what is remembered of a number: unknown, a repeat, or bytes that differ. */
export function known(unit: UnitMemory, number: number, body: string): 'same' | 'other' | 'new' {
  const content = unit.contents.find((each) => each.number === number);
  if (content) {
    const isKnown = content.bodies.includes(body) || content.bodies.length >= BODIES_MAX;
    return isKnown ? 'same' : 'other';
  }
  const oldest = unit.contents[0]?.number ?? 0;
  const isForgotten = unit.contents.length >= CONTENTS_MAX && number < oldest;
  return isForgotten ? 'same' : 'new';
}

const withUnit = (memory: Line1Memory, unit: UnitMemory): Line1Memory =>
  [unit, ...memory.filter((each) => each.unit !== unit.unit)].slice(0, UNITS_MAX);

function withSession(
  memory: Line1Memory,
  hello: Pick<UnitMemory, 'unit' | 'firmware' | 'boot'>,
  session: string,
): Line1Memory {
  const { unit, firmware, boot } = hello;
  const before = memory.find((each) => each.unit === unit);
  const goesOn = before?.session === session;
  return withUnit(memory, {
    unit,
    firmware,
    boot,
    highest: Math.max(boot, before?.highest ?? 0),
    session,
    taken: goesOn ? before.taken : 0,
    contents: goesOn ? before.contents : [],
  });
}

function withBody(contents: readonly Content[], number: number, body: string): readonly Content[] {
  // nearly every number is the highest so far
  if (number > (contents.at(-1)?.number ?? 0))
    return [...contents.slice(1 - CONTENTS_MAX), { number, bodies: [body] }];
  const bodies = contents.find((each) => each.number === number)?.bodies ?? [];
  return [
    ...contents.filter((each) => each.number !== number),
    { number, bodies: [...bodies, body] },
  ]
    .sort((one, other) => one.number - other.number)
    .slice(-CONTENTS_MAX);
}

/** Returns the text of a line from its bytes in hexadecimal. */
function lineOf(raw: string): string {
  const codes: number[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2)
    codes.push((DIGITS.indexOf(raw[at] as string) << 4) | DIGITS.indexOf(raw[at + 1] as string));
  return String.fromCharCode(...codes);
}
const DIGITS = '0123456789abcdef';

/** Returns the body of a line from its bytes: what is between `$` and the last `*`. */
function bodyOf(raw: string): string {
  const line = lineOf(raw);
  return line.slice(1, line.lastIndexOf('*'));
}

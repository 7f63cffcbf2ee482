import type { Observation } from '../observation.js';

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
  const bodies = contents.find((each) => each.number === number)?.bodies ?? [];
  return [
    ...contents.filter((each) => each.number !== number),
    { number, bodies: [...bodies, body] },
  ]
    .sort((one, other) => one.number - other.number)
    .slice(-CONTENTS_MAX);
}

/** Returns the body of a line from its bytes: what is between `$` and the last `*`. */
function bodyOf(raw: string): string {
  const line = (raw.match(/../g) ?? [])
    .map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
    .join('');
  return line.slice(1, line.lastIndexOf('*'));
}

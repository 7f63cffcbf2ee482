import type { ReportedEvent } from '../observation.js';
import { crcOf } from './crc.js';
import { readEvent, writeEvent } from './events.js';
import { escaped, FieldProblem, oneOf, text, unescaped, whole, type FieldKind } from './fields.js';

/** The most bytes of a line with its end. */
export const LINE1_BYTES_MAX = 160;

/** Why the gateway asks for lines again, or says that a line breaks the grammar. */
export type NakReason = 'GAP' | 'CRC' | 'FORM';

/** A device says who it is, and which events of this boot it made and keeps. */
export interface Hello {
  readonly type: 'H';
  readonly unit: string;
  readonly firmware: string;
  readonly boot: number;
  /** Milliseconds since the boot. */
  readonly ms: number;
  /** The last number made. 0 if none. */
  readonly last: number;
  /** The lowest number kept. 0 if none. */
  readonly oldest: number;
}
/** An event of a device. */
export interface EventLine {
  readonly type: 'E';
  readonly boot: number;
  readonly seq: number;
  readonly ms: number;
  readonly event: ReportedEvent;
}
/** A line of line protocol 1. */
export type Line1 =
  | Hello
  | EventLine
  | { readonly type: 'I'; readonly boot: number; readonly ms: number; readonly last: number }
  | { readonly type: 'A'; readonly boot: number; readonly seq: number }
  | {
      readonly type: 'N';
      readonly boot: number;
      readonly seq: number;
      readonly reason: NakReason;
    }
  | { readonly type: 'B'; readonly boot: number; readonly reason: string }
  | { readonly type: 'Q' };

/** What the text of a line is. `damaged`: its CRC is wrong, so nothing in it can be relied on. */
export type ParsedLine =
  | { readonly is: 'line'; readonly line: Line1; readonly body: string }
  | { readonly is: 'damaged'; readonly problem: string }
  | {
      readonly is: 'malformed';
      readonly problem: string;
      readonly body: string;
      /** The number of an event whose other fields are malformed. */
      readonly of?: { readonly boot: number; readonly seq: number };
    };

const boot = whole(1, 4_294_967_295);
const count = whole(0);
/** The number after the highest one is an exact number too. */
const NUMBER_MAX = Number.MAX_SAFE_INTEGER - 1;
const number = whole(1, NUMBER_MAX);
const numberOrNone = whole(0, NUMBER_MAX);
type Named = readonly [name: string, kind: FieldKind];
/** The fields of each type of line. Those of an event's code follow in events.ts. */
const FIELDS: Readonly<Record<string, readonly Named[]>> = {
  H: [
    ['version', oneOf({ 1: 1 })],
    ['unit', text],
    ['firmware', text],
    ['boot', boot],
    ['ms', count],
    ['last', numberOrNone],
    ['oldest', numberOrNone],
  ],
  E: [
    ['boot', boot],
    ['seq', number],
    ['ms', count],
  ],
  I: [
    ['boot', boot],
    ['ms', count],
    ['last', numberOrNone],
  ],
  A: [
    ['boot', boot],
    ['seq', numberOrNone],
  ],
  N: [
    ['boot', boot],
    ['seq', whole(1)],
    ['reason', oneOf({ GAP: 'GAP', CRC: 'CRC', FORM: 'FORM' })],
  ],
  B: [
    ['boot', boot],
    ['reason', text],
  ],
  Q: [],
};

/** Returns what a line without its end says. It never throws. */
export function parseLine(line: string): ParsedLine {
  const [, body, crc] = /^\$([^]*)\*([0-9A-F]{8})$/.exec(line) ?? [];
  if (body === undefined || crc === undefined)
    return { is: 'damaged', problem: 'line: must be $, a body, * and eight digits of CRC' };
  if (crc !== crcOf(body)) return { is: 'damaged', problem: 'crc: does not fit the body' };
  const fields = body.split(',');
  try {
    return { is: 'line', line: readBody(fields), body };
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    const of = numberOf(fields);
    return { is: 'malformed', problem: error.message, body, ...(of ? { of } : {}) };
  }
}

function readBody([type = '', ...fields]: readonly string[]): Line1 {
  const named = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
  if (named === undefined) throw new FieldProblem(`type: "${type}" is not a type of line`);
  const values: Record<string, unknown> = { type };
  for (const [at, [name, kind]] of named.entries()) {
    const field = fields[at];
    if (field === undefined) throw new FieldProblem(`${name}: is missing`);
    values[name] = kind.read(unescaped(field, name), name);
  }
  const others = fields.slice(named.length);
  if (type === 'E') {
    const [code, ...rest] = others;
    if (code === undefined) throw new FieldProblem('code: is missing');
    values.event = readEvent(code, rest);
  } else if (others.length > 0)
    throw new FieldProblem(`${type}: has ${fields.length} fields, and ${named.length} are known`);
  delete values.version;
  return values as unknown as Line1;
}

/** Returns boot and number of an event line if they can be read. */
function numberOf([type, ...fields]: readonly string[]) {
  if (type !== 'E') return undefined;
  try {
    const [of, seq] = [boot.read(fields[0] ?? '', 'boot'), number.read(fields[1] ?? '', 'seq')];
    return { boot: of as number, seq: seq as number };
  } catch (error) {
    if (error instanceof FieldProblem) return undefined;
    throw error;
  }
}

/** Returns a `B` with as much of the reason as fits. What cannot be seen becomes a space. */
export function busyLine(boot: number, reason: string): Line1 {
  const room = LINE1_BYTES_MAX - `$B,${boot},*01234567\n`.length;
  let fitting = '';
  for (const character of reason.replace(/[\u0000-\u001f\u007f]/g, ' ')) {
    if (escaped(fitting + character).length > room) break;
    fitting += character;
  }
  return { type: 'B', boot, reason: fitting === '' ? 'busy' : fitting };
}

/**
 * Returns a line with its end. Throws a `RangeError` that names the field if a value is outside
 * the grammar, or if the line is too long.
 */
export function encodeLine1(line: Line1): string {
  const named = FIELDS[line.type] as readonly Named[];
  const values = { version: 1, ...line } as Readonly<Record<string, unknown>>;
  const fields = named.map(([name, kind]) => escaped(kind.write(values[name])));
  const event = line.type === 'E' ? writeEvent(line.event) : [];
  const body = [line.type, ...fields, ...event].join(',');
  const written = `$${body}*${crcOf(body)}\n`;
  if (written.length > LINE1_BYTES_MAX)
    throw new RangeError(`line: has ${written.length} bytes, and at most ${LINE1_BYTES_MAX} fit`);
  const parsed = parseLine(written.slice(0, -1));
  if (parsed.is !== 'line') throw new RangeError(parsed.problem);
  return written;
}

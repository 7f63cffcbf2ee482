import { isOrigin } from '../notes/keys.js';
import { hashText, TextLines } from '../text-lines.js';

/** A leaf of the site log: the state of every table's tree. */
export interface Seal {
  readonly origin: string;
  /** Its index in the site log. Index 0 is a key statement. */
  readonly number: number;
  /** The sealer's clock, to the second: `2026-11-20T12:01:04Z`. A claim. */
  readonly time: string;
  /** Id of the event log. */
  readonly log: string;
  /** By partition: the offset after the last record sealed. */
  readonly next: readonly number[];
  /** How many tables have a head. */
  readonly tables: number;
  /** SHA-256 of the list of names. */
  readonly names: Uint8Array;
  /** RFC 6962 root over the heads by number. */
  readonly heads: Uint8Array;
  /** Index of the latest key statement. */
  readonly keys: number;
  /** The gaming day that this seal closes, if it closes one. */
  readonly day?: string;
}

/** First line of a seal. */
export const SEAL_FIRST_LINE = 'shoeprint seal v1';

/** Returns a seal as text. */
export function sealText(seal: Seal): string {
  const lines = [
    SEAL_FIRST_LINE,
    seal.origin,
    String(seal.number),
    `time ${seal.time}`,
    `log ${seal.log}`,
    `next ${seal.next.join(' ')}`,
    `tables ${seal.tables} ${hashText(seal.names)} ${hashText(seal.heads)}`,
    `keys ${seal.keys}`,
    ...(seal.day === undefined ? [] : [`day ${seal.day}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Reads a seal. Throws a `FormatFault`. */
export function readSeal(text: string): Seal {
  const lines = new TextLines(text);
  lines.fixed(SEAL_FIRST_LINE);
  const origin = lines.next('an origin');
  if (!isOrigin(origin)) throw lines.fault(`${JSON.stringify(origin)} is not an origin`);
  const number = lines.number(lines.next('the number of the seal'));
  if (number === 0) throw lines.fault('is 0: leaf 0 is a key statement');
  const time = timeIn(lines);
  const log = lines.labelled('log');
  if (!/^[!-~]{1,200}$/.test(log)) throw lines.fault('is not the id of a log');
  const next = lines
    .labelled('next')
    .split(' ')
    .map((text) => lines.number(text));
  const { tables, names, heads } = tablesIn(lines);
  const keys = lines.number(lines.labelled('keys'));
  if (keys >= number) throw lines.fault(`is not the index of a leaf before leaf ${number}`);
  const day = dayIn(lines);
  lines.end();
  const seal = { origin, number, time, log, next, tables, names, heads, keys };
  return day === undefined ? seal : { ...seal, day };
}

function timeIn(lines: TextLines): string {
  const time = lines.labelled('time');
  if (!isTime(time))
    throw lines.fault(`${JSON.stringify(time)} is not a time in UTC to the second`);
  return time;
}

function tablesIn(lines: TextLines): Pick<Seal, 'tables' | 'names' | 'heads'> {
  const [count = '', names = '', heads = '', ...more] = lines.labelled('tables').split(' ');
  if (more.length > 0) throw lines.fault('has more than a count and two hashes');
  return { tables: lines.number(count), names: lines.hash(names), heads: lines.hash(heads) };
}

function dayIn(lines: TextLines): string | undefined {
  const day = lines.labelledIf('day');
  if (day !== undefined && !isTime(`${day}T00:00:00Z`)) {
    throw lines.fault(`${JSON.stringify(day)} is not a day`);
  }
  return day;
}

/** Whether a text is a time in UTC to the second that exists. */
function isTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text.replace('Z', '.000Z');
}

/**
 * Returns what makes a seal impossible after another of the same site, or undefined if it can
 * follow. Names and heads are compared by those who have the lists.
 */
export function faultAfter(before: Seal, after: Seal): string | undefined {
  if (after.origin !== before.origin) return `its origin was ${before.origin}`;
  if (after.number <= before.number) return `its number is not above ${before.number}`;
  if (after.time < before.time) return `its time is before ${before.time}`;
  if (after.log !== before.log) return `its log was ${before.log}`;
  if (after.next.length !== before.next.length) {
    return `it has ${after.next.length} partitions after ${before.next.length}`;
  }
  const fallen = before.next.findIndex((next, partition) => (after.next[partition] ?? 0) < next);
  if (fallen >= 0) return `partition ${fallen} went back from ${before.next[fallen]}`;
  if (after.tables < before.tables) return `it has fewer tables than ${before.tables}`;
  if (after.keys < before.keys) return `its latest key statement was ${before.keys}`;
  if (after.day !== undefined && before.day !== undefined && after.day <= before.day) {
    return `its day is not after ${before.day}`;
  }
  return undefined;
}

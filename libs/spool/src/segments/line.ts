import { crc32 } from '@node-rs/crc32';

const INTEGRITIES = ['ok', 'damaged', 'none'] as const;

/** What was heard on a port, and the events that were made of it. They stand or fall together. */
export interface SpoolFrame {
  /** The wall clock at the frame's first byte, in milliseconds since 1970. */
  readonly at: number;
  /** The monotonic clock at the same moment, in seconds. */
  readonly up: number;
  readonly port: string;
  /** The bytes that were heard, as hexadecimal digits. */
  readonly raw: string;
  /** Whether the frame's own checks held. `none` means that its protocol has no check. */
  readonly integrity: (typeof INTEGRITIES)[number];
  /** The contents to be sent, each the exact text of a line without its newline. */
  readonly made: readonly string[];
}

/** One line of the spool: all frames that were handed in before it was written. */
export interface SpoolLine {
  /** The line's number. Lines are numbered from 1 without holes. */
  readonly n: number;
  /** The last line whose contents were known to be delivered when this one was written. */
  readonly sent: number;
  readonly frames: readonly SpoolFrame[];
}

/** The first line of a segment. */
export interface SegmentPreamble {
  /** The version of the format. */
  readonly spool: number;
  /** The number of the first line of the segment. */
  readonly n: number;
  readonly sent: number;
  /** The owner's state before that line, opaque to the spool. */
  readonly owner: unknown;
}

/** The version of the format that this program writes and reads. */
export const SPOOL_VERSION = 1;

const NEWLINE = 0x0a;
const CRC_DIGITS = 8;

/** Returns a CRC-32 as 8 hexadecimal digits. */
export const digits = (crc: number): string => crc.toString(16).padStart(CRC_DIGITS, '0');

const checksum = (bytes: Uint8Array | string): string => digits(crc32(bytes));

/** Returns a line of a segment: the CRC-32 of the JSON text, a space, the text, a newline. */
const sealed = (json: string): Buffer => Buffer.from(`${checksum(json)} ${json}\n`);

/** Returns a line whose frames are already JSON texts. */
export const lineBytes = (n: number, sent: number, frames: readonly string[]): Buffer =>
  sealed(`{"n":${n},"sent":${sent},"frames":[${frames.join(',')}]}`);

/** Returns the first line of a segment. */
export const preambleBytes = (preamble: SegmentPreamble): Buffer =>
  sealed(JSON.stringify(preamble));

/**
 * Returns the value of a line without its newline, or undefined if its checksum does not fit or it
 * is not JSON.
 */
export function opened(bytes: Buffer): unknown {
  if (bytes.length <= CRC_DIGITS || bytes.includes(NEWLINE)) return undefined;
  const json = bytes.subarray(CRC_DIGITS + 1);
  if (bytes.toString('latin1', 0, CRC_DIGITS + 1) !== `${checksum(json)} `) return undefined;
  try {
    return JSON.parse(json.toString()) as unknown;
  } catch {
    return undefined; // the caller reports it as damage, with its place
  }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether a value is the first line of a segment, of this or of a newer version. */
export const isPreamble = (value: unknown): value is SegmentPreamble =>
  isObject(value) && isCount(value.spool) && isCount(value.n) && isCount(value.sent);

/** Returns whether a value is a line of this version. */
export const isLine = (value: unknown): value is SpoolLine =>
  isObject(value) &&
  isCount(value.n) &&
  isCount(value.sent) &&
  Array.isArray(value.frames) &&
  value.frames.every((frame) => frameFault(frame) === undefined);

/** Returns which field of a frame the spool cannot keep, or undefined for a sound frame. */
export function frameFault(frame: unknown): string | undefined {
  if (!isObject(frame)) return 'a frame must be an object';
  const { at, up, port, raw, integrity, made } = frame;
  if (!Number.isFinite(at)) return 'at must be a number of milliseconds';
  if (!Number.isFinite(up)) return 'up must be a number of seconds';
  if (typeof port !== 'string') return 'port must be a text';
  if (typeof raw !== 'string' || !/^(?:[0-9a-f]{2})*$/.test(raw))
    return 'raw must be pairs of hexadecimal digits in lower case';
  if (!INTEGRITIES.some((each) => each === integrity))
    return 'integrity must be "ok", "damaged" or "none"';
  if (!Array.isArray(made) || !made.every((each) => typeof each === 'string' && !/\n/.test(each)))
    return 'made must be a list of texts without newlines';
  return undefined;
}

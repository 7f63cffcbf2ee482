/**
 * The two ways to compute the check of a report: XOR from the sequence byte through ETX, or from
 * ENQ through ETX (docs/devices/angel-eye-ii-ex.md, "A report").
 */
export const BCC_READINGS = ['from-sequence', 'from-enq'] as const;
/** One way to compute the check of a report. */
export type BccReading = (typeof BCC_READINGS)[number];

/** The control bytes of the protocol, as ASCII names them. */
export const CONTROL = { STX: 0x02, ETX: 0x03, ENQ: 0x05, ACK: 0x06, NAK: 0x15 } as const;
const { STX, ETX, ENQ, ACK, NAK } = CONTROL;
const FIRST_PRINTABLE = 0x20;
/** The most bytes of a frame. The longest one known has 11. */
export const FRAME_BYTES_MAX = 64;

/** A piece of the stream. Every byte is part of exactly one piece. */
export interface Piece {
  readonly is: 'report' | 'reply' | 'broken';
  readonly bytes: readonly number[];
}

/** The bytes of the piece that is open, and the pieces that ended before it. */
interface Read {
  readonly open: readonly number[];
  readonly pieces: readonly Piece[];
}

const broken = (bytes: readonly number[]): Piece[] =>
  bytes.length === 0 ? [] : [{ is: 'broken', bytes }];
const isFrame = ([first]: readonly number[]): boolean => first === ENQ || first === STX;

/**
 * Takes the next byte of a stream. A control byte inside a frame means that the frame was cut, so
 * it begins a new piece.
 */
export function readByte(open: readonly number[], byte: number): Read {
  if (open[0] === NAK) return afterNak(open, byte);
  if (isFrame(open)) return inFrame(open, byte);
  if (byte === ENQ || byte === STX || byte === NAK || byte === ACK)
    return begin(broken(open), byte);
  const bytes = [...open, byte];
  if (bytes.length === FRAME_BYTES_MAX) return { open: [], pieces: broken(bytes) };
  return { open: bytes, pieces: [] };
}

/** Ends the piece that is open, because the line fell silent. */
export const endPiece = (open: readonly number[]): readonly Piece[] =>
  open[0] === NAK ? [{ is: 'reply', bytes: open }] : broken(open);

function begin(pieces: readonly Piece[], byte: number): Read {
  if (byte !== ACK) return { open: [byte], pieces };
  return { open: [], pieces: [...pieces, { is: 'reply', bytes: [byte] }] };
}

/** A NAK has one byte that says why. */
function afterNak(open: readonly number[], byte: number): Read {
  if (byte < FIRST_PRINTABLE) return begin([{ is: 'reply', bytes: open }], byte);
  return { open: [], pieces: [{ is: 'reply', bytes: [...open, byte] }] };
}

function inFrame(open: readonly number[], byte: number): Read {
  const end = open.indexOf(ETX);
  if (byte < FIRST_PRINTABLE && (byte !== ETX || end !== -1)) return begin(broken(open), byte);
  const bytes = [...open, byte];
  if (end !== -1 && bytes.length === end + 3)
    return { open: [], pieces: [{ is: frameKind(bytes), bytes }] };
  if (bytes.length === FRAME_BYTES_MAX) return { open: [], pieces: broken(bytes) };
  return { open: bytes, pieces: [] };
}

/**
 * A reply answers another system's command and is plain text. A frame that begins like a reply and
 * is built like a report is a report whose first byte was damaged.
 */
function frameKind([first, , letter = 0, ...rest]: readonly number[]): Piece['is'] {
  if (first === ENQ) return 'report';
  const payload = rest.slice(0, -3);
  const isBuiltLikeReport =
    letter >= FIRST_PRINTABLE && letter < 0x80 && payload.every((byte) => byte >= 0x80);
  return isBuiltLikeReport ? 'broken' : 'reply';
}

const xor = (bytes: readonly number[]): number => bytes.reduce((sum, byte) => sum ^ byte, 0);

/** Returns the reading that a whole frame's check fits. No frame fits both. */
export function readingOf(frame: readonly number[]): BccReading | undefined {
  const digits = String.fromCharCode(...frame.slice(-2));
  if (!/^[0-9A-F]{2}$/.test(digits)) return undefined;
  const covered = frame.slice(0, -2);
  const check = Number.parseInt(digits, 16);
  if (check === xor(covered.slice(1))) return 'from-sequence';
  return check === xor(covered) ? 'from-enq' : undefined;
}

/** Returns the bytes of a report around its content, which begins with the sequence byte. */
export function reportFrame(content: readonly number[], reading: BccReading): Uint8Array {
  const covered = [ENQ, ...content, ETX];
  const check = xor(reading === 'from-enq' ? covered : covered.slice(1));
  const digits = check.toString(16).toUpperCase().padStart(2, '0');
  return Uint8Array.from([...covered, ...Array.from(digits, (digit) => digit.charCodeAt(0))]);
}

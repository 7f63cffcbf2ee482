import { base64Of, bytesOfBase64, bytesOfHex, hexOf, joinBytes, utf8Of } from '../bytes.js';
import type { Cryptography, Sha256, Signer } from '../cryptography.js';
import { FormatFault, TextLines } from '../text-lines.js';
import { isKeyName, readVkey, type VerifierKey } from './keys.js';

/** Largest note in bytes. */
export const NOTE_BYTES_MAX = 1_000_000;
/** Most signatures of a note. */
export const NOTE_SIGNATURES_MAX = 64;

/** One signature line of a note. */
export interface NoteSignature {
  readonly name: string;
  /** Eight hexadecimal digits. */
  readonly id: string;
  /** What follows the key's id: 64 bytes, and 8 of a time before them in a cosignature. */
  readonly signature: Uint8Array;
}

/** A text with signatures (C2SP signed-note). */
export interface Note {
  /** What is signed: ends in a line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A signature that a known key made. */
export interface KnownSignature {
  readonly key: VerifierKey;
  /** Whether it is a good one. One that is not makes the note altered. */
  readonly good: boolean;
  /** When a witness cosigned, in seconds since 1970. */
  readonly time?: number;
}

const DASH = '\u2014 ';

/** Returns a note as text. */
export function noteText(note: Note): string {
  const lines = note.signatures.map(({ name, id, signature }) => {
    const bytes = joinBytes(bytesOfHex(id) ?? new Uint8Array(0), signature);
    return `${DASH}${name} ${base64Of(bytes)}\n`;
  });
  return `${note.text}\n${lines.join('')}`;
}

/**
 * Reads a note. It is not verified by that: ask `signaturesOf`. Throws a `FormatFault` with the
 * line, also of a note over 1 MB or with more than 64 signatures.
 */
export function readNote(text: string): Note {
  if (text.length > NOTE_BYTES_MAX || utf8Of(text).length > NOTE_BYTES_MAX) {
    throw new FormatFault(1, `begins a note of more than ${NOTE_BYTES_MAX} bytes`);
  }
  const lines = new TextLines(text);
  const end = text.lastIndexOf('\n\n');
  const before = end < 0 ? 0 : text.slice(0, end + 1).split('\n').length;
  if (end <= 0) throw new FormatFault(1, 'begins a note without a text and signatures after it');
  while (lines.line < before) lines.next('the text of the note');
  const signatures: NoteSignature[] = [];
  while (!lines.atEnd) {
    signatures.push(signatureOf(lines));
    if (signatures.length > NOTE_SIGNATURES_MAX) {
      throw lines.fault(`is one signature more than ${NOTE_SIGNATURES_MAX}`);
    }
  }
  return { text: text.slice(0, end + 1), signatures };
}

function signatureOf(lines: TextLines): NoteSignature {
  const line = lines.next('a signature');
  const [name = '', encoded = '', ...more] = line.slice(DASH.length).split(' ');
  const bytes = bytesOfBase64(encoded);
  const isWhole = bytes !== undefined && bytes.length > 4 && more.length === 0;
  if (!line.startsWith(DASH) || !isWhole || !isKeyName(name)) {
    throw lines.fault('is not a signature (expected "— <name of the key> <base64>")');
  }
  return { name, id: hexOf(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

/** Returns the signature of a text by a key for notes. */
export function signText(sha256: Sha256, text: string, signer: Signer): NoteSignature {
  const { name, id } = readVkey(sha256, signer.vkey);
  return { name, id, signature: signer.sign(utf8Of(text)) };
}

/**
 * Returns the signatures of a note that these keys made, good or not: the first of each key.
 * Signatures of other keys are ignored, also if they share a name or an id with one of these.
 */
export function signaturesOf(
  cryptography: Cryptography,
  note: Note,
  keys: readonly VerifierKey[],
): KnownSignature[] {
  return keys.flatMap((key) => {
    const made = note.signatures.find(({ name, id }) => name === key.name && id === key.id);
    if (made === undefined) return [];
    return [checked(cryptography, { text: note.text, key, signature: made.signature })];
  });
}

function checked(
  { verifyEd25519 }: Cryptography,
  made: { readonly text: string; readonly key: VerifierKey; readonly signature: Uint8Array },
): KnownSignature {
  const { text, key, signature } = made;
  if (key.type === 'note') {
    const good = signature.length === 64 && verifyEd25519(key.publicKey, utf8Of(text), signature);
    return { key, good };
  }
  const time = timeOf(signature);
  if (time === undefined) return { key, good: false };
  const message = utf8Of(cosignedMessage(text, time));
  return { key, good: verifyEd25519(key.publicKey, message, signature.subarray(8)), time };
}

/** Returns what a witness signs (C2SP tlog-cosignature): `time` is in seconds since 1970. */
export function cosignedMessage(text: string, time: number): string {
  return `cosignature/v1\ntime ${time}\n${text}`;
}

function timeOf(signature: Uint8Array): number | undefined {
  if (signature.length !== 72) return undefined;
  const time = signature.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0);
  return Number.isSafeInteger(time) ? time : undefined;
}

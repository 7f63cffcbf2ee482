import { base64Of, bytesOfBase64, hexOf, joinBytes, utf8Of } from '../bytes.js';
import type { Sha256 } from '../cryptography.js';
import { FormatFault, TextLines } from '../text-lines.js';

/** What a key signs: notes (0x01), or cosignatures with a time (0x04, `cosignature/v1`). */
export const KEY_TYPES = { note: 1, cosignature: 4 } as const;

/** The name of one of them. */
export type KeyType = keyof typeof KEY_TYPES;

/** The public half of an Ed25519 key, with the name and the id that signature lines carry. */
export interface VerifierKey {
  readonly name: string;
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly type: KeyType;
  readonly publicKey: Uint8Array;
}

/** The private half, as a key file has it. */
export interface PrivateKey {
  readonly name: string;
  readonly id: string;
  readonly seed: Uint8Array;
}

const KEY_BYTES = 32;
const ORIGIN_MAX = 200;
const SPACE_OR_PLUS = /[\s\u0085+]/u;

/**
 * Returns whether a text can be the name of a key (C2SP signed-note): not empty, without spaces,
 * plus signs and control characters.
 */
export function isKeyName(text: string): boolean {
  return text !== '' && !SPACE_OR_PLUS.test(text) && !/[\u0000-\u001F\u007F]/.test(text);
}

/**
 * Returns whether a text can be the origin of a site: a key's name of at most 200 characters, a URL
 * without its scheme.
 */
export function isOrigin(text: string): boolean {
  return isKeyName(text) && text.length <= ORIGIN_MAX && !text.includes('://');
}

/** Returns the id of a key: the first four bytes of a hash over its name, its type and itself. */
export function keyId(sha256: Sha256, key: Omit<VerifierKey, 'id'>): string {
  const hashed = joinBytes(
    utf8Of(`${key.name}\n`),
    Uint8Array.of(KEY_TYPES[key.type]),
    key.publicKey,
  );
  return hexOf(sha256(hashed).subarray(0, 4));
}

/** Returns a key as one line of text: `<name>+<id>+<base64 of type and key>`. */
export function vkeyText(key: VerifierKey): string {
  const bytes = joinBytes(Uint8Array.of(KEY_TYPES[key.type]), key.publicKey);
  return `${key.name}+${key.id}+${base64Of(bytes)}`;
}

/** Reads a key that `vkeyText` wrote. Throws a `FormatFault`, also if the id is not that of the key. */
export function readVkey(sha256: Sha256, text: string): VerifierKey {
  const { name, id, type, bytes } = keyParts(text);
  if (type === undefined) {
    throw new FormatFault(1, 'is not a key for Ed25519 (expected type 1, or 4 of a witness)');
  }
  const key = { name, id, type, publicKey: bytes };
  if (keyId(sha256, key) !== id) throw new FormatFault(1, `"${id}" is not the id of this key`);
  return key;
}

const PRIVATE = 'PRIVATE+KEY+';

/** Returns a key file: one line, `PRIVATE+KEY+<name>+<id>+<base64 of type and seed>`. */
export function keyFileText(key: PrivateKey): string {
  const bytes = joinBytes(Uint8Array.of(KEY_TYPES.note), key.seed);
  return `${PRIVATE}${key.name}+${key.id}+${base64Of(bytes)}\n`;
}

/** Reads a key file. Throws a `FormatFault` that never repeats its content. */
export function readKeyFile(text: string): PrivateKey {
  const lines = new TextLines(text);
  const line = lines.next('a private key');
  lines.end();
  if (!line.startsWith(PRIVATE)) throw lines.fault(`does not begin with "${PRIVATE}"`);
  const { name, id, type, bytes } = keyParts(line.slice(PRIVATE.length));
  if (type !== 'note') throw lines.fault('is not a private key for Ed25519 (expected type 1)');
  return { name, id, seed: bytes };
}

function keyParts(text: string): {
  readonly name: string;
  readonly id: string;
  readonly type: KeyType | undefined;
  readonly bytes: Uint8Array;
} {
  const [name = '', id = '', encoded = '', ...more] = splitTwice(text);
  const bytes = bytesOfBase64(encoded);
  const isWhole = bytes?.length === 1 + KEY_BYTES && more.length === 0;
  if (bytes === undefined || !isWhole || !isKeyName(name) || !/^[0-9a-f]{8}$/.test(id)) {
    throw new FormatFault(1, 'is not a key (expected <name>+<8 hex digits>+<base64 of 33 bytes>)');
  }
  const type: KeyType | undefined =
    bytes[0] === KEY_TYPES.note
      ? 'note'
      : bytes[0] === KEY_TYPES.cosignature
        ? 'cosignature'
        : undefined;
  return { name, id, type, bytes: bytes.subarray(1) };
}

/** Splits at the first two plus signs: base64 may have more of them. */
function splitTwice(text: string): string[] {
  const first = text.indexOf('+');
  const second = text.indexOf('+', first + 1);
  if (first < 0 || second < 0) return [];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import type { Cryptography, Signer } from './cryptography.js';
import {
  keyFileText,
  keyId,
  type PrivateKey,
  readKeyFile,
  type VerifierKey,
  vkeyText,
} from './notes/keys.js';
import type { Platform } from './checks/examination.js';
import { FormatFault } from './text-lines.js';

// The bytes before the 32 bytes of a key in the DER of RFC 8410.
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** SHA-256 and Ed25519 of node:crypto. */
export const nodeCryptography: Cryptography = {
  sha256:
    typeof hash === 'function'
      ? (bytes) => bytesOfLatin1(hash('sha256', bytes, 'binary'))
      : (bytes) => createHash('sha256').update(bytes).digest(), // before Node 20.12
  verifyEd25519: (publicKey, message, signature) =>
    verify(undefined, message, publicKeyOf(publicKey), signature),
};

/** A call of `hash` costs a third if it returns a text and not a buffer. */
function bytesOfLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Hashes of files too: what the verifier of packages needs. */
export const nodePlatform: Platform = {
  ...nodeCryptography,
  // a buffer finds a byte four times as fast as another array
  allocate: (bytes) => Buffer.alloc(bytes),
  startSha256: () => {
    const hash = createHash('sha256');
    return {
      update: (bytes) => void hash.update(bytes),
      digest: () => hash.copy().digest(),
    };
  },
};

function publicKeyOf(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' });
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, seed]),
    format: 'der',
    type: 'pkcs8',
  });
}

/**
 * Returns a signer with the key of a key file. Throws a `FormatFault`, also if the id is not that
 * of the key; it never repeats the content of the file.
 */
export function signerOf(keyFile: string): Signer {
  const key = readKeyFile(keyFile);
  const vkey = publicHalf(key);
  if (vkey.id !== key.id) throw new FormatFault(1, `"${key.id}" is not the id of this key`);
  const privateKey = privateKeyOf(key.seed);
  return { vkey: vkeyText(vkey), sign: (bytes) => sign(undefined, bytes, privateKey) };
}

/** Returns the text of a key file with a new key. */
export function newKeyFile(name: string): string {
  const seed = randomBytes(32);
  return keyFileText({ name, seed, id: publicHalf({ name, seed }).id });
}

/** Returns the public half of a private key for notes. */
function publicHalf({ name, seed }: Omit<PrivateKey, 'id'>): VerifierKey {
  const der = createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' });
  const half = { name, type: 'note', publicKey: new Uint8Array(der.subarray(-32)) } as const;
  return { ...half, id: keyId(nodeCryptography.sha256, half) };
}

/** Length of a SHA-256 hash in bytes. */
export const HASH_BYTES = 32;

/** Returns the SHA-256 hash of some bytes, 32 bytes long. Handed in, so that this library runs anywhere. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/**
 * Returns whether an Ed25519 signature of a message is good, by RFC 8032 section 5.1.7: `s` below
 * the order of the group, without the cofactor.
 */
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean;

/** What checks hashes and signatures. */
export interface Cryptography {
  readonly sha256: Sha256;
  readonly verifyEd25519: VerifyEd25519;
}

/** Holds a private key and signs with it: a key file, or a device that never shows its key. */
export interface Signer {
  /** The public half of the key, as C2SP signed-note writes it. */
  readonly vkey: string;
  sign(bytes: Uint8Array): Uint8Array;
}

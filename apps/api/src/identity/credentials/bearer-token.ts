import { hash as digestOf, randomBytes, timingSafeEqual } from 'node:crypto';

/** The kind of a token: `spk` is a device key, `sps` a person's session. */
export type TokenKind = 'spk' | 'sps';

/** A token as it is sent: its kind, the id under which its hash is kept, and the whole text. */
export interface ShownToken {
  readonly kind: TokenKind;
  readonly id: string;
  readonly text: string;
}

/**
 * Returns a new token of 256 random bits. Nobody can guess it, so a plain SHA-256 of it is safe to
 * keep. The text is shown once and never kept.
 */
export function newToken(kind: TokenKind): ShownToken & { readonly hash: Buffer } {
  const id = randomBytes(8).toString('hex');
  const text = `${kind}_${id}_${randomBytes(32).toString('base64url')}`;
  return { kind, id, text, hash: tokenHash(text) };
}

/**
 * Returns the hash of a token. A single call costs a sixth of a Hash object, and every request
 * hashes a token.
 */
export const tokenHash = (text: string): Buffer => digestOf('sha256', text, 'buffer');

/** Returns whether a token has this hash, in the same time for either answer. */
export const tokenFits = (text: string, hash: Buffer): boolean =>
  timingSafeEqual(tokenHash(text), hash);

/**
 * Returns the token of an `Authorization` header, or undefined if the header does not hold one of
 * our tokens.
 */
export function bearerOf(header: string): ShownToken | undefined {
  // One expression for blanks on both sides would take time in the square of their number.
  const [scheme] = /^Bearer +/i.exec(header) ?? [];
  return scheme === undefined ? undefined : tokenFrom(header.slice(scheme.length).trimEnd());
}

/** Returns the token that a text is, or undefined if it is not one of ours. */
export function tokenFrom(text: string): ShownToken | undefined {
  const match = /^((spk|sps)_([0-9a-f]{16})_[A-Za-z0-9_-]{43})$/i.exec(text);
  return match
    ? {
        text: match[1] as string,
        kind: (match[2] as string).toLowerCase() as TokenKind,
        id: match[3] as string,
      }
    : undefined;
}

import { hash as digestOf, randomBytes, timingSafeEqual } from 'node:crypto';

/** `spk` a device key, `sps` a person's session. */
export type TokenKind = 'spk' | 'sps';

/** A token as its bearer shows it: kind, the id under which its hash is kept, and the whole text. */
export interface ShownToken {
  readonly kind: TokenKind;
  readonly id: string;
  readonly text: string;
}

/** A token of 256 random bits: too many to guess, so a plain SHA-256 at rest is enough. The text is shown once and never kept. */
export function newToken(kind: TokenKind): ShownToken & { readonly hash: Buffer } {
  const id = randomBytes(8).toString('hex');
  const text = `${kind}_${id}_${randomBytes(32).toString('base64url')}`;
  return { kind, id, text, hash: tokenHash(text) };
}

/** In one call, which costs a sixth of a Hash object: every request is hashed once. */
export const tokenHash = (text: string): Buffer => digestOf('sha256', text, 'buffer');

/** Whether a shown token is the one that was hashed; takes as long either way. */
export const tokenFits = (text: string, hash: Buffer): boolean =>
  timingSafeEqual(tokenHash(text), hash);

/** The token of an `Authorization` header; undefined where there is none or it has not our form. */
export function bearerOf(header: string | undefined): ShownToken | undefined {
  const match = /^Bearer +((spk|sps)_([0-9a-f]{16})_[A-Za-z0-9_-]{43}) *$/i.exec(header ?? '');
  return match
    ? {
        text: match[1] as string,
        kind: (match[2] as string).toLowerCase() as TokenKind,
        id: match[3] as string,
      }
    : undefined;
}

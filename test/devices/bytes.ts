import { crc32 } from 'node:zlib';
import type { FrameDecoder, Observation } from '#devices';

/** Returns the bytes of hexadecimal text such as `05 31 53`. */
export const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/[0-9A-Fa-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Joins chunks. */
export const joined = (chunks: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));

/** Some bytes, and when they came in seconds. */
export type Chunk = readonly [bytes: Uint8Array, up: number];

/** A decoder, or the gateway's side of a protocol, that is only fed. */
export type Listening<S> = Pick<FrameDecoder<S>, 'start' | 'feed'>;

/** Feeds a decoder from its start. Returns all observations, and those of each chunk. */
export function heard<S>(
  decoder: Listening<S>,
  chunks: readonly Chunk[],
): { readonly all: readonly Observation[]; readonly state: S } {
  let state = decoder.start;
  const all: Observation[] = [];
  for (const [bytes, up] of chunks) {
    const fed = decoder.feed(state, bytes, up);
    state = fed.state;
    all.push(...fed.observations);
  }
  return { all, state };
}

/** Returns a line of line protocol 1 without its end around a body, with the CRC of zlib. */
export const around = (body: string): string =>
  `$${body}*${crc32(body).toString(16).toUpperCase().padStart(8, '0')}`;

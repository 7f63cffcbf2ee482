import { compareBytes, utf8Of } from '../bytes.js';
import { FileFault } from './reading.js';

/** The files of a bag that are not its payload. */
export const TAG_FILES = {
  declaration: 'bagit.txt',
  info: 'bag-info.txt',
  manifest: 'manifest-sha256.txt',
  tagManifest: 'tagmanifest-sha256.txt',
  verify: 'VERIFY.txt',
  receipt: 'receipt',
} as const;
/** What precedes the paths of the payload. */
export const PAYLOAD = 'data/';
/** The whole of bagit.txt (RFC 8493, 2.1.1). */
export const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
/** The size of a payload: its bytes and its files (RFC 8493, 2.2.2). */
export interface Oxum {
  readonly bytes: number;
  readonly files: number;
}

/** Returns the text of bag-info.txt. */
export const infoText = (id: string, { bytes, files }: Oxum): string =>
  `External-Identifier: ${id}\nPayload-Oxum: ${bytes}.${files}\n`;

const INFO = /^External-Identifier: ([^\n]+)\nPayload-Oxum: (0|[1-9]\d{0,15})\.(0|[1-9]\d{0,8})\n$/;

/** Reads bag-info.txt. Throws `FileFault` if it is anything else than `infoText` writes. */
export function readInfo(text: string): Oxum & { readonly id: string } {
  const [, id, bytes, files] = INFO.exec(text) ?? [];
  if (id === undefined)
    throw new FileFault('must have the lines External-Identifier and Payload-Oxum, and no other');
  return { id, bytes: Number(bytes), files: Number(files) };
}

/** Returns the text of a manifest: as `sha256sum` writes it, by the bytes of the paths. */
export const manifestText = (digests: ReadonlyMap<string, string>): string =>
  [...digests]
    .sort(([a], [b]) => byBytes(a, b))
    .map(([path, digest]) => `${digest}  ${path}\n`)
    .join('');

/** Compares two texts by the bytes of their UTF-8, for `Array.sort`. */
const byBytes = (a: string, b: string): number => compareBytes(utf8Of(a), utf8Of(b));

const MANIFEST_LINE = /^([0-9a-f]{64}) {2}(.+)$/;

/** Reads a manifest into digests by path. Throws `FileFault` with the line. */
export function readManifest(text: string): Map<string, string> {
  const digests = new Map<string, string>();
  if (!text.endsWith('\n')) throw new FileFault('must end with a line feed');
  text
    .slice(0, -1)
    .split('\n')
    .forEach((line, i) => {
      const [, digest = '', path = ''] = MANIFEST_LINE.exec(line) ?? [];
      if (path === '') throw new FileFault('must be a SHA-256, two spaces and a path', i + 1);
      if (digests.has(path)) throw new FileFault(`lists ${path} twice`, i + 1);
      digests.set(path, digest);
    });
  return digests;
}

import { compareBytes, hexOf, utf8Of } from '../bytes.js';
import type { Examination } from './examination.js';
import { JSON_BYTES_MAX } from './files.js';
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
/** What stands before the paths of the payload. */
export const PAYLOAD = 'data/';
/** The whole of bagit.txt (RFC 8493, 2.1.1). */
export const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
/** The tag files that no manifest lists. */
const UNLISTED: readonly string[] = [TAG_FILES.tagManifest, TAG_FILES.receipt];

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
function readInfo(text: string): Oxum & { readonly id: string } {
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
function readManifest(text: string): Map<string, string> {
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

/** What a package lists of itself. A manifest that cannot be read is undefined. */
export interface Bag {
  readonly manifest: ReadonlyMap<string, string> | undefined;
  readonly tagManifest: ReadonlyMap<string, string> | undefined;
  /** Whether Payload-Oxum is known, and the payload is not larger: only then it may be read. */
  readonly isBounded: boolean;
}

/** Reads the manifests of a package, and compares the size of its payload with Payload-Oxum. */
export async function readBag(exam: Examination): Promise<Bag> {
  const { reader } = exam;
  const read = async <T>(file: string, parse: (text: string) => T): Promise<T | undefined> =>
    exam.attempt(2, file, async () => parse(await reader.text(file)));
  const tagManifest = await read(TAG_FILES.tagManifest, readManifest);
  const manifest = await read(TAG_FILES.manifest, readManifest);
  const oxum = await read(TAG_FILES.info, readInfo);
  return { manifest, tagManifest, isBounded: oxum !== undefined && isWithin(exam, oxum, manifest) };
}

function isWithin(exam: Examination, oxum: Oxum, manifest: Bag['manifest']): boolean {
  const payload = [...exam.reader.source.files.values()].filter(({ path }) =>
    path.startsWith(PAYLOAD),
  );
  const sum = (files: typeof payload): number => files.reduce((all, { bytes }) => all + bytes, 0);
  if (sum(payload) > oxum.bytes || payload.length > oxum.files)
    exam.altered(
      1,
      `the payload has ${sum(payload)} bytes in ${payload.length} files, and Payload-Oxum names ${oxum.bytes} in ${oxum.files}`,
      { file: TAG_FILES.info },
    );
  else if (
    (sum(payload) < oxum.bytes || payload.length < oxum.files) &&
    [...(manifest?.keys() ?? [])].every((path) => exam.reader.has(path))
  )
    exam.altered(2, 'the payload is smaller than Payload-Oxum', { file: TAG_FILES.info });
  return sum(payload.filter(({ path }) => manifest?.has(path) ?? true)) <= oxum.bytes;
}

/** Checks that every listed file is there and as hashed, and that no file is unlisted. */
export async function verifyFiles(exam: Examination, bag: Bag): Promise<void> {
  const lists: [ReadonlyMap<string, string> | undefined, (path: string) => boolean][] = [
    [bag.tagManifest, (path) => !path.startsWith(PAYLOAD) && !UNLISTED.includes(path)],
    [bag.manifest, (path) => path.startsWith(PAYLOAD)],
  ];
  for (const [list, belongs] of lists) {
    if (!list) continue;
    for (const path of exam.reader.source.files.keys())
      if (belongs(path) && !list.has(path))
        exam.altered(2, 'the file is not in the manifest', { file: path });
    for (const [path, digest] of list) {
      if (!belongs(path))
        exam.altered(2, `the manifest lists ${path}, which does not belong there`);
      else if (!exam.reader.has(path)) exam.fileMissing(2, path);
      else if (bag.isBounded || !path.startsWith(PAYLOAD))
        await exam.attempt(2, path, async () => {
          refuseLargeTag(exam, path);
          if (hexOf(await exam.reader.digest(path)) !== digest)
            exam.altered(2, 'the file differs from its hash in the manifest', { file: path });
        });
    }
  }
  for (const path of Object.values(TAG_FILES))
    if (!exam.reader.has(path)) exam.fileMissing(2, path);
}

/** Throws `FileFault` for a file beside the payload that is larger than any of them is. */
function refuseLargeTag({ reader }: Examination, path: string): void {
  const bytes = reader.source.files.get(path)?.bytes ?? 0;
  if (!path.startsWith(PAYLOAD) && bytes > JSON_BYTES_MAX)
    throw new FileFault(`the file is over ${JSON_BYTES_MAX} bytes`);
}

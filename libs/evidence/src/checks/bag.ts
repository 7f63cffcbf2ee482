import { hexOf } from '../bytes.js';
import { PAYLOAD, readInfo, readManifest, TAG_FILES, type Oxum } from '../package/bag-files.js';
import { JSON_BYTES_MAX } from '../package/files.js';
import { FileFault } from '../package/reading.js';
import type { Examination } from './examination.js';

/** What a package lists of itself. A manifest that cannot be read is undefined. */
export interface Bag {
  readonly manifest: ReadonlyMap<string, string> | undefined;
  readonly tagManifest: ReadonlyMap<string, string> | undefined;
  /** The id in bag-info.txt. */
  readonly id: string | undefined;
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
  const info = await read(TAG_FILES.info, readInfo);
  const isBounded = info !== undefined && isWithin(exam, info, manifest);
  return { manifest, tagManifest, id: info?.id, isBounded };
}

function isWithin(exam: Examination, oxum: Oxum, manifest: Bag['manifest']): boolean {
  const at = { file: TAG_FILES.info };
  const files = [...exam.reader.source.files.values()];
  const payload = files.filter(({ path }) => path.startsWith(PAYLOAD));
  const sum = (of: typeof payload): number => of.reduce((all, { bytes }) => all + bytes, 0);
  const has = `the payload has ${sum(payload)} bytes in ${payload.length} files`;
  const named = `Payload-Oxum names ${oxum.bytes} in ${oxum.files}`;
  if (sum(payload) > oxum.bytes || payload.length > oxum.files)
    exam.altered(1, `${has}, and ${named}`, at);
  else if (
    (sum(payload) < oxum.bytes || payload.length < oxum.files) &&
    [...(manifest?.keys() ?? [])].every((path) => exam.reader.has(path))
  )
    exam.altered(2, 'the payload is smaller than Payload-Oxum', at);
  return sum(payload.filter(({ path }) => manifest?.has(path) ?? true)) <= oxum.bytes;
}

/** Checks that every listed file is there and as hashed, and that no file is unlisted. */
export async function verifyFiles(exam: Examination, bag: Bag): Promise<void> {
  const unlisted: readonly string[] = [TAG_FILES.tagManifest, TAG_FILES.receipt];
  const lists: [ReadonlyMap<string, string> | undefined, (path: string) => boolean][] = [
    [bag.tagManifest, (path) => !path.startsWith(PAYLOAD) && !unlisted.includes(path)],
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

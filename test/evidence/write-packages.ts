import { writeZip } from '#evidence/zip';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { samplePackings, sampleSite } from './sample-packages.js';
import { playedPackage } from './played-package.js';
import { packed, sourceOf, type PackageFiles } from './site-package.js';

/**
 * Writes the sample packages into a folder, each as a folder and as a zip, with the keys and the
 * checkpoints that a reader can hold.
 */
export async function writePackages(folder: string): Promise<string[]> {
  const site = sampleSite();
  const written: string[] = [];
  const write = (path: string, bytes: Uint8Array | string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
    written.push(path);
  };
  for (const [name, packing] of Object.entries(samplePackings(site))) {
    const files = await packed(site, packing);
    for (const [path, bytes] of files) write(join(name, packing.id, path), bytes);
    write(`${name}.zip`, await zipped(packing.id, files));
  }
  const played = await playedPackage();
  for (const [path, bytes] of played.files) write(join('played', played.id, path), bytes);
  write('played.zip', await zipped(played.id, played.files));
  write('played.vkey', `${played.site.logKey.vkey}\n`);
  write('log.vkey', `${site.logKey.vkey}\n`);
  write('witness.vkey', `${site.witness.vkey}\n`);
  for (const { number, day } of site.seals)
    if (day !== undefined) write(`checkpoint-${number + 1}`, site.checkpoint(number + 1));
  const rewritten = sampleSite({ forkAt: 3 });
  const [first] = rewritten.seals.flatMap(({ number, day }) => (day ? [number] : []));
  if (first !== undefined) write('checkpoint-fork', rewritten.checkpoint(first + 1));
  return written;
}

async function zipped(folder: string, files: PackageFiles): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const into = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
  await writeZip(folder, sourceOf(files).files.values(), into);
  return Buffer.concat(chunks);
}

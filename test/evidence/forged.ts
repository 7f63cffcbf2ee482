import { noteText, readReceipt, readNote, receiptText, signText, type Signer } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { createHash } from 'node:crypto';
import { rehashed } from './mutants.js';
import type { PackageFiles } from './site-package.js';

/** Returns a package with its hashes mended and its receipt signed again: all but what is sealed. */
export function forged(files: PackageFiles, exportsKey: Signer): PackageFiles {
  const mended = rehashed(files);
  const receipt = readReceipt(readNote(Buffer.from(files.get('receipt') ?? []).toString()).text);
  const tagManifest = createHash('sha256')
    .update(mended.get('tagmanifest-sha256.txt') ?? '')
    .digest();
  const text = receiptText({ ...receipt, tagManifest });
  const signatures = [signText(nodeCryptography.sha256, text, exportsKey)];
  return mended.set('receipt', Buffer.from(noteText({ text, signatures })));
}

/** Returns the text of a file of a package. */
export const textOf = (files: PackageFiles, path: string): string =>
  Buffer.from(files.get(path) ?? []).toString();

/** Returns the lines of a file of a package, without their line feeds. */
export const linesOf = (files: PackageFiles, path: string): string[] =>
  textOf(files, path).split('\n').slice(0, -1);

/** Returns lines as the bytes of a file. */
export const bytesOfLines = (lines: readonly string[]): Buffer =>
  Buffer.from(lines.map((line) => `${line}\n`).join(''));

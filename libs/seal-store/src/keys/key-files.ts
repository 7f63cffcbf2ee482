import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, statSync, unlinkSync } from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FormatFault, type Signer } from '#evidence';
import { newKeyFile, signerOf } from '#evidence/node';
import { errorCode, fileRefusal, Refusal } from '#process';

/** A key file and the setting that names it. */
export interface KeyFile {
  readonly setting: string;
  readonly path: string;
}

/** Thrown for a key file that cannot be used. Names the setting, never the content of the file. */
export class KeyRefused extends Refusal {
  override readonly name = 'KeyRefused';

  constructor(setting: string, why: string) {
    super(`${setting}: ${why}`);
  }
}

/** Permissions of a file that others may read, change or run. */
const OTHERS = 0o077;
const OWNER_ONLY = 0o600;
const FOLDER_OF_OWNER = 0o700;

/**
 * Returns the signer of a key file, or undefined if there is no file. Throws `KeyRefused` if other
 * users can read it, and if it holds no key under this name.
 */
export function signerIn({ setting, path }: KeyFile, name: string): Signer | undefined {
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0)
      throw new KeyRefused(setting, `other users can read the key file: chmod 600 ${path}`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new KeyRefused(setting, fileRefusal(path, error).message);
  }
  return signerFrom(setting, text, name);
}

function signerFrom(setting: string, text: string, name: string): Signer {
  let signer: Signer;
  try {
    signer = signerOf(text);
  } catch (error) {
    if (error instanceof FormatFault)
      throw new KeyRefused(setting, `the key file ${error.message}`);
    throw error;
  }
  if (!signer.vkey.startsWith(`${name}+`))
    throw new KeyRefused(setting, `the key is not of ${name}`);
  return signer;
}

/** Returns the signer of a key file, and makes a new key if there is no file. */
export function signerOrNew(file: KeyFile, name: string): Signer {
  const found = signerIn(file, name);
  if (found) return found;
  try {
    mkdirSync(dirname(file.path), { recursive: true, mode: FOLDER_OF_OWNER });
    writeOnce(file.path, newKeyFile(name));
  } catch (error) {
    throw new KeyRefused(file.setting, `the key file cannot be written (${String(error)})`);
  }
  const made = signerIn(file, name);
  if (!made) throw new KeyRefused(file.setting, 'the key file was removed while it was made');
  return made;
}

/** Writes a file whole, unless it exists: another process may make the same key at this moment. */
function writeOnce(path: string, text: string): void {
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, text, { mode: OWNER_ONLY, flag: 'wx', flush: true });
  try {
    linkSync(beside, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(beside);
  }
  syncFolder(dirname(path));
}

/** Makes the names of a folder durable. Windows keeps them so by itself. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

import {
  exportsKeyName,
  KeyRing,
  keyStatementText,
  noteText,
  readNote,
  readVkey,
  signText,
  vkeyText,
  type Signer,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import type { SealReader } from '#seal-store';
import { KeyRefused, signerIn, signerOrNew, type KeyFile } from './key-files.js';

const { sha256 } = nodeCryptography;

/** Where the keys of a site are. */
export interface SiteKeyFiles {
  /** Signs checkpoints. */
  readonly log: KeyFile;
  /** The second log key. Only its own signature ends it, so it belongs into a safe. */
  readonly safe: KeyFile;
  /** Signs packages. Who may export cannot sign a checkpoint by that. */
  readonly exports: KeyFile;
}

/** The keys with which a sealer starts. */
export interface SiteKeys {
  readonly log: Signer;
  /** The note of leaf 0, if the site log is empty. */
  readonly firstStatement: string | undefined;
  /** Whether the second log key was found where it was made. */
  readonly isSafeHere: boolean;
}

/**
 * Reads the log key of a site. Makes all three keys, and the statement that adds them, if the site
 * log is empty. Throws `KeyRefused` if the key is missing though the site has one, or if it is not
 * one of the site's keys.
 */
export async function siteKeys(
  files: SiteKeyFiles,
  origin: string,
  reader: SealReader,
): Promise<SiteKeys> {
  const statements = await reader.keyStatements();
  if (statements.length === 0) {
    const exports = signerOrNew(files.exports, exportsKeyName(origin));
    const safe = signerOrNew(files.safe, origin);
    const log = signerOrNew(files.log, origin);
    return { log, firstStatement: statementOf(origin, [log, safe], exports), isSafeHere: true };
  }
  const log = signerIn(files.log, origin);
  if (!log)
    throw new KeyRefused(
      files.log.setting,
      `there is no key file ${files.log.path}, but the site was sealed with one: bring it back`,
    );
  const ring = KeyRing.of(
    nodeCryptography,
    statements.map(({ text }) => readNote(text)),
  );
  const size = Number.MAX_SAFE_INTEGER;
  if (!ring.logKeysAt(size).some((key) => vkeyText(key) === log.vkey))
    throw new KeyRefused(files.log.setting, `the key ${log.vkey} does not sign for this site now`);
  return { log, firstStatement: undefined, isSafeHere: isThere(files.safe, origin) };
}

/** Returns leaf 0: the note that adds the first keys, signed by both log keys. */
function statementOf(origin: string, logKeys: readonly Signer[], exports: Signer): string {
  const text = keyStatementText({
    origin,
    number: 0,
    previous: undefined,
    add: [...logKeys, exports].map(({ vkey }) => readVkey(sha256, vkey)),
    retire: [],
    revoke: [],
  });
  return noteText({ text, signatures: logKeys.map((key) => signText(sha256, text, key)) });
}

/** A second key that cannot be read here is as good as one in a safe. */
function isThere(file: KeyFile, origin: string): boolean {
  try {
    return signerIn(file, origin) !== undefined;
  } catch {
    return false;
  }
}

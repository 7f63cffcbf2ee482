import {
  exportsKeyName,
  KeyRing,
  keyStatementText,
  noteText,
  readKeyStatement,
  readNote,
  readVkey,
  signText,
  vkeyText,
  type KeyStatement,
  type Signer,
  type VerifierKey,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { KeyRefused, signerIn, signerOrNew, type KeyFile, type SealReader } from '#seal-store';
import { nextOf, replaceKeyFile } from './next-key.js';

const { sha256 } = nodeCryptography;
/** Selects the keys that are in force now, however large the site log is. */
const NOW = Number.MAX_SAFE_INTEGER;

/** Where the keys of a site are. */
export interface SiteKeyFiles {
  /** Signs checkpoints. */
  readonly log: KeyFile;
  /** The second log key. Only its own signature ends it, so it belongs in a safe. */
  readonly safe: KeyFile;
  /** Signs packages. Who may export cannot sign a checkpoint by that. */
  readonly exports: KeyFile;
}

/** A key statement, as the site log has it. */
export interface StoredStatement {
  readonly index: number;
  /** The note. */
  readonly text: string;
}

/** What a new key statement says. */
export type KeyChanges = Partial<Pick<KeyStatement, 'add' | 'retire' | 'revoke'>>;

/** Returns the note of a key statement, signed by these keys. */
export function statementNote(
  place: Pick<KeyStatement, 'origin' | 'number' | 'previous'>,
  { add = [], retire = [], revoke = [] }: KeyChanges,
  signers: readonly Signer[],
): string {
  const text = keyStatementText({ ...place, add, retire, revoke });
  return noteText({ text, signatures: signers.map((key) => signText(sha256, text, key)) });
}

/** Returns the keys of a site, as its statements have them. */
export const ringOf = (statements: readonly Pick<StoredStatement, 'text'>[]): KeyRing =>
  KeyRing.of(
    nodeCryptography,
    statements.map(({ text }) => readNote(text)),
  );

/** Returns the log keys in force that leaf 0 does not put into a safe, in the order of their coming. */
export function workingKeys(statements: readonly StoredStatement[]): VerifierKey[] {
  const safe = safeKey(statements);
  return ringOf(statements)
    .logKeysAt(NOW)
    .filter((key) => vkeyText(key) !== safe);
}

/** Returns all keys that the statements ever added. */
export const allKeys = (statements: readonly StoredStatement[]): VerifierKey[] =>
  statements.flatMap(({ text }) => [...readKeyStatement(sha256, readNote(text).text).add]);

/** Returns the exports keys in force. */
export const exportsKeys = (statements: readonly StoredStatement[]): readonly VerifierKey[] =>
  ringOf(statements).exportsKeysAt(NOW);

/** Returns the vkey of the second log key that leaf 0 adds; undefined if it adds none. */
export function safeKey(statements: readonly StoredStatement[]): string | undefined {
  const [first] = statements;
  if (!first) return undefined;
  const { origin, add } = readKeyStatement(sha256, readNote(first.text).text);
  const [, safe] = add.filter(({ name }) => name === origin);
  return safe && vkeyText(safe);
}

/** The keys of a site as its site log and its files have them. */
export class SiteKeys {
  /** The log keys in force outside the safe, the newest last. */
  private readonly working: readonly VerifierKey[];

  private constructor(
    private readonly files: SiteKeyFiles,
    private readonly origin: string,
    /** The key that signs checkpoints, and while it is being replaced also the next one. */
    readonly signers: readonly [Signer, ...Signer[]],
    private readonly statements: readonly StoredStatement[],
  ) {
    this.working = statements.length === 0 ? [] : workingKeys(statements);
  }

  /**
   * Reads the log keys of a site. Makes all three keys if the site log is empty. Throws `KeyRefused`
   * if the key is missing though the site has one, or if it is not one of the site's keys.
   */
  static async read(files: SiteKeyFiles, origin: string, reader: SealReader): Promise<SiteKeys> {
    const statements = await reader.keyStatements();
    if (statements.length === 0) {
      signerOrNew(files.exports, exportsKeyName(origin));
      signerOrNew(files.safe, origin);
      return new SiteKeys(files, origin, [signerOrNew(files.log, origin)], statements);
    }
    const inForce = new Set(workingKeys(statements).map(vkeyText));
    const log = signerIn(files.log, origin);
    const [first, ...others] = [log, signerIn(nextOf(files.log), origin)].flatMap((key) =>
      key && inForce.has(key.vkey) ? [key] : [],
    );
    if (first) return new SiteKeys(files, origin, [first, ...others], statements);
    throw new KeyRefused(
      files.log.setting,
      log
        ? `the key ${log.vkey} does not sign for this site now`
        : `there is no key file ${files.log.path}, but the site was sealed with one: bring it back`,
    );
  }

  /** The note of leaf 0, which adds the first keys, signed by both log keys. */
  get firstStatement(): string | undefined {
    if (this.statements.length > 0) return undefined;
    const [log] = this.signers;
    const safe = signerOrNew(this.files.safe, this.origin);
    const exports = signerOrNew(this.files.exports, exportsKeyName(this.origin));
    const place = { origin: this.origin, number: 0, previous: undefined };
    const add = [log, safe, exports].map(({ vkey }) => readVkey(sha256, vkey));
    return statementNote(place, { add }, [log, safe]);
  }

  /** The file of the second log key, if it still lies where it was made. */
  get safeKeyHere(): string | undefined {
    const { safe } = this.files;
    try {
      return signerIn(safe, this.origin) && safe.path;
    } catch {
      return undefined; // one that cannot be read here is as good as one in a safe
    }
  }

  /**
   * Returns the keys that a newer one has replaced: those before the newest, once a seal has closed
   * a gaming day with both of them in force. `lastDay` is the index of the last such seal.
   */
  replacedAt(lastDay: number | undefined): readonly VerifierKey[] {
    const newest = this.working.at(-1);
    if (lastDay === undefined || !newest || this.working.length === 1) return [];
    return addedAt(this.statements, newest) < lastDay ? this.working.slice(0, -1) : [];
  }

  /** Returns the note of the statement that retires keys. */
  retirement(number: number, retire: readonly VerifierKey[]): string {
    const previous = this.statements.at(-1)?.index;
    return statementNote({ origin: this.origin, number, previous }, { retire }, this.signers);
  }

  /**
   * Replaces the files of keys that are no longer in force by those of the new keys. Only the
   * active sealer calls this.
   */
  tidy(): void {
    if (this.statements.length === 0) return;
    const { log, exports } = this.files;
    replaceKeyFile(log, this.origin, new Set(this.working.map(vkeyText)));
    const exporting = new Set(exportsKeys(this.statements).map(vkeyText));
    replaceKeyFile(exports, exportsKeyName(this.origin), exporting);
  }
}

/** Returns the index of the statement that adds a key. */
function addedAt(statements: readonly StoredStatement[], key: VerifierKey): number {
  const adding = statements.find(({ text }) =>
    readKeyStatement(sha256, readNote(text).text).add.some(
      (added) => vkeyText(added) === vkeyText(key),
    ),
  );
  return adding?.index ?? Infinity;
}

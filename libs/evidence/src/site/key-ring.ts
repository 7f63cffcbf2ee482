import type { Cryptography } from '../cryptography.js';
import { type VerifierKey, vkeyText } from '../notes/keys.js';
import { type Note, signaturesOf } from '../notes/note.js';
import { exportsKeyName, type KeyStatement, readKeyStatement } from './key-statement.js';

/** The life of one key of a site, by the key statements that count. */
interface KeyLife {
  readonly key: VerifierKey;
  /** Index of the statement that added it. */
  readonly added: number;
  /** Index of the statement that retired it. */
  retired: number;
  /** Smallest size at which its word no longer counts. */
  revoked: number;
}

interface Statement {
  readonly statement: KeyStatement;
  readonly note: Note;
}

type Revocations = ReadonlyMap<string, number>;

/** Thrown for key statements that do not go on from each other. `index` is that of the statement. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';

  constructor(
    readonly index: number,
    readonly problem: string,
  ) {
    super(`key statement ${index}: ${problem}`);
  }
}

/**
 * The keys of a site, as its key statements give them: which keys may sign a checkpoint or a
 * package at a size of the site log. The second log key that leaf 0 adds is the one in the safe: no
 * other key's signature ends it, and its revocations come first.
 */
export class KeyRing {
  readonly #lives: readonly KeyLife[];
  readonly #exportsName: string;

  private constructor(lives: readonly KeyLife[], origin: string) {
    this.#lives = lives;
    this.#exportsName = exportsKeyName(origin);
  }

  /**
   * Reads all key statements of a site from leaf 0 on. Throws a `FormatFault` for one that is not a
   * key statement, and a `KeyFault` if one is not signed as it must be, or does not name the one
   * before.
   */
  static of(cryptography: Cryptography, notes: readonly Note[]): KeyRing {
    const statements = notes.map((note) => ({
      statement: readKeyStatement(cryptography.sha256, note.text),
      note,
    }));
    const origin = checkChain(statements);
    let revocations: Revocations = new Map();
    for (;;) {
      const ring = new KeyRing(livesOf(cryptography, statements, revocations), origin);
      const found = ring.#revocations(revocations);
      if (found.size === revocations.size) return ring;
      revocations = found;
    }
  }

  /** The log keys whose signature counts on a checkpoint of this size. */
  logKeysAt(size: number): readonly VerifierKey[] {
    return this.#at(size, (name) => name !== this.#exportsName);
  }

  /** The keys whose signature counts on a package with a checkpoint of this size. */
  exportsKeysAt(size: number): readonly VerifierKey[] {
    return this.#at(size, (name) => name === this.#exportsName);
  }

  #at(size: number, isKind: (name: string) => boolean): readonly VerifierKey[] {
    return this.#lives
      .filter((life) => isKind(life.key.name) && countsAt(life, size))
      .map(({ key }) => key);
  }

  #revocations(known: Revocations): Revocations {
    const all = new Map(known);
    for (const { key, revoked } of this.#lives) {
      if (revoked !== Infinity) all.set(vkeyText(key), revoked);
    }
    return all;
  }
}

function countsAt({ added, retired, revoked }: KeyLife, size: number): boolean {
  return added < size && size <= retired + 1 && size < revoked;
}

/** Whether the word of a key counts in the statement at `index`. */
function signsAt({ added, retired, revoked }: KeyLife, index: number): boolean {
  return added < index && retired >= index && index < revoked;
}

/** Returns the origin of statements that name each other. */
function checkChain(statements: readonly Statement[]): string {
  let before: number | undefined;
  const origin = statements[0]?.statement.origin;
  if (origin === undefined) throw new KeyFault(0, 'is missing');
  for (const { statement } of statements) {
    if (statement.previous !== before) {
      const named = statement.previous ?? 'none';
      throw new KeyFault(statement.number, `names ${named} before it, not ${before ?? 'none'}`);
    }
    if (statement.origin !== origin) {
      throw new KeyFault(statement.number, `is of ${statement.origin}, not of ${origin}`);
    }
    before = statement.number;
  }
  return origin;
}

function livesOf(
  cryptography: Cryptography,
  statements: readonly Statement[],
  revocations: Revocations,
): KeyLife[] {
  const lives: KeyLife[] = [];
  for (const signed of statements) {
    const signers = signersOf(cryptography, lives, signed);
    if (signers === undefined) continue;
    take(lives, { statement: signed.statement, signers, revocations });
  }
  return lives;
}

/**
 * Returns the keys that signed a statement, or undefined if only revoked keys did, so that it does
 * not count.
 */
function signersOf(
  cryptography: Cryptography,
  lives: readonly KeyLife[],
  { statement, note }: Statement,
): ReadonlySet<string> | undefined {
  const { number, origin } = statement;
  const known = lives.map(({ key }) => key).filter((key) => key.name === origin);
  const added = statement.add.filter((key) => key.name === origin);
  const signatures = signaturesOf(cryptography, note, [...known, ...added]);
  const bad = signatures.find(({ good }) => !good);
  if (bad !== undefined) {
    throw new KeyFault(number, `the signature of ${bad.key.name}+${bad.key.id} is not good`);
  }
  const signers = new Set(signatures.map(({ key }) => vkeyText(key)));
  const silent = added.find((key) => !signers.has(vkeyText(key)));
  if (silent !== undefined) {
    throw new KeyFault(number, `${silent.name}+${silent.id}, which it adds, did not sign it`);
  }
  if (number === 0 && added.length > 0) return signers;
  const bySigner = lives.filter(({ key }) => signers.has(vkeyText(key)));
  if (bySigner.some((life) => signsAt(life, number))) return signers;
  if (bySigner.some(({ revoked }) => revoked <= number)) return undefined;
  throw new KeyFault(number, 'no log key that was valid before it signed it');
}

function take(
  lives: KeyLife[],
  taken: {
    readonly statement: KeyStatement;
    readonly signers: ReadonlySet<string>;
    readonly revocations: Revocations;
  },
): void {
  const { statement, signers, revocations } = taken;
  for (const key of statement.add) {
    const revoked = revocations.get(vkeyText(key)) ?? Infinity;
    lives.push({ key, added: statement.number, retired: Infinity, revoked });
  }
  const safe = safeKeyOf(lives);
  const ends = (life: KeyLife, key: VerifierKey): boolean =>
    vkeyText(life.key) === vkeyText(key) && (life !== safe || signers.has(vkeyText(key)));
  for (const life of lives) {
    if (statement.retire.some((key) => ends(life, key))) {
      life.retired = Math.min(life.retired, statement.number);
    }
    for (const { key, size } of statement.revoke) {
      if (ends(life, key)) life.revoked = Math.min(life.revoked, size);
    }
  }
}

/** The second log key that leaf 0 adds: it lies in a safe. */
function safeKeyOf(lives: readonly KeyLife[]): KeyLife | undefined {
  return lives.filter(({ key, added }) => added === 0 && !key.name.endsWith('/exports'))[1];
}

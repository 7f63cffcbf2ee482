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

/** One line of a statement that revokes a key. */
interface Revocation {
  /** Index of the statement. */
  readonly by: number;
  readonly vkey: string;
  readonly size: number;
}

/** A statement that counts, with the keys that signed it, as vkeys. */
interface Counted {
  readonly statement: KeyStatement;
  readonly signers: ReadonlySet<string>;
}

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
  /** Indexes of the statements that do not count, because only revoked keys signed them. */
  readonly skipped: readonly number[];
  readonly #lives: readonly KeyLife[];
  readonly #exportsName: string;
  readonly #counted: readonly Counted[];

  private constructor(reading: Reading, origin: string) {
    this.skipped = reading.skipped;
    this.#lives = reading.lives;
    this.#counted = reading.counted;
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
    return new KeyRing(readAll(cryptography, statements), origin);
  }

  /** The log keys whose signature counts on a checkpoint of this size. */
  logKeysAt(size: number): readonly VerifierKey[] {
    return this.#at(size, (name) => name !== this.#exportsName);
  }

  /** The keys whose signature counts on a package with a checkpoint of this size. */
  exportsKeysAt(size: number): readonly VerifierKey[] {
    return this.#at(size, (name) => name === this.#exportsName);
  }

  /**
   * Returns the log keys whose word follows from that of the given keys: these, if they are keys of
   * this site, and in turn the log keys of every statement that one of them signed.
   */
  reachedFrom(given: readonly VerifierKey[]): readonly VerifierKey[] {
    const reached = new Set(given.map(vkeyText));
    for (const { statement, signers } of this.#counted) {
      const { number } = statement;
      const isSigned = this.#lives.some(
        (life) =>
          reached.has(vkeyText(life.key)) &&
          signers.has(vkeyText(life.key)) &&
          (number === 0 || signsAt(life, number)),
      );
      if (isSigned) for (const key of statement.add) reached.add(vkeyText(key));
    }
    return this.#lives
      .map(({ key }) => key)
      .filter((key) => key.name !== this.#exportsName && reached.has(vkeyText(key)));
  }

  #at(size: number, isKind: (name: string) => boolean): readonly VerifierKey[] {
    return this.#lives
      .filter((life) => isKind(life.key.name) && countsAt(life, size))
      .map(({ key }) => key);
  }
}

/** What the statements come to, if these revocations reach back. */
interface Reading {
  readonly lives: readonly KeyLife[];
  readonly counted: readonly Counted[];
  readonly skipped: readonly number[];
  /** The revocations of the statements that count. */
  readonly revocations: readonly Revocation[];
}

/**
 * Reads the statements until the revocations that reach back are those of statements that count
 * themselves. A key does not revoke its own past, nor does one that is there by its word alone.
 */
function readAll(cryptography: Cryptography, statements: readonly Statement[]): Reading {
  let taken: readonly Revocation[] = [];
  const refused: Revocation[] = [];
  for (let round = 0; round <= statements.length ** 2; round += 1) {
    const reading = read(cryptography, statements, { taken, refused });
    const kept = taken.filter((one) => has(reading.revocations, one));
    const next = reading.revocations.find((one) => !has(kept, one));
    if (next === undefined && kept.length === taken.length) return reading;
    taken = kept;
    if (next === undefined) continue;
    const after = read(cryptography, statements, { taken: [...kept, next], refused });
    if (has(after.revocations, next)) taken = [...kept, next];
    else refused.push(next);
  }
  throw new KeyFault(0, 'begins statements that revoke each other without an end');
}

const textOf = ({ by, vkey, size }: Revocation): string => `${by} ${vkey} ${size}`;
const has = (all: readonly Revocation[], one: Revocation): boolean =>
  all.some((other) => textOf(other) === textOf(one));

function countsAt({ added, retired, revoked }: KeyLife, size: number): boolean {
  return added < size && size <= retired + 1 && size < revoked;
}

/** Whether the word of a key counts in the statement at `index`, which is in trees from its index + 1 on. */
function signsAt({ added, retired, revoked }: KeyLife, index: number): boolean {
  return added < index && retired >= index && index + 1 < revoked;
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

function read(
  cryptography: Cryptography,
  statements: readonly Statement[],
  {
    taken,
    refused,
  }: { readonly taken: readonly Revocation[]; readonly refused: readonly Revocation[] },
): Reading {
  const lives: KeyLife[] = [];
  const skipped: number[] = [];
  const revocations: Revocation[] = [];
  const counted: Counted[] = [];
  for (const signed of statements) {
    const signers = signersOf(cryptography, lives, signed);
    if (signers === undefined) skipped.push(signed.statement.number);
    else {
      counted.push({ statement: signed.statement, signers });
      add(lives, signed.statement, taken);
      revocations.push(...end(lives, signed.statement, { signers, refused }));
    }
  }
  return { lives, skipped, revocations, counted };
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
  if (bySigner.some(({ revoked }) => revoked <= number + 1)) return undefined;
  throw new KeyFault(number, 'no log key that was valid before it signed it');
}

function add(
  lives: KeyLife[],
  { number, add: added }: KeyStatement,
  taken: readonly Revocation[],
): void {
  for (const key of added) {
    const vkey = vkeyText(key);
    if (lives.some((life) => vkeyText(life.key) === vkey)) {
      throw new KeyFault(number, `adds ${key.name}+${key.id} for the second time`);
    }
    const sizes = taken.filter((one) => one.vkey === vkey).map(({ size }) => size);
    lives.push({ key, added: number, retired: Infinity, revoked: Math.min(Infinity, ...sizes) });
  }
}

/** Retires and revokes keys, and returns the revocations. */
function end(
  lives: readonly KeyLife[],
  { number, retire, revoke }: KeyStatement,
  {
    signers,
    refused,
  }: { readonly signers: ReadonlySet<string>; readonly refused: readonly Revocation[] },
): Revocation[] {
  const safe = safeKeyOf(lives);
  const lifeOf = (key: VerifierKey): KeyLife | undefined => {
    const life = lives.find((one) => vkeyText(one.key) === vkeyText(key));
    if (life === undefined) {
      throw new KeyFault(number, `ends ${key.name}+${key.id}, which was never added`);
    }
    return life === safe && !signers.has(vkeyText(key)) ? undefined : life;
  };
  for (const key of retire) {
    const life = lifeOf(key);
    if (life !== undefined) life.retired = Math.min(life.retired, number);
  }
  return revoke.flatMap(({ key, size }) => {
    const life = lifeOf(key);
    const revocation = { by: number, vkey: vkeyText(key), size };
    if (life === undefined || has(refused, revocation)) return [];
    life.revoked = Math.min(life.revoked, size);
    return [revocation];
  });
}

/** The second log key that leaf 0 adds: it lies in a safe. */
function safeKeyOf(lives: readonly KeyLife[]): KeyLife | undefined {
  return lives.filter(({ key, added }) => added === 0 && !key.name.endsWith('/exports'))[1];
}

import { hexOf, sameBytes, utf8Of } from '../bytes.js';
import { readCheckpoint, type SignedCheckpoint } from '../notes/checkpoint.js';
import { vkeyText, type VerifierKey } from '../notes/keys.js';
import { readNote, signaturesOf, type Note } from '../notes/note.js';
import { KeyFault, KeyRing } from '../site/key-ring.js';
import { readReceipt } from '../site/receipt.js';
import { FormatFault } from '../text-lines.js';
import { leafHash } from '../tree/merkle.js';
import { rootAt } from '../tree/proofs.js';
import { TAG_FILES } from '../package/bag-files.js';
import type { Examination } from './examination.js';
import type { PackageStatement, ProvenLeaf } from '../package/files.js';
import { hashesOf } from '../package/hashes.js';
import { FileFault } from '../package/reading.js';
import { SITE_FILES } from '../package/site-files.js';

/** What a reader of a package trusts. */
export interface Trust {
  /** Log keys. */
  readonly keys: readonly VerifierKey[];
  /** Checkpoints that the reader holds. */
  readonly checkpoints: readonly SignedCheckpoint[];
  readonly witnesses: readonly VerifierKey[];
  /** How many of the witnesses must have cosigned. */
  readonly quorum: number;
}

/** What the signatures of a package show. */
export interface Signed {
  readonly checkpoint: SignedCheckpoint;
  /** Undefined if the key statements are not as they must be. */
  readonly keys: KeyRing | undefined;
  /** The log key in force that signed, as a vkey; one that the reader trusts if there is one. */
  readonly key: string | undefined;
  readonly isTrusted: boolean;
  readonly cosigned: readonly { readonly name: string; readonly time: number }[];
}

const inCheckpoint = () => ({ file: SITE_FILES.checkpoint });

/** Checks the signatures of a package: those of the key statements, the log and the witnesses. */
export async function verifySignatures(
  exam: Examination,
  statement: PackageStatement,
  proven: readonly ProvenLeaf[] | undefined,
  trust: Trust,
): Promise<Signed | undefined> {
  const at = inCheckpoint();
  const checkpoint = await exam.attempt(3, at, async () =>
    readCheckpoint(await exam.reader.bytes(at.file)),
  );
  if (!checkpoint) return undefined;
  if (checkpoint.origin !== statement.origin)
    exam.altered(3, `the checkpoint is of ${checkpoint.origin}, not ${statement.origin}`, at);
  if (checkpoint.size !== statement.size)
    exam.altered(3, `the checkpoint has size ${checkpoint.size}, not ${statement.size}`, at);
  const keys = proven && keysOf(exam, checkpoint, proven);
  const cosigned = verifyCosignatures(exam, checkpoint.note, trust);
  if (!keys) return { checkpoint, keys, key: undefined, isTrusted: false, cosigned };
  return { checkpoint, keys, ...verifyLogSignature(exam, checkpoint, keys, trust), cosigned };
}

/** Returns the keys of the site. Notes a fault of the key statements and returns undefined. */
function keysOf(
  exam: Examination,
  checkpoint: SignedCheckpoint,
  proven: readonly ProvenLeaf[],
): KeyRing | undefined {
  const at = { file: SITE_FILES.proof };
  try {
    for (const leaf of proven)
      if (!rootInLog(exam, checkpoint, leaf))
        exam.altered(3, `key statement ${leaf.index} is not in the log`, at);
    const notes = proven.map(({ text }) => readNote(text));
    const keys = KeyRing.of(exam.platform, notes);
    numbersMatch(exam, checkpoint.origin, proven, notes);
    for (const index of keys.skipped)
      exam.found.addWarning(`key statement ${index} does not count: a revoked key signed it`);
    return keys;
  } catch (error) {
    if (error instanceof KeyFault) exam.altered(3, error.message, at);
    else if (error instanceof FormatFault)
      exam.altered(3, `a key statement cannot be read: ${error.message}`, at);
    else throw error;
    return undefined;
  }
}

function numbersMatch(
  exam: Examination,
  origin: string,
  proven: readonly ProvenLeaf[],
  notes: readonly Note[],
): void {
  proven.forEach(({ index }, i) => {
    const [, named = '', number = ''] = notes[i]?.text.split('\n') ?? [];
    const other = `leaf ${index} is key statement ${number} of ${named}`;
    if (number !== String(index) || named !== origin)
      exam.altered(3, other, { file: SITE_FILES.proof });
  });
}

/** Returns the root of the log that ends with a leaf, or undefined if the leaf is not in the log. */
export function rootInLog(
  { platform: { sha256 } }: Examination,
  { size, root }: SignedCheckpoint,
  { index, text, proof }: ProvenLeaf,
): Uint8Array | undefined {
  const leaf = leafHash(sha256, utf8Of(text));
  return rootAt(sha256, { index, size, leaf, root }, hashesOf(proof));
}

function verifyLogSignature(
  exam: Examination,
  checkpoint: SignedCheckpoint,
  keys: KeyRing,
  trust: Trust,
): Pick<Signed, 'key' | 'isTrusted'> {
  const at = inCheckpoint();
  const { size, origin, note } = checkpoint;
  const signers = goodSigners(exam, note, keys.logKeysAt(size), at);
  if (signers.length === 0)
    exam.altered(3, 'no log key that is in force at its size signed the checkpoint', at);
  const own = trust.checkpoints.filter((each) => each.origin === origin);
  const held = own.flatMap((each) => goodSigners(exam, each.note, keys.logKeysAt(each.size), {}));
  const trusted = new Set(keys.reachedFrom([...trust.keys, ...held]).map(vkeyText));
  const known = signers.find((key) => trusted.has(vkeyText(key)));
  const key = known ?? signers[0];
  const hasTrust = trust.keys.length + trust.checkpoints.length > 0;
  if (key && !known)
    exam.found.add(3, hasTrust ? 'altered' : 'incomplete', unknownKey(key, hasTrust), at);
  return { key: key && vkeyText(key), isTrusted: known !== undefined };
}

const unknownKey = (key: VerifierKey, hasTrust: boolean): string =>
  !hasTrust
    ? `who signed it is not known to you: ask the house, on another way, whether its key is ${vkeyText(key)}`
    : `${vkeyText(key)} signed it, which does not follow from the key that you gave`;

/** Returns those of the keys that signed a note. A signature of one of them that fails is a fault. */
function goodSigners(
  exam: Examination,
  note: Note,
  keys: readonly VerifierKey[],
  at: { readonly file?: string },
): VerifierKey[] {
  const known = signaturesOf(exam.platform, note, keys);
  for (const { key, good } of known)
    if (!good) exam.altered(3, `the signature of ${key.name}+${key.id} is wrong`, at);
  return known.filter(({ good }) => good).map(({ key }) => key);
}

function verifyCosignatures(
  exam: Examination,
  note: Note,
  { witnesses, quorum }: Trust,
): Signed['cosigned'] {
  const at = inCheckpoint();
  const known = signaturesOf(exam.platform, note, witnesses);
  for (const { key, good } of known)
    if (!good) exam.altered(3, `the cosignature of ${key.name}+${key.id} is wrong`, at);
  const cosigned = new Map<string, number>();
  for (const { key, good, time } of known)
    if (good && time !== undefined) cosigned.set(vkeyText(key), time);
  const few = `${cosigned.size} of the named witnesses cosigned, and ${quorum} must`;
  if (cosigned.size < quorum) exam.found.add(3, 'incomplete', few, at);
  if (new Set(note.signatures.map(({ name }) => name)).size < 2)
    exam.found.addWarning('unwitnessed: only the log signed the checkpoint');
  return [...cosigned].map(([vkey, time]) => ({ name: vkey.slice(0, vkey.indexOf('+')), time }));
}

/** Checks the receipt: it names this package and the hash of its tag manifest. */
export async function verifyReceipt(
  exam: Examination,
  statement: PackageStatement,
  { keys, checkpoint }: Signed,
): Promise<void> {
  const file = TAG_FILES.receipt;
  await exam.attempt(2, file, async () => {
    const note = readNote(await exam.reader.text(file));
    const receipt = readReceipt(note.text);
    if (receipt.origin !== statement.origin || receipt.package !== statement.id)
      throw new FileFault('is the receipt of another package');
    const digest = await exam.reader.digest(TAG_FILES.tagManifest);
    const due = `does not name the SHA-256 of ${TAG_FILES.tagManifest}, ${hexOf(digest)}`;
    if (!sameBytes(receipt.tagManifest, digest)) throw new FileFault(due);
    if (!keys) return;
    const signers = goodSigners(exam, note, keys.exportsKeysAt(checkpoint.size), { file });
    if (signers.length === 0) throw new FileFault('no exports key that is in force signed it');
  });
}

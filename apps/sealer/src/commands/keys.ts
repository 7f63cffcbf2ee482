import {
  decimalOf,
  exportsKeyName,
  FormatFault,
  KeyFault,
  readVkey,
  vkeyText,
  type Signer,
  type VerifierKey,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { Refusal } from '#process';
import { signerIn, signerOrNew, type NewStatement, type SiteTip } from '#seal-store';
import { dropNextKey, nextOf } from '../keys/next-key.js';
import {
  allKeys,
  exportsKeys,
  safeKey,
  statementNote,
  workingKeys,
  type KeyChanges,
} from '../keys/site-keys.js';
import { givenReason, recordInHouse, type CommandAsked, type OpenParts } from './asked.js';

const { sha256 } = nodeCryptography;

/**
 * Adds a new log key beside the one that signs now. Returns its vkey. From the next checkpoint on
 * both sign, and after the next seal that closes a gaming day the sealer retires the old one.
 */
export async function rotateKey(parts: OpenParts, asked: CommandAsked): Promise<string> {
  const { origin, keyFiles, store } = parts;
  givenReason(asked);
  const current = signerIn(keyFiles.log, origin);
  if (!current) throw new Refusal(`${keyFiles.log.setting}: there is no ${keyFiles.log.path}`);
  let added = '';
  await store.statements.add(sha256, (tip) => {
    const [working, ...others] = workingKeys(tip.statements);
    if (others.length > 0)
      throw new Refusal('a rotation is under way: it ends with the next seal of a gaming day');
    if (!working || vkeyText(working) !== current.vkey)
      throw new Refusal(`${keyFiles.log.setting}: ${current.vkey} does not sign for this site now`);
    const next = signerOrNew(nextOf(keyFiles.log), origin);
    added = next.vkey;
    const changes = { add: [readVkey(sha256, next.vkey)] };
    return statement(parts, asked, { tip, changes, signers: [current, next] });
  });
  return added;
}

/** What a revocation changed. */
export interface Revoked {
  readonly revoked: string;
  readonly size: number;
  /** The vkey of the key in its place, if the site had no other. */
  readonly added: string | undefined;
}

/**
 * Revokes a key from a size on, with the key of the safe: no checkpoint of that size or more counts
 * on its word. Adds a new key in its place unless the site has another one in force.
 */
export async function revokeKey(parts: OpenParts, asked: CommandAsked): Promise<Revoked> {
  const { keyFiles, origin, store } = parts;
  const [named = '', sizeText = ''] = asked.words;
  givenReason(asked);
  const path = asked.safeKey ?? keyFiles.safe.path;
  const safe = signerIn({ setting: '--safe-key', path }, origin);
  if (!safe) throw new Refusal(`--safe-key: there is no ${path}: bring the key from the safe`);
  let revoked: Revoked | undefined;
  await store.statements.add(sha256, (tip) => {
    if (safe.vkey !== safeKey(tip.statements))
      throw new Refusal(`--safe-key: ${safe.vkey} is not the second key of this site`);
    const key = keyNamed(named, tip, safe);
    const size = sizeOf(sizeText, tip);
    const without = { revoke: [{ key, size }] };
    const successor = hasSuccessor(parts, { tip, key, changes: without, signers: [safe] })
      ? undefined
      : newKey(parts, key);
    const signers = successor && key.name === origin ? [safe, successor] : [safe];
    const changes = successor ? { ...without, add: [readVkey(sha256, successor.vkey)] } : without;
    revoked = { revoked: vkeyText(key), size, added: successor?.vkey };
    return statement(parts, asked, { tip, changes, signers });
  });
  if (!revoked) throw new Error('no statement was made');
  return revoked;
}

/** Returns the key that a vkey or the eight digits of an id name. */
function keyNamed(named: string, { statements }: SiteTip, safe: Signer): VerifierKey {
  const key = allKeys(statements).find((each) => each.id === named || vkeyText(each) === named);
  if (!key) throw new Refusal(`key: this site never had the key ${named}`);
  if (vkeyText(key) === safe.vkey)
    throw new Refusal('key: this is the key of the safe, which signs the revocation');
  return key;
}

function sizeOf(text: string, { index }: SiteTip): number {
  const size = decimalOf(text);
  if (size !== undefined && size >= 1 && size <= index + 1) return size;
  throw new Refusal(`size: ${text} is not a size of the site log (expected 1 to ${index + 1})`);
}

/** A statement that is tried before it is added. */
interface Candidate {
  readonly tip: SiteTip;
  readonly changes: KeyChanges;
  readonly signers: readonly Signer[];
}

/** Returns whether the site has another key of the same kind in force after a revocation. */
function hasSuccessor(
  { origin }: OpenParts,
  { tip, key, changes, signers }: Candidate & { readonly key: VerifierKey },
): boolean {
  const after = [
    ...tip.statements,
    { index: tip.index, text: noteOf(origin, tip, changes, signers) },
  ];
  try {
    const left = key.name === origin ? workingKeys(after) : exportsKeys(after);
    if (left.some((each) => vkeyText(each) === vkeyText(key)))
      throw new Refusal(`size: the key ${key.id} is in force beyond it, so nothing is revoked`);
    return left.length > 0;
  } catch (error) {
    if (error instanceof KeyFault || error instanceof FormatFault)
      throw new Refusal(`the revocation does not count: ${error.message}`);
    throw error;
  }
}

/** Returns the key that comes after a revoked one: a new one, and none that lay beside it. */
function newKey({ keyFiles, origin }: OpenParts, { name }: VerifierKey): Signer {
  const file = name === origin ? keyFiles.log : keyFiles.exports;
  const keyName = name === origin ? origin : exportsKeyName(origin);
  dropNextKey(file, keyName);
  return signerOrNew(nextOf(file), keyName);
}

function noteOf(
  origin: string,
  { index, statements }: SiteTip,
  changes: KeyChanges,
  signers: readonly Signer[],
): string {
  const previous = statements.at(-1)?.index;
  return statementNote({ origin, number: index, previous }, changes, signers);
}

/** Returns the statement to add, and how the record of the house keeps it. */
function statement(
  parts: OpenParts,
  asked: CommandAsked,
  { tip, changes, signers }: Candidate,
): NewStatement {
  const { add = [], revoke = [] } = changes;
  const said = {
    ...(add.length > 0 && { added: add.map(vkeyText) }),
    ...(revoke.length > 0 && {
      revoked: revoke.map(({ key, size }) => ({ key: vkeyText(key), size })),
    }),
  };
  const data = { statement: tip.index, changes: said, reason: givenReason(asked) };
  return {
    text: noteOf(parts.origin, tip, changes, signers),
    record: () => recordInHouse(parts, { type: 'evidence-keys-changed', by: asked.by, data }),
  };
}

import {
  consistencyProof,
  FormatFault,
  readCheckpoint,
  readVkey,
  sameBytes,
  signaturesOf,
  utf8Of,
  verifyConsistency,
  type SignedCheckpoint,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { Refusal } from '#process';
import { signerIn, type SealReader } from '#seal-store';
import { LastSigned } from '../signing/last-signed.js';
import { givenReason, recordInHouse, type CommandAsked, type OpenParts } from './asked.js';

const { sha256 } = nodeCryptography;

/**
 * Makes a checkpoint the memory of the key that signed it, after the memory was lost, and returns
 * its size. Throws `Refusal` unless that key signed it, the site log in the database goes on from
 * it, and the key remembers nothing later.
 */
export async function trustCheckpoint(
  parts: OpenParts,
  asked: CommandAsked,
  text: string,
): Promise<number> {
  const { keyFiles, origin, reader } = parts;
  const checkpoint = checkpointOf(text);
  const signer = signerIn(keyFiles.log, origin);
  if (!signer) throw new Refusal(`${keyFiles.log.setting}: there is no ${keyFiles.log.path}`);
  const [signature] = signaturesOf(nodeCryptography, checkpoint.note, [
    readVkey(sha256, signer.vkey),
  ]);
  if (checkpoint.origin !== origin || signature?.good !== true)
    throw new Refusal(`the checkpoint is not signed by ${signer.vkey}`);
  const last = new LastSigned(`${keyFiles.log.path}.last`);
  const before = last.read();
  if (before && before.size > checkpoint.size)
    throw new Refusal(`the key remembers a later checkpoint, of size ${before.size}`);
  if (!(await isBeginning(reader, checkpoint)))
    throw new Refusal('the site log in the database does not continue this checkpoint');
  const statement = (await reader.lastEntry('keys'))?.index ?? 0;
  const data = { statement, changes: { trusted: checkpoint.size }, reason: givenReason(asked) };
  await recordInHouse(parts, { type: 'evidence-keys-changed', by: asked.by, data });
  last.write(checkpoint);
  return checkpoint.size;
}

/** Returns whether two checkpoints are of one history, as far as the database can tell. */
export async function compareCheckpoints(
  { reader }: OpenParts,
  one: string,
  other: string,
): Promise<{ readonly isFork: boolean; readonly says: string }> {
  const [first, second] = [checkpointOf(one), checkpointOf(other)].sort((a, b) => a.size - b.size);
  if (!first || !second) throw new Error('two checkpoints are compared');
  if (first.origin !== second.origin)
    throw new Refusal(`they are of two sites: ${first.origin} and ${second.origin}`);
  if (first.size === second.size) {
    const isFork = !sameBytes(first.root, second.root);
    const says = `both are of size ${first.size}, and their roots ${isFork ? 'differ: a fork' : 'are the same'}`;
    return { isFork, says };
  }
  for (const checkpoint of [first, second])
    if (!(await isBeginning(reader, checkpoint)))
      return {
        isFork: true,
        says: `the site log here is not that of the checkpoint of size ${checkpoint.size}: a fork`,
      };
  return { isFork: false, says: `size ${second.size} continues size ${first.size}` };
}

/** Reads a checkpoint. Throws `Refusal` if it is not one. */
export function checkpointOf(text: string): SignedCheckpoint {
  try {
    return readCheckpoint(utf8Of(text));
  } catch (error) {
    if (error instanceof FormatFault) throw new Refusal(`not a checkpoint: ${error.message}`);
    throw error;
  }
}

/** Returns whether the site log in the database begins with the one of a checkpoint. */
async function isBeginning(
  reader: SealReader,
  { size, root: fromRoot }: SignedCheckpoint,
): Promise<boolean> {
  const tip = await reader.siteRoot();
  if (!tip || tip.size < size || size === 0) return false;
  const sizes = { from: size, to: tip.size };
  const proof = await consistencyProof(sha256, sizes, reader.nodes('site', tip.size));
  return verifyConsistency(sha256, { ...sizes, fromRoot, toRoot: tip.root }, proof);
}

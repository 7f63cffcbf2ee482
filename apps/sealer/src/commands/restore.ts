import { setTimeout as pause } from 'node:timers/promises';
import {
  FormatFault,
  KEYS_FIRST_LINE,
  KeyFault,
  leafHash,
  readSeal,
  rootOf,
  sameBytes,
  signaturesOf,
  utf8Of,
  vkeyText,
  type Seal,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { recordsAt } from '#event-log';
import { Refusal } from '#process';
import {
  ENTRIES_MAX,
  signerIn,
  SITE_TREE,
  TreeGrowth,
  type Lease,
  type SealState,
} from '#seal-store';
import { ringOf } from '../keys/site-keys.js';
import { publishedSite, type PublishedSite } from '../publishing/published-site.js';
import { faultsOfPositions } from '../sealing/partition-checks.js';
import { Tables } from '../sealing/tables.js';
import { LastSigned } from '../signing/last-signed.js';
import { givenReason, recordInHouse, type CommandAsked, type OpenParts } from './asked.js';

const { sha256 } = nodeCryptography;
/** How long the lease of the command lasts after each write. */
const LEASE_MS = 60_000;
/** How long another sealer may keep the lease. One that refuses the database gives it back. */
const CLAIM_MS = 45_000;
const CLAIM_AGAIN_MS = 200;

/** The leaves that were brought back: `from` to `to`, the last not included. */
export interface RestoredLeaves {
  readonly from: number;
  readonly to: number;
}

/**
 * Brings the site log back from its published tiles, after the database was restored to an older
 * state. The trees are grown from the log again up to each seal, and must have the heads that it
 * holds. Throws `Refusal` if the tiles, the memory of the key, the database and the log are not of
 * one history. What was brought back until then stays, and the command can be run again.
 */
export async function restoreSite(
  parts: OpenParts,
  asked: CommandAsked,
  folder: string,
): Promise<RestoredLeaves> {
  const { log, store } = parts;
  const reason = givenReason(asked);
  const site = publishedSite(folder);
  assertSigned(parts, site);
  assertRemembered(parts, site);
  const from = await assertBeginning(parts, site);
  const to = site.leaves.length;
  const last = site.leaves.map(sealIn).findLast((seal) => seal !== undefined);
  if (last) await assertInLog(parts, last);
  const lease = await claim(parts);
  try {
    const state = await store.state(sha256);
    if (state.site.size !== from) throw new Refusal('the site log has grown meanwhile');
    const stopped = state.positions.find((position) => position.stopped !== null);
    if (stopped) throw new Refusal(`partition ${stopped.partition} is stopped: resume it first`);
    const [fault] = await faultsOfPositions(log, sha256, {
      logId: last?.log ?? log.id,
      positions: state.positions,
    });
    if (fault) throw new Refusal(`partition ${fault.partition}: ${fault.reason}`);
    const changes = { restored: { from, to } };
    const data = { statement: await latestStatement(parts), changes, reason };
    await recordInHouse(parts, { type: 'evidence-keys-changed', by: asked.by, data });
    await bringBack(parts, { lease, state, leaves: site.leaves });
    await store.reading.restart();
  } finally {
    await store.release(lease);
  }
  return { from, to };
}

const latestStatement = async ({ reader }: OpenParts): Promise<number> =>
  (await reader.lastEntry('keys'))?.index ?? 0;

/** Throws `Refusal` unless a key of the site that follows from the one here signed the checkpoint. */
function assertSigned(
  { keyFiles, origin }: OpenParts,
  { checkpoint, leaves }: PublishedSite,
): void {
  const own = signerIn(keyFiles.log, origin);
  if (!own) throw new Refusal(`${keyFiles.log.setting}: there is no ${keyFiles.log.path}`);
  try {
    const keys = ringOf(leaves.filter(isStatement).map((text) => ({ text }))).logKeysAt(
      checkpoint.size,
    );
    const good = signaturesOf(nodeCryptography, checkpoint.note, keys).some((made) => made.good);
    if (good && keys.some((key) => vkeyText(key) === own.vkey)) return;
  } catch (error) {
    if (!(error instanceof KeyFault || error instanceof FormatFault)) throw error;
    throw new Refusal(`the published key statements: ${error.message}`);
  }
  throw new Refusal(`the published checkpoint is not signed by ${own.vkey}`);
}

/** Throws `Refusal` unless the published site log goes on from what the key signed last. */
function assertRemembered({ keyFiles }: OpenParts, { checkpoint, leaves }: PublishedSite): void {
  const memory = new LastSigned(`${keyFiles.log.path}.last`);
  const last = memory.read();
  if (!last) throw new Refusal(`${memory.path} is missing: bring it back first`);
  if (last.origin !== checkpoint.origin)
    throw new Refusal(`${memory.path} is of ${last.origin}, not of ${checkpoint.origin}`);
  if (last.size > checkpoint.size)
    throw new Refusal(
      `the key has signed size ${last.size}, and the published site log ends at ${checkpoint.size}: bring later tiles`,
    );
  const hashes = leaves.slice(0, last.size).map((text) => leafHash(sha256, utf8Of(text)));
  if (!sameBytes(rootOf(sha256, hashes), last.root))
    throw new Refusal(`the published site log contradicts ${memory.path}`);
}

/** Returns the size of the site log in the database. Throws `Refusal` if it is not a beginning. */
async function assertBeginning(
  { reader, origin }: OpenParts,
  { checkpoint, leaves }: PublishedSite,
): Promise<number> {
  if (checkpoint.origin !== origin)
    throw new Refusal(`the published site log is of ${checkpoint.origin}, not of ${origin}`);
  let size = 0;
  for (;;) {
    const entries = await reader.entries(size, size + ENTRIES_MAX);
    for (const { index, text } of entries)
      if (leaves[index] !== text)
        throw new Refusal(
          index < leaves.length
            ? `leaf ${index} in the database is not the published one: it is not an older state of it`
            : `the database has all ${leaves.length} published leaves and more: nothing is to be restored`,
        );
    size += entries.length;
    if (entries.length < ENTRIES_MAX) break;
  }
  if (size === leaves.length) throw new Refusal(`the database has all ${size} published leaves`);
  return size;
}

/** Throws `Refusal` if the log has lost sealed records: it can never be sealed on. */
async function assertInLog({ log }: OpenParts, { log: id, next }: Seal): Promise<void> {
  if (log.id !== id) throw new Refusal(`the log is ${log.id}, and what was sealed came from ${id}`);
  for (const [partition, sealed] of next.entries()) {
    const head = await log.head(partition, sealed);
    if (head < sealed)
      throw new Refusal(
        `partition ${partition} of the log ends at offset ${head}, and was sealed to ${sealed}: a log that lost sealed records cannot be sealed on`,
      );
  }
}

async function claim({ store }: OpenParts): Promise<Lease> {
  const until = performance.now() + CLAIM_MS;
  while (performance.now() < until) {
    const lease = await store.claim(`seal restore/${process.pid}`, LEASE_MS);
    if (lease) return lease;
    await pause(CLAIM_AGAIN_MS);
  }
  throw new Refusal('a sealer holds the lease: stop it, then run the command again');
}

const isStatement = (text: string): boolean => text.startsWith(`${KEYS_FIRST_LINE}\n`);
const sealIn = (text: string): Seal | undefined => (isStatement(text) ? undefined : readSeal(text));

/** What is brought back, and under which lease. */
interface BringingBack {
  readonly lease: Lease;
  readonly state: SealState;
  readonly leaves: readonly string[];
}

/** Grows the trees up to each seal that is missing, and adds it as it was published. */
async function bringBack(parts: OpenParts, { lease, state, leaves }: BringingBack): Promise<void> {
  const { reader, store, origin } = parts;
  const last = await reader.lastEntry('seal');
  const heads = last ? await reader.heads(last.index) : [];
  const tables = new Tables({ sha256, origin }, state, heads);
  for (let index = state.site.size; index < leaves.length; index += 1) {
    const text = leaves[index] ?? '';
    const seal = sealIn(text);
    const held = seal ? await grownTo(parts, { lease, tables, seal }) : { numbers: [], grown: [] };
    const site = new TreeGrowth(SITE_TREE, state.site);
    site.append(leafHash(sha256, utf8Of(text)));
    const kind = seal ? 'seal' : 'keys';
    await store.addEntry(lease, { index, kind, text, site, day: seal?.day, ...held });
  }
}

/** Hashes the records up to a seal. Throws `Refusal` unless the trees then have its heads. */
async function grownTo(
  { log, store }: OpenParts,
  { lease, tables, seal }: { readonly lease: Lease; readonly tables: Tables; readonly seal: Seal },
): Promise<Pick<ReturnType<Tables['seal']>, 'numbers' | 'grown'>> {
  for (const [partition, next] of seal.next.entries())
    for (let at = tables.positions[partition] ?? 0; at < next;) {
      const read = await recordsAt(log, partition, at);
      if (!read)
        throw new Refusal(`partition ${partition} of the log is broken: it lacks offset ${at}`);
      const wanted = read.filter(({ offset }) => offset < next);
      const { records, fault } = tables.admit(partition, wanted);
      if (records.length === 0)
        throw new Refusal(fault?.message ?? `partition ${partition}: offset ${at} cannot be read`);
      await store.commit(lease, tables.grow(records));
      at = tables.positions[partition] ?? 0;
    }
  const { numbers, grown, ...sealed } = tables.seal();
  const isSame =
    sealed.tables === seal.tables &&
    sameBytes(sealed.names, seal.names) &&
    sameBytes(sealed.heads, seal.heads) &&
    seal.next.every((next, partition) => tables.positions[partition] === next);
  if (isSame) return { numbers, grown };
  throw new Refusal(`the records of the log do not have the heads that seal ${seal.number} holds`);
}

import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { vkeyText } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { Refusal } from '#process';
import { onceReachable } from '#read-model';
import { migrateSeal, SealReader, SealStore, type SealedSite } from '#seal-store';
import {
  givenReason,
  recordInHouse,
  textOf,
  type CommandAsked,
  type OpenParts,
  type SealCommandParts,
} from './asked.js';
import { compareCheckpoints, trustCheckpoint } from './checkpoints.js';
import { revokeKey, rotateKey } from './keys.js';
import { restoreSite } from './restore.js';
import { verifyLog } from './verify-log.js';
import { ringOf } from '../keys/site-keys.js';

const { sha256 } = nodeCryptography;

type Run = (parts: OpenParts, asked: CommandAsked) => Promise<number>;

const COMMANDS: Readonly<Record<string, { readonly words: number; readonly run: Run }>> = {
  status: { words: 0, run: status },
  resume: { words: 1, run: resume },
  trust: { words: 1, run: trust },
  restore: { words: 1, run: restore },
  keys: { words: 0, run: keys },
  rotate: { words: 0, run: rotate },
  revoke: { words: 2, run: revoke },
  checkpoint: { words: 0, run: checkpoint },
  compare: { words: 2, run: compare },
  verify: { words: 0, run: verifyLog },
};

/** The exit code if a command about seals fails by a fault of its own. 1 is an altered log. */
export const SEAL_FAULT_EXIT = 70;

/**
 * Codes of PostgreSQL (manual, appendix A): the user or the password is wrong, the database does
 * not exist, and the user may not read the schema.
 */
const NOT_LET_IN = /^(28000|28P01|3D000|42501)$/;

/**
 * Returns the site that is sealed in a database, and creates nothing there. Throws `Refusal` if
 * nothing is, or the database cannot be read: a person waits for the answer, so it tries once.
 */
export async function sealedSite(databaseUrl: string): Promise<SealedSite> {
  const reader = SealReader.open(databaseUrl, sha256);
  try {
    const site = await onceReachable(() => reader.site(), { onRetry: () => undefined, forMs: 0 });
    if (site) return site;
    throw new Refusal('nothing is sealed in this database yet: start the sealer first');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NOT_LET_IN.test(String(error.code))))
      throw error;
    throw new Refusal(
      `PostgreSQL refused (${error.message}): check user, password and database in DATABASE_URL`,
    );
  } finally {
    await reader.close();
  }
}

/**
 * Runs a command about seals and returns its exit code: 0 done, 1 a fork was found, and of `verify`
 * that of its report. Throws `Refusal` for what cannot be done.
 */
export async function runSealCommand(
  args: readonly string[],
  parts: SealCommandParts,
): Promise<number> {
  const { name, asked } = askedOf(args);
  const { origin } = await sealedSite(parts.databaseUrl);
  await migrateSeal(parts.databaseUrl);
  const store = SealStore.open(parts.databaseUrl);
  const reader = SealReader.open(parts.databaseUrl, sha256);
  try {
    const command = COMMANDS[name];
    if (!command) throw new Error(`there is no command ${name}`);
    return await command.run({ ...parts, store, reader, origin }, asked);
  } finally {
    await store.close();
    await reader.close();
  }
}

function askedOf(args: readonly string[]): { readonly name: string; readonly asked: CommandAsked } {
  const { values, positionals } = parsed(args);
  const [name = '', ...words] = positionals;
  const command = COMMANDS[name];
  if (!command || words.length !== command.words)
    throw new Refusal(
      `unknown command "${positionals.join(' ')}" (expected ${Object.keys(COMMANDS).join(', ')})`,
    );
  const by = `person/${values.by ?? userInfo().username}`;
  const { reason, key, trusted = [], json = false, 'safe-key': safeKey } = values;
  return { name, asked: { words, reason, by, safeKey, key, trusted, json } };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        reason: { type: 'string' },
        by: { type: 'string' },
        'safe-key': { type: 'string' },
        key: { type: 'string' },
        trusted: { type: 'string', multiple: true },
        json: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new Refusal(String(error));
  }
}

async function status({ store, reader, origin, print }: OpenParts): Promise<number> {
  const [last, signed, positions, mismatches] = await Promise.all([
    reader.lastEntry('seal'),
    reader.checkpoint(),
    store.positions(),
    store.reading.count(),
  ]);
  print(`site        ${origin}`);
  print(`last seal   ${last ? `${last.index}, ${timeIn(last.text)}` : 'none'}`);
  print(`signed      ${signed?.size ?? 0} leaves`);
  print(`hashed      ${positions.reduce((sum, { next }) => sum + next, 0)} records`);
  print(`mismatches  ${mismatches}`);
  const stopped = positions.filter((position) => position.stopped !== null);
  print(`stopped     ${stopped.length} partitions`);
  for (const { partition, stopped: stop } of stopped)
    print(`  ${partition} at offset ${stop?.offset}, since ${stop?.at}: ${stop?.reason}`);
  return 0;
}

const timeIn = (seal: string): string => /^time (.*)$/m.exec(seal)?.[1] ?? '';

async function resume(parts: OpenParts, asked: CommandAsked): Promise<number> {
  const [word = ''] = asked.words;
  const position = (await parts.store.positions()).find(
    ({ partition }) => String(partition) === word,
  );
  if (!position?.stopped) throw new Refusal(`partition ${word} is not stopped`);
  const { partition, stopped } = position;
  const data = { partition, offset: stopped.offset, reason: givenReason(asked) };
  await recordInHouse(parts, { type: 'evidence-resumed', by: asked.by, data });
  await parts.store.resumePartition(partition);
  parts.print(`partition ${partition} is resumed; the sealer checks it and follows it again`);
  return 0;
}

async function trust(parts: OpenParts, asked: CommandAsked): Promise<number> {
  const [file = ''] = asked.words;
  const size = await trustCheckpoint(parts, asked, textOf(file));
  parts.print(`the key continues after the checkpoint of size ${size}`);
  return 0;
}

async function restore(parts: OpenParts, asked: CommandAsked): Promise<number> {
  const [folder = ''] = asked.words;
  const { from, to } = await restoreSite(parts, asked, folder);
  parts.print(
    `leaves ${from} to ${to - 1} of the site log are back, each as the log has its records`,
  );
  parts.print('the sealer continues within seconds and rereads the whole log');
  return 0;
}

async function keys({ reader, print }: OpenParts): Promise<number> {
  const ring = ringOf(await reader.keyStatements());
  const size = Number.MAX_SAFE_INTEGER;
  for (const key of ring.logKeysAt(size)) print(`log      ${vkeyText(key)}`);
  for (const key of ring.exportsKeysAt(size)) print(`exports  ${vkeyText(key)}`);
  return 0;
}

async function rotate(parts: OpenParts, asked: CommandAsked): Promise<number> {
  const added = await rotateKey(parts, asked);
  parts.print(`added       ${added}`);
  parts.print('both keys sign until the next seal of a gaming day; then the old one is retired');
  return 0;
}

async function revoke(parts: OpenParts, asked: CommandAsked): Promise<number> {
  const { revoked, size, added } = await revokeKey(parts, asked);
  parts.print(`revoked     ${revoked} from size ${size} on`);
  if (added !== undefined) parts.print(`added       ${added}`);
  parts.print('give the public half of the key that signs now to everybody who verifies');
  return 0;
}

async function checkpoint({ reader, print }: OpenParts): Promise<number> {
  const signed = await reader.checkpoint();
  if (!signed) throw new Refusal('no checkpoint is signed yet');
  print(signed.note.replace(/\n$/, ''));
  return 0;
}

async function compare(parts: OpenParts, { words }: CommandAsked): Promise<number> {
  const [one = '', other = ''] = words;
  const { isFork, says } = await compareCheckpoints(parts, textOf(one), textOf(other));
  parts.print(says);
  return isFork ? 1 : 0;
}

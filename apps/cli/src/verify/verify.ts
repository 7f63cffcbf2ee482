import { readFileSync } from 'node:fs';
import {
  FormatFault,
  readCheckpoint,
  readVkey,
  Unreadable,
  verifyPackage,
  type Replay,
  type PackageReport,
  type SignedCheckpoint,
  type Trust,
  type VerifierKey,
} from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { fileRefusal, Refusal } from '../refusal.js';
import { openPackage } from './package-files.js';

/** What a reader names on the command line. */
export interface TrustAsked {
  /** A key, or a file that holds one. */
  readonly key?: string | undefined;
  /** Files of checkpoints. */
  readonly trusted: readonly string[];
  readonly witness: readonly string[];
  readonly quorum?: number | undefined;
}

/** Reads the keys and checkpoints that the reader names. Throws `Refusal` for one that is not one. */
export function trustOf({ key, trusted, witness, quorum }: TrustAsked): Trust {
  const witnesses = witness.map((text) => keyOf('--witness', text, 'cosignature'));
  return {
    keys: key === undefined ? [] : [keyOf('--key', key, 'note')],
    checkpoints: trusted.map(checkpointIn),
    witnesses,
    quorum: quorum ?? witnesses.length,
  };
}

function keyOf(option: string, text: string, type: VerifierKey['type']): VerifierKey {
  const vkey = text.includes('+') ? text : readText(text).trimEnd();
  const key = reading(`${option}: ${vkey}`, () => readVkey(nodeCryptography.sha256, vkey));
  if (key.type === type) return key;
  throw new Refusal(
    `${option}: ${vkey} is the key of ${type === 'note' ? 'a witness, not of a log' : 'a log, not of a witness'}`,
  );
}

const checkpointIn = (file: string): SignedCheckpoint =>
  reading(`--trusted: ${file}`, () => readCheckpoint(readBytes(file)));

function reading<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FormatFault) throw new Refusal(`${what}: ${error.message}`);
    throw error;
  }
}

const readText = (file: string): string => readBytes(file).toString('utf8');

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw fileRefusal(file, error);
  }
}

/** Verifies the package at a path. One that cannot be opened safely is unreadable. */
export async function verifyFile(
  path: string,
  trust: Trust,
  replay: Replay | undefined,
): Promise<PackageReport> {
  try {
    const opened = await openPackage(path);
    try {
      return await verifyPackage(opened.source, trust, replay, nodePlatform);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof Unreadable) return unreadable(error.message);
    throw error;
  }
}

const unreadable = (message: string): PackageReport => ({
  verdict: 'UNREADABLE',
  faults: [{ step: 1, kind: 'unreadable', message }],
  warnings: [],
  statement: undefined,
  counts: { tables: 0, records: 0, events: 0, seals: 0, faults: 1 },
  sealsDue: 0,
  key: undefined,
  cosigned: [],
  grownSince: [],
  sealed: { after: undefined, to: undefined },
  judgement: undefined,
});

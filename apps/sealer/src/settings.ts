import { dirname, join, resolve } from 'node:path';
import { isOrigin, readVkey } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { Environment, heapLimit, type Variables } from '#process';
import {
  houseSettings,
  logLevelSettings,
  pageSettings,
  storeSettings,
  type HouseSettings,
  type LogLevelSettings,
  type PageSettings,
  type StoreSettings,
} from '#server';
import type { SiteKeyFiles } from './keys/site-keys.js';
import { RHYTHM, type Rhythm } from './sealing/rhythm.js';
import type { WitnessSettings } from './witnesses/witness.js';

/** How a site is sealed. */
export interface SealingSettings {
  /** The site's name, its origin. Undefined only on one machine, where the log's id names it. */
  readonly site: string | undefined;
  readonly keyFiles: SiteKeyFiles;
  /** The folder that the site log is published to. Undefined publishes it nowhere. */
  readonly tiles: string | undefined;
  readonly rhythm: Rhythm;
  readonly sealLeaseMs: number;
  /** How much of the log is read again in a second, in bytes. */
  readonly readAgainBytes: number;
  /** Who cosigns checkpoints. */
  readonly witnesses: readonly WitnessSettings[];
  /** How many of them must, for a checkpoint to count as witnessed. */
  readonly witnessQuorum: number;
}

/** The settings that the sealer program reads from the environment. */
export interface SealerSettings
  extends HouseSettings, LogLevelSettings, PageSettings, StoreSettings, SealingSettings {
  readonly host: string;
  /** The port that serves health and metrics. */
  readonly metricsPort: number;
  /** The limit of the heap in megabytes, which what starts the program applies. */
  readonly heapMb: number;
}

const METRICS_PORT = 8379;
/** A key is used only while the lease lasts five seconds more, so a lease must be longer. */
const LEASE_MS = 15_000;
const LEASE_MS_LEAST = 10_000;
const LEASE_MS_MOST = 120_000;
/** Two megabytes a second: slow enough beside play. */
const READ_AGAIN_KB = 2_000;

/**
 * Reads how a site is sealed. `folder` is where one machine keeps keys and tiles unless they are
 * set; without it the site and its key must be named. Collects faults in `env`.
 */
export function sealingSettings(env: Environment, folder?: string): SealingSettings {
  const site = env.text('SHOEPRINT_SITE');
  const example = 'a URL without its scheme, for example shoeprint.example/harbour';
  if (site === undefined && folder === undefined)
    env.fault('SHOEPRINT_SITE', `is missing: the name of the site, ${example}`);
  else if (site !== undefined && !isOrigin(site))
    env.fault('SHOEPRINT_SITE', `must be ${example}, without spaces and "+"`);
  const tiles = env.text('SHOEPRINT_TILES') ?? (folder && join(folder, 'tiles'));
  const witnesses = witnessesOf(env);
  const seconds = env.whole('SHOEPRINT_SEAL_SECONDS', RHYTHM.everyMs / 1_000, 1, 3_600);
  return {
    site,
    keyFiles: keyFiles(env, folder && join(folder, 'keys')),
    tiles: tiles && resolve(tiles),
    rhythm: Object.freeze({
      everyMs: seconds * 1_000,
      records: env.whole('SHOEPRINT_SEAL_RECORDS', RHYTHM.records, 1, 1_000_000),
      graceMs: env.whole('SHOEPRINT_SEAL_GRACE_MINUTES', RHYTHM.graceMs / 60_000, 0, 720) * 60_000,
    }),
    witnesses,
    witnessQuorum: env.whole(
      'SHOEPRINT_WITNESS_QUORUM',
      Math.max(1, witnesses.length),
      1,
      Math.max(1, witnesses.length),
    ),
    readAgainBytes: env.whole('SHOEPRINT_READ_AGAIN_KB', READ_AGAIN_KB, 1, 1_000_000) * 1_000,
    sealLeaseMs: env.whole('SHOEPRINT_SEAL_LEASE_MS', LEASE_MS, LEASE_MS_LEAST, LEASE_MS_MOST),
  };
}

/** Most witnesses of a site: a checkpoint has at most 64 signatures. */
const WITNESSES_MAX = 32;

function witnessesOf(env: Environment): readonly WitnessSettings[] {
  const list = env.json('SHOEPRINT_WITNESSES');
  if (list === undefined) return [];
  if (Array.isArray(list) && list.length <= WITNESSES_MAX && list.every(isWitness)) return list;
  env.fault(
    'SHOEPRINT_WITNESSES',
    `must be a list of at most ${WITNESSES_MAX} {"vkey", "url"}, each with the key of a witness and an http address`,
  );
  return [];
}

function isWitness(value: unknown): value is WitnessSettings {
  if (typeof value !== 'object' || value === null) return false;
  const { vkey, url, ...others } = value as Readonly<Record<string, unknown>>;
  if (typeof vkey !== 'string' || typeof url !== 'string' || Object.keys(others).length > 0)
    return false;
  return isWitnessKey(vkey) && /^https?:\/\/[^\s]+$/.test(url) && URL.canParse(url);
}

function isWitnessKey(vkey: string): boolean {
  try {
    return readVkey(nodeCryptography.sha256, vkey).type === 'cosignature';
  } catch {
    return false;
  }
}

function keyFiles(env: Environment, folder: string | undefined): SiteKeyFiles {
  const log = env.text('SHOEPRINT_SEAL_KEY') ?? (folder && join(folder, 'log.key'));
  if (log === undefined)
    env.fault('SHOEPRINT_SEAL_KEY', 'is missing: the file of the key that signs checkpoints');
  const keys = dirname(resolve(log ?? '.'));
  const fileOf = (setting: string, name: string): SiteKeyFiles['log'] => ({
    setting,
    path: resolve(env.text(setting) ?? join(keys, name)),
  });
  return Object.freeze({
    log: { setting: 'SHOEPRINT_SEAL_KEY', path: resolve(log ?? '.') },
    safe: fileOf('SHOEPRINT_SAFE_KEY', 'safe.key'),
    exports: fileOf('SHOEPRINT_EXPORTS_KEY', 'exports.key'),
  });
}

/**
 * Reads and checks the whole environment once, and freezes the result. Throws `SettingsRefused`
 * with every fault; no fault contains a value.
 */
export function sealerSettings(variables: Variables): SealerSettings {
  const env = new Environment(variables);
  const host = env.text('SHOEPRINT_HOST') ?? '127.0.0.1';
  const settings = {
    ...storeSettings(env),
    ...houseSettings(env),
    ...logLevelSettings(env),
    ...sealingSettings(env),
    host,
    ...pageSettings(env, host),
    metricsPort: env.whole('SHOEPRINT_METRICS_PORT', METRICS_PORT, 0, 65_535),
    heapMb: heapLimit(env),
  };
  env.check();
  return Object.freeze(settings);
}

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { nodeCryptography } from '#evidence/node';
import type { EventLog } from '#event-log';
import { gamingDays, onceReachable, type GamingDayRule, type Reaching } from '#read-model';
import {
  migrateSeal,
  SealReader,
  SealRequests,
  SealStore,
  type KeptCheckpoint,
  type SealPosition,
} from '#seal-store';
import { errorText, jsonJournal, type Journal } from '#server';
import type { Registry } from 'prom-client';
import { SiteKeys } from './keys/site-keys.js';
import { Alarms } from './monitoring/alarms.js';
import { HouseOutbox } from './monitoring/house-outbox.js';
import { SealerMetrics } from './monitoring/sealer-metrics.js';
import { SealingTrouble } from './monitoring/sealing-trouble.js';
import { LogCheck } from './reading-again/log-check.js';
import { TileFolder } from './publishing/tile-folder.js';
import type { SealerParts } from './sealing/parts.js';
import { Sealer } from './sealing/sealer.js';
import type { SealingSettings } from './settings.js';
import { CheckpointSigner } from './signing/checkpoint-signer.js';
import { LastSigned } from './signing/last-signed.js';
import { Witnesses } from './witnesses/witnesses.js';

const { sha256 } = nodeCryptography;

/** The inputs of a sealer. */
export interface StartSealer {
  /** The caller closes it. */
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly settings: SealingSettings;
  readonly gamingDays: readonly GamingDayRule[];
  readonly journal?: Journal;
}

/** A running sealer. */
export interface RunningSealer {
  readonly owner: string;
  readonly origin: string;
  /** The public half of the key that signs checkpoints at the start: what a verifier is given. */
  readonly vkey: string;
  /** The file of the second log key, if it still lies here and not in a safe. */
  readonly safeKeyHere: string | undefined;
  readonly registry: Registry;
  /** Whether this process is the one that seals. Another one may, and this one stands by. */
  isActive(): boolean;
  /** Returns why it cannot seal or sign, once that has lasted for five seconds. */
  trouble(): string | undefined;
  positions(): Promise<SealPosition[]>;
  /** Returns the last signed checkpoint. */
  checkpoint(): Promise<KeptCheckpoint | undefined>;
  /** Commits what was read, ends the lease and stops. */
  close(): Promise<void>;
}

/**
 * Starts a sealer: migrates the schema `seal`, makes the keys of a new site, and seals as soon as
 * no other sealer does. Tries again while PostgreSQL cannot be reached, for two minutes by default.
 * Throws `KeyRefused` for keys that cannot be used, and `OtherSite` if the database is another
 * site's.
 */
export function startSealer(asked: StartSealer, reaching?: Reaching): Promise<RunningSealer> {
  const { journal = jsonJournal('sealer') } = asked;
  const onRetry = (why: Error): void =>
    journal.error('retrying start: PostgreSQL cannot be reached', { error: why.message });
  return onceReachable(() => startOnce({ ...asked, journal }), reaching ?? { onRetry });
}

async function startOnce(
  asked: StartSealer & { readonly journal: Journal },
): Promise<RunningSealer> {
  await migrateSeal(asked.databaseUrl);
  const store = SealStore.open(asked.databaseUrl);
  const reader = SealReader.open(asked.databaseUrl, sha256, 'shoeprint sealer');
  try {
    return await startOn(store, reader, asked);
  } catch (error) {
    await store.close();
    await reader.close();
    throw error;
  }
}

async function startOn(
  store: SealStore,
  reader: SealReader,
  asked: StartSealer & { readonly journal: Journal },
): Promise<RunningSealer> {
  const { log, databaseUrl, settings, journal } = asked;
  const origin = settings.site ?? `shoeprint.local/${log.id.slice(0, 8)}`;
  const sealedLogId = await store.prepare({ origin, logId: log.id, partitions: log.partitions });
  const readKeys = (): Promise<SiteKeys> => SiteKeys.read(settings.keyFiles, origin, reader);
  const keys = await readKeys();
  const metrics = new SealerMetrics();
  const outbox = new HouseOutbox(log, store.outbox, journal);
  const alarms = new Alarms(outbox, journal, metrics);
  const folder = publisher(settings.tiles, reader, { journal, metrics });
  const witnesses = await Witnesses.of(settings.witnesses, {
    ...{ store, reader, alarms, journal, metrics },
    quorum: settings.witnessQuorum,
    onCosigned: folder,
  });
  const both = { log, store, reader, sha256, origin, alarms, journal, metrics };
  const parts: SealerParts = {
    ...both,
    requests: new SealRequests(databaseUrl),
    signer: new CheckpointSigner(new LastSigned(`${settings.keyFiles.log.path}.last`)),
    sealedLogId,
    readKeys,
    rhythm: settings.rhythm,
    dayOf: gamingDays(asked.gamingDays),
    owner: `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`,
    leaseMs: settings.sealLeaseMs,
    check: new LogCheck({ ...both, readAgainBytes: settings.readAgainBytes }),
    publish: async (checkpoint) => {
      await folder(checkpoint);
      witnesses.ask(checkpoint);
    },
    witnesses,
    trouble: new SealingTrouble(),
  };
  return running(parts, outbox, keys);
}

/** Starts to seal with these parts, which the sealer closes at its end. */
function running(parts: SealerParts, outbox: HouseOutbox, keys: SiteKeys): RunningSealer {
  const { store, reader, requests, owner, origin, metrics } = parts;
  outbox.start();
  const sealer = new Sealer(parts);
  return {
    owner,
    origin,
    vkey: keys.signers[0].vkey,
    safeKeyHere: keys.safeKeyHere,
    registry: metrics.registry,
    isActive: () => sealer.isActive,
    trouble: () => parts.trouble.lasting,
    positions: () => store.positions(),
    checkpoint: () => reader.checkpoint(),
    close: async () => {
      await sealer.close();
      await Promise.all([outbox.close(), requests.close(), parts.witnesses.close()]);
      await Promise.all([store.close(), reader.close()]);
    },
  };
}

/** Returns what publishes checkpoints. A folder that fails is written with the next checkpoint. */
function publisher(
  folder: string | undefined,
  reader: SealReader,
  { journal, metrics }: { readonly journal: Journal; readonly metrics: SealerMetrics },
): (checkpoint: KeptCheckpoint) => Promise<void> {
  if (folder === undefined) return () => Promise.resolve();
  const tiles = new TileFolder(folder, reader);
  return (checkpoint) =>
    tiles.publish(checkpoint).catch((error: unknown) => {
      metrics.failed('publish');
      journal.error('checkpoint not published', { size: checkpoint.size, error: errorText(error) });
    });
}

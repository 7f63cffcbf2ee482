import type { Sha256 } from '#evidence';
import type { EventLog } from '#event-log';
import type { KeptCheckpoint, SealReader, SealRequests, SealStore } from '#seal-store';
import type { Journal } from '#server';
import type { SiteKeys } from '../keys/site-keys.js';
import type { Alarms } from '../monitoring/alarms.js';
import type { SealerMetrics } from '../monitoring/sealer-metrics.js';
import type { SealingTrouble } from '../monitoring/sealing-trouble.js';
import type { LogCheck } from '../reading-again/log-check.js';
import type { CheckpointSigner } from '../signing/checkpoint-signer.js';
import type { Witnesses } from '../witnesses/witnesses.js';
import type { Rhythm } from './rhythm.js';

/** What the parts of a sealer share. */
export interface SealerParts {
  readonly log: EventLog;
  readonly store: SealStore;
  readonly reader: SealReader;
  readonly requests: SealRequests;
  readonly sha256: Sha256;
  readonly signer: CheckpointSigner;
  readonly origin: string;
  /** The log that the site was begun with. */
  readonly sealedLogId: string;
  /** Reads the keys as the site log and the files have them now. Throws `KeyRefused`. */
  readonly readKeys: () => Promise<SiteKeys>;
  readonly rhythm: Rhythm;
  /** Returns the gaming day of an RFC 3339 time. */
  readonly dayOf: (time: string) => string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly journal: Journal;
  readonly metrics: SealerMetrics;
  readonly alarms: Alarms;
  readonly trouble: SealingTrouble;
  readonly witnesses: Witnesses;
  /** Reads the log again while this sealer is the active one. */
  readonly check: LogCheck;
  /** Publishes a signed checkpoint, and asks witnesses. Never rejects, and waits for no witness. */
  readonly publish: (checkpoint: KeptCheckpoint) => Promise<void>;
}

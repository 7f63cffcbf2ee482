import { parentPort, workerData } from 'node:worker_threads';
import type { LaneSetting } from '#audit';
import { AuditPass, type Share } from './pass.js';
import { installedRules } from '#rule-folder';
import type { LogFile } from '../log/log-source.js';
import { Refusal } from '../refusal.js';
import type { HandedVerdict } from './verdict.js';

/** The input of a worker. */
export interface WorkerTask {
  readonly files: readonly LogFile[];
  readonly rulesFolders: readonly string[];
  readonly lanes: LaneSetting;
  readonly share: Share;
  /** The file for its records. */
  readonly spill: number;
}

/** A message from a worker. `malformed`: it stopped at a malformed line. */
export type WorkerWord =
  | { readonly is: 'progress'; readonly bytes: number }
  | { readonly is: 'malformed' }
  | { readonly is: 'refused'; readonly message: string }
  | { readonly is: 'done'; readonly verdict: HandedVerdict };

const say = (word: WorkerWord): void => parentPort?.postMessage(word);

/** The least time between two messages about progress. */
const REPORT_EVERY_MS = 100;

async function work({ files, rulesFolders, lanes, share, spill }: WorkerTask): Promise<void> {
  const pass = new AuditPass(installedRules(rulesFolders), lanes, share, spill);
  let reportedAt = Date.now();
  await pass.read(files, (bytes) => {
    const now = Date.now();
    if (now - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = now;
    say({ is: 'progress', bytes });
  });
  say(
    pass.malformed.count > 0
      ? { is: 'malformed' }
      : { is: 'done', verdict: pass.auditor.handOver() },
  );
}

if (parentPort) {
  work(workerData as WorkerTask).catch((error: unknown) => {
    if (error instanceof Refusal) say({ is: 'refused', message: error.message });
    else throw error;
  });
}

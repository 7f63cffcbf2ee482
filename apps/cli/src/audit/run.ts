import { Worker } from 'node:worker_threads';
import type { LaneSetting, RuleBook } from '#audit';
import { keepHeapsSmall } from '#process';
import { AuditPass } from './pass.js';
import type { WorkerTask, WorkerWord } from './worker.js';
import type { LogFile } from '../log/log-source.js';
import type { MalformedLines } from '../log/malformed.js';
import { Refusal } from '../refusal.js';
import { openNameless } from './spill.js';
import { joined, type HandedVerdict, type Verdict } from './verdict.js';

/** What to audit, and with how many threads. */
export interface AuditTask {
  readonly files: readonly LogFile[];
  readonly book: RuleBook;
  /** Folders of the documents in `book` that are not published. */
  readonly rulesFolders: readonly string[];
  /**
   * The requested number of threads. One uses the least memory; more are faster only with several
   * tables.
   */
  readonly workers: number;
  /** How lines are folded. */
  readonly lanes: LaneSetting;
  readonly progress?: (bytes: number) => void;
}

/** The result of an audit: a verdict, or the malformed lines of refused input. */
export type AuditOutcome =
  | { readonly verdict: Verdict; readonly malformed?: undefined }
  | { readonly malformed: MalformedLines };

/**
 * Audits the files as one log. The outcome is the same, byte for byte, with any number of threads.
 */
export async function audit(task: AuditTask): Promise<AuditOutcome> {
  keepHeapsSmall();
  const { workers } = task;
  // A pipe can be read only once, so not by several threads.
  if (workers > 1 && task.files.every(({ size }) => size !== undefined)) {
    const verdict = await auditByWorkers(task, workers);
    if (verdict) return { verdict };
  }
  const pass = new AuditPass(task.book, task.lanes);
  await pass.read(task.files, task.progress);
  return pass.malformed.count > 0
    ? { malformed: pass.malformed }
    : { verdict: pass.auditor.verdict() };
}

/**
 * Returns the verdict of several workers, or `undefined` if one met a malformed line: then one
 * thread must list all malformed lines in order.
 */
async function auditByWorkers(
  { files, rulesFolders, lanes, progress }: AuditTask,
  workers: number,
): Promise<Verdict | undefined> {
  const spills = Array.from({ length: workers }, openNameless);
  const done = Array.from({ length: workers }, () => 0);
  const running: Worker[] = [];
  try {
    const parts = await Promise.all(
      spills.map(
        (spill, worker) =>
          new Promise<HandedVerdict | undefined>((resolve, reject) => {
            const workerData: WorkerTask = {
              files,
              rulesFolders,
              lanes,
              share: { worker, workers },
              spill,
            };
            const thread = new Worker(new URL('./worker.js', import.meta.url), {
              workerData,
              trackUnmanagedFds: false,
            });
            running.push(thread);
            thread.on('error', reject);
            thread.on('message', (word: WorkerWord) => {
              switch (word.is) {
                case 'progress':
                  done[worker] = word.bytes;
                  return progress?.(Math.min(...done));
                case 'malformed':
                  return reject(MALFORMED);
                case 'refused':
                  return reject(new Refusal(word.message));
                case 'done':
                  return resolve(word.verdict);
              }
            });
          }),
      ),
    );
    return joined(parts as HandedVerdict[], spills);
  } catch (error) {
    if (error === MALFORMED) return undefined;
    throw error;
  } finally {
    await Promise.all(running.map((thread) => thread.terminate()));
  }
}

/** Rejects the work of all workers when one stopped at a malformed line. */
const MALFORMED = new Error('malformed');

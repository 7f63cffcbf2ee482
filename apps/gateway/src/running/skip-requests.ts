import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#process';
import { spoolStatus } from '#spool';
import type { GatewaySnapshot } from '../health/snapshot.js';
import { isSkip, type Skip } from '../desk/skip.js';

const REQUEST = /^skip-[0-9a-f]{16}\.json$/;
const LOOK_MS = 200;
const WAIT_MS = 10_000;
const REFUSED_MAX = 16;

/** An operator's request to set an event aside: a file in the folder of the spool. */
export interface SkipRequest {
  readonly file: string;
  /** Undefined if the file is not such a request. */
  readonly skip: Skip | undefined;
}

/** Returns the requests in the folder of a spool. */
export async function skipRequests(folder: string): Promise<readonly SkipRequest[]> {
  const names = (await readdir(folder)).filter((name) => REQUEST.test(name));
  return Promise.all(names.map((name) => requestIn(join(folder, name))));
}

async function requestIn(file: string): Promise<SkipRequest> {
  const text = await readFile(file, 'utf8');
  try {
    const asked: unknown = JSON.parse(text);
    return { file, skip: isSkip(asked) ? asked : undefined };
  } catch {
    return { file, skip: undefined }; // the gateway says so
  }
}

/** Removes a request. */
export const removeRequest = (file: string): Promise<void> => rm(file, { force: true });

/** Why requests were refused: the newest few, by the names of their files. */
export class RefusedSkips {
  private readonly problems = new Map<string, string>();

  refuse(file: string, problem: string): void {
    const name = basename(file);
    this.problems.delete(name);
    this.problems.set(name, problem);
    const [oldest] = this.problems.keys();
    if (this.problems.size > REFUSED_MAX && oldest !== undefined) this.problems.delete(oldest);
  }

  get byName(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.problems);
  }
}

/**
 * Writes a request into the folder of a spool and waits until the gateway has taken it. Throws
 * `Refusal` with the reason of the gateway. It gives up after 10 seconds, and removes the request.
 */
export async function requestSkip(folder: string, skip: Skip): Promise<void> {
  const file = join(folder, `skip-${randomBytes(8).toString('hex')}.json`);
  await writeFile(`${file}.new`, `${JSON.stringify(skip)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  for (const until = performance.now() + WAIT_MS; performance.now() < until;) {
    if (!(await readdir(folder)).includes(basename(file))) {
      const problem = await refusalOf(folder, file);
      if (problem === undefined) return;
      throw new Refusal(problem);
    }
    await pause(LOOK_MS);
  }
  await removeRequest(file);
  const why = (await refusalOf(folder, file)) ?? 'it did not look';
  throw new Refusal(
    `${folder}: the gateway did not take the request within ${WAIT_MS / 1_000} s (${why})`,
  );
}

/** Returns why the gateway refused a request, or undefined. */
async function refusalOf(folder: string, file: string): Promise<string | undefined> {
  const status = (await spoolStatus(folder)) as GatewaySnapshot | undefined;
  return status?.refusedSkips[basename(file)];
}

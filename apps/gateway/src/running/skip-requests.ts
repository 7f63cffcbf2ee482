import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#process';
import { isSkip, type Skip } from '../desk/skip.js';

const REQUEST = /^skip-[0-9a-f]{16}\.json$/;
const LOOK_MS = 200;
const WAIT_MS = 10_000;

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

/**
 * Writes a request into the folder of a spool and waits until the gateway has taken it. Throws
 * `Refusal` after 10 seconds, and removes the request.
 */
export async function requestSkip(folder: string, skip: Skip): Promise<void> {
  const file = join(folder, `skip-${randomBytes(8).toString('hex')}.json`);
  await writeFile(`${file}.new`, `${JSON.stringify(skip)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  for (const until = performance.now() + WAIT_MS; performance.now() < until;) {
    const names = await readdir(folder);
    if (!names.some((name) => join(folder, name) === file)) return;
    await pause(LOOK_MS);
  }
  await removeRequest(file);
  throw new Refusal(`${folder}: the gateway did not take the request within ${WAIT_MS / 1_000} s`);
}

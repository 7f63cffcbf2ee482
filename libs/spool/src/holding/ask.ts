import { readdir } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { fileRefusal } from '#process';
import { SpoolRefused } from '../refusals.js';

/** How long a process may take to answer that it holds a spool. */
const ASK_MS_MAX = 2_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
/** The names of sockets on which processes say that they hold a spool. */
export const SOCKET_NAME = /^gateway-[0-9a-f]{16}\.sock$/;

/** What a process that listens in the folder of a spool says. */
export interface SocketAnswer {
  /** Whether it does not hold the spool yet. */
  readonly isStarting: boolean;
  readonly pid: number;
  readonly status?: unknown;
  /** Why it cannot say its status. */
  readonly fault?: string;
}

/**
 * Returns the status of the process that holds the spool in a folder, or undefined if nobody does.
 * Throws `SpoolRefused` if the folder cannot be read, or if that process does not answer within 2
 * seconds.
 */
export async function spoolStatus(folder: string): Promise<unknown> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileRefusal(folder, error);
  });
  let why: string | undefined;
  for (const name of names.filter((each) => SOCKET_NAME.test(each))) {
    const answer = await ask(join(folder, name));
    if (answer === 'silent') why ??= `no answer within ${ASK_MS_MAX / 1_000} seconds`;
    else if (answer === 'nobody' || answer.isStarting) continue;
    else if (answer.fault === undefined) return answer.status;
    else why = answer.fault;
  }
  if (why === undefined) return undefined;
  throw new SpoolRefused(`${folder}: the gateway that holds this spool cannot answer (${why})`);
}

/**
 * Asks a socket. Returns `nobody` only if no process listens there, and `silent` if one does and
 * does not answer in time: it may hold the spool, or is about to let it go.
 */
export function ask(path: string): Promise<SocketAnswer | 'nobody' | 'silent'> {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    let text = '';
    let isGone = false;
    const end = (): void => void socket.destroy();
    const timer = setTimeout(end, ASK_MS_MAX);
    socket.setEncoding('utf8');
    socket.on('data', (part) => {
      text += String(part);
      if (text.length > ANSWER_BYTES_MAX) end();
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      isGone = code === 'ECONNREFUSED' || code === 'ENOENT';
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(isGone ? 'nobody' : answerOf(text));
    });
  });
}

function answerOf(text: string): SocketAnswer | 'silent' {
  try {
    return JSON.parse(text) as SocketAnswer;
  } catch {
    return 'silent'; // it was too slow, closes, or said too much: but it is there
  }
}

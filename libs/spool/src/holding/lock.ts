import { randomBytes } from 'node:crypto';
import { chmod, readdir, rename, stat, unlink } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '#process';
import { ask, type SocketAnswer, SOCKET_NAME } from './ask.js';
import { refusalOf, SpoolHeld, SpoolRefused } from '../refusals.js';

/** How long a start waits for another one to give way, and for a silent process to answer. */
const RIVAL_MS_MAX = 5_000;
const LOOK_AGAIN_MS = 10;
/** How long an asker may take to read the answer. */
const ANSWER_MS_MAX = 2_000;
const ASKERS_MAX = 64;
/** A start comes from its first name to its second within milliseconds. */
const UNFINISHED_MS_MIN = 60_000;
const OWNER_ONLY = 0o600;
const UNFINISHED = /^starting-[0-9a-f]{16}\.sock$/;
/** The longest path of a socket is 103 bytes on macOS and 107 on Linux. Node cuts longer ones. */
const PATH_BYTES_MAX = 103;

/** A spool that this process holds, until `release` or the end of the process. */
export interface SpoolLock {
  /** Lets another process hold the spool. */
  release(): Promise<void>;
}

/**
 * Makes this process the only one that holds the spool in a folder, and answers there with
 * `status`. Each process listens on a socket of its own in the folder *before* it looks for others,
 * so of two that start at once at least one sees the other. The kernel stops a socket with its
 * process: what nobody listens on is removed. Throws `SpoolHeld` if another process is there, and
 * `SpoolRefused` if the folder cannot hold a socket.
 */
export async function lockSpool(folder: string, status: () => unknown): Promise<SpoolLock> {
  const own = new OwnSocket(folder, status);
  await own.open();
  try {
    await giveWay(folder, own);
  } catch (error) {
    await own.release();
    throw error;
  }
  own.isHolder = true;
  return own;
}

/** Resolves once nobody else is there. Throws `SpoolHeld` if another process goes first. */
async function giveWay(folder: string, own: OwnSocket): Promise<void> {
  const until = performance.now() + RIVAL_MS_MAX;
  for (;;) {
    const rivals = await rivalsOf(folder, own.name);
    if (rivals.length === 0) return;
    const first = rivals.find((rival) => goesFirst(rival, own.name));
    if (first || performance.now() > until) throw held(folder, first ?? rivals[0]);
    await pause(LOOK_AGAIN_MS); // a start with a later name sees this one and gives way
  }
}

/** Returns whether a rival holds the spool, or starts under an earlier name. */
const goesFirst = ({ name, answer }: Rival, own: string): boolean =>
  answer !== 'silent' && (!answer.isStarting || name < own);

function held(folder: string, rival: Rival | undefined): SpoolHeld {
  const { answer } = rival ?? {};
  const who = answer && answer !== 'silent' ? `process ${answer.pid}` : 'it does not answer';
  return new SpoolHeld(`${folder}: another gateway holds this spool (${who})`);
}

interface Rival {
  readonly name: string;
  readonly answer: SocketAnswer | 'silent';
}

async function rivalsOf(folder: string, own: string): Promise<Rival[]> {
  const names = (await readdir(folder)).filter((name) => SOCKET_NAME.test(name) && name !== own);
  const rivals = await Promise.all(
    names.map(async (name) => {
      const answer = await ask(join(folder, name));
      if (answer !== 'nobody') return [{ name, answer }];
      await removeIfThere(join(folder, name)); // its name never comes again
      return [];
    }),
  );
  return rivals.flat();
}

class OwnSocket implements SpoolLock {
  readonly name: string;
  isHolder = false;
  private readonly key = randomBytes(8).toString('hex');
  private readonly server: Server;

  constructor(
    private readonly folder: string,
    private readonly status: () => unknown,
  ) {
    this.name = `gateway-${this.key}.sock`;
    this.server = createServer((socket) => this.answer(socket));
    this.server.maxConnections = ASKERS_MAX;
  }

  /** Listens under another name first, so that nobody takes a socket without ears for a dead one. */
  async open(): Promise<void> {
    const unfinished = join(this.folder, `starting-${this.key}.sock`);
    if (process.platform === 'win32')
      throw new SpoolRefused(
        `${this.folder}: a spool needs Unix sockets, which Windows lacks here`,
      );
    if (Buffer.byteLength(unfinished) > PATH_BYTES_MAX)
      throw new SpoolRefused(
        `${this.folder}: the path of a spool must be at most ` +
          `${PATH_BYTES_MAX - Buffer.byteLength(unfinished) + Buffer.byteLength(this.folder)} bytes`,
      );
    try {
      await this.listen(unfinished);
      await chmod(unfinished, OWNER_ONLY);
      await rename(unfinished, join(this.folder, this.name));
    } catch (error) {
      this.server.close();
      throw refusalOf(error, `${this.folder}: cannot hold a socket (${String(error)})`);
    }
    await removeUnfinished(this.folder);
  }

  async release(): Promise<void> {
    this.isHolder = false;
    await removeIfThere(join(this.folder, this.name));
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private words(): SocketAnswer {
    const { pid } = process;
    if (!this.isHolder) return { isStarting: true, pid };
    try {
      return { isStarting: false, pid, status: this.status() };
    } catch (error) {
      return { isStarting: false, pid, fault: String(error) };
    }
  }

  private listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(path, () => {
        this.server.off('error', reject);
        this.server.on('error', () => undefined); // somebody could not be answered, and asks again
        resolve();
      });
    });
  }

  private answer(socket: Socket): void {
    socket.on('error', () => undefined); // the asker has gone
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
    socket.end(`${JSON.stringify(this.words())}\n`);
  }
}

/** Removes names that starts left that were killed before they listened. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => UNFINISHED.test(each))) {
    const path = join(folder, name);
    const made = await stat(path).catch(() => undefined); // it has its second name by now
    const isOld = made !== undefined && Date.now() - made.mtimeMs > UNFINISHED_MS_MIN;
    if (isOld && (await ask(path)) === 'nobody') await removeIfThere(path);
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

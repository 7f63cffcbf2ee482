import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** How to start a program of PostgreSQL as a user that it accepts. */
export interface RunAs {
  /** The command and its arguments. */
  readonly command: (file: string, args: readonly string[]) => readonly [string, string[]];
  readonly ids: Partial<Ids>;
  /** Gives a file, or a folder with all that is in it, to that user. */
  readonly own: (path: string) => void;
  /** What the operator should know: the protection that this way of running does not have. */
  readonly lacks?: string;
}

/** A user and a group. */
interface Ids {
  readonly uid: number;
  readonly gid: number;
}

const ROOT: Ids = { uid: 0, gid: 0 };
/** Ids of `nobody` on a system that has no account of that name. */
const NOBODY = 65_534;
/** Permission bits of a folder: its group may enter, and nobody else may do anything. */
const GROUP_ENTERS = 0o010;
const OWNER_ONLY = 0o700;

const ITSELF: RunAs = {
  command: (file, args) => [file, [...args]],
  ids: {},
  own: () => undefined,
};

/**
 * Returns how to run `binary` on the folder `dir`. PostgreSQL refuses to run as root, so root
 * switches to the owner of the folder, or to `nobody` if that is root. The folder stays root's, and
 * only the database in it is given away, so PostgreSQL can neither write files of root nor put
 * links in the place of the files that root writes beside it.
 *
 * That user cannot work below a folder that only root may enter. There the programs run in a user
 * namespace, which takes root's capabilities but not its files (`lacks`). A user without an account
 * runs them in a namespace too, because initdb requires an account. Throws if neither way works.
 */
export function runAs(dir: string, binary: string): RunAs {
  const isRoot = process.getuid?.() === 0;
  if (process.platform === 'win32' || (!isRoot && hasAccount())) return ITSELF;
  const user = isRoot ? unprivileged(dir) : undefined;
  if (user) return user;
  const namespace = ['-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (process.platform !== 'linux' || spawnSync('unshare', [...namespace, 'true']).status !== 0) {
    if (!isRoot) return ITSELF;
    throw new Error(
      `PostgreSQL cannot run as root, and the user nobody cannot enter ${dir} or ${dirname(binary)}: move the project, or run it as an ordinary user`,
    );
  }
  const inNamespace: RunAs = {
    ...ITSELF,
    command: (file, args) => ['unshare', [...namespace, file, ...args]],
  };
  if (!isRoot) return inNamespace;
  return { ...inNamespace, own: (path) => give(path, ROOT), lacks: ROOTS_FILES };

  /** Returns how to run as the owner of the folder or `nobody`, if that user can get there. */
  function unprivileged(folder: string): RunAs | undefined {
    const { uid, gid } = statSync(folder);
    const ids = uid === ROOT.uid ? nobody() : { uid, gid };
    if (uid === ROOT.uid && !reaches(ids, folder) && reaches(ids, dirname(folder)))
      letEnter(folder, ids);
    if (!reaches(ids, folder) || !runs(ids, binary)) return undefined;
    return { ...ITSELF, ids, own: (path) => give(path, ids) };
  }
}

const ROOTS_FILES =
  'PostgreSQL runs with the user id of root, because only root may enter its folder or its programs: it has no capabilities, but it can read and write files of root; to take them away, move the project and its data to folders that every user may enter';

/** Returns whether a user can enter a folder, by trying it. */
const reaches = (ids: Ids, folder: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...ids, cwd: '/' }).status === 0;

/** Returns whether a user can run a program of PostgreSQL, by trying it. */
const runs = (ids: Ids, binary: string): boolean =>
  spawnSync(binary, ['--version'], { ...ids, cwd: '/' }).status === 0;

/** Lets the group of a user enter a folder of root. It may not list or change what is in it. */
function letEnter(folder: string, { gid }: Ids): void {
  chownSync(folder, ROOT.uid, gid);
  chmodSync(folder, (statSync(folder).mode & OWNER_ONLY) | GROUP_ENTERS);
}

/**
 * Gives a file, or a folder and all that is in it, from root or `nobody` to a user. The folder
 * itself comes last, so that the next start completes what was interrupted.
 */
function give(path: string, ids: Ids): void {
  const found = statSync(path);
  if (found.uid === ids.uid || ![ROOT.uid, nobody().uid].includes(found.uid)) return;
  if (found.isDirectory())
    for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' }))
      lchownSync(join(path, entry), ids.uid, ids.gid);
  lchownSync(path, ids.uid, ids.gid);
}

function nobody(): Ids {
  const [uid, gid] = ['-u', '-g'].map((which) =>
    Number.parseInt(spawnSync('id', [which, 'nobody'], { encoding: 'utf8' }).stdout, 10),
  );
  return { uid: uid || NOBODY, gid: gid || NOBODY };
}

function hasAccount(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

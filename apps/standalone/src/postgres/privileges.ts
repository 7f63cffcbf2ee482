import { spawnSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** How to start a program of PostgreSQL as a user that it accepts. */
export interface RunAs {
  /** The command and its arguments. */
  readonly command: (file: string, args: readonly string[]) => readonly [string, string[]];
  readonly ids: { readonly uid?: number; readonly gid?: number };
  /** Changes the owner of a file to that user. */
  readonly own: (file: string) => void;
}

const NOBODY = 65_534;
/** Permission bit: others may enter the folder. */
const ENTER = 0o001;

const ITSELF: RunAs = {
  command: (file, args) => [file, [...args]],
  ids: {},
  own: () => undefined,
};

/**
 * Returns how to run `binary` on the folder `dir`. PostgreSQL refuses to run as root, and initdb
 * refuses a user without an account. Both run in a user namespace that maps the caller to `nobody`,
 * which needs no account and works below a home that only its owner may enter. If namespaces are
 * forbidden, as in many containers, root switches to `nobody`.
 */
export function runAs(dir: string, binary: string): RunAs {
  const isRoot = process.getuid?.() === 0;
  if (process.platform === 'win32' || (!isRoot && hasAccount())) return ITSELF;
  const namespace = ['-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (process.platform === 'linux' && spawnSync('unshare', [...namespace, 'true']).status === 0)
    return { ...ITSELF, command: (file, args) => ['unshare', [...namespace, file, ...args]] };
  if (!isRoot) return ITSELF;
  for (const folder of [dirname(binary), dirname(dir)]) checkReach(folder);
  const own = (file: string): void => chownSync(file, NOBODY, NOBODY);
  own(dir);
  return { ...ITSELF, ids: { uid: NOBODY, gid: NOBODY }, own };
}

/** Throws if `nobody` cannot enter the folder or one above it. */
function checkReach(folder: string): void {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & ENTER) === 0)
      throw new Error(
        `PostgreSQL cannot run as root, and the user ${NOBODY} cannot enter ${at}: move the project, or run it as an ordinary user`,
      );
  }
}

function hasAccount(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

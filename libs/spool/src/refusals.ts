import { errorCode, Refusal } from '#process';

/** Thrown for a spool that this program cannot use. Names the folder or the file, and the reason. */
export class SpoolRefused extends Refusal {
  override readonly name: string = 'SpoolRefused';
}

/** Thrown if the disk refuses. The spool can be used once that is mended, without other changes. */
export class SpoolDiskFault extends SpoolRefused {
  override readonly name = 'SpoolDiskFault';
}

/** Errors of a path that is wrong: nothing that happens to a disk mends it. */
const OF_THE_PATH = new Set(['EEXIST', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL']);

/** Returns what to throw for an error of the file system. The message must name the folder. */
export const refusalOf = (error: unknown, message: string): SpoolRefused =>
  OF_THE_PATH.has(errorCode(error) ?? '') ? new SpoolRefused(message) : new SpoolDiskFault(message);

/** Thrown if another process holds the spool. */
export class SpoolHeld extends SpoolRefused {
  override readonly name = 'SpoolHeld';
}

/** Rejects frames that the spool has no room for. They are not recorded. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

import { Refusal } from '#process';

/** Thrown for a spool that this program cannot use. Names the folder or the file, and the reason. */
export class SpoolRefused extends Refusal {
  override readonly name: string = 'SpoolRefused';
}

/** Thrown if another process holds the spool. */
export class SpoolHeld extends SpoolRefused {
  override readonly name = 'SpoolHeld';
}

/** Rejects frames that the spool has no room for. They are not recorded. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

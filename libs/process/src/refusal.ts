import { asError } from './as-error.js';
import { errorCode } from './error-code.js';

/**
 * An error whose message explains to the user in one sentence why a request cannot be done. A
 * program prints the sentence and exits with code 2. Any other error is a bug.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}

/** Returns why a file or folder could not be opened or read, in a person's words. */
export function fileRefusal(name: string, error: unknown): Refusal {
  switch (errorCode(error)) {
    case 'ENOENT':
      return new Refusal(`${name}: no such file`);
    case 'EACCES':
    case 'EPERM':
      return new Refusal(`${name}: permission denied`);
    case 'EISDIR':
      return new Refusal(`${name}: is a folder, not a file`);
    case 'ENOTDIR':
      return new Refusal(`${name}: a part of this path is a file, not a folder`);
    default:
      return new Refusal(`${name}: could not be read (${asError(error).message})`);
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#process';

/**
 * Returns whether a password is among the commonest, in any case of its letters. The first call
 * reads the list, which `scripts/commonest-passwords.mjs` writes.
 */
export const isCommonest = (password: string): boolean =>
  (list ??= new Set(commonestPasswords())).has(password.normalize('NFC').toLowerCase());

let list: ReadonlySet<string> | undefined;

/** Reads the commonest passwords of 12 or more characters, in lower case. */
export const commonestPasswords = (): string[] =>
  readFileSync(join(packageFolder(), 'apps', 'api', 'commonest-passwords.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '));

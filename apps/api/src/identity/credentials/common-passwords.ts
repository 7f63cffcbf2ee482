import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#process';

/**
 * Returns whether a password is among the commonest, in any case of its letters. The first call
 * reads the list, which `scripts/common-passwords.mjs` writes.
 */
export const isCommon = (password: string): boolean =>
  (common ??= new Set(commonPasswords())).has(password.normalize('NFC').toLowerCase());

let common: ReadonlySet<string> | undefined;

/** Reads the commonest passwords of 12 or more characters, in lower case. */
export const commonPasswords = (): string[] =>
  readFileSync(join(packageFolder(), 'apps', 'api', 'common-passwords.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '));

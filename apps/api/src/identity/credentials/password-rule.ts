import { Problem } from '../../problems/problems.js';
import { isCommonest } from './commonest-passwords.js';

/** The fewest characters of a new password. */
export const PASSWORD_LENGTH_MIN = 12;
/** The most characters of a new password. */
export const PASSWORD_LENGTH_MAX = 128;

/**
 * Returns why this cannot be the password of an account, or undefined if it can. The reason does
 * not contain the password.
 */
export function passwordFault(password: string, accountName: string): string | undefined {
  const characters = Array.from(password.normalize('NFC'));
  if (characters.length < PASSWORD_LENGTH_MIN || characters.length > PASSWORD_LENGTH_MAX)
    return `must be ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`;
  if (new Set(characters).size === 1) return 'must not be one repeated character';
  if (password.toLowerCase() === accountName.toLowerCase())
    return 'must not be the name of the account';
  return isCommonest(password) ? 'must not be one of the commonest passwords' : undefined;
}

/** Throws `invalid-request` at this pointer if the account cannot have the password. */
export function requirePassword(pointer: string, password: string, accountName: string): void {
  const reason = passwordFault(password, accountName);
  if (reason !== undefined)
    throw new Problem('invalid-request', undefined, { errors: [{ pointer, reason }] });
}

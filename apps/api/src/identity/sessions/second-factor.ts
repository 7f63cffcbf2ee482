import { Secret, TOTP } from 'otpauth';
import type { EntityManager } from 'typeorm';
import { Problem } from '../../problems/problems.js';
import { codeHash, newCode } from '../credentials/one-time-code.js';
import { Account, RecoveryCode, Totp } from '../database/access.entities.js';

const PERIOD_S = 30;
/** Codes of one step before and after now count, because clocks differ. */
const STEPS_AROUND = 1;
/** RFC 4226 recommends a secret of 160 bits. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;

/** Returns the generator of codes (RFC 6238: SHA-1, six digits, 30 seconds) of an account. */
const generatorOf = (accountName: string, secret: Secret): TOTP =>
  new TOTP({ issuer: 'Shoeprint', label: accountName, secret, period: PERIOD_S });

/** Stores a new secret for an account, and returns it in base32 and as an `otpauth:` URI. */
export async function newSecret(
  manager: EntityManager,
  accountName: string,
): Promise<{ readonly secret: string; readonly uri: string }> {
  const secret = new Secret({ size: SECRET_BYTES });
  await manager.save(Totp, { accountName, secret: secret.base32, lastStep: 0 });
  return { secret: secret.base32, uri: generatorOf(accountName, secret).toString() };
}

/** Replaces the recovery codes of an account and returns the new ones. */
export async function newRecoveryCodes(
  manager: EntityManager,
  accountName: string,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await manager.delete(RecoveryCode, { accountName });
  await manager.insert(
    RecoveryCode,
    codes.map(({ hash }) => ({ accountName, codeHash: hash })),
  );
  return codes.map(({ text }) => text);
}

/** Removes the second factor of an account that the transaction has locked. */
export async function removeFactor(manager: EntityManager, name: string): Promise<void> {
  await manager.delete(Totp, { accountName: name });
  await manager.delete(RecoveryCode, { accountName: name });
  await manager.update(Account, { name }, { secondFactor: false });
}

/**
 * Uses up a code of an account that the transaction has locked: of its authenticator, or a recovery
 * code. Throws `second-factor-required` without a code, and `wrong-code` for one that is wrong or
 * was used before.
 */
export async function requireCode(
  manager: EntityManager,
  accountName: string,
  code: string | undefined,
): Promise<void> {
  if (code === undefined) throw new Problem('second-factor-required');
  if (/^\s*\d{3}\s?\d{3}\s*$/.test(code)) return takeStep(manager, accountName, code);
  const { affected } = await manager.delete(RecoveryCode, {
    accountName,
    codeHash: codeHash(code),
  });
  if (affected !== 1) throw new Problem('wrong-code');
}

/**
 * Accepts a code of the authenticator and notes its time step, so that no code counts twice. Throws
 * `wrong-code` otherwise.
 */
export async function takeStep(
  manager: EntityManager,
  accountName: string,
  code: string,
): Promise<void> {
  const kept = await manager.findOne(Totp, {
    where: { accountName },
    lock: { mode: 'pessimistic_write' },
  });
  if (!kept) throw new Problem('wrong-code');
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) throw new Problem('wrong-code'); // `validate` throws for some texts
  const timestamp = Date.now();
  const delta = generatorOf(accountName, Secret.fromBase32(kept.secret)).validate({
    ...{ token, timestamp },
    window: STEPS_AROUND,
  });
  const step = Math.floor(timestamp / 1000 / PERIOD_S) + (delta ?? 0);
  if (delta === null || step <= kept.lastStep) throw new Problem('wrong-code');
  await manager.update(Totp, { accountName }, { lastStep: step });
}

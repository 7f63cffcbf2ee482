import { hashPassword } from '#built/apps/api/src/identity/credentials/passwords';
import { newToken } from '#built/apps/api/src/identity/credentials/bearer-token';
import { connected } from './stack.mjs';

/** The password of all accounts. */
export const PASSWORD = 'a password for the bench';

/** @typedef {{ roles: string[], tables: string[] }} Account */

/**
 * Returns the name of an account, and of its person.
 * @type {(n: number) => string}
 */
export const nameOf = (n) => `bench-${n}`;

/**
 * Inserts accounts with a session each and one password for all, and returns their tokens. Hashing
 * a password for each would take minutes.
 * @param {string} databaseUrl
 * @param {readonly Account[]} accounts
 */
export async function sessions(databaseUrl, accounts) {
  const client = await connected(databaseUrl);
  const hash = await hashPassword(PASSWORD);
  const tokens = [];
  for (const [n, { roles, tables }] of accounts.entries()) {
    const token = newToken('sps');
    await client.query(
      `insert into access.account (name, person, password_hash, roles, tables, created_by) values ($1, $1, $2, $3, $4, 'system/bench')`,
      [nameOf(n), hash, roles, tables],
    );
    await client.query(
      `insert into access.session (id, account_name, token_hash, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
      [token.id, nameOf(n), token.hash],
    );
    tokens.push(token.text);
  }
  await client.end();
  return tokens;
}

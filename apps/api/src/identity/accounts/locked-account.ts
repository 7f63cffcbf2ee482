import type { EntityManager } from 'typeorm';
import { Account } from '../database/access.entities.js';
import { NAME } from '../scope-fields.js';

/** Returns an account, locked until the transaction ends, or null if nobody has the name. */
export const lockedAccount = async (
  manager: EntityManager,
  name: string,
): Promise<Account | null> =>
  NAME.test(name)
    ? manager.findOne(Account, { where: { name }, lock: { mode: 'pessimistic_write' } })
    : null;

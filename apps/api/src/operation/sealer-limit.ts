import { HOUSE_TABLE } from '#audit';
import { limitToKey } from '#event-log';
import { SEALER_ROLE } from '#seal-store';

/**
 * Lets the database user of the sealer append to the record of the house and to no table. `url` is
 * the address of the log's owner.
 */
export const limitSealer = (url: string): Promise<void> =>
  limitToKey(url, { role: SEALER_ROLE, key: HOUSE_TABLE });

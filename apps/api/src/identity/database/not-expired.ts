import { Raw } from 'typeorm';

/**
 * Holds while a time of expiry lies ahead. The database's clock decides, as it does for sessions:
 * servers whose clocks differ agree, and no part of a millisecond is lost on the way.
 */
export const notExpired = () => Raw((column) => `${column} > now()`);

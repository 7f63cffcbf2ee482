import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedCluster } from './postgres/embedded-cluster.js';

/**
 * Leaves room for a bulk load between checkpoints, and for the pages that a day of play touches.
 */
const DATABASE_SETTINGS = { max_wal_size: '2GB', shared_buffers: '256MB' };

/**
 * Returns the PostgreSQL cluster of a data folder, not yet started. Its output goes to
 * `postgres.log` in the folder. `note` receives what an operator should know about how it runs.
 */
export const folderCluster = (data: string, note: (line: string) => void): EmbeddedCluster =>
  new EmbeddedCluster({
    note,
    dir: data,
    database: 'shoeprint',
    settings: DATABASE_SETTINGS,
    log: (line) => appendFileSync(join(data, 'postgres.log'), `${line}\n`, { mode: 0o600 }),
  });

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedCluster } from './postgres/embedded-cluster.js';

/** Room for a bulk load between checkpoints, and for the pages that a day touches. */
const DATABASE_SETTINGS = { max_wal_size: '2GB', shared_buffers: '256MB' };

/** The PostgreSQL of a data folder, not started; what it says goes to `postgres.log` there. */
export const clusterOf = (data: string): EmbeddedCluster =>
  new EmbeddedCluster({
    dir: data,
    database: 'shoeprint',
    settings: DATABASE_SETTINGS,
    log: (line) => appendFileSync(join(data, 'postgres.log'), `${line}\n`, { mode: 0o600 }),
  });

// A process that only watches: it records, by the machine's monotonic clock, when it was notified
// that rows reached a position.
import pg from 'pg';
import { positionsFrom } from '#read-model';
import { clock } from '../measure.mjs';

/**
 * Three numbers for each position seen: when, its partition and its offset.
 * @typedef {{ seen: Float64Array }} Observed
 */

/** @type {number[]} */
const seen = [];

/** @param {{ databaseUrl: string }} order */
async function watch({ databaseUrl }) {
  const client = new pg.Client(databaseUrl);
  client.on('notification', ({ payload = '' }) => {
    const at = clock();
    for (const [partition, next] of positionsFrom(payload)) seen.push(at, partition, next);
  });
  await client.connect();
  await client.query('listen shoeprint_rows');
  process.on('message', () => void process.send?.({ seen: Float64Array.from(seen) }));
  process.on('disconnect', () => process.exit(0));
  process.send?.('watching');
}

process.once('message', (/** @type {{ databaseUrl: string }} */ order) => void watch(order));

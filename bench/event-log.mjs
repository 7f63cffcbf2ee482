// Measures the log in PostgreSQL, on an embedded server with fsync on: single live events by 32
// callers; the time of one append at a given rate, alone and beside a bulk load; blocks of 60 kB.
// Run: npm run build && node bench/event-log.mjs [seconds a round]
import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresLog } from '#event-log';
import { EmbeddedCluster } from '#built/apps/standalone/src/postgres/embedded-cluster';
import { quantile } from './measure.mjs';

const SECONDS = Number(process.argv[2] ?? 4);
const PARTITIONS = 16;
const BLOCK_BYTES = 60_000;

/** @type {(n: number) => string} */
const line = (n) =>
  JSON.stringify({
    specversion: '1.0',
    type: 'shoeprint.card-drawn.v1',
    source: 'device/T12-shoe',
    id: `shoe/1/${n}`,
    time: new Date(1.79e12 + n * 2113).toISOString(),
    table: 'T12',
    shoe: `S${n >> 9}`,
    session: '1',
    sequence: n,
    data: {
      card: `${'A23456789TJQK'[(n * 7919) % 13]}${'SHDC'[(n * 31) % 4]}`,
      to: n % 2 ? 'player' : 'banker',
    },
    receivedfrom: 'device/T12-shoe',
    receivedtime: new Date(1.79e12 + n * 2113 + ((n * 7919) % 97)).toISOString(),
  });

let made = 0;
const events = Array.from({ length: 1000 }, () => Buffer.from(line(made++)));
const blocks = Array.from({ length: 64 }, () => {
  /** @type {string[]} */
  const lines = [];
  for (let bytes = 0; ;) {
    const next = line(made++);
    bytes += next.length + 1;
    if (bytes > BLOCK_BYTES) return { lines: lines.length, value: Buffer.from(lines.join('\n')) };
    lines.push(next);
  }
});

/**
 * Returns the item at an index that repeats.
 * @template Item
 * @param {readonly Item[]} items
 * @param {number} n
 */
const cycled = (items, n) => /** @type {Item} */ (items[n % items.length]);

/** @type {(log: PostgresLog, n: number) => Promise<unknown>} */
const live = (log, n) =>
  log.append({
    partition: n % PARTITIONS,
    records: [{ key: `T${n % 600}`, value: cycled(events, n) }],
    urgency: 'live',
  });
/** @type {(times: readonly number[]) => string} */
const quantiles = (times) => {
  const sorted = Float64Array.from(times).sort();
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(sorted, q).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;
};

/** @type {(log: PostgresLog, count: number) => Promise<string>} */
async function callers(log, count) {
  const until = performance.now() + SECONDS * 1000;
  /** @type {number[]} */
  const times = [];
  await Promise.all(
    Array.from({ length: count }, async (_, caller) => {
      for (let n = caller; performance.now() < until; n += count) {
        const from = performance.now();
        await live(log, n);
        times.push(performance.now() - from);
      }
    }),
  );
  return `${Math.round(times.length / SECONDS)} appends/s, ${quantiles(times)}`;
}

/**
 * Appends at a rate, whatever the outcome. Times are measured from when each append was due.
 * @param {PostgresLog} log
 * @param {number} perSecond
 */
async function atRate(log, perSecond) {
  const begun = performance.now();
  /** @type {number[]} */
  const times = [];
  const appends = [];
  for (let n = 0; n < perSecond * SECONDS;) {
    const due = Math.floor(((performance.now() - begun) * perSecond) / 1000);
    for (; n <= due && n < perSecond * SECONDS; n += 1) {
      const wanted = begun + (n * 1000) / perSecond;
      appends.push(live(log, n).then(() => times.push(performance.now() - wanted)));
    }
    await pause(1);
  }
  await Promise.all(appends);
  return quantiles(times);
}

/**
 * Appends blocks from several writers for some seconds.
 * @param {PostgresLog} log
 * @param {number} writers
 */
async function bulk(log, writers, seconds = SECONDS) {
  const until = performance.now() + seconds * 1000;
  const begun = performance.now();
  let [bytes, count] = [0, 0];
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = writer; performance.now() < until; n += writers) {
        const records = Array.from({ length: 8 }, (_, at) => cycled(blocks, n * 8 + at));
        await log.append({
          partition: n % PARTITIONS,
          records: records.map(({ value }) => ({ key: 'T12', value })),
          urgency: 'bulk',
        });
        bytes += records.reduce((sum, { value }) => sum + value.length, 0);
        count += records.reduce((sum, { lines }) => sum + lines, 0);
      }
    }),
  );
  const spent = (performance.now() - begun) / 1000;
  return `${Math.round(bytes / 1e6 / spent)} MB/s, ${Math.round(count / spent / 1000)} k events/s`;
}

/** @type {(log: PostgresLog) => Promise<string>} */
async function followed(log) {
  const heads = await Promise.all(
    Array.from({ length: PARTITIONS }, (_, partition) => log.head(partition)),
  );
  const begun = performance.now();
  let [bytes, records] = [0, 0];
  const left = new Set(heads.keys());
  await new Promise((resolve, reject) => {
    const follower = log.follow({
      take: async (partition, taken) => {
        records += taken.length;
        for (const { value } of taken) bytes += value.length;
        if ((taken.at(-1)?.offset ?? -1) + 1 >= (heads[partition] ?? 0)) left.delete(partition);
        if (left.size === 0) resolve(undefined);
      },
      stopped: (_, why) => reject(why),
    });
    for (const [partition, head] of heads.entries())
      if (head > 0) follower.add(partition, 0);
      else left.delete(partition);
  });
  const spent = (performance.now() - begun) / 1000;
  return `${records} records, ${Math.round(bytes / 1e6 / spent)} MB/s`;
}

const dir = mkdtempSync('bench-event-log-');
const cluster = new EmbeddedCluster({ dir: `${process.cwd()}/${dir}`, database: 'bench' });
try {
  await cluster.start();
  const log = await PostgresLog.open({ url: cluster.url, partitions: PARTITIONS });
  await callers(log, 4);
  console.log(`power-safe: ${(await log.health()).powerSafe}; ${SECONDS} s a round`);
  console.log(`1 caller, live:          ${await callers(log, 1)}`);
  console.log(`32 callers, live:        ${await callers(log, 32)}`);
  for (const rate of [200, 2000, 6000])
    console.log(`${String(rate).padEnd(5)} live/s:           ${await atRate(log, rate)}`);
  for (const writers of [1, 4, 16])
    console.log(`${String(writers).padEnd(2)} writers, 60 kB blocks: ${await bulk(log, writers)}`);
  const load = bulk(log, 4, SECONDS + 1);
  await pause(500);
  console.log(`2000  live/s beside it:  ${await atRate(log, 2000)}, and bulk ${await load}`);
  console.log(`followed from 0:         ${await followed(log)}`);
  const { sends, records, failures } = log.stats();
  console.log(`${sends} sends, ${records} records, ${failures} failures`);
  await log.close();
} finally {
  await cluster.stop();
  rmSync(dir, { recursive: true, force: true });
}

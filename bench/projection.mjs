// Measures folding events into rows: bulk from a log in memory with blocks, and live from append to
// visible row. Uses PostgreSQL as the tests do.
// Run: npm run build && node bench/projection.mjs [bulk|live]
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { simulate, stamped } from '#audit';
import { MemoryLog, partitionOf } from '#event-log';
import { installedRules } from '#rule-folder';
import { startAuditor, SILENT } from '#auditor';
import { setup, teardown } from '../test/setup/postgres.mjs';

const [what = 'bulk'] = process.argv.slice(2);
const book = installedRules();
const DAYS = [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }];
await setup();
const admin = new pg.Client(process.env.TEST_DATABASE_URL);
await admin.connect();

async function database() {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  await admin.query(`create database ${name}`);
  const url = new URL(process.env.TEST_DATABASE_URL);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin.query(`drop database ${name} with (force)`) };
}

const linesAt = (table, { bets, shoes }) =>
  [...simulate({ rules: book.get('punto-banco@1'), bets, seed: table, shoes, table }).lines].map(
    (line) => stamped(line, `device/${table}`, new Date().toISOString()),
  );

function blocks(table, lines, size) {
  const records = [];
  for (let at = 0; at < lines.length; at += size)
    records.push({ key: table, value: Buffer.from(lines.slice(at, at + size).join('\n')) });
  return records;
}

async function bulk(bets, tables, shoes, size) {
  const { url, drop } = await database();
  const log = new MemoryLog({ partitions: 16, queueBytesMax: 1 << 30 });
  let events = 0;
  for (let t = 1; t <= tables; t += 1) {
    const table = `T${t}`;
    const lines = linesAt(table, { bets, shoes });
    events += lines.length;
    log.store.append([{ partition: partitionOf(table, 16), records: blocks(table, lines, size) }]);
  }
  const began = performance.now();
  const cpu = process.cpuUsage();
  const auditor = await startAuditor({
    log,
    databaseUrl: url,
    book,
    gamingDays: DAYS,
    journal: SILENT,
  });
  const caughtUp = async () =>
    (await auditor.positions()).every(
      ({ partition, next }) => next === log.store.of(partition).length,
    );
  while (!(await caughtUp())) await new Promise((resolve) => setTimeout(resolve, 20));
  const s = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const commits = (
    await auditor.registry.getSingleMetric('shoeprint_projection_commits_total').get()
  ).values[0]?.value;
  console.log(
    JSON.stringify({
      bulk: bets ? 'bets' : 'cards',
      tables,
      events,
      s: +s.toFixed(2),
      perS: Math.round(events / s),
      cpuS: +((user + system) / 1e6).toFixed(2),
      commits,
    }),
  );
  const again = performance.now();
  await auditor.close();
  const closed = performance.now();
  const next = await startAuditor({
    log,
    databaseUrl: url,
    book,
    gamingDays: DAYS,
    journal: SILENT,
  });
  while (next.stats().following.length < 16) await new Promise((resolve) => setTimeout(resolve, 2));
  console.log(
    JSON.stringify({
      closeMs: Math.round(closed - again),
      takeoverMs: Math.round(performance.now() - closed),
    }),
  );
  await next.close();
  await log.close();
  await drop();
}

async function live(perSecond, tables, seconds) {
  const { url, drop } = await database();
  const log = new MemoryLog({ partitions: 16 });
  const auditor = await startAuditor({
    log,
    databaseUrl: url,
    book,
    gamingDays: DAYS,
    journal: SILENT,
  });
  const lines = Array.from({ length: tables }, (_, t) =>
    linesAt(`T${t + 1}`, { bets: true, shoes: 1 }),
  );
  const listener = new pg.Client(url);
  await listener.connect();
  await listener.query('listen shoeprint_rows');
  const visible = new Map();
  listener.on('notification', ({ payload }) => {
    const now = performance.now();
    for (const part of payload.split(',')) {
      const [p, n] = part.split(':').map(Number);
      const waiting = visible.get(p) ?? [];
      while (waiting.length > 0 && waiting[0].next <= n) latencies.push(now - waiting.shift().at);
    }
  });
  const latencies = [];
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let sent = 0; sent < perSecond * seconds;) {
    const due = Math.min(
      perSecond * seconds,
      Math.floor(((performance.now() - began) / 1000) * perSecond),
    );
    for (; sent < due; sent += 1) {
      const t = sent % tables;
      const table = `T${t + 1}`;
      const line = lines[t][Math.floor(sent / tables) % lines[t].length];
      const partition = partitionOf(table, 16);
      const at = performance.now();
      log
        .append({ partition, records: [{ key: table, value: Buffer.from(line) }], urgency: 'live' })
        .then(({ next }) => {
          if (!visible.has(partition)) visible.set(partition, []);
          visible.get(partition).push({ next, at });
        });
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  while ([...visible.values()].some((waiting) => waiting.length > 0))
    await new Promise((resolve) => setTimeout(resolve, 10));
  latencies.sort((a, b) => a - b);
  const { user, system } = process.cpuUsage(cpu);
  const at = (q) =>
    +latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))].toFixed(1);
  console.log(
    JSON.stringify({
      live: perSecond,
      tables,
      n: latencies.length,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      cpu: +((user + system) / 1e6 / seconds).toFixed(2),
    }),
  );
  await listener.end();
  await auditor.close();
  await log.close();
  await drop();
}

if (what === 'bulk') {
  await bulk(true, 48, 3, 100);
  await bulk(false, 48, 6, 150);
} else {
  await live(200, 60, 10);
  await live(2000, 600, 10);
}
await admin.end();
await teardown();

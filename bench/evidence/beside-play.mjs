// Plays at 120 tables of a server with a sealer while the package of another table is made, again
// and again, with a pause after each. Prints scan to visible during both.
//   npm run build && node bench/evidence/beside-play.mjs [EVENTS/S] [SECONDS] [EVENTS OF THE TABLE]
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresLog } from '#event-log';
import { nodeCryptography } from '#evidence/node';
import { PackageRows } from '#read-model';
import { SealReader } from '#seal-store';
import { clock } from '../measure.mjs';
import { asked, letGo, load, started } from '../server/children.mjs';
import { reached } from '../server/bulk.mjs';
import { headsOf, ms, quantiles, visibleAt } from '../server/live.mjs';
import { startMachine, startServer } from '../server/stack.mjs';
import { made } from './making.mjs';
import { play, settled } from './sealed-server.mjs';
import { startSealer } from './sealer.mjs';

const [perSecond = 200, seconds = 240, events = 200_000] = process.argv.slice(2).map(Number);
const TABLES = 120;
const CONNECTIONS = 64;
/** Node and the server compile hot code meanwhile, and the first packages are not counted. */
const WARM_MS = 15_000;
const TABLE = 'B01';
/** A pause between packages is at least so long. */
const PAUSE_MS_MIN = 10_000;

const machine = await startMachine({ kafka: false });
/** @type {(() => unknown)[]} */
const stops = [() => machine.stop()];
const cleanUp = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
};
try {
  const server = await startServer(machine, 'postgres');
  stops.push(() => server.stop());
  const folder = join(machine.dir, 'seal');
  const sealer = await startSealer(server.env, folder);
  stops.push(() => sealer.end());
  const { databaseUrl: url } = server;
  const partitions = Number(server.env.SHOEPRINT_PARTITIONS);
  const log = await PostgresLog.open({ url, partitions });
  const rows = await PackageRows.open(url);
  const seals = SealReader.open(url, nodeCryptography.sha256);
  stops.push(() => Promise.all([log.close(), rows.close(), seals.close()]));
  const game = { tables: [TABLE], records: events, linesARecord: 1 };
  await play(log, game);
  await settled({ log, rows, seals }, game);

  const observer = await started('observer', { databaseUrl: url });
  const sender = await started('live-sender', {
    ...{ perSecond, seconds, tables: TABLES, connections: CONNECTIONS },
    ...{ port: server.port, token: server.token },
  });
  const began = clock();
  const sending = asked(sender);
  const exports = { setting: 'exports.key', path: join(folder, 'exports.key') };
  const table = { table: TABLE, databaseUrl: url, partitions, folder, keyFiles: { exports } };
  /** @type {{ from: number, to: number }[]} */
  const makings = [];
  const until = began + seconds * 1_000;
  await pause(WARM_MS);
  while (clock() < until) {
    const from = clock();
    await made(table, join(folder, 'package.zip'));
    makings.push({ from, to: clock() });
    await pause(Math.min(Math.max(PAUSE_MS_MIN, clock() - from), Math.max(0, until - clock())));
  }
  const sent = await sending;
  if (sent.failed > 0) throw new Error(`${sent.failed} failed: ${sent.failures.join(' | ')}`);
  await reached(url, headsOf(sent.events));
  const { seen } = await asked(observer);
  letGo(observer);
  letGo(sender);
  const visible = visibleAt(seen);
  const warm = sent.events.filter((event) => event.sent > began + WARM_MS);
  const isBeside = (/** @type {{ sent: number }} */ event) =>
    makings.some(({ from, to }) => event.sent >= from && event.sent <= to);
  const spent = makings.map(({ from, to }) => ((to - from) / 1_000).toFixed(0));
  console.log(
    `${perSecond} events/s at ${TABLES} tables, ${makings.length} packages of ${events} events in ${spent.join(', ')} s, load ${load()}`,
  );
  /** @type {(name: string, these: typeof warm) => void} */
  const print = (name, these) => {
    const until = (/** @type {(event: typeof warm[number]) => number} */ msOf) =>
      ms(quantiles(these, msOf));
    const shown = until((event) => visible(event) - event.sent);
    const fromDue = until((event) => visible(event) - event.due);
    const acknowledged = until((event) => event.answered - event.sent);
    console.log(`  ${name}: ${these.length} events, p50 / p99 / max in ms`);
    console.log(`    visible ${shown} | from when due ${fromDue} | acknowledged ${acknowledged}`);
  };
  print(
    'without',
    warm.filter((event) => !isBeside(event)),
  );
  print('beside', warm.filter(isBeside));
} finally {
  await cleanUp();
}

// Measures a gateway as it runs beside a table: its own process, a real TCP port, a spool on this
// disk, and a standalone server on this machine; and beside it a bare script that reads the port
// and posts each event at once, keeping nothing (bare.mjs).
//   npm run bench:gateway [-- --rounds 9] [--only pace,lines,rubbish,backlog,memory,spool,install]
//     [--backlog 100000] [--frames 1000000]
// `spool` is bench/gateway/spool.mjs. `install` is npm ci of what is committed, in a folder of its
// own.
import { fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clock, quantile, spread } from '../measure.mjs';
import { freePort, Gateway } from './gateway.mjs';
import { load } from '../server/children.mjs';
import { startMachine, startServer } from '../server/stack.mjs';
import { LineDevice, played, reports } from './line-device.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    only: { type: 'string', default: 'pace,lines,rubbish,backlog,memory,spool,install' },
    backlog: { type: 'string', default: '100000' },
    frames: { type: 'string', default: '1000000' },
  },
});
const ROUNDS = Number(values.rounds);
const PARTS = values.only.split(',');
/** Events a second of a busy table, and how many of them a round sends. */
const PACE = 10;
const PACED = 60;
/** Events that one device sends in a round, and that each of eight sends. */
const SENT = 5_000;
const DEVICES = 8;
const EACH = 1_500;

const RUBBISH_BYTES = 10_000_000;
const PIECE_BYTES = 50_000;

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-gateway-'));
let boots = 1_000;

const deviceAt = (/** @type {number} */ port, plays = true) =>
  new LineDevice(port, plays ? played() : reports(), (boots += 1));

/**
 * Forwards requests to a server, and notes when each event was answered 202.
 * @param {number} port
 */
async function noting(port) {
  /** @type {Map<string, number>} */
  const answered = new Map();
  const agent = new Agent({ keepAlive: true });
  const server = createServer((asked, answer) => {
    /** @type {Buffer[]} */
    const chunks = [];
    asked.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    asked.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method, url, headers } = asked;
      const to = request({ ...{ port, agent, method, path: url, headers } }, (from) => {
        const now = clock();
        if (from.statusCode === 202)
          for (const [, id = ''] of body.toString().matchAll(/"id":"[^"]*?(\d+\/\d+)"/g))
            answered.set(id, now);
        answer.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(answer);
      });
      to.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const own = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  return {
    port: own,
    answered,
    close: () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

/** @type {(title: string, values: readonly number[], digits?: number) => void} */
const show = (title, values, digits = 2) => {
  const { min, median, max } = spread(values);
  const [a, b, c] = [median, min, max].map((each) => each.toFixed(digits));
  console.log(`${title.padEnd(60)} ${a} (${b}-${c})`);
};

/** @type {(values: readonly number[], q: number) => number} */
const at = (values, q) =>
  quantile(
    values.toSorted((a, b) => a - b),
    q,
  );

/**
 * Sends events at the pace of a table. Returns when each was sent, by its id.
 * @param {LineDevice} device
 */
async function paced(device) {
  /** @type {Map<string, number>} */
  const sent = new Map();
  for (let n = 0; n < PACED; n += 1) {
    const id = `${device.boot}/${device.acked + 1}`;
    sent.set(id, clock());
    await device.send(1);
    await pause(1_000 / PACE);
  }
  return sent;
}

/**
 * Waits until each event was answered, and returns the time from its last byte to then.
 * @param {ReadonlyMap<string, number>} sent
 * @param {ReadonlyMap<string, number>} answered
 */
async function answeredAfter(sent, answered) {
  const until = clock() + 30_000;
  while ([...sent.keys()].some((id) => !answered.has(id))) {
    if (clock() > until) throw new Error('an event was not answered');
    await pause(20);
  }
  return [...sent].map(([id, from]) => (answered.get(id) ?? NaN) - from);
}

/** @type {(server: import('../server/stack.mjs').Server) => Promise<void>} */
async function pace(server) {
  const proxy = await noting(server.port);
  const api = { port: proxy.port, token: server.token };
  const gateway = await Gateway.of(folder, api, 1);
  await gateway.start();
  const device = deviceAt(gateway.ports[0] ?? 0, false);
  const bare = fork(fileURLToPath(new URL('bare.mjs', import.meta.url)));
  bare.send({ url: `http://127.0.0.1:${proxy.port}`, token: server.token });
  const barePort = await new Promise((resolve) => bare.once('message', resolve));
  const other = deviceAt(Number(barePort), false);
  /** @type {Record<'p50' | 'p99' | 'ours' | 'theirs' | 'ratio', number[]>} */
  const found = { p50: [], p99: [], ours: [], theirs: [], ratio: [] };
  await Promise.all([paced(device), paced(other)]); // warm
  for (let round = 0; round < ROUNDS; round += 1) {
    device.latencies = [];
    const ours = await answeredAfter(await paced(device), proxy.answered);
    const theirs = await answeredAfter(await paced(other), proxy.answered);
    found.p50.push(at(device.latencies, 0.5));
    found.p99.push(at(device.latencies, 0.99));
    found.ours.push(at(ours, 0.5));
    found.theirs.push(at(theirs, 0.5));
    found.ratio.push(at(ours, 0.5) / at(theirs, 0.5));
  }
  show(`last byte to its acknowledgement at ${PACE}/s, p50, ms`, found.p50);
  show('the same, p99', found.p99);
  show('last byte to 202, p50, ms', found.ours);
  show('the same by the bare script', found.theirs);
  show('ratio (aim 1.3)', found.ratio);
  for (const each of [device, other]) each.close();
  bare.disconnect();
  await gateway.stop();
  proxy.close();
}

/** @type {(server: import('../server/stack.mjs').Server) => Promise<void>} */
async function lines(server) {
  const gateway = await Gateway.of(folder, server, DEVICES);
  await gateway.start();
  const devices = gateway.ports.map((port, nth) => deviceAt(port, nth === 0));
  const [first] = /** @type {[LineDevice]} */ (/** @type {unknown} */ (devices));
  await first.send(SENT);
  /** @type {Record<'one' | 'eight' | 'cpu', number[]>} */
  const found = { one: [], eight: [], cpu: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    found.one.push(SENT / (await first.send(SENT)));
    const before = gateway.cpu();
    const from = clock();
    await Promise.all(devices.map((device) => device.send(EACH)));
    found.eight.push((DEVICES * EACH * 1_000) / (clock() - from));
    found.cpu.push(((gateway.cpu() - before) * 1_000) / (DEVICES * EACH));
  }
  show('acknowledged lines/s, one device (aim 2,000)', found.one, 0);
  show('eight devices of one table, together (aim 4,000)', found.eight, 0);
  show('processor time a frame, delivery included, µs', found.cpu, 0);
  for (const each of devices) each.close();
  await gateway.stop();
}

/**
 * Sends random bytes to a port at full speed, and resolves with the seconds that this took.
 * @param {number} port
 */
async function rubbishTo(port) {
  const from = clock();
  const socket = connect({ port, host: '127.0.0.1' });
  const lost = new Promise((_resolve, reject) =>
    socket.once('close', () => reject(new Error(`the gateway closed port ${port}`))),
  );
  lost.catch(() => undefined);
  socket.on('error', () => undefined).resume();
  for (let left = RUBBISH_BYTES; left > 0; left -= PIECE_BYTES)
    if (!socket.write(randomBytes(PIECE_BYTES)))
      await Promise.race([lost, new Promise((resolve) => socket.once('drain', resolve))]);
  await new Promise((resolve) => socket.end(() => resolve(undefined)));
  return (clock() - from) / 1_000;
}

/** @type {(server: import('../server/stack.mjs').Server) => Promise<void>} */
async function rubbish(server) {
  const gateway = await Gateway.of(folder, server, 2, true);
  await gateway.start();
  const [port = 0, noise = 0] = gateway.ports;
  const device = deviceAt(port);
  await paced(device);
  const before = gateway.memory().now;
  device.latencies = [];
  const sending = { isOver: false };
  const noises = Promise.all([rubbishTo(noise), rubbishTo(gateway.shoe ?? 0)]);
  void noises.then(() => (sending.isOver = true));
  while (!sending.isOver) await paced(device);
  const [ofLine, ofShoe] = await noises;
  const { now, most } = gateway.memory();
  show('last byte to its acknowledgement beside rubbish, p50, ms', [at(device.latencies, 0.5)]);
  show('the longest (aim 1,000)', [Math.max(...device.latencies)]);
  console.log(
    `10 MB into line-1 in ${ofLine.toFixed(0)} s, into angel-eye-ii-ex in ${ofShoe.toFixed(0)} s;` +
      ` memory ${before.toFixed(0)} MiB before, ${now.toFixed(0)} after, at most ${most.toFixed(0)}`,
  );
  device.close();
  await gateway.stop();
}

/** @type {(server: import('../server/stack.mjs').Server) => Promise<void>} */
async function backlog(server) {
  const count = Number(values.backlog);
  /** @type {number[]} */
  const rates = [];
  for (let round = 0; round < Math.min(3, ROUNDS); round += 1) {
    const nobody = { port: await freePort(), token: server.token };
    const gateway = await Gateway.of(folder, nobody, DEVICES);
    await gateway.start();
    const devices = gateway.ports.map((port, nth) => deviceAt(port, nth === 0));
    await Promise.all(devices.map((device) => device.send(Math.ceil(count / DEVICES))));
    for (const each of devices) each.close();
    await gateway.stop();
    gateway.deliverTo(server);
    await gateway.start();
    const from = clock();
    let delivered = 0;
    while (delivered < count) {
      await pause(50);
      delivered = await gateway.figure('delivered_total');
      if (clock() - from > 120_000) throw new Error(`${delivered} of ${count} events after 2 min`);
    }
    rates.push((delivered * 1_000) / (clock() - from));
    await gateway.stop();
  }
  show(`backlog of ${count} events into the api, events/s (aim 15,000)`, rates, 0);
}

/** @type {(server: import('../server/stack.mjs').Server) => Promise<void>} */
async function memory(server) {
  const frames = Number(values.frames);
  const gateway = await Gateway.of(folder, server, DEVICES);
  await gateway.start();
  const devices = gateway.ports.map((port, nth) => deviceAt(port, nth === 0));
  const send = (/** @type {number} */ count) =>
    Promise.all(devices.map((device) => device.send(Math.ceil(count / DEVICES))));
  await send(frames / 10);
  const tenth = gateway.memory();
  await send((frames * 9) / 10);
  const whole = gateway.memory();
  console.log(
    `memory after ${frames / 10} frames: ${tenth.now.toFixed(0)} MiB, at most ${tenth.most.toFixed(0)}`,
  );
  console.log(
    `after ${frames}: ${whole.now.toFixed(0)} MiB, at most ${whole.most.toFixed(0)} (aim 90); ratio of the most ${(whole.most / tenth.most).toFixed(2)} (aim 1.05)`,
  );
  for (const each of devices) each.close();
  await gateway.stop();
}

/** Times the spool by itself. */
function spool() {
  const script = fileURLToPath(new URL('spool.mjs', import.meta.url));
  if (spawnSync(process.execPath, [script], { stdio: 'inherit' }).status !== 0)
    throw new Error('bench/gateway/spool.mjs failed');
}

/** Installs all packages of what is committed, and counts warnings and scripts that run. */
function install() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const clone = join(folder, 'clone');
  spawnSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  // Without it, npm hides what install scripts print.
  const { status, stdout, stderr } = spawnSync('npm', ['ci', '--foreground-scripts'], {
    cwd: clone,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = `${stdout}\n${stderr}`.split('\n');
  const warnings = lines.filter((line) => /^npm warn/i.test(line));
  const scripts = lines.filter((line) => /^> (?!shoeprint@)\S+@\S+ \w+/.test(line));
  console.log(
    `npm ci: exit ${status}, ${warnings.length} warnings, ${scripts.length} scripts of packages run (aim 0, 0)`,
  );
  for (const line of [...warnings, ...scripts]) console.log(`  ${line}`);
}

const served = { pace, lines, rubbish, backlog, memory };
const alone = { spool, install };
try {
  const names = /** @type {(keyof typeof served)[]} */ (Object.keys(served));
  const chosen = names.filter((name) => PARTS.includes(name));
  if (chosen.length > 0) {
    const machine = await startMachine({ kafka: false });
    const server = await startServer(machine, 'standalone');
    try {
      for (const name of chosen) {
        await served[name](server);
        console.log(`load ${load()}`);
      }
    } finally {
      await server.stop();
      await machine.stop();
    }
  }
  for (const name of /** @type {const} */ (['spool', 'install']))
    if (PARTS.includes(name)) alone[name]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

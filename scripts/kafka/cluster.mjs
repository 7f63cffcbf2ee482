// A real Kafka on this machine without Docker, with one KRaft node or three. For tests and for
// `npm run kafka`.
import { spawn, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { kafkaJars } from './jars.mjs';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const START_MS_MAX = 60_000;
const PAUSE_MS_MAX = 10_000;
/**
 * Tests need a short start more than the last tenth of speed: one collector thread, shared class
 * data.
 */
const JVM = ['-XX:+UseSerialGC', '-Xshare:auto', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
/** The fast compiler only. The optimizing one takes longer than it saves in a few minutes. */
const QUICK_COMPILER = '-XX:TieredStopAtLevel=1';

/**
 * A node's ports: the one that it listens on, the one that clients connect to, the one that the
 * other brokers connect to, and its controller's.
 * @typedef {{
 *   id: number, port: number, advertised: number, brokerPort: number, controllerPort: number,
 * }} Node
 */
/** @typedef {{ child: import('node:child_process').ChildProcess, ended: Promise<void> }} Running */

/** Returns a cluster id. The tool that formats a folder would take a leading dash for an option. */
const clusterId = () => randomBytes(16).toString('base64url').replace(/^-/, 'A');

/**
 * Starts `nodes` (1 or 3) brokers in a fresh folder and resolves once all of them answer. Their
 * ports are free ones and stay the same over a restart. `advertise` maps a node's port to the one
 * that clients connect to, such as a proxy's. `isShortLived` saves processor time at the start, at
 * the cost of speed later. The caller stops the cluster with `stop()`. If the caller dies, even by
 * kill -9, the warden kills the brokers.
 * @param {{
 *   nodes?: 1 | 3,
 *   advertise?: (port: number) => number | Promise<number>,
 *   isShortLived?: boolean,
 * }} [options]
 */
export async function startKafka({
  nodes = 1,
  advertise = (port) => port,
  isShortLived = false,
} = {}) {
  const jars = await kafkaJars();
  const dir = await mkdtemp(join(tmpdir(), 'shoeprint-kafka-'));
  const cluster = new KafkaCluster({
    jars,
    dir,
    nodes: await addresses(nodes, advertise),
    id: clusterId(),
    jvm: isShortLived ? [...JVM, QUICK_COMPILER] : JVM,
  });
  try {
    await cluster.format();
    for (const node of cluster.nodes) cluster.start(node.id);
    await cluster.ready();
    return cluster;
  } catch (error) {
    const logs = await cluster.logs();
    await cluster.stop();
    throw new Error(`Kafka did not start: ${messageOf(error)}\n${logs}`, { cause: error });
  }
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** A running cluster of one node or three. Nodes are numbered from 1. */
export class KafkaCluster {
  /** @type {Map<number, Running>} */
  #running = new Map();
  #warden;

  /**
   * @param {{
   *   jars: string, dir: string, nodes: readonly Node[], id: string, jvm: readonly string[],
   * }} options
   */
  constructor({ jars, dir, nodes, id, jvm }) {
    this.jars = jars;
    this.dir = dir;
    this.nodes = nodes;
    this.id = id;
    this.jvm = jvm;
    this.#warden = spawn(process.execPath, [join(here, 'warden.mjs'), dir], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    this.#warden.stdin.on('error', () => undefined); // the warden has exited
    if (this.#warden.stdin instanceof Socket) this.#warden.stdin.unref();
    this.#warden.unref();
  }

  /** Returns host:port of every node, as clients reach it. */
  get brokers() {
    return this.nodes.map(({ advertised }) => `127.0.0.1:${advertised}`);
  }

  async format() {
    await Promise.all(
      this.nodes.map(async (node) => {
        const file = this.#file(node, 'server.properties');
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, properties(node, this.nodes, dirname(file)));
        await run('java', [
          '-Xmx128m',
          QUICK_COMPILER,
          ...JVM,
          '-cp',
          this.#classpath(),
          'kafka.tools.StorageTool',
          'format',
          '-t',
          this.id,
          '-c',
          file,
        ]);
      }),
    );
  }

  /**
   * Starts a node, or restarts it with its ports and its data. Does not wait until it answers: see
   * `ready`.
   * @param {number} id
   */
  start(id) {
    if (this.#running.has(id)) throw new Error(`node ${id} is running`);
    const node = this.#node(id);
    const log = openSync(this.#file(node, 'node.log'), 'a');
    const heap = this.nodes.length > 1 ? '-Xmx320m' : '-Xmx512m';
    const child = spawn(
      'java',
      [
        heap,
        ...this.jvm,
        '-cp',
        this.#classpath(),
        'kafka.Kafka',
        this.#file(node, 'server.properties'),
      ],
      { stdio: ['ignore', log, log], detached: true },
    );
    closeSync(log);
    const ended = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('exit', resolve);
    }).then(() => {
      this.#running.delete(id);
      this.#tell(`-${child.pid}`);
    });
    this.#running.set(id, { child, ended });
    this.#tell(`+${child.pid}`);
    child.unref();
  }

  /**
   * Sends a signal to one node by its process id. Resolves once the node has exited, or once all
   * its threads stand still if the signal pauses it, or at once if the signal resumes it.
   * @param {number} id
   * @param {NodeJS.Signals} [signal]
   */
  async kill(id, signal = 'SIGKILL') {
    const running = this.#running.get(id);
    if (!running) throw new Error(`node ${id} is not running`);
    running.child.ref();
    running.child.kill(signal);
    if (signal === 'SIGSTOP') await paused(Number(running.child.pid));
    else if (signal !== 'SIGCONT') await running.ended;
  }

  /**
   * Starts a node that was killed. Resolves once all running nodes answer.
   * @param {number} id
   */
  async restart(id) {
    this.start(id);
    await this.ready();
  }

  /** Resolves once every running node is in the cluster and answers. */
  async ready() {
    const until = Date.now() + START_MS_MAX;
    const wanted = [...this.#running.keys()];
    /** @type {unknown} */
    let last;
    while (Date.now() < until) {
      const gone = wanted.find((id) => !this.#running.has(id));
      if (gone !== undefined) throw new Error(`node ${gone} ended`);
      try {
        const seen = await Promise.all(
          wanted.map((id) => members(`127.0.0.1:${this.#node(id).port}`)),
        );
        if (seen.every((ids) => wanted.every((id) => ids.includes(id)))) return;
        last = new Error('not every node knows the others yet');
      } catch (error) {
        last = error;
      }
      await pause(50);
    }
    throw new Error(`not within ${START_MS_MAX} ms: ${messageOf(last)}`);
  }

  /** Stops the nodes and deletes the data. */
  async stop() {
    await Promise.all(
      [...this.#running.values()].map(
        ({ child, ended }) => (child.ref(), child.kill('SIGKILL'), ended),
      ),
    );
    await rm(this.dir, { recursive: true, force: true });
    this.#warden.stdin.end();
  }

  /** Returns the last lines that the nodes wrote. */
  async logs() {
    const tails = this.nodes.map(async (node) =>
      (await readFile(this.#file(node, 'node.log'), 'utf8').catch(() => '')).slice(-2000),
    );
    return (await Promise.all(tails)).join('\n');
  }

  /** @param {number} id */
  #node(id) {
    const node = this.nodes.find((one) => one.id === id);
    if (!node) throw new Error(`unknown node ${id}`);
    return node;
  }

  /** @type {(node: Node, name: string) => string} */
  #file = (node, name) => join(this.dir, `node-${node.id}`, name);
  #classpath = () => join(this.jars, '*');
  /** @type {(line: string) => unknown} */
  #tell = (line) => this.#warden.stdin.writable && this.#warden.stdin.write(`${line}\n`);
}

/**
 * Resolves once every thread of a process stands still. A signal only asks for that: on a busy
 * machine, a broker could answer one more request. Resolves at once where there is no /proc.
 * @param {number} pid
 */
async function paused(pid) {
  const threads = `/proc/${pid}/task`;
  const until = Date.now() + PAUSE_MS_MAX;
  while (Date.now() < until) {
    const ids = await readdir(threads).catch(() => []);
    const states = await Promise.all(
      ids.map((id) => readFile(join(threads, id, 'stat'), 'utf8').catch(() => '')),
    );
    // The state follows the name, which is in parentheses and can contain some itself.
    if (states.every((state) => state === '' || /^.*\) T /s.test(state))) return;
    await pause(5);
  }
  throw new Error(`process ${pid} did not stop within ${PAUSE_MS_MAX} ms`);
}

/**
 * Returns the ids of the nodes that this one knows.
 * @param {string} broker
 */
async function members(broker) {
  const admin = new kafkajs.Kafka({
    brokers: [broker],
    clientId: 'shoeprint-launcher',
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 500,
    requestTimeout: 2000,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    return brokers.map(({ nodeId }) => nodeId);
  } finally {
    await admin.disconnect();
  }
}

/**
 * Returns nodes with free ports below the range of outgoing connections, so that no connection
 * takes a node's port while it is down.
 * @param {number} count
 * @param {(port: number) => number | Promise<number>} advertise
 * @returns {Promise<Node[]>}
 */
async function addresses(count, advertise) {
  /** @type {number[]} */
  const free = [];
  while (free.length < count * 3) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (!free.includes(port) && (await isFree(port))) free.push(port);
  }
  const own = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    port: /** @type {number} */ (free[at * 3]),
    brokerPort: /** @type {number} */ (free[at * 3 + 1]),
    controllerPort: /** @type {number} */ (free[at * 3 + 2]),
  }));
  return Promise.all(
    own.map(async (node) => ({ ...node, advertised: await advertise(node.port) })),
  );
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/**
 * Returns a node's settings. After a broker is killed, sending resumes within 3 to 6 s with these
 * timeouts, and within 12 s with the defaults.
 * @param {Node} node
 * @param {readonly Node[]} nodes
 * @param {string} dir
 */
function properties(node, nodes, dir) {
  const copies = nodes.length;
  return `process.roles=broker,controller
node.id=${node.id}
controller.quorum.voters=${nodes.map((one) => `${one.id}@127.0.0.1:${one.controllerPort}`).join(',')}
listeners=PLAINTEXT://127.0.0.1:${node.port},BROKERS://127.0.0.1:${node.brokerPort},CONTROLLER://127.0.0.1:${node.controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${node.advertised},BROKERS://127.0.0.1:${node.brokerPort}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,BROKERS:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=BROKERS
controller.listener.names=CONTROLLER
log.dirs=${join(dir, 'data')}
auto.create.topics.enable=false
default.replication.factor=${copies}
min.insync.replicas=${copies > 1 ? 2 : 1}
unclean.leader.election.enable=false
offsets.topic.replication.factor=${copies}
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=${copies}
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=1500
broker.heartbeat.interval.ms=300
controller.quorum.election.timeout.ms=300
controller.quorum.fetch.timeout.ms=1000
`;
}

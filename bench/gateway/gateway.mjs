// A gateway in a process of its own, for a table of its own, with its spool in a folder.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clock } from '../measure.mjs';

const main = fileURLToPath(new URL('../../dist/apps/gateway/src/main.js', import.meta.url));
const LOOK_MS = 5;

/**
 * Where events are sent, and the key that may write them.
 * @typedef {{ port: number, token: string }} Api
 */

/** Ports that were handed out. The system may offer one again as long as nobody listens at it. */
const taken = new Set();

/** @returns {Promise<number>} */
export async function freePort() {
  for (;;) {
    const port = await offeredPort();
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
}

/** @returns {Promise<number>} */
const offeredPort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

const shoeAt = (/** @type {string} */ table, /** @type {number} */ port) => ({
  ...{ name: `${table}-shoe`, protocol: 'angel-eye-ii-ex' },
  port: { listen: `127.0.0.1:${port}` },
});

let tables = 0;

/** A gateway with devices on line protocol 1. */
export class Gateway {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #said = '';

  /**
   * @param {string} folder
   * @param {string} table
   * @param {readonly number[]} ports Of its devices on line protocol 1.
   * @param {{ health: number, shoe?: number }} others
   */
  constructor(folder, table, ports, { health, shoe }) {
    this.folder = folder;
    this.table = table;
    this.ports = ports;
    this.health = health;
    this.shoe = shoe;
  }

  /**
   * Makes a gateway of a table of its own. It does not run yet.
   * @param {string} folder
   * @param {Api} api
   * @param {number} devices
   * @param {boolean} hasShoe Whether a shoe that is only heard has a port, too.
   */
  static async of(folder, api, devices, hasShoe = false) {
    const ports = await Promise.all(Array.from({ length: devices }, freePort));
    const table = `G${(tables += 1)}`;
    const gateway = new Gateway(join(folder, table), table, ports, {
      health: await freePort(),
      ...(hasShoe ? { shoe: await freePort() } : {}),
    });
    gateway.deliverTo(api);
    return gateway;
  }

  /**
   * Writes its configuration.
   * @param {Api} api
   */
  deliverTo({ port, token }) {
    const { table, folder, health } = this;
    const keyFile = `${folder}.key`;
    writeFileSync(keyFile, `${token}\n`, { mode: 0o600 });
    const opens = { when: 'line', rules: 'punto-banco@1', decks: 8, currency: 'MOP', reports: [] };
    const configuration = {
      ...{ table, api: { url: `http://127.0.0.1:${port}`, keyFile } },
      ...{ spool: { folder, capMiB: 8_192 }, opens, coups: 'line' },
      devices: [
        ...this.ports.map((each, at) => ({
          ...{ name: `${table}-${at}`, protocol: 'line-1' },
          port: { listen: `127.0.0.1:${each}` },
        })),
        ...(this.shoe === undefined ? [] : [shoeAt(table, this.shoe)]),
      ],
      health: { listen: `127.0.0.1:${health}` },
    };
    writeFileSync(`${folder}.json`, JSON.stringify(configuration));
  }

  /** Starts it, and resolves with the ms until it hears its ports. */
  async start() {
    const from = clock();
    this.#said = '';
    const child = spawn(process.execPath, [main, 'run', `${this.folder}.json`], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // as the command line starts it
    });
    this.#child = child;
    process.once('exit', () => child.kill('SIGKILL')); // a failed measurement leaves nothing behind
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (this.#said += String(text)));
    while (!this.#said.includes(': hearing ')) {
      if (child.exitCode !== null) throw new Error(`the gateway ended: ${this.#said}`);
      await pause(LOOK_MS);
    }
    return clock() - from;
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child?.once('exit', resolve));
    this.#child?.kill('SIGTERM');
    await ended;
  }

  /**
   * Returns one of its metrics.
   * @param {string} name
   */
  async figure(name) {
    const text = await (await fetch(`http://127.0.0.1:${this.health}/metrics`)).text();
    return Number(new RegExp(`^shoeprint_gateway_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }

  /** Returns its memory in MiB: now, and at most so far. */
  memory() {
    const text = readFileSync(`/proc/${this.#child?.pid}/status`, 'utf8');
    const kib = (/** @type {string} */ field) =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]);
    return { now: kib('VmRSS') / 1_024, most: kib('VmHWM') / 1_024 };
  }

  /** Returns its processor time so far, in ms. */
  cpu() {
    const text = readFileSync(`/proc/${this.#child?.pid}/stat`, 'utf8');
    const words = text.split(') ')[1]?.split(' ') ?? [];
    return (Number(words[11]) + Number(words[12])) * 10;
  }
}

// @ts-check
// The sample day as a checkout's server answers it over HTTP.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseCsv } from './differences.mjs';

/** The day that both servers deal, so that their events are the same. */
const DAY = '2026-11-19T03:00:00Z';
const READY_MS_MAX = 600_000;
const STOP_MS_MAX = 40_000;
const STABLE_POLLS = 5;

/**
 * Lists and reports to fetch as JSON, page by page, and as CSV. A checkout is not asked for those
 * that it does not have.
 */
export const LISTS = [
  '/v1/tables',
  '/v1/shoes',
  '/v1/coups',
  '/v1/coups?flagged=true',
  '/v1/findings?status=all',
  '/v1/findings?order=worst',
  ...['seat', 'shoe', 'table', 'dealer', 'day'].map((by) => `/v1/reports/commission?by=${by}`),
  '/v1/reports/commission/coups',
  '/v1/reports/misdealt',
  '/v1/reports/dealers',
  '/v1/reports/shoes',
  '/v1/reports/payouts',
  '/v1/reports/payouts/coups',
  '/v1/reports/devices',
];

/** Fields that depend on when the server received something, or on positions of the log. */
export const RECEIPTS = new Set([
  'positions',
  'next',
  'lastReceived',
  'clockOffset',
  'clockOffsetLast',
  'clockOffsetLeast',
  'clockOffsetMost',
  'raisedAt',
]);

/**
 * Starts a checkout's server on a folder and waits until its sample day is in the rows. Returns
 * every answer by path: the lines of each list, and the other fields of its first page. `every`:
 * one coup in so many is fetched by itself.
 *
 * @param {string} checkout
 * @param {string} folder
 * @param {number} every
 * @returns {Promise<Map<string, unknown[]>>}
 */
export async function sampleDay(checkout, folder, every) {
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'sample-day.begun'), `${DAY}\n`);
  const port = await freePort();
  const server = spawn(
    process.execPath,
    [join(checkout, 'dist/apps/standalone/src/main.js'), '--sample-day'],
    {
      cwd: checkout,
      env: {
        ...process.env,
        SHOEPRINT_DATA: data,
        SHOEPRINT_HOST: '127.0.0.1',
        SHOEPRINT_PORT: String(port),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  server.stderr.on('data', (piece) => (said += piece));
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    const client = new Client(`http://127.0.0.1:${port}`);
    await dealt(client, data, () => {
      if (server.exitCode !== null) throw new Error(`${checkout}: the server stopped: ${said}`);
    });
    return await answersOf(client, every);
  } finally {
    server.kill('SIGTERM');
    const late = setTimeout(() => server.kill('SIGKILL'), STOP_MS_MAX);
    await ended;
    clearTimeout(late);
  }
}

/**
 * Waits until the whole day is sent and the rows have not changed for a while.
 *
 * @param {Client} client
 * @param {string} data
 * @param {() => void} check
 */
async function dealt(client, data, check) {
  const until = performance.now() + READY_MS_MAX;
  for (let stable = 0, events = -1; stable < STABLE_POLLS;) {
    check();
    if (performance.now() > until) throw new Error('the sample day is not in the rows');
    await pause(1000);
    const signIn = join(data, 'sign-in.json');
    if (!existsSync(signIn) || existsSync(join(data, 'sample-day.begun'))) continue;
    if (!(await client.signIn(JSON.parse(readFileSync(signIn, 'utf8'))))) continue;
    const { items } = await client.json('/v1/positions');
    const now = items.reduce(
      (/** @type {number} */ sum, /** @type {{ events: number }} */ each) => sum + each.events,
      0,
    );
    stable = now > 0 && now === events ? stable + 1 : 0;
    events = now;
  }
}

/** @param {Client} client @param {number} every */
async function answersOf(client, every) {
  /** @type {Map<string, unknown[]>} */
  const answers = new Map();
  const routes = Object.keys((await client.json('/docs-json')).paths);
  for (const path of LISTS) {
    if (!routes.includes(path.replace(/\?.*/, ''))) continue;
    const { lines, rest } = await client.pages(path);
    answers.set(path, lines);
    answers.set(`${path} (the rest of the answer)`, [rest]);
    answers.set(`${path} (CSV)`, parseCsv(await client.csv(path)));
  }
  for (const [list, one, step] of /** @type {const} */ ([
    ['/v1/shoes', '/v1/shoes/', 1],
    ['/v1/coups', '/v1/coups/', every],
  ])) {
    const refs = /** @type {{ ref: string }[]} */ (answers.get(list)).map(({ ref }) => ref).sort();
    const asked = refs.filter((_, i) => i % step === 0);
    const whole = [];
    for (const ref of asked) whole.push(await client.json(`${one}${encodeURIComponent(ref)}`));
    answers.set(`${one}:id`, whole);
  }
  return answers;
}

class Client {
  /** @type {string | undefined} */
  token;

  /** @param {string} url */
  constructor(url) {
    this.url = url;
  }

  /**
   * Signs in once, as the person for compliance if the sample day has one: an admin sees no
   * findings then. Returns false if the server does not let anybody in yet.
   *
   * @typedef {{ name: string, password: string }} Person
   * @param {Person & { people?: Person[] }} persons
   */
  async signIn({ people = [], ...admin }) {
    if (this.token !== undefined) return true;
    const who = people.find(({ name }) => name === 'compliance') ?? admin;
    const answer = await fetch(`${this.url}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(who),
    });
    if (!answer.ok) return false;
    const { token } = /** @type {{ token: string }} */ (await answer.json());
    this.token = token;
    return true;
  }

  /** @param {string} path @param {string} [accept] */
  async ask(path, accept = 'application/json') {
    const answer = await fetch(this.url + path, {
      headers: { authorization: `Bearer ${this.token}`, accept },
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
    return answer;
  }

  /** @param {string} path @returns {Promise<any>} */
  async json(path) {
    return (await this.ask(path)).json();
  }

  /** @param {string} path */
  async csv(path) {
    return (await this.ask(path, 'text/csv')).text();
  }

  /**
   * Follows a list to its end.
   *
   * @param {string} path
   * @returns {Promise<{ lines: unknown[], rest: object }>}
   */
  async pages(path) {
    const lines = [];
    let rest;
    for (let next; ;) {
      const query = next === undefined ? '' : `${path.includes('?') ? '&' : '?'}cursor=${next}`;
      const page = await this.json(path + query);
      const { items, lines: read, ...others } = page;
      lines.push(...(items ?? read ?? []));
      rest ??= others;
      if (!page.next) return { lines, rest };
      next = encodeURIComponent(page.next);
    }
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

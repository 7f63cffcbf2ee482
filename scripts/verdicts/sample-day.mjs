// @ts-check
// A day of the sample floor as a checkout's server answers it over HTTP.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseCsv } from './differences.mjs';

/**
 * Each commit has a sample day of its own, so one checkout deals the day for both servers.
 *
 * @param {Awaited<ReturnType<typeof import('./checkout.mjs').simulatorOf>>} simulator
 * @returns {string[]}
 */
export function dayOf(simulator) {
  return PITS.flatMap(({ document, tables, faults }) =>
    simulator.dealDay({
      ...{ document, tables, shoes: 18, seed: 'sample-day', start: '2026-11-19T03:00:00Z' },
      faults: faults ?? simulator.codes.filter((code) => !NOT_PUNTO_BANCO.includes(code)),
    }),
  );
}

/** Faults that punto banco cannot have. */
const NOT_PUNTO_BANCO = ['DL-05', 'PY-05', 'PR-07'];
/** The pits of that floor. One without faults has all that its rules permit. */
const PITS = [
  { document: 'punto-banco@1', tables: ['B01', 'B02', 'B03', 'B04'] },
  { document: 'ez-baccarat@1', tables: ['E01'], faults: ['PY-05', 'PY-03', 'TC-07'] },
  { document: 'nsw-crown@1', tables: ['N01'], faults: ['DL-05', 'PR-07', 'CM-02'] },
];
const REQUEST_LINES = 5_000;
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
 * Starts a checkout's server on an empty folder, sends it a day as a device, and waits until the
 * day is in the rows. Returns every answer by path: the lines of each list, and the other fields of
 * its first page. `every`: one coup in so many is fetched by itself.
 *
 * @param {string} checkout
 * @param {string} folder
 * @param {readonly string[]} day
 * @param {number} every
 * @returns {Promise<Map<string, unknown[]>>}
 */
export async function answersAbout(checkout, folder, day, every) {
  const data = join(folder, 'data');
  mkdirSync(data);
  const port = await freePort();
  const server = spawn(process.execPath, [join(checkout, 'dist/apps/standalone/src/main.js')], {
    cwd: checkout,
    env: {
      ...process.env,
      SHOEPRINT_DATA: data,
      SHOEPRINT_HOST: '127.0.0.1',
      SHOEPRINT_PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (piece) => (said += piece));
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const check = () => {
    if (server.exitCode !== null) throw new Error(`${checkout}: the server stopped: ${said}`);
  };
  try {
    const client = new Client(`http://127.0.0.1:${port}`);
    await signedIn(client, join(data, 'sign-in.json'), check);
    await client.send(day);
    await taken(client, check);
    return await answersOf(client, every);
  } finally {
    server.kill('SIGTERM');
    const late = setTimeout(() => server.kill('SIGKILL'), STOP_MS_MAX);
    await ended;
    clearTimeout(late);
  }
}

/**
 * Signs in as the first administrator, who has every role, as soon as the server lets him in.
 *
 * @param {Client} client
 * @param {string} signIn
 * @param {() => void} check
 */
async function signedIn(client, signIn, check) {
  const until = performance.now() + READY_MS_MAX;
  for (;;) {
    check();
    if (performance.now() > until) throw new Error('the server lets nobody in');
    if (existsSync(signIn) && (await client.signIn(JSON.parse(readFileSync(signIn, 'utf8')))))
      return;
    await pause(1000);
  }
}

/**
 * Waits until the rows have not changed for a while.
 *
 * @param {Client} client
 * @param {() => void} check
 */
async function taken(client, check) {
  const until = performance.now() + READY_MS_MAX;
  for (let stable = 0, events = -1; stable < STABLE_POLLS;) {
    check();
    if (performance.now() > until) throw new Error('the day is not in the rows');
    await pause(1000);
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
   * Returns false if the server does not let anybody in yet.
   *
   * @param {{ name: string, password: string }} person
   */
  async signIn({ name, password }) {
    const answer = await this.post('/v1/sign-in', { name, password }).catch(() => undefined);
    if (!answer?.ok) return false;
    const { token } = /** @type {{ token: string }} */ (await answer.json());
    this.token = token;
    return true;
  }

  /**
   * Sends events as a device with a key of its own.
   *
   * @param {readonly string[]} lines
   */
  async send(lines) {
    const sender = new Client(this.url);
    const body = { name: 'day', sources: ['device/*', 'person/*'], tables: ['*'], types: ['*'] };
    const made = await this.post('/v1/keys', body);
    const key = /** @type {{ token?: string }} */ (await made.json());
    if (key.token === undefined) throw new Error(`no key: ${JSON.stringify(key)}`);
    sender.token = key.token;
    for (let from = 0; from < lines.length; from += REQUEST_LINES) {
      const some = lines.slice(from, from + REQUEST_LINES).join('\n');
      const answer = await sender.post('/v1/events', some, 'application/x-ndjson');
      if (answer.status !== 202)
        throw new Error(`events answered ${answer.status} ${await answer.text()}`);
    }
  }

  /** @param {string} path @param {object | string} body @param {string} [type] */
  post(path, body, type = 'application/json') {
    return fetch(this.url + path, {
      method: 'POST',
      headers: {
        'content-type': type,
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
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

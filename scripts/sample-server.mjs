// The built server on a temporary folder, with the sample day of a fixed date in its rows. For
// scripts and tests that ask it over HTTP.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** When the first shoe of the sample day opens. */
export const SAMPLE_DAY = '2026-11-19T03:00:00Z';
const ROWS_MS_MAX = 300_000;
const STOP_MS_MAX = 40_000;
const main = fileURLToPath(new URL('../dist/apps/standalone/src/main.js', import.meta.url));

/**
 * @typedef {object} SampleServer
 * @property {string} url
 * @property {(person?: string) => Promise<string>} signIn Returns the token of a new session of one
 *   of the people of the sample day, or of the administrator. Rejects for any other name.
 * @property {() => Promise<void>} stop Stops the server and removes its folder, unless it is kept.
 */

/**
 * Starts the server and waits until the whole sample day is in the rows.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [kept] An empty data folder that stays when the server stops.
 * @param {readonly string[]} [options] More options of the program.
 * @returns {Promise<SampleServer>}
 */
export async function startSampleServer(env = { PATH: process.env.PATH }, kept, options = []) {
  const data = kept ?? mkdtempSync(join(tmpdir(), 'shoeprint-sample-'));
  writeFileSync(join(data, 'sample-day.begun'), `${SAMPLE_DAY}\n`);
  const server = spawn(
    process.execPath,
    ['--enable-source-maps', main, '--sample-day', ...options],
    {
      env: { ...env, SHOEPRINT_DATA: data, SHOEPRINT_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const stop = async () => {
    server.kill('SIGTERM');
    const late = setTimeout(() => server.kill('SIGKILL'), STOP_MS_MAX);
    await ended;
    clearTimeout(late);
    if (kept === undefined) rmSync(data, { recursive: true, force: true });
  };
  try {
    const { url, signIn: file, sampleEvents } = await listening(server);
    /** @type {SampleServer['signIn']} */
    const signIn = async (person) => tokenFor(url, credentialsIn(file, person));
    await inRows(url, await signIn(), sampleEvents);
    return { url, signIn, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @typedef {{ name: string, password: string }} Credentials */

/**
 * Returns how one of the people of the sample day signs in, or the administrator. Throws if there
 * is nobody of that name.
 * @param {string} file The file in the data folder that holds the passwords.
 * @param {string} [person]
 */
export function credentialsIn(file, person) {
  const { people, ...admin } = /** @type {Credentials & { people: Credentials[] }} */ (
    JSON.parse(readFileSync(file, 'utf8'))
  );
  const found = [admin, ...people].find(({ name }) => name === (person ?? admin.name));
  if (!found) throw new Error(`the sample day has no ${person}`);
  return found;
}

/**
 * Returns the token of a new session. Throws if the server refuses the password.
 * @param {string} url
 * @param {Credentials} credentials
 */
export async function tokenFor(url, { name, password }) {
  const { token } = /** @type {{ token: string }} */ (
    await answerOf(
      await fetch(`${url}/v1/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, password }),
      }),
    )
  );
  return token;
}

/** @typedef {{ message?: string, url: string, signIn: string, sampleEvents: number }} Listening */

/**
 * Returns what the server logs once it takes requests. Throws if it ends before.
 * @param {{ stdout: import('node:stream').Readable }} server
 * @returns {Promise<Listening>}
 */
async function listening(server) {
  const lines = createInterface({ input: server.stdout });
  for await (const line of lines) {
    const { message } = /** @type {{ message: Listening }} */ (JSON.parse(line));
    if (message.message !== 'listening') continue;
    server.stdout.resume();
    return message;
  }
  throw new Error('the server ended before it took requests');
}

/**
 * Waits until every event is in the rows.
 * @param {string} url
 * @param {string} token
 * @param {number} events
 */
async function inRows(url, token, events) {
  const headers = { authorization: `Bearer ${token}` };
  for (const until = performance.now() + ROWS_MS_MAX; performance.now() < until;) {
    const { items } = /** @type {{ items: { events: number }[] }} */ (
      await answerOf(await fetch(`${url}/v1/positions`, { headers }))
    );
    const folded = items.reduce((sum, each) => sum + each.events, 0);
    if (folded >= events) return;
    await pause(250);
  }
  throw new Error('the sample day is not in the rows');
}

/**
 * Returns the JSON of an answer. Throws if the server refuses.
 * @param {Response} answer
 * @returns {Promise<unknown>}
 */
async function answerOf(answer) {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status} ${text}`);
  return JSON.parse(text);
}

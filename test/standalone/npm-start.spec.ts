import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FINDING_CODES } from '#audit';
import type { CommissionLine, CommissionReport, MisdealtReport } from '#read-model';
import { built } from '../cli/shoeprint.js';
import { eventually } from '../kit/eventually.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_MS = 120_000;

/** A server as `npm start` runs it, in a process of its own. */
interface Running {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

const data = mkdtempSync(join(tmpdir(), 'shoeprint-start-'));
const running = new Set<Running>();

function start(folder = data): Running {
  const { NEST_LOG_LEVEL: _level, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
    cwd: root,
    env: { ...env, SHOEPRINT_DATA: folder, SHOEPRINT_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const server: Running = {
    child,
    said: () => said,
    ended: new Promise((resolve) => child.on('close', (code) => resolve(code))),
  };
  running.add(server);
  void server.ended.then(() => running.delete(server));
  return server;
}

/** Where it answers, once it says so, and a token of the sign-in that it prints. */
async function signedIn(
  server: Running,
): Promise<{ readonly url: string; readonly ask: <Answer>(path: string) => Promise<Answer> }> {
  const url = await eventually(
    'the address',
    () => {
      if (server.child.exitCode !== null) throw new Error(`it ended: ${server.said()}`);
      return /answers at (\S+)\/docs/.exec(server.said())?.[1];
    },
    START_MS,
  );
  const [, name, password] = await eventually('the sign-in', () =>
    /Sign in as (\S+) with the password (\S+)/.exec(server.said()),
  );
  const answer = await fetch(`${url}/v1/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  const { token } = (await answer.json()) as { token: string };
  return {
    url,
    ask: async (path) =>
      (
        await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
      ).json() as never,
  };
}

const stop = (server: Running): Promise<number | null> => {
  server.child.kill('SIGTERM');
  return server.ended;
};

/** The whole verdict on the sample day, which has one seed: the same on every machine but for its date. */
async function verdictOf(ask: <Answer>(path: string) => Promise<Answer>): Promise<{
  readonly codes: string[];
  readonly owed: readonly (readonly [string | null, number, number])[];
}> {
  const codes: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { lines: { code: string }[]; next: string | null } = await ask(
      `/v1/findings?limit=1000${cursor && `&cursor=${cursor}`}`,
    );
    codes.push(...page.lines.map(({ code }) => code));
    cursor = page.next;
  }
  const { lines } = await ask<{ lines: CommissionLine[] }>('/v1/reports/commission?by=table');
  return {
    codes: codes.sort(),
    owed: lines.map(({ table, due, outstanding }) => [table, due, outstanding] as const),
  };
}

/** Judged to the end: the rows stand where the log does. */
const judged = (ask: <Answer>(path: string) => Promise<Answer>, events: number) =>
  eventually(
    'all of the sample day in the rows',
    async () => {
      const { lines } = await ask<{ lines: { events: { read: number } | null }[] }>('/v1/tables');
      return lines.reduce((sum, table) => sum + (table.events?.read ?? 0), 0) >= events;
    },
    START_MS,
  );

beforeAll(built);
afterAll(async () => {
  for (const server of running) server.child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

describe('npm start', () => {
  let first: Awaited<ReturnType<typeof verdictOf>>;
  let events = 0;

  it(
    'brings up everything with a sample day in it, and the reports answer',
    async () => {
      const server = start();
      const { url, ask } = await signedIn(server);
      events = Number(
        (/sample day of ([\d,]+) events/.exec(server.said())?.[1] ?? '0').replaceAll(',', ''),
      );
      expect(events).toBeGreaterThan(100_000);
      await judged(ask, events);
      first = await verdictOf(ask);
      expect([...new Set(first.codes)].sort()).toEqual([...FINDING_CODES].sort());
      const misdealt = await ask<MisdealtReport>('/v1/reports/misdealt');
      expect(misdealt.summary.coups).toBeGreaterThan(20);
      const owed = await ask<CommissionReport>('/v1/reports/commission?by=seat');
      expect(owed.totals).toEqual([expect.objectContaining({ currency: 'MOP' })]);
      expect((await fetch(`${url}/docs`)).status).toBe(200);
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
        /^shoeprint_projection_lag_events/m,
      );
      expect(await stop(server)).toBe(0);
    },
    2 * START_MS,
  );

  it(
    'finds its data when it is started again, and deals no second day',
    async () => {
      const server = start();
      const { ask } = await signedIn(server);
      expect(server.said()).not.toMatch(/sample day/);
      expect(await verdictOf(ask)).toEqual(first);
      const other = start();
      expect(await other.ended).toBe(2);
      expect(other.said()).toMatch(/another server runs on/);
      expect((await ask<{ lines: unknown[] }>('/v1/tables')).lines).toHaveLength(6);
      expect(await stop(server)).toBe(0);
    },
    2 * START_MS,
  );

  it(
    'deals the day to its end after it was killed in the middle of it, and nothing twice',
    async () => {
      const folder = join(data, 'killed');
      const killed = start(folder);
      await eventually('the dealing', () => existsSync(join(folder, 'sample-day.begun')), START_MS);
      const server = pidOfServer(killed);
      process.kill(server, 'SIGKILL');
      await killed.ended;
      const again = start(folder);
      const { ask } = await signedIn(again);
      await judged(ask, events);
      expect(await verdictOf(ask)).toEqual(first);
      expect(await stop(again)).toBe(0);
    },
    2 * START_MS,
  );
});

/** `npm start` runs the server in a process below its own. */
function pidOfServer({ child }: Running): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return Number(children.split(' ')[0]);
}

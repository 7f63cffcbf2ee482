import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FINDING_CODES } from '#audit';
import { sampleDayLines } from '../../apps/standalone/src/sample/sample-day.js';
import { SAMPLE_PEOPLE } from '../../apps/standalone/src/sample/sample-people.js';
import type {
  CommissionLine,
  CommissionReport,
  FindingLine,
  MisdealtReport,
  Page,
  Review,
} from '#read-model';
import {
  childrenOf,
  doorOf,
  endAll,
  postgresOf,
  signedIn,
  Started,
  START_MS,
} from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';
import { audit } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const data = mkdtempSync(join(tmpdir(), 'shoeprint-start-'));

const SETTINGS = { SHOEPRINT_DATA: data, SHOEPRINT_PORT: '0' };

/** Starts a server as `npm start` does, without npm. */
const start = (more: NodeJS.ProcessEnv = {}): Started =>
  Started.program([process.execPath, join(root, 'scripts/start.mjs')], { ...SETTINGS, ...more });

/** Returns the codes of all findings, and the commission of each table. */
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

/** Returns the states of review in which the findings of the sample day are. */
async function statesOf(ask: <Answer>(path: string) => Promise<Answer>): Promise<string[]> {
  const { lines } = await ask<Page<FindingLine>>('/v1/findings?status=all&limit=1000');
  const states = new Set(lines.map(({ status, review }) => stateOf(status, review)));
  for (const { id, review } of lines) {
    if (review.state !== 'open' || states.has('refused')) continue;
    const acts = await ask<Page<{ type: string }>>(`/v1/findings/${id}/history`);
    if (acts.lines.some(({ type }) => type === 'finding-ruling-refused')) states.add('refused');
  }
  return [...states].sort();
}

function stateOf(status: string, { claim, ruling, state, regressed, escalated }: Review): string {
  if (status === 'withdrawn') return status;
  if (ruling) return ruling.signedBy === null ? 'ruled by one' : 'ruled by two';
  if (regressed) return 'regressed';
  if (escalated) return 'escalated';
  return claim ? 'claimed' : state;
}

/** Waits until the rows include every event of the sample day. */
const judged = (ask: <Answer>(path: string) => Promise<Answer>, events: number) =>
  eventually(
    'the whole sample day in the rows',
    async () => {
      const { lines } = await ask<{ lines: { events: { read: number } | null }[] }>('/v1/tables');
      return lines.reduce((sum, table) => sum + (table.events?.read ?? 0), 0) >= events;
    },
    START_MS,
  );

beforeAll(built);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

/** Returns what `verdictOf` must return for the sample day that opens at `start`. */
function auditOf(start: string): Awaited<ReturnType<typeof verdictOf>> & { events: number } {
  const tables = new Map<string, string[]>();
  let events = 0;
  for (const line of sampleDayLines(BOOK, start)) {
    const { table } = JSON.parse(line) as { table: string };
    tables.set(table, tables.get(table) ?? []);
    tables.get(table)?.push(line);
    events += 1;
  }
  const audited = [...tables].map(
    ([table, lines]) => [table, audit(lines, { once: true, end: false })] as const,
  );
  const codes = audited.flatMap(([, { findings }]) => findings.map(({ code }) => code)).sort();
  const owed = audited
    .map(([table, { ledger }]) => {
      const sum = (of: 'due' | 'outstanding'): number =>
        ledger.reduce((total, account) => total + account[of], 0);
      return [table, sum('due'), sum('outstanding')] as const;
    })
    .filter(([, due]) => due !== 0);
  return { codes, owed, events };
}

describe('npm start', () => {
  let day: Awaited<ReturnType<typeof verdictOf>>;
  /** The server on a terminal that completes the interrupted sample day. */
  let onTerminal: Started;
  /** A server that logs what the framework says. */
  let loud: Started;

  it(
    'completes the sample day after it was killed while it dealt it, without duplicates, and answers reports',
    async () => {
      const mark = join(data, 'sample-day.begun');
      const killed = start();
      const opens = await eventually(
        'the dealing',
        () => existsSync(mark) && readFileSync(mark, 'utf8').trim(),
        START_MS,
      );
      const program = killed.programPid;
      killed.child.kill('SIGKILL'); // it would start the server again
      process.kill(program, 'SIGKILL');
      await killed.ended;
      onTerminal = Started.onTerminalOf(`'${process.execPath}' scripts/start.mjs`, SETTINGS);
      const { url, ask } = await askerOf(onTerminal);
      const { events, ...expected } = auditOf(opens);
      expect(events).toBeGreaterThan(100_000);
      expect([...new Set(expected.codes)].sort()).toEqual([...FINDING_CODES].sort());
      await judged(ask, events);
      day = await verdictOf(ask);
      expect(day).toEqual(expected);
      expect(await statesOf(ask)).toEqual([
        'claimed',
        'escalated',
        'open',
        'proposed',
        'refused',
        'regressed',
        'ruled by one',
        'ruled by two',
        'withdrawn',
      ]);
      const misdealt = await ask<MisdealtReport>('/v1/reports/misdealt');
      expect(misdealt.summary.coups).toBeGreaterThan(20);
      const owed = await ask<CommissionReport>('/v1/reports/commission?by=seat');
      expect(owed.totals).toEqual([expect.objectContaining({ currency: 'MOP' })]);
      expect((await fetch(`${url}/docs`)).status).toBe(200);
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
        /^shoeprint_projection_lag_events/m,
      );
    },
    2 * START_MS,
  );

  it(
    'writes twelve lines on a terminal, ending with the address and the sign-in, and stops on Ctrl-C',
    async () => {
      // what the log says of a problem, as of a disk that a busy machine waits for, begins at once
      const lines = onTerminal.said.split('\r\n').filter((line) => /^ {2,3}\S/.test(line));
      expect(lines).toHaveLength(12);
      expect(lines.at(-4)).toMatch(
        /^ {2}Seals {4}shoeprint\.local\/[0-9a-f]{8}\+[0-9a-f]{8}\+\S+$/,
      );
      expect(lines.at(-3)).toMatch(
        /^ {2}Open {5}http:\S+\/console\/ \([\d,]+ events of a sample day\)$/,
      );
      expect(lines.at(-2)).toMatch(/^ {2}Api {6}http:\S+\/docs$/);
      expect(lines.at(-1)).toMatch(/^ {2}Sign in {2}admin, password \S+$/);
      for (const part of ['PostgreSQL', 'Auditor', 'API', 'Sample day'])
        expect(lines.join('\n')).toMatch(new RegExp(`^  ${part} +[0-9.]+ s$`, 'm'));
      expect(onTerminal.said).not.toMatch(/^\{|RouterExplorer/m);
      const [, url = ''] = /Api {6}(\S+)\/docs/.exec(onTerminal.said) ?? [];
      for (const { name, roles } of SAMPLE_PEOPLE) {
        const line = new RegExp(`^ {11}${name}, password (\\S+)\\r?$`, 'm');
        const [, password = ''] = line.exec(onTerminal.said) ?? [];
        const answer = await fetch(`${url}/v1/sign-in`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name, password }),
        });
        const { token } = (await answer.json()) as { token: string };
        const me = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
        expect(await me.json()).toMatchObject({ id: `person/${name}`, roles });
      }
      const pids = treeOf(onTerminal.child.pid as number);
      onTerminal.child.stdin?.write('\u0003');
      expect(await onTerminal.ended).toBe(0);
      await eventually('the end of every process', () => pids.every(hasEnded), START_MS);
      expect(postgresOf(data)).toBeUndefined();
    },
    2 * START_MS,
  );

  it(
    'keeps its data across a restart, deals no second day, and logs JSON without a terminal',
    async () => {
      const server = start();
      const { ask } = await askerOf(server);
      expect(await verdictOf(ask)).toEqual(day);
      const other = start();
      expect(await other.ended).toBe(2);
      expect(other.said).toMatch(/another server runs on/);
      expect((await ask<{ lines: unknown[] }>('/v1/tables')).lines).toHaveLength(6);
      expect(await server.stop()).toBe(0);
      expect(server.said).not.toMatch(/Sample day/);
      const contexts = server.said
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { context?: string }).context);
      expect([...new Set(contexts)].sort()).toEqual(['auditor', 'sealer', 'shoeprint', 'sign-in']);
    },
    2 * START_MS,
  );

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'leaves no process and no lock behind when npm receives %s',
    async (signal) => {
      const npm = Started.program(['npm', 'start'], SETTINGS);
      await doorOf(npm);
      const pids = treeOf(npm.child.pid as number);
      // npm, the launcher, the server, PostgreSQL and its workers
      expect(pids.length).toBeGreaterThan(4);
      npm.child.kill(signal);
      await eventually('the end of every process', () => pids.every(hasEnded), START_MS);
      expect(postgresOf(data)).toBeUndefined();
    },
    2 * START_MS,
  );

  it(
    'logs lines of the framework if NEST_LOG_LEVEL requests them',
    async () => {
      loud = start({ NEST_LOG_LEVEL: '>=debug' });
      await doorOf(loud);
      expect(loud.said).toMatch(/"level":"debug".*"context":"RouterExplorer"/);
    },
    START_MS,
  );

  it(
    'leaves no process and no lock behind when its launcher is killed',
    async () => {
      const pids = treeOf(loud.child.pid as number);
      loud.child.kill('SIGKILL');
      await eventually('the end of every process', () => pids.every(hasEnded), START_MS);
      expect(postgresOf(data)).toBeUndefined();
    },
    START_MS,
  );
});

/** Returns the ids of a process and all its descendants. */
const treeOf = (pid: number): number[] => [pid, ...childrenNow(pid).flatMap(treeOf)];

/** Returns the children of a process: none if it has ended, as workers of PostgreSQL do. */
function childrenNow(pid: number): number[] {
  try {
    return childrenOf(pid);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Returns whether a process has ended. A zombie counts as ended. */
function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Returns a function that sends requests as the person who signs in. */
async function askerOf(server: Started): Promise<{
  readonly url: string;
  readonly ask: <Answer>(path: string) => Promise<Answer>;
}> {
  const { url, ask } = await signedIn(server);
  return { url, ask: async (path) => (await ask(path)).json() as never };
}

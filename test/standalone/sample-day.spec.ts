import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openApiDocument } from '#api';
import type { Finding } from '#audit';
import { MISDEALT_CODES } from '#read-model';
import { sampleDayLines } from '../../apps/standalone/src/sample/sample-day.js';
import { examplesOf } from '../../scripts/api-examples.mjs';
import { SAMPLE_DAY } from '../../scripts/sample-server.mjs';
import { RECEIPTS } from '../../scripts/verdicts/sample-day.mjs';
import { built } from '../cli/shoeprint.js';
import { audit } from '../kit/audit.js';
import { Conformance } from '../kit/conformance.js';
import { type ConsoleServer, startConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';

const run = promisify(execFile);
const kept = JSON.parse(readFileSync('docs/api-examples.json', 'utf8')) as Record<string, unknown>;
/** A slow machine deals and records the sample day in this time. */
const START_MS = 240_000;
let server: ConsoleServer;
let findings: readonly Finding[];

beforeAll(async () => {
  built();
  const tables = new Map<string, string[]>();
  for (const line of sampleDayLines(BOOK, SAMPLE_DAY)) {
    const { table } = JSON.parse(line) as { table: string };
    tables
      .set(table, tables.get(table) ?? [])
      .get(table)
      ?.push(line);
  }
  findings = [...tables.values()].flatMap((events) => audit(events, { once: true }).findings);
  server = await startConsoleServer();
}, START_MS);
afterAll(() => server?.close());

it('has no password for a name that the sample day does not have', () => {
  expect(() => server.passwordOf('pit-boss-9')).toThrow('the sample day has no pit-boss-9');
});

it('lets a client of ten lines print the coups that the auditor finds misdealt', async () => {
  const expected = findings
    .filter(({ code, coup }) => coup !== undefined && MISDEALT_CODES.includes(code))
    .map(({ table, shoe, coup, code, message }) => [table, shoe, coup, code, message].join(' '));
  const env = {
    PATH: process.env.PATH,
    SHOEPRINT_URL: server.url,
    SHOEPRINT_TOKEN: await server.tokenOf('admin'),
  };
  const printed = await eventually('every misdealt coup', async () => {
    const { stdout } = await run(process.execPath, ['examples/misdealt-coups.mjs'], { env });
    const lines = stdout.trimEnd().split('\n').sort();
    return lines.length >= expected.length ? lines : undefined;
  });
  expect(printed).toEqual(expected.sort());
  expect(printed.length).toBeGreaterThan(10);
});

it('keeps the examples of the OpenAPI document as the server answers them', async () => {
  expect(settled(kept)).toEqual(
    settled(await examplesOf({ url: server.url, signIn: () => server.tokenOf('admin') })),
  );
});

it('keeps examples that conform to the schemas of their answers', async () => {
  const conformance = new Conformance(await openApiDocument());
  expect(conformance.exampleFaults()).toEqual([]);
});

it('shows findings in the examples as the auditor raises them', () => {
  const shown = [...lines('listFindings'), ...(kept.getCoup as { raised: Finding[] }).raised];
  expect(shown.length).toBeGreaterThan(1);
  for (const finding of shown) {
    expect(finding.id).toMatch(/^[0-9a-f]{32}$/);
    expect(finding).toMatchObject({ ...findings.find(({ id }) => id === finding.id) });
  }
});

const lines = (operation: string): Finding[] => (kept[operation] as { lines: Finding[] }).lines;

/** The fields that depend on when the server took something, on the day, or on a sign-in. */
const OF_THE_RUN: ReadonlySet<string> = new Set([
  'revokedAt',
  'expiresAt',
  'idleUntil',
  'confirmedUntil',
  'received',
  'daysLeft',
]);

/**
 * Returns a value without the fields that depend on when the server received something, or on the
 * run otherwise.
 */
const settled = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part: unknown) => {
      if (RECEIPTS.has(name) || OF_THE_RUN.has(name)) return null;
      return typeof part === 'string' ? part.replace(/^sample-day-\d+$/, 'sample-day') : part;
    }),
  );

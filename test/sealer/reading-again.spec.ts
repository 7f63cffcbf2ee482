import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVIDENCE_ALARMS } from '#audit';
import { leafHash, readSeal } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { partitionOf, PostgresLog } from '#event-log';
import { sealerProbes, type RunningSealer } from '#sealer';
import { serveProbes } from '#server';
import type { ProbeServer } from '#process';
import { eventually } from '../kit/eventually.js';
import { Site } from './site.js';

const PARTITIONS = 2;
const DAY_MS = 86_400_000;
const { sha256 } = nodeCryptography;

/** What was read whole is read again after a minute (docs/operating/evidence.md). */
const RESTED = "interval '61 s'";

let site: Site;
beforeEach(async () => {
  site = await Site.open((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
});
afterEach(async () => {
  await site.close();
});

const records = (table: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `{"table":"${table}","n":${at}}`);
const leafOf = (value: string): string =>
  Buffer.from(leafHash(sha256, Buffer.from(value))).toString('hex');

/** Seals 300 records of each of two tables of one partition, and stops. */
async function sealed(): Promise<{ readonly partition: number; readonly tables: string[] }> {
  const tables = ['B1', 'B2', 'B3', 'B4'].filter((table) => partitionOf(table, PARTITIONS) === 0);
  for (const table of tables) await site.append(table, ...records(table, 300));
  const sealer = await site.start();
  await site.sealedAll();
  await site.stop(sealer);
  // As long after a whole reading as the next one is due.
  await site.query('delete from seal.reading');
  return { partition: 0, tables };
}

/** Changes the log as a superuser does with its triggers switched off. */
async function behindOurBack(sql: string, values: unknown[] = []): Promise<void> {
  await site.query('alter table log.record disable trigger append_only');
  await site.query(sql, values);
  await site.query('alter table log.record enable always trigger append_only');
}

/** Returns what the sealer has named, once it has named something. */
const named = (): Promise<Record<string, unknown>[]> =>
  eventually('a mismatch', async () => {
    const found = await site.query(
      `select partition, "offset"::int, name, record::int, encode(sealed, 'hex') as sealed,
         encode(found, 'hex') as found from seal.mismatch order by "offset"`,
    );
    return found.length > 0 && found;
  });

const wholeReadings = async (): Promise<number> =>
  (await site.query('select from seal.reading where completed_at is not null')).length;

describe('reading the log again', () => {
  it('finds nothing in a log that nobody changed', async () => {
    await sealed();
    await site.start();
    await eventually('a whole reading', async () => {
      const [read] = await site.query<{ whole: boolean }>(
        'select count(completed_at) = 2 as whole from seal.reading',
      );
      return read?.whole;
    });
    expect(await site.query('select from seal.mismatch')).toEqual([]);
  });

  it('names a record that was changed by its table, its number, its place and both hashes', async () => {
    const { partition, tables } = await sealed();
    const [, second = ''] = tables;
    await behindOurBack(
      `update log.record set value = 'another' where partition = $1 and "offset" = 420`,
      [partition],
    );
    const sealer = await site.start();
    expect(await named()).toEqual([
      {
        partition,
        offset: 420,
        name: second,
        record: 120,
        sealed: leafOf(records(second, 300)[120] ?? ''),
        found: leafOf('another'),
      },
    ]);
    expect(await site.reader.mismatches(second)).toHaveLength(1);
    expect(await site.reader.mismatches(tables[0] ?? '')).toEqual([]);
    await eventually('the alarm among the metrics', async () =>
      /shoeprint_seal_alarms_total\{alarm="changed"\} 1/.test(await sealer.registry.metrics()),
    );
    await site.append(second, 'more');
    await site.sealedAll();
  });

  it('names a record that was removed, and one that was moved to another table', async () => {
    const { partition, tables } = await sealed();
    const [first = '', second = ''] = tables;
    await behindOurBack(`delete from log.record where partition = $1 and "offset" = 10`, [
      partition,
    ]);
    await behindOurBack(`update log.record set key = $2 where partition = $1 and "offset" = 500`, [
      partition,
      first,
    ]);
    await site.start();
    await eventually('two mismatches', async () => (await named()).length === 2);
    expect(await named()).toMatchObject([
      { offset: 10, name: first, record: 10, found: null },
      { offset: 500, name: second, record: 200 },
    ]);
  });
});

describe('reading again a partition with more changed records than a pass names', () => {
  const found = async (): Promise<number> => (await site.query('select from seal.mismatch')).length;

  it('goes on behind the last one that was named, and names none twice', async () => {
    const sealer = await site.start();
    await site.append('B1', ...Array.from({ length: 151 }, (_, n) => `${n}`.padEnd(13_000)));
    await site.sealedAll();
    await site.stop(sealer);
    await site.query('delete from seal.reading');
    await behindOurBack(`update log.record set value = value || '!'
       where key = 'B1' and "offset" < 150`);
    const once = await site.start();
    await eventually('the first hundred', async () => (await found()) >= 100);
    await site.stop(once);
    expect(await found()).toBeLessThan(150);
    expect(await wholeReadings()).toBeLessThan(2);
    await site.start();
    await eventually('the others', async () => (await found()) === 150);
    await eventually('a whole reading', async () => (await wholeReadings()) === 2);
    await eventually('an alarm for each', async () => {
      const alarms = await site.house('evidence-alarm');
      return new Set(alarms.map(({ data }) => data.record)).size === 150 && alarms.length === 150;
    });
  });
});

describe('the metrics of a sealer', () => {
  let served: ProbeServer;
  afterEach(() => served?.close());

  async function serve(sealer: RunningSealer): Promise<void> {
    const pages = { openPages: true, metricsToken: undefined };
    const target = { log: site.log, sealer, registry: sealer.registry, pages };
    served = await serveProbes(sealerProbes(target), '127.0.0.1', 0);
  }

  async function mismatches(): Promise<number> {
    const text = await (await fetch(`${served.url}/metrics`)).text();
    return Number(/^shoeprint_seal_mismatches (\d+)$/m.exec(text)?.[1] ?? NaN);
  }

  /** Starts a sealer on sealed tables, and waits until it has read everything and rests. */
  async function atRest(): Promise<{ readonly partition: number; readonly tables: string[] }> {
    const found = await sealed();
    await serve(await site.start());
    await eventually('a whole reading', async () => {
      const [read] = await site.query<{ whole: boolean }>(
        'select count(completed_at) = 2 as whole from seal.reading where next = 0',
      );
      return read?.whole;
    });
    expect(await mismatches()).toBe(0);
    return found;
  }

  /** Lets the time pass after which everything is read again. */
  async function rested(): Promise<void> {
    await site.query(`update seal.reading set completed_at = completed_at - ${RESTED}`);
  }

  it('come with a readiness that turns while the sealer cannot sign, and names why', async () => {
    const { path } = site.settings().keyFiles.log;
    await serve(await site.start());
    await site.append('B1', 'x');
    await site.sealedAll();
    const ready = async (): Promise<{ status: number; trouble: string | null }> => {
      const answer = await fetch(`${served.url}/readyz`);
      return { status: answer.status, ...((await answer.json()) as { trouble: string | null }) };
    };
    expect(await ready()).toMatchObject({ status: 200, trouble: null });
    const last = readFileSync(`${path}.last`);
    rmSync(`${path}.last`);
    mkdirSync(`${path}.last`); // where it remembers what it signed
    await site.append('B1', 'y');
    const seen = await eventually(
      'the trouble',
      async () => {
        const now = await ready();
        return now.status === 503 ? now : undefined;
      },
      15_000,
    );
    expect(seen.trouble).toContain(`${path}.last`);
    rmSync(`${path}.last`, { recursive: true });
    writeFileSync(`${path}.last`, last, { mode: 0o600 });
    await site.sealedAll();
    await eventually('its readiness', async () => (await ready()).status === 200, 20_000);
  });

  it('have each kind of alarm and each step of a failure at 0 before the first', async () => {
    const text = await (await site.start()).registry.metrics();
    for (const alarm of EVIDENCE_ALARMS)
      expect(text).toContain(`shoeprint_seal_alarms_total{alarm="${alarm}"} 0\n`);
    for (const step of ['sign', 'publish', 'session', 'read-again', 'witness'])
      expect(text).toContain(`shoeprint_seal_failures_total{step="${step}"} 0\n`);
  });

  it('have the age of the last seal in a sealer that stands by, and in one that cannot seal', async () => {
    const active = await site.start();
    await site.append('B1', 'x');
    await site.sealedAll();
    await site.query(`update seal.site set lease_until = now() + interval '1 day'`);
    const { index, text = '' } = (await site.reader.lastEntry('seal')) ?? {};
    const yesterday = `${new Date(Date.now() - DAY_MS).toISOString().slice(0, 19)}Z`;
    await site.query('update seal.entry set text = $2 where "index" = $1', [
      index,
      text.replace(readSeal(text).time, yesterday),
    ]);
    const isADay = async (sealer: RunningSealer): Promise<boolean> => {
      const age = /^shoeprint_seal_age_seconds (\S+)$/m.exec(await sealer.registry.metrics());
      return Number(age?.[1]) * 1_000 >= DAY_MS;
    };
    const standby = await site.start();
    await eventually('the age of the last seal', () => isADay(standby));
    expect(standby.isActive()).toBe(false);
    await site.stop(active);
    await site.stop(standby);
    rmSync(`${site.keyFile}.last`);
    const refusing = await site.start();
    await eventually('the alarm', async () =>
      /shoeprint_seal_failures_total\{step="session"\} [1-9]/.test(
        await refusing.registry.metrics(),
      ),
    );
    expect(await isADay(refusing)).toBe(true);
  });

  it('count a record that somebody changes after a whole reading, one minute later', async () => {
    const { partition } = await atRest();
    await behindOurBack(
      `update log.record set value = 'another' where partition = $1 and "offset" = 420`,
      [partition],
    );
    await rested();
    await eventually('a mismatch at /metrics', async () => (await mismatches()) === 1);
  });

  it('count a record that somebody changes together with its stored hash', async () => {
    const { partition, tables } = await atRest();
    await behindOurBack(
      `update log.record set value = 'another' where partition = $1 and "offset" = 20`,
      [partition],
    );
    await site.query(
      `update seal.tile set hashes = overlay(hashes placing $2 from 32 * 20 + 1)
       where level = 0 and "index" = 0 and tree = (select id from seal.tree where name = $1)`,
      [tables[0], Buffer.from(leafOf('another'), 'hex')],
    );
    await rested();
    await eventually('a mismatch at /metrics', async () => (await mismatches()) === 1);
  });

  it('count a changed record at once, while the rest of a large log is still read', async () => {
    const large = Array.from({ length: 16 }, (_, n) => `${n}`.padEnd(50_000));
    const sealer = await site.start();
    await site.append('B1', ...large);
    await site.sealedAll();
    await site.stop(sealer);
    await site.query('delete from seal.reading');
    await behindOurBack(`update log.record set value = 'another' where "offset" = 0`);
    await serve(await site.start({ readAgainBytes: 1_000 }));
    await eventually('a mismatch at /metrics', async () => (await mismatches()) === 1);
    const whole = 'select from seal.reading where partition = $1 and completed_at is not null';
    expect(await site.query(whole, [partitionOf('B1', PARTITIONS)])).toEqual([]);
  });

  it('count what was found before the sealer started', async () => {
    await site.start().then((sealer) => site.stop(sealer));
    await site.query(`insert into seal.mismatch (partition, "offset", name) values (0, 5, 'B1')`);
    await serve(await site.start());
    await eventually('a mismatch at /metrics', async () => (await mismatches()) === 1);
  });
});

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readCheckpoint, utf8Of, type SignedCheckpoint } from '#evidence';
import { MemoryLog, partitionOf } from '#event-log';
import type { RunningSealer } from '#sealer';
import type { Journal } from '#server';
import { eventually } from '../kit/eventually.js';
import { expectOneHistory, Site, verified } from './site.js';

let site: Site;
beforeEach(async () => {
  site = await Site.open();
});
afterEach(async () => {
  await site.close();
});

const records = (table: string, count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `{"table":"${table}","n":${from + at}}`);

/** A journal whose messages a test reads. */
function kept(): { readonly journal: Journal; readonly lines: string[] } {
  const lines: string[] = [];
  const add = (message: string, fields = {}): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { journal: { info: add, error: add }, lines };
}

function memory(): MemoryLog {
  if (!(site.log instanceof MemoryLog)) throw new Error('needs the log in memory');
  return site.log;
}

const lastFile = (): string => `${site.keyFile}.last`;

/** Returns two tables, one in each partition. */
function tables(): readonly [string, string] {
  const of = (partition: number): string =>
    ['B01', 'B02', 'B03', 'B04', 'B05'].find((table) => partitionOf(table, 2) === partition) ?? '';
  return [of(0), of(1)];
}

describe('two sealers', () => {
  it('seal in turns, and one that slept past its lease changes nothing', async () => {
    await site.append('B07', ...records('B07', 3));
    const one = await site.start();
    const first = await site.sealedAll();
    const two = await site.start();
    expect([one.isActive(), two.isActive()]).toEqual([true, false]);
    await site.expireLease();
    await eventually('another active sealer', async () => {
      await site.append('B07', 'x');
      await site.expireLease();
      return two.isActive();
    });
    const second = await site.sealedAll();
    await verified(site);
    await expectOneHistory(site, [first, second]);
    expect(await site.house('evidence-alarm')).toEqual([]);
  });

  it('report the stopped partitions of the active one only', async () => {
    const [holed] = tables();
    await site.append(holed, ...records(holed, 5));
    memory().faults.hole = { partition: 0, offset: 3 };
    const stopped = async (sealer: RunningSealer): Promise<string | undefined> =>
      /^shoeprint_seal_stopped_partitions (\d+)$/m.exec(await sealer.registry.metrics())?.[1];
    const one = await site.start();
    await eventually('a stopped partition', async () => (await stopped(one)) === '1');
    const two = await site.start();
    await site.query('update seal.site set owner = $1, generation = generation + 1', [two.owner]);
    await eventually('it with the second', async () => (await stopped(two)) === '1');
    await eventually('none with the first', async () => (await stopped(one)) === '0');
  });

  it('never say two things of one size, however often the lease changes hands', async () => {
    const seen: SignedCheckpoint[] = [];
    await Promise.all([site.start(), site.start(), site.start()]);
    for (let at = 0; at < 12; at += 1) {
      await site.append('B07', ...records('B07', 5, at));
      await site.expireLease();
      seen.push(await site.sealedAll());
    }
    await verified(site);
    await expectOneHistory(site, seen);
  });
});

describe('a key', () => {
  it('a key that others can read is refused by the name of its setting', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    await site.stop(sealer);
    chmodSync(site.keyFile, 0o640);
    await expect(site.start()).rejects.toThrow(/^SHOEPRINT_SEAL_KEY: other users can read/);
  });

  it('a key that is missing is not made again for a site that has one', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    await site.stop(sealer);
    rmSync(site.keyFile);
    await expect(site.start()).rejects.toThrow(/^SHOEPRINT_SEAL_KEY: there is no key file/);
  });

  it('a key of another site, or no key at all, is refused without showing the file', async () => {
    mkdirSync(join(site.folder, 'keys'));
    writeFileSync(site.keyFile, 'PRIVATE+KEY+secret\n', { mode: 0o600 });
    const why: unknown = await site.start().catch((error: unknown) => error);
    expect(String(why)).toMatch(/SHOEPRINT_SEAL_KEY: the key file line 1/);
    expect(String(why)).not.toContain('secret');
  });
});

describe('the memory of a key', () => {
  it('stops signing if it is lost, and sealing goes on once it is back', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    const before = await site.sealedAll();
    await site.stop(sealer);
    const last = readFileSync(lastFile());
    rmSync(lastFile());
    const { journal, lines } = kept();
    await site.append('B07', 'y');
    await site.start({}, { journal });
    await eventually('an alarm', () => lines.some((line) => /alarm.*\.last is missing/.test(line)));
    expect((await site.reader.checkpoint())?.size).toBe(before.size);
    writeFileSync(lastFile(), last);
    const after = await site.sealedAll();
    await expectOneHistory(site, [before, after]);
  });

  it('stops everything if it is damaged, until it is brought back', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    const before = await site.sealedAll();
    await site.stop(sealer);
    const last = readFileSync(lastFile());
    writeFileSync(lastFile(), last.subarray(0, 20));
    const { journal, lines } = kept();
    await site.append('B07', 'y');
    await site.start({}, { journal });
    await eventually('an alarm', () =>
      lines.some((line) => /alarm.*what the key signed last cannot be read/.test(line)),
    );
    expect((await site.reader.siteRoot())?.size).toBe(before.size);
    writeFileSync(lastFile(), last);
    const after = await site.sealedAll();
    await expectOneHistory(site, [before, after]);
  });

  it('stops a database that was brought back to an earlier state from being signed', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    await site.stop(sealer);
    await site.query(`drop schema seal cascade`);
    const { journal, lines } = kept();
    await site.start({}, { journal });
    await eventually('an alarm', () =>
      lines.some((line) => /alarm.*older than its seals/.test(line)),
    );
    expect(await site.reader.checkpoint()).toBeUndefined();
  });

  it('lets an entry without a signature be signed by the next start, to the same bytes', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    await site.stop(sealer);
    const before = await site.reader.checkpoint();
    await site.query('delete from seal.checkpoint where size = $1', [before?.size]);
    await site.start();
    await eventually('the same checkpoint', async () => {
      const now = await site.reader.checkpoint();
      return now?.size === before?.size && now?.note === before?.note;
    });
  });
});

describe('a partition', () => {
  it('a partition with a hole is sealed no further until it is mended and resumed; the other continues', async () => {
    const [holed, whole] = tables();
    await site.append(holed, ...records(holed, 5));
    memory().faults.hole = { partition: 0, offset: 3 };
    await site.append(whole, ...records(whole, 5));
    const sealer = await site.start();
    await eventually('a stopped partition', async () =>
      (await sealer.positions()).some(({ partition, stopped }) => partition === 0 && stopped),
    );
    await eventually('the other one sealed', async () =>
      (await site.reader.lastEntry('seal'))?.text.match(/next 0 [5-9]/),
    );
    await eventually('the alarm in the record of the house', async () => {
      const partition = partitionOf('@house', 2);
      memory().faults.hole = undefined as never;
      const stored = await site.log.read(partition, 0);
      return stored.some(({ value }) => Buffer.from(value).toString().includes('evidence-alarm'));
    });
    await site.stop(sealer);
    const store = site.store();
    expect(await store.resumePartition(0)).toBe(true);
    await store.close();
    await site.start();
    await site.sealedAll();
    await verified(site);
  });

  it.each([
    ['that ends before what was sealed', (log: MemoryLog) => log.store.of(0).splice(2)],
    [
      'whose last sealed record is another one',
      (log: MemoryLog) => {
        const record = log.store.of(0)[4];
        if (record) log.store.of(0)[4] = { ...record, value: Buffer.from('another') };
      },
    ],
  ])('%s is sealed no further', async (_, spoil) => {
    const [spoiled, other] = tables();
    await site.append(spoiled, ...records(spoiled, 5));
    const sealer = await site.start();
    await site.sealedAll();
    await site.stop(sealer);
    spoil(memory());
    const again = await site.start();
    await eventually('a stopped partition', async () =>
      (await again.positions()).some(({ partition, stopped }) => partition === 0 && stopped),
    );
    await site.append(other, ...records(other, 2));
    await eventually('the other one sealed', async () =>
      (await site.reader.lastEntry('seal'))?.text.match(/next 5 [2-9]/),
    );
    expect(existsSync(site.tiles)).toBe(true);
  });

  it('a partition of another log is sealed no further', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    await site.stop(sealer);
    const other = new MemoryLog({ partitions: 2 });
    const again = await site.start({}, { log: other });
    await eventually('stopped partitions', async () =>
      (await again.positions()).every(({ stopped }) => stopped?.reason.includes(other.id)),
    );
    await site.stop(again);
    await other.close();
  });
});

describe('what is behind a checkpoint', () => {
  it('is the same after the database has lost its sessions at any moment', async () => {
    await site.start();
    const seen: SignedCheckpoint[] = [];
    for (let at = 0; at < 8; at += 1) {
      await site.append('B07', ...records('B07', 300, at));
      await site.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'shoeprint sealer' and datname = current_database()`,
      );
      seen.push(await site.sealedAll());
    }
    await verified(site);
    await expectOneHistory(site, seen);
    const published = await eventually('the checkpoint in the folder', () => {
      const found = readCheckpoint(readFileSync(join(site.tiles, 'checkpoint')));
      return found.size === seen.at(-1)?.size && found;
    });
    expect(utf8Of(published.note.text).length).toBeGreaterThan(0);
  });
});

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readCheckpoint, type SignedCheckpoint } from '#evidence';
import { MemoryLog, partitionOf } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { expectOneHistory, Site, verified } from './site.js';

const REASON = ['--reason', 'the database was restored', '--by', 'mei'];

let site: Site;
beforeEach(async () => {
  site = await Site.open();
});
afterEach(async () => {
  await site.close();
});

const records = (table: string, count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `{"table":"${table}","n":${from + at}}`);

async function sealedTables(): Promise<string[]> {
  const tables = await site.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'seal'::regnamespace and relkind = 'r' and relname <> 'migration'`,
  );
  return tables.map(({ name }) => name);
}

/** Backs the schema up. */
async function backUp(): Promise<void> {
  for (const table of await sealedTables())
    await site.query(`create table backup_${table} as table seal.${table}`);
}

/** Restores the schema to the back-up, while no sealer runs. */
async function restoreDatabase(): Promise<void> {
  for (const table of await sealedTables()) {
    await site.query(`truncate seal.${table}`);
    await site.query(`insert into seal.${table} select * from backup_${table}`);
  }
}

/**
 * Seals, backs the database up, seals more, and restores the database. What is appended at the same
 * moment gets one seal, so six leaves are published.
 */
async function rolledBack(): Promise<SignedCheckpoint> {
  const sealer = await site.start();
  await Promise.all([
    site.append('B01', ...records('B01', 300)),
    site.append('B02', ...records('B02', 5)),
  ]);
  await site.sealedAll();
  await backUp();
  for (let at = 0; at < 4; at += 1) {
    await Promise.all([
      site.append('B01', ...records('B01', 150, 300 + 150 * at)),
      site.append(`T${at}`, ...records(`T${at}`, 20)),
    ]);
    await site.sealedAll();
  }
  await eventually('everything in the folder', () => {
    const { size } = readCheckpoint(readFileSync(join(site.tiles, 'checkpoint')));
    return size === 6;
  });
  await site.stop(sealer);
  const published = readCheckpoint(readFileSync(join(site.tiles, 'checkpoint')));
  await restoreDatabase();
  await site.expireLease();
  return published;
}

describe('a sealer on a database that was restored to an older state', () => {
  it('hashes and seals nothing, and raises the alarm', async () => {
    await rolledBack();
    const before = await site.query('select partition, next from seal.position order by 1');
    const sealer = await site.start();
    await eventually('the alarm', async () =>
      /shoeprint_seal_alarms_total\{alarm="behind"\} 1/.test(await sealer.registry.metrics()),
    );
    await eventually('the alarm in the record of the house', async () =>
      (await site.house('evidence-alarm')).some(({ data }) => data.alarm === 'behind'),
    );
    expect(await site.query('select partition, next from seal.position order by 1')).toEqual(
      before,
    );
    expect((await site.reader.siteRoot())?.size).toBe(2);
  });
});

describe('shoeprint seal restore', () => {
  it('brings every leaf back from the published tiles, and sealing goes on from there', async () => {
    const published = await rolledBack();
    const sealer = await site.start();
    const { said } = await site.run('restore', site.tiles, ...REASON);
    expect(said).toContain('leaves 2 to 5 of the site log are back');
    await site.append('B02', ...records('B02', 5, 5));
    const after = await site.sealedAll();
    await verified(site);
    await expectOneHistory(site, [published, after]);
    expect(await site.run('verify')).toMatchObject({ code: 0 });
    expect(sealer.isActive()).toBe(true);
    expect(await site.house('evidence-keys-changed')).toMatchObject([
      {
        source: 'person/mei',
        data: { changes: { restored: { from: 2, to: 6 } }, reason: 'the database was restored' },
      },
    ]);
    await eventually('everything read again', async () => {
      const [row] = await site.query<{ whole: boolean }>(
        'select count(completed_at) = 2 as whole from seal.reading',
      );
      return row?.whole;
    });
  });

  it('brings the same bytes back without a sealer, and the next sealer signs them', async () => {
    const published = await rolledBack();
    await site.run('restore', site.tiles, ...REASON);
    await site.start();
    await eventually('the checkpoint that was published', async () => {
      const kept = await site.reader.checkpoint(published.size);
      return (
        kept?.size === published.size &&
        kept.note === readFileSync(join(site.tiles, 'checkpoint'), 'utf8')
      );
    });
  });

  it('can be killed at any leaf and run again', async () => {
    const published = await rolledBack();
    await site.query(
      `create function seal.fail() returns trigger language plpgsql as
       $$ begin raise exception 'no leaf 4 today'; end $$`,
    );
    await site.query(
      `create trigger fail before insert on seal.entry for each row when (new."index" = 4)
       execute function seal.fail()`,
    );
    await expect(site.run('restore', site.tiles, ...REASON)).rejects.toThrow('no leaf 4 today');
    expect((await site.reader.siteRoot())?.size).toBe(4);
    await site.query('drop trigger fail on seal.entry');
    await site.run('restore', site.tiles, ...REASON);
    await site.start();
    const after = await site.sealedAll();
    await verified(site);
    await expectOneHistory(site, [published, after]);
  });

  it('refuses tiles that end before what the key signed, or that contradict it', async () => {
    await rolledBack();
    const older = join(site.folder, 'older');
    cpSync(site.tiles, older, { recursive: true });
    const entries = join(older, 'tile', 'entries', '000.p', '6');
    writeFileSync(
      entries,
      readFileSync(entries).map((byte, at) => (at === 700 ? byte ^ 1 : byte)),
    );
    await expect(site.run('restore', older, ...REASON)).rejects.toThrow(
      'its leaves do not have the root of its checkpoint',
    );
    rmSync(join(older, 'checkpoint'));
    await expect(site.run('restore', older, ...REASON)).rejects.toThrow('checkpoint');
    const last = readFileSync(`${site.keyFile}.last`, 'utf8');
    writeFileSync(`${site.keyFile}.last`, last.replace('\n6\n', '\n7\n'));
    await expect(site.run('restore', site.tiles, ...REASON)).rejects.toThrow(
      'the key has signed size 7, and the published site log ends at 6',
    );
    writeFileSync(`${site.keyFile}.last`, last.replace('\n6\n', '\n5\n'));
    await expect(site.run('restore', site.tiles, ...REASON)).rejects.toThrow(
      'the published site log contradicts',
    );
    rmSync(`${site.keyFile}.last`);
    await expect(site.run('restore', site.tiles, ...REASON)).rejects.toThrow(
      'log.key.last is missing: bring it back first',
    );
    expect((await site.reader.siteRoot())?.size).toBe(2);
  });

  it('refuses a database that has everything, and one that is not an older state', async () => {
    const sealer = await site.start();
    await site.append('B01', 'x');
    await site.sealedAll();
    await site.stop(sealer);
    await expect(site.run('restore', site.tiles, ...REASON)).rejects.toThrow(
      'the database has all 2 published leaves',
    );
    await site.query(`update seal.entry set text = text || 'x' where "index" = 1`);
    await expect(site.run('restore', site.tiles, ...REASON)).rejects.toThrow(
      'leaf 1 in the database is not the published one',
    );
  });

  it('needs no record that is not sealed, such as one that the log lost', async () => {
    await rolledBack();
    if (!(site.log instanceof MemoryLog)) throw new Error('needs the log in memory');
    const partition = partitionOf('B01', 2);
    const offset = await site.log.head(partition);
    for (const text of ['lost', 'later']) await site.append('B01', text);
    site.log.faults.hole = { partition, offset };
    expect((await site.run('restore', site.tiles, ...REASON)).code).toBe(0);
  });

  it('refuses a log that lost sealed records, or that has other ones', async () => {
    await rolledBack();
    if (!(site.log instanceof MemoryLog)) throw new Error('needs the log in memory');
    const partition = partitionOf('B01', 2);
    site.log.faults.hole = { partition, offset: 400 };
    await expect(site.run('restore', site.tiles, ...REASON)).rejects.toThrow(
      `partition ${partition} of the log is broken`,
    );
    delete site.log.faults.hole;
    expect((await site.run('restore', site.tiles, ...REASON)).code).toBe(0);
  });
});

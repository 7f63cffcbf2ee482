import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newKeyFile, signerOf } from '#evidence/node';
import { PostgresLog } from '#event-log';
import pg from 'pg';
import { built, shoeprintBeside, type Ran } from '../cli/shoeprint.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { freePort } from '../kit/processes.js';
import { ORIGIN, Site } from './site.js';

const PARTITIONS = 2;

describe('shoeprint verify --log is refused with exit 2', () => {
  let database: TestDatabase;
  beforeAll(() => built());
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  /** Runs the command with the settings of a sealer, at a changed address. */
  function run(change: (url: URL) => void, ...options: readonly string[]): Promise<Ran> {
    const url = new URL(database.url);
    change(url);
    return shoeprintBeside(['verify', '--log', ...options], {
      ...{ DATABASE_URL: url.href, SHOEPRINT_LOG: 'postgres' },
      ...{ SHOEPRINT_PARTITIONS: String(PARTITIONS), SHOEPRINT_SITE: ORIGIN },
      SHOEPRINT_SEAL_KEY: join('nowhere', 'log.key'),
    });
  }
  const same = (): void => undefined;

  async function query(sql: string): Promise<unknown[]> {
    const client = new pg.Client(database.url);
    await client.connect();
    return (await client.query(sql).finally(() => client.end())).rows as unknown[];
  }

  it('is refused at once if nobody answers at the address of the database', async () => {
    const port = String(await freePort());
    const { code, stdout, stderr } = await run((url) => (url.port = port));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^shoeprint: PostgreSQL cannot be reached \(connect ECONNREFUSED .*\): check the address in DATABASE_URL/,
    );
  }, 30_000);

  it('is refused for a database that does not exist, and for a user who does not', async () => {
    const nowhere = await run((url) => (url.pathname = '/nowhere'));
    expect(nowhere).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'shoeprint: PostgreSQL refused (database "nowhere" does not exist): check user, password and database in DATABASE_URL\n',
    });
    const nobody = await run((url) => (url.username = 'nobody-of-this-house'));
    expect(nobody).toMatchObject({ code: 2, stdout: '' });
    expect(nobody.stderr).toMatch(/^shoeprint: PostgreSQL refused \(.*nobody-of-this-house/);
  });

  it('is refused for a database in which nothing is sealed, where it creates nothing', async () => {
    expect(await run(same)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'shoeprint: nothing is sealed in this database yet: start the sealer first\n',
    });
    const made = `select nspname from pg_namespace where nspname in ('log', 'seal')`;
    expect(await query(made)).toEqual([]);
  });

  it('is refused for settings that are missing, and options that are for packages, by their names', async () => {
    const missing = await shoeprintBeside(['verify', '--log'], { DATABASE_URL: '' });
    expect([missing.code, missing.stdout]).toEqual([2, '']);
    for (const name of ['DATABASE_URL', 'SHOEPRINT_SITE', 'SHOEPRINT_SEAL_KEY'])
      expect(missing.stderr).toContain(`${name}: is missing: `);
    expect(await run(same, '--witness', 'x')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'shoeprint: --log: --witness and --quorum are for packages\n',
    });
    expect(await run(same, 'b07.zip')).toMatchObject({
      code: 2,
      stderr: 'shoeprint: --log: name no package, it verifies the log itself\n',
    });
  });
});

describe('a report of shoeprint verify --log', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
  });
  afterEach(() => site.close());

  const fileOf = (name: string, text: string): string => {
    const file = join(site.folder, name);
    writeFileSync(file, text);
    return file;
  };

  it('is incomplete as long as no seal is made', async () => {
    const sealer = await site.start();
    await site.stop(sealer);
    const { code, said } = await site.run('verify');
    expect(code).toBe(2);
    expect(said).toMatch(/^INCOMPLETE .*: 0 records in 0 partitions, 0 seals$/m);
    expect(said).toMatch(/^ {2}incomplete, step \d: no (seal is made|checkpoint is signed) yet/m);
  });

  it('says in words which key, which checkpoint and which log it does not follow from', async () => {
    const { vkey } = await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    const strange = signerOf(newKeyFile(ORIGIN)).vkey;
    const wrong = await site.run('verify', '--key', strange);
    expect(wrong.code).toBe(1);
    expect(wrong.said).toContain(
      `altered, step 3: ${vkey} signed it, which does not follow from the key of the house`,
    );
    const none = await site.run('verify', '--key', join(site.folder, 'none.vkey'));
    expect(none).toMatchObject({
      code: 3,
      said: expect.stringMatching(/none\.vkey: no such file/),
    });
    const noKey = await site.run('verify', '--key', 'a+b+c');
    expect(noKey).toMatchObject({ code: 3, said: expect.stringMatching(/^UNREADABLE .*\n/) });
    expect(noKey.said).toMatch(/unreadable, step 1: --key: a\+b\+c: /);
    const bad = await site.run('verify', '--trusted', fileOf('bad', 'not a checkpoint'));
    expect(bad).toMatchObject({
      code: 3,
      said: expect.stringMatching(/step 1: not a checkpoint: /),
    });
    await site.query(`alter table log.identity disable trigger all;
      update log.identity set id = gen_random_uuid()`);
    const sealed = site.log.id;
    await site.reopenLog();
    const other = await site.run('verify');
    expect(other.code).toBe(1);
    expect(other.said).toContain(
      `altered, step 6: the log is ${site.log.id}, and what was sealed came from ${sealed}`,
    );
  });

  it('has a verdict though the memory of the key is damaged, which is a fault, or cannot be read', async () => {
    await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    const last = `${site.keyFile}.last`;
    expect(await site.run('verify')).toMatchObject({ code: 0 });
    writeFileSync(last, readFileSync(last, 'utf8').slice(0, 20));
    const damaged = await site.run('verify');
    expect(damaged.code).toBe(1);
    expect(damaged.said).toMatch(/altered, step 3: what the key remembers is damaged: .*\.last: /);
    rmSync(last);
    mkdirSync(last);
    const unread = await site.run('verify');
    expect(unread.code).toBe(0);
    expect(unread.said).toMatch(/warning {4}what the key remembers was not compared: .*EISDIR/);
  });
});

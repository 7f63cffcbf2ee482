import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkpointText, leafHash, noteText, signText } from '#evidence';
import { newKeyFile, nodeCryptography, signerOf } from '#evidence/node';
import { partitionOf, PostgresLog } from '#event-log';
import { GrowingTree } from '#seal-store';
import { eventually } from '../kit/eventually.js';
import { ORIGIN, Site } from './site.js';

const PARTITIONS = 2;
const COUNT = 300;
const { sha256 } = nodeCryptography;
const [FIRST, SECOND] = ['B1', 'B2', 'B3', 'B4', 'B5'].filter(
  (table) => partitionOf(table, PARTITIONS) === 0,
) as [string, string];
const OTHER =
  ['B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7'].find(
    (table) => partitionOf(table, PARTITIONS) === 1,
  ) ?? '';

let site: Site;
beforeEach(async () => {
  site = await Site.open((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
});
afterEach(async () => {
  await site.close();
});

const record = (table: string, n: number): string => `{"table":"${table}","n":${n}}`;
const hexLeaf = (value: string): string =>
  Buffer.from(leafHash(sha256, Buffer.from(value))).toString('hex');

/** Seals three times 100 records of each of two tables of one partition, and stops. */
async function sealed(): Promise<void> {
  const sealer = await site.start();
  for (let from = 0; from < COUNT; from += 100) {
    for (const table of [FIRST, SECOND])
      await site.append(table, ...Array.from({ length: 100 }, (_, at) => record(table, from + at)));
    await site.sealedAll();
  }
  await site.stop(sealer);
  // As long after a whole reading as the next one is due.
  await site.query('delete from seal.reading');
}

/** Changes tables as a superuser does with the triggers of the log switched off. */
async function behindOurBack(sql: string, values: unknown[] = []): Promise<void> {
  await site.query('alter table log.record disable trigger append_only');
  await site.query(sql, values);
  await site.query('alter table log.record enable always trigger append_only');
}

interface Fault {
  readonly table: string | null;
  readonly record: number | null;
  readonly partition: number | null;
  readonly offset: number | null;
  readonly line: number | null;
  readonly seal: number | null;
  readonly message: string;
}

interface Verified {
  readonly code: number;
  readonly verdict: string;
  readonly faults: readonly Fault[];
}

async function verifyLog(...options: readonly string[]): Promise<Verified> {
  const { code, said } = await site.run('verify', '--json', ...options);
  return { code, ...(JSON.parse(said) as Omit<Verified, 'code'>) };
}

/**
 * Starts a sealer and waits for its alarm: in the record of the house and in the metrics. The other
 * partition is sealed on.
 */
async function alarmed(
  alarm: 'changed' | 'missing',
  expected: Readonly<Record<string, unknown>>,
): Promise<void> {
  const sealer = await site.start();
  const wanted = Object.entries(expected);
  await eventually(`the alarm "${alarm}" in the record of the house`, async () =>
    (await site.house('evidence-alarm')).some(
      ({ data }) => data.alarm === alarm && wanted.every(([name, value]) => data[name] === value),
    ),
  );
  await eventually('the alarm and the mismatch among the metrics', async () => {
    const metrics = await sealer.registry.metrics();
    const isRaised = new RegExp(`shoeprint_seal_alarms_total\\{alarm="${alarm}"\\} [1-9]`);
    return isRaised.test(metrics) && /shoeprint_seal_mismatches [1-9]/.test(metrics);
  });
  await site.append(OTHER, 'play goes on');
  const head = await site.log.head(1);
  await eventually('the other partition sealed', async () => {
    const next = /^next \d+ (\d+)$/m.exec((await site.reader.lastEntry('seal'))?.text ?? '');
    return Number(next?.[1]) >= head;
  });
  await site.stop(sealer);
}

/** Edits a record. */
const edit = (offset: number, value: string): Promise<void> =>
  behindOurBack('update log.record set value = $2 where partition = 0 and "offset" = $1', [
    offset,
    Buffer.from(value),
  ]);

/** The offset of a record of the second table: each hundred of the first stands before. */
const offsetOf = (n: number): number => 200 * Math.floor(n / 100) + 100 + (n % 100);

/** Puts the leaf hash of an edited record of the second table into the stored tile or tail. */
async function editLeaf(n: number, value: string): Promise<void> {
  const leaf = Buffer.from(leafHash(sha256, Buffer.from(value)));
  const [{ id } = { id: 0 }] = await site.query<{ id: number }>(
    'select id from seal.tree where name = $1',
    [SECOND],
  );
  const changed = await site.query(
    `update seal.tile set hashes = overlay(hashes placing $3 from 32 * $2::int + 1)
     where tree = $1 and level = 0 and "index" = 0 returning 1`,
    [id, n, leaf],
  );
  expect(changed).toHaveLength(1);
}

/** Makes everything that the sealer stored of the second table match an edited record. */
async function editAllStored(n: number, value: string): Promise<void> {
  await editLeaf(n, value);
  const [tree = { id: 0, number: 0 }] = await site.query<{ id: number; number: number }>(
    'select id, number from seal.tree where name = $1',
    [SECOND],
  );
  const grown = await site.query<{ seal: string; size: string }>(
    'select seal, size from seal.grown where number = $1 order by seal',
    [tree.number],
  );
  const growing = new GrowingTree(sha256);
  for (const { seal, size } of grown) {
    for (let at = growing.size; at < Number(size); at += 1) {
      const leaf = leafHash(sha256, Buffer.from(at === n ? value : record(SECOND, at)));
      for (const tile of growing.append(leaf))
        await site.query(
          'update seal.tile set root = $4 where tree = $1 and level = $2 and "index" = $3',
          [tree.id, tile.level, tile.index, Buffer.from(tile.root)],
        );
    }
    await site.query('update seal.grown set root = $3 where number = $1 and seal = $2', [
      tree.number,
      seal,
      Buffer.from(growing.root()),
    ]);
  }
  await site.query('update seal.tree set frontier = $2 where id = $1', [
    tree.id,
    Buffer.concat(growing.frontier),
  ]);
}

describe('a log in PostgreSQL that nobody changed', () => {
  it('is intact, by its report for people and for programs', async () => {
    await sealed();
    expect(await verifyLog()).toMatchObject({
      code: 0,
      verdict: 'INTACT',
      faults: [],
      furtherFaults: 0,
      counts: { records: 600 },
    });
    const { said } = await site.run('verify');
    expect(said).toMatch(
      /^INTACT {2}shoeprint\.example\/test: 600 records in 1 partitions, \d seals$/m,
    );
    expect(said).toMatch(/^ {2}signed {5}.*\(the key of the house\), size \d$/m);
  });

  it('is intact while it grows', async () => {
    await site.start();
    const ends = Array.from({ length: 40 }, async (_, at) => {
      await site.append(`B${at % 3}`, record('x', at));
    });
    for (let at = 0; at < 5; at += 1) {
      // The first entry that is signed is the statement of the keys.
      await eventually('a signed seal', async () => {
        const { size } = (await site.reader.checkpoint()) ?? { size: 0 };
        return size > 1;
      });
      expect(await verifyLog()).toMatchObject({ verdict: 'INTACT', faults: [] });
    }
    await Promise.all(ends);
  });
});

describe('in a log in PostgreSQL, a superuser', () => {
  it('a superuser who edits a record is found by both, which name it', async () => {
    await sealed();
    await edit(offsetOf(120), record(SECOND, 999));
    const expected = { table: SECOND, record: 120, partition: 0, offset: offsetOf(120), line: 1 };
    const { code, faults } = await verifyLog();
    expect([code, faults]).toEqual([1, [expect.objectContaining(expected)]]);
    const [sealedHash, found] = [hexLeaf(record(SECOND, 120)), hexLeaf(record(SECOND, 999))];
    expect(faults[0]?.message).toContain(`(sealed ${sealedHash}, found ${found})`);
    const { table: of, ...rest } = expected;
    await alarmed('changed', { of, ...rest, sealed: sealedHash, found });
  });

  it('a superuser who spoils a line of a block is named by the line', async () => {
    const sealer = await site.start();
    const block = [1, 2, 3].map((n) => record(FIRST, n));
    await site.append(FIRST, block.join('\n'));
    await site.sealedAll();
    await site.stop(sealer);
    await edit(0, [block[0], record(SECOND, 2), block[2]].join('\n'));
    expect((await verifyLog()).faults).toMatchObject([{ table: FIRST, record: 0, line: 2 }]);
    await edit(0, [block[0], record(FIRST, 7), block[2]].join('\n'));
    expect((await verifyLog()).faults).toMatchObject([{ table: FIRST, record: 0, line: null }]);
  });

  it('a superuser who deletes a record is found by both, which name it', async () => {
    await sealed();
    await behindOurBack('delete from log.record where partition = 0 and "offset" = 10');
    const expected = { table: FIRST, record: 10, partition: 0, offset: 10 };
    expect(await verifyLog()).toMatchObject({ code: 1, faults: [expected] });
    const { table: of, ...rest } = expected;
    await alarmed('missing', {
      of,
      ...rest,
      sealed: hexLeaf(record(FIRST, 10)),
    });
  });

  it('a superuser who inserts a record between others is found at each record from there on', async () => {
    await sealed();
    await behindOurBack(
      'update log.record set "offset" = "offset" + 1000 where partition = 0 and "offset" >= 595',
    );
    await behindOurBack(
      'update log.record set "offset" = "offset" - 999 where partition = 0 and "offset" >= 1000',
    );
    await behindOurBack(`insert into log.record values (0, 595, $1, 'between')`, [SECOND]);
    await behindOurBack('update log.partition set next = next + 1 where partition = 0');
    const { faults } = await verifyLog();
    expect(faults.map(({ offset, record: n }) => [offset, n])).toEqual(
      [595, 596, 597, 598, 599].map((offset) => [offset, offset - 300]),
    );
    await alarmed('changed', { of: SECOND, record: 295, offset: 595 });
  });

  it('a superuser who swaps two records is found at both', async () => {
    await sealed();
    await behindOurBack(
      `update log.record r set value = o.value from log.record o
       where r.partition = 0 and o.partition = 0
         and r."offset" in (5, 6) and o."offset" = 11 - r."offset"`,
    );
    expect((await verifyLog()).faults).toMatchObject([
      { table: FIRST, record: 5, offset: 5 },
      { table: FIRST, record: 6, offset: 6 },
    ]);
    await alarmed('changed', { of: FIRST, record: 5 });
  });

  it('a superuser who moves a record to another table is found', async () => {
    await sealed();
    await behindOurBack('update log.record set key = $1 where partition = 0 and "offset" = 100', [
      FIRST,
    ]);
    expect((await verifyLog()).faults).toMatchObject([
      { table: SECOND, record: 0, partition: 0, offset: 100, line: 1 },
    ]);
  });

  it('a superuser who edits the stored hash of the record too is found against the signed seals', async () => {
    await sealed();
    await edit(offsetOf(120), record(SECOND, 999));
    await editLeaf(120, record(SECOND, 999));
    const expected = { table: SECOND, record: 100, partition: 0, offset: offsetOf(100) };
    const { code, faults } = await verifyLog();
    expect([code, faults]).toEqual([1, [expect.objectContaining(expected)]]);
    expect(faults[0]?.message).toMatch(
      /^the stored hashes of records 100 to 199 do not have the root/,
    );
    const { table: of, ...rest } = expected;
    await alarmed('changed', { of, ...rest });
    expect(await site.reader.mismatches(SECOND)).toHaveLength(1);
  });

  it('a superuser who edits every stored hash and root too is found against the signed seals', async () => {
    await sealed();
    await edit(offsetOf(120), record(SECOND, 999));
    await editAllStored(120, record(SECOND, 999));
    const { code, faults } = await verifyLog();
    expect(code).toBe(1);
    expect(faults[0]?.message).toMatch(
      new RegExp(`^the stored heads are not those that seal \\d holds: records of .*${SECOND}`),
    );
    const sealer = await site.start();
    await eventually('the alarm', async () =>
      /shoeprint_seal_alarms_total\{alarm="fork"\} 1/.test(await sealer.registry.metrics()),
    );
    const alarm = await eventually(
      'the alarm in the record of the house',
      async () => (await site.house('evidence-alarm'))[0],
    );
    expect(alarm.data.detail).toMatch(/heads in the database are not those of seal/);
  });

  it('a superuser who edits only what the sealer continues from is found before it seals on that', async () => {
    await sealed();
    await site.query(
      `update seal.tree set frontier = overlay(frontier placing '\\x00'::bytea from 3) where name = $1`,
      [SECOND],
    );
    const before = await site.reader.siteRoot();
    const sealer = await site.start();
    await site.append(SECOND, 'more');
    await eventually('the alarm', async () =>
      /shoeprint_seal_alarms_total\{alarm="fork"\} 1/.test(await sealer.registry.metrics()),
    );
    expect(await site.reader.siteRoot()).toEqual(before);
  });

  it('a superuser who edits a seal is found by the root that was signed', async () => {
    await sealed();
    await site.query(
      `update seal.entry set text = replace(text, 'next 2', 'next 3') where "index" = 1`,
    );
    const { code, faults } = await verifyLog();
    expect(code).toBe(1);
    expect(
      faults.some(({ seal, message }) => seal === 1 && /the one that was signed/.test(message)),
    ).toBe(true);
  });

  it('a superuser who edits a signed checkpoint is found by its signature', async () => {
    await sealed();
    await site.query(
      `update seal.checkpoint set note = regexp_replace(note, E'\\n[0-9]+\\n', E'\\n1\\n')`,
    );
    const { code, faults } = await verifyLog();
    expect(code).toBe(1);
    expect(faults[0]?.message).toMatch(/^the signature of [0-9a-f]{8} on the checkpoint is wrong/);
  });
});

describe('verify --log', () => {
  const fileOf = (name: string, text: string): string => {
    const file = join(site.folder, name);
    writeFileSync(file, text);
    return file;
  };

  it('takes the key of the house where it lies, and else needs one to be named', async () => {
    await sealed();
    const { vkey } = signerOf(readFileSync(site.keyFile, 'utf8'));
    rmSync(site.keyFile);
    const alone = await verifyLog();
    expect([alone.code, alone.verdict]).toEqual([2, 'INCOMPLETE']);
    expect((await verifyLog('--key', vkey)).code).toBe(0);
    expect((await verifyLog('--key', fileOf('site.vkey', `${vkey}\n`))).code).toBe(0);
    const strange = signerOf(newKeyFile(ORIGIN)).vkey;
    expect(await verifyLog('--key', strange)).toMatchObject({ code: 1, verdict: 'ALTERED' });
    expect(await verifyLog('--key', 'a+b+c')).toMatchObject({ code: 3, verdict: 'UNREADABLE' });
    expect(await verifyLog('--key', join(site.folder, 'none'))).toMatchObject({ code: 3 });
  });

  it('finds a history that goes on from a held checkpoint, and one that does not', async () => {
    const sealer = await site.start();
    await site.append(FIRST, 'x');
    await site.sealedAll();
    const held = await site.reader.checkpoint();
    await site.append(FIRST, 'y');
    await site.sealedAll();
    await site.stop(sealer);
    const file = fileOf('held', held?.note ?? '');
    expect((await verifyLog('--trusted', file)).code).toBe(0);
    const signer = signerOf(readFileSync(site.keyFile, 'utf8'));
    const text = checkpointText({ origin: ORIGIN, size: held?.size ?? 0, root: Buffer.alloc(32) });
    const note = noteText({ text, signatures: [signText(sha256, text, signer)] });
    const { code, faults } = await verifyLog('--trusted', fileOf('fork', note));
    expect(code).toBe(1);
    expect(faults[0]?.message).toMatch(/contradicts the checkpoint in .*: history was rewritten/);
  });

  it('finds a database that is older than what the key remembers', async () => {
    await sealed();
    await site.query('delete from seal.checkpoint where size > 2');
    const { code, faults } = await verifyLog();
    expect(code).toBe(1);
    expect(faults[0]?.message).toMatch(
      /what the key remembers .* is of size \d, and the site log ends/,
    );
  });
});

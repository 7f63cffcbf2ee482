import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readCheckpoint, readCheckpointText, readSeal, utf8Of } from '#evidence';
import { MemoryLog } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { expectOneHistory, ORIGIN, Site, verified } from './site.js';

let site: Site;
beforeEach(async () => {
  site = await Site.open();
});
afterEach(async () => {
  await site.close();
});

const records = (table: string, count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `{"table":"${table}","n":${from + at}}`);

describe('a sealer', () => {
  it('seals every record of every table, and signs a checkpoint of it', async () => {
    await site.append('B07', ...records('B07', 5));
    await site.append('Bàn 1', ...records('Bàn 1', 1));
    const sealer = await site.start();
    const first = await site.sealedAll();
    await site.append('B07', ...records('B07', 300, 5));
    await site.append('@house', ...records('@house', 3));
    const second = await site.sealedAll();
    expect(second.size).toBeGreaterThan(first.size);
    expect(await verified(site)).toMatchObject({ records: 309 });
    await expectOneHistory(site, [first, second]);
    expect(sealer.vkey).toMatch(new RegExp(`^${ORIGIN}\\+[0-9a-f]{8}\\+`));
    expect(sealer.origin).toBe(ORIGIN);
  });

  it('goes on from where it stopped, also over records that came meanwhile', async () => {
    await site.append('B07', ...records('B07', 700));
    const first = await site.start();
    const before = await site.sealedAll();
    await site.stop(first);
    await site.append('B07', ...records('B07', 400, 700));
    await site.append('B08', ...records('B08', 10));
    await site.start();
    const after = await site.sealedAll();
    expect(await verified(site)).toMatchObject({ records: 1_110 });
    await expectOneHistory(site, [before, after]);
  });

  it('seals a long log piece by piece, once the set number of records is read', async () => {
    const large = 'x'.repeat(20_000);
    await site.append('B07', ...records('B07', 600).map((record) => `${record}${large}`));
    await site.start({ rhythm: { everyMs: 3_600_000, records: 50, graceMs: 900_000 } });
    await eventually('three seals', async () => ((await site.reader.checkpoint())?.size ?? 0) >= 4);
    const { records: sealed, seals } = await verified(site);
    expect(sealed).toBeGreaterThanOrEqual(50 * seals);
  });

  it('counts a record that is delivered twice once', async () => {
    if (!(site.log instanceof MemoryLog)) throw new Error('needs the log in memory');
    site.log.faults.deliverTwice = true;
    await site.append('B07', ...records('B07', 20));
    await site.start();
    await site.sealedAll();
    expect(await verified(site)).toMatchObject({ records: 20 });
  });

  it('numbers tables whose ids differ by case, hold any character, or look like paths', async () => {
    const tables = ['..', 'CON', 'b07', 'B07', 'a\nb', '%', 'x'.repeat(16_384), 'ế'];
    for (const table of tables) await site.append(table, ...records('T', 2));
    await site.start();
    await site.sealedAll();
    await verified(site);
    for (const table of tables) expect(await site.reader.table(table)).toBeDefined();
  });

  it('seals records without a key, or with one that no table can have, in a tree for each partition', async () => {
    const keys = ['', 'x'.repeat(16_385), 'ế'.repeat(5_462), 'B07', ''];
    for (const partition of [0, 1])
      await site.log.append({
        ...{ partition, urgency: 'live' },
        records: keys.map((key, n) => ({ key, value: Buffer.from(`${partition}/${n}`) })),
      });
    await site.start();
    await site.sealedAll();
    await verified(site);
    const last = (await site.reader.lastEntry('seal'))?.index ?? 0;
    for (const partition of [0, 1]) {
      const table = await site.reader.table(`@unkeyed-${partition}`);
      expect((await site.reader.head(table?.number ?? -1, last))?.size).toBe(4);
      const positions = await site.reader.positions(table?.number ?? -1, 0, 4);
      expect(positions).toEqual([0, 1, 2, 4].map((offset) => ({ partition, offset })));
    }
  });

  it('seals within a minute only when asked, at most every five seconds', async () => {
    const slow = { rhythm: { everyMs: 3_600_000, records: 50_000, graceMs: 900_000 } };
    await site.append('B07', ...records('B07', 1));
    await site.start(slow);
    const before = await site.sealedAll();
    await site.append('B07', ...records('B07', 1, 1));
    await site.reader.ask();
    const after = await site.sealedAll();
    expect(after.size).toBe(before.size + 1);
    const [first, second] = (await site.reader.entries(0, after.size)).slice(-2);
    const timeOf = (text = ''): number => Date.parse(readSeal(text).time);
    expect(timeOf(second?.text) - timeOf(first?.text)).toBeGreaterThanOrEqual(4_000);
  });

  it('publishes the site log as tiles, which prove the checkpoint', async () => {
    await site.start();
    for (let at = 0; at < 3; at += 1) {
      await site.append('B07', ...records('B07', 1, at));
      await site.sealedAll();
    }
    const kept = await site.reader.checkpoint();
    await eventually('the last checkpoint in the folder', () => {
      const published = readCheckpoint(readFileSync(join(site.tiles, 'checkpoint')));
      return published.size === kept?.size;
    });
    const { size } = readCheckpoint(utf8Of(kept?.note ?? ''));
    const tile = readFileSync(join(site.tiles, `tile/0/000.p/${size}`));
    expect(tile).toEqual(Buffer.from(await site.reader.leaves('site', 0, size)));
    expect(readdirSync(join(site.tiles, 'tile/entries/000.p'))).toContain(String(size));
  });

  it('keeps its keys from others, and remembers what it signed last', async () => {
    await site.append('B07', ...records('B07', 1));
    await site.start();
    const { size } = await site.sealedAll();
    const keys = join(site.folder, 'keys');
    for (const name of ['log.key', 'safe.key', 'exports.key'])
      expect(statSync(join(keys, name)).mode & 0o777).toBe(0o600);
    const last = readCheckpointText(readFileSync(join(keys, 'log.key.last'), 'utf8'));
    expect(last).toMatchObject({ origin: ORIGIN, size });
  });
});

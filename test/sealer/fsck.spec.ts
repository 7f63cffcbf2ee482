import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCheckpoint } from '#evidence';
import { migrateAccess } from '#api';
import { migrate } from '#read-model';
import { startApi, type TestApi } from '../kit/api.js';
import { eventually } from '../kit/eventually.js';
import { tesseraFsck, wordsOf } from './fsck.js';
import { Site } from './site.js';

const SEALS = 12;
/** What it says of a log that is whole. */
const WHOLE = /Successfully fsck'd/i;
const fsck = tesseraFsck();

if ('skipped' in fsck)
  process.stderr.write(`\n*** SKIPPED, not passed: Tessera's fsck\n*** ${fsck.skipped}\n\n`);
const suite = 'skipped' in fsck ? describe.skip : describe;

suite("Tessera's fsck, a verifier that others wrote", () => {
  let site: Site;
  let api: TestApi;
  let key: string;
  beforeAll(async () => {
    site = await Site.open();
    await migrateAccess(site.database.url);
    await migrate(site.database.url);
    const { vkey } = await site.start();
    for (let at = 0; at < SEALS; at += 1) {
      await site.append(`B0${at % 3}`, `{"n":${at}}`);
      await site.sealedAll();
    }
    api = await startApi({ log: site.log, databaseUrl: site.database.url });
    key = join(site.folder, 'site.vkey');
    writeFileSync(key, vkey);
    await eventually('every seal in the folder', () => {
      const { size } = readCheckpoint(readFileSync(join(site.tiles, 'checkpoint')));
      return size > SEALS;
    });
  }, 120_000);
  afterAll(async () => {
    await api?.close();
    await site?.close();
  });

  const checked = (storage: string, ...more: readonly string[]): Promise<string> =>
    'skipped' in fsck
      ? Promise.resolve('')
      : wordsOf(fsck.program, [`-public_key=${key}`, `-storage_url=${storage}`, ...more]);

  it('finds the site log whole that a running server serves', async () => {
    const token = await api.person('regulator');
    const words = await checked(`${await api.url()}/v1/evidence/`, `-bearer_token=${token}`);
    expect(words).toMatch(WHOLE);
  });

  it('finds the published folder whole, and a changed byte in it', async () => {
    expect(await checked(`${pathToFileURL(site.tiles).href}/`)).toMatch(WHOLE);
    const copy = join(site.folder, 'copy');
    cpSync(site.tiles, copy, { recursive: true });
    const { size } = readCheckpoint(readFileSync(join(copy, 'checkpoint')));
    const tile = join(copy, 'tile', '0', '000.p', String(size));
    writeFileSync(
      tile,
      readFileSync(tile).map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
    );
    const words = await checked(`${pathToFileURL(copy).href}/`);
    expect(words).not.toMatch(WHOLE);
    expect(words).toMatch(/tile/i);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import {
  FileList,
  readCheckpoint,
  readVkey,
  utf8Of,
  verifyPackage,
  writePackage,
  type PackageContent,
  type PackageReport,
  type Trust,
} from '#evidence';
import { nodeCryptography, nodePlatform, signerOf } from '#evidence/node';
import {
  makePackage,
  packageContent,
  type ExportAsked,
  type ExportParts,
  type MadePackage,
  type PackageStep,
} from '#export';
import { openPackage } from '../../apps/cli/src/verify/package-files.js';
import { gamingDays } from '#read-model';
import { packageReplay } from '#replay';
import type { Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { shortTable } from '../kit/short-table.js';
import { Site } from '../sealer/site.js';

const { sha256 } = nodeCryptography;
const published = JSON.parse(
  readFileSync(new URL('../../rules/manifest.json', import.meta.url), 'utf8'),
) as Record<string, string>;
const judging = { published, sha256, gamingDays };
const verifying = packageReplay({ ...judging, warnings: 'checked' });

/** Returns the events of five shoes, with wrong outcomes declared. */
function played(): Sent[] {
  const numbers = new Map<unknown, number>();
  const log = shortTable({ rules: 'punto-banco@1', seed: 3, bets: true, shoes: 5, coups: 4 });
  return log.map((event, i) => {
    const data = event.data as Sent;
    const wrong = event.type === 'shoeprint.outcome-declared.v1' && i % 2 === 0;
    const spoiled = wrong ? { ...event, data: { ...data, outcome: 'tie' } } : event;
    if (event.session === undefined) return spoiled;
    const sequence = (numbers.get(event.source) ?? 0) + 1;
    numbers.set(event.source, sequence);
    return { ...spoiled, sequence, id: `1/${sequence}` };
  });
}

const events = played();
const openings = events.filter(({ type }) => type === 'shoeprint.shoe-opened.v1');
const shoeAt = (n: number): { readonly name: string; readonly ref: string } => {
  const { shoe, source, id } = openings[n] as Record<string, string>;
  return { name: shoe ?? '', ref: `${source}#${id}` };
};

describe('the content of a package', () => {
  let site: Site;
  let early: number;
  beforeAll(async () => {
    site = await Site.open();
    await site.start();
    const records: string[] = [];
    for (let at = 0; at < events.length; at += 4)
      records.push(
        events
          .slice(at, at + 4)
          .map((event) => JSON.stringify(event))
          .join('\n'),
      );
    const half = Math.floor(records.length / 2);
    await site.append('T1', ...records.slice(0, half));
    await site.append('other', '{}');
    early = (await site.sealedAll()).size;
    await site.append('T1', ...records.slice(half));
    await site.append('spoiled', 'not an event');
    await site.sealedAll();
  });
  afterAll(() => site.close());

  const parts = (changed: Partial<ExportParts> = {}): ExportParts => ({
    log: site.log,
    seals: site.reader,
    sha256,
    book: BOOK,
    replay: packageReplay({ ...judging, warnings: 'made' }),
    gamingDays: [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }],
    software: { name: 'shoeprint', version: '0.1.0', commit: 'test', fold: verifying.fold },
    unjudged: [],
    isAsInRows: async () => true,
    howToVerify: 'node shoeprint-verify.mjs PACKAGE --key KEY\n',
    ...changed,
  });

  const ofShoe = (n: number): ExportAsked => ({
    id: `shoe-${n}`,
    scope: { kind: 'shoe', table: 'T1', shoe: shoeAt(n).name },
    of: { of: 'shoe', ref: shoeAt(n).ref },
    since: [],
  });
  const ofTable = (table: string): ExportAsked => ({
    id: 'table',
    scope: { kind: 'table', table },
    of: { of: 'days' },
    since: [],
  });

  const keyOf = (file: string) => signerOf(readFileSync(`${site.folder}/keys/${file}`, 'utf8'));

  async function verified(
    content: PackageContent,
    trust: Partial<Trust> = {},
  ): Promise<PackageReport> {
    const files = new FileList();
    const place = {
      create: async (path: string) => {
        const blocks: Uint8Array[] = [];
        return {
          write: async (bytes: Uint8Array) => void blocks.push(bytes),
          close: async () => {
            const whole = Buffer.concat(blocks);
            files.add(`package/${path}`, whole.length, async function* () {
              yield Uint8Array.from(whole);
            });
          },
        };
      },
    };
    await writePackage(content, place, nodePlatform, keyOf('exports.key'));
    const keys = [readVkey(sha256, keyOf('log.key').vkey)];
    const given = { keys, checkpoints: [], witnesses: [], quorum: 0, ...trust };
    return verifyPackage(files, given, verifying, nodePlatform);
  }

  it('shows a shoe, which the verifier finds intact with the same findings', async () => {
    const report = await verified(await packageContent(parts(), ofShoe(2)));
    expect(report.faults).toEqual([]);
    expect(report.verdict).toBe('INTACT');
    expect(report.judgement?.findings).toBeGreaterThan(0);
    expect(report.judgement?.shoes).toMatchObject([
      { shoe: shoeAt(2).name, isClosed: true, hasLeftReach: true },
    ]);
    const [table] = report.statement?.tables ?? [];
    expect(table?.first).toBeGreaterThan(0);
  });

  it('shows a shoe that corrections can still reach, and says so', async () => {
    const report = await verified(await packageContent(parts(), ofShoe(4)));
    expect(report.verdict).toBe('INTACT');
    expect(report.warnings).toContain('corrections are still possible');
  });

  it('shows a whole table, with every shoe', async () => {
    const report = await verified(await packageContent(parts(), ofTable('T1')));
    expect(report.faults).toEqual([]);
    expect(report.judgement?.shoes.map(({ shoe }) => shoe)).toEqual(
      openings.map(({ shoe }) => shoe),
    );
  });

  it('shows that the log only grew since a checkpoint that the recipient holds', async () => {
    const content = await packageContent(parts(), { ...ofShoe(2), since: [early] });
    const held = readCheckpoint(utf8Of((await site.reader.checkpoint(early))?.note ?? ''));
    const report = await verified(content, { checkpoints: [held] });
    expect(report.faults).toEqual([]);
    expect(report.grownSince).toEqual([early]);
  });

  it('begins earlier until what was judged is what the rows say', async () => {
    const asked = await packageContent(parts(), ofShoe(3));
    let tries = 0;
    const isAsInRows = async (): Promise<boolean> => (tries += 1) > 1;
    const content = await packageContent(parts({ isAsInRows }), ofShoe(3));
    expect(content.tables[0]?.first).toBeLessThan(asked.tables[0]?.first ?? 0);
    expect((await verified(content)).verdict).toBe('INTACT');
  });

  it('is refused if even the whole log judges otherwise than the rows say', async () => {
    const differing = parts({ isAsInRows: async () => false });
    await expect(packageContent(differing, ofShoe(3))).rejects.toMatchObject({
      code: 'differs-from-rows',
    });
  });

  it.each([
    ['a table that no seal holds', 'unknown-table', (): ExportAsked => ofTable('nowhere')],
    [
      'a shoe that the table does not have',
      'unknown-shoe',
      (): ExportAsked => ({ ...ofShoe(2), of: { of: 'shoe', ref: 'device/x#1' } }),
    ],
    [
      'a day that is not sealed',
      'day-not-sealed',
      (): ExportAsked => ({
        ...ofTable('T1'),
        scope: { kind: 'day', table: 'T1', day: '2026-11-20' },
      }),
    ],
    [
      'a checkpoint larger than the last one',
      'unknown-checkpoint',
      (): ExportAsked => ({ ...ofShoe(2), since: [1_000_000] }),
    ],
    ['records that the judges do not take', 'not-judged', (): ExportAsked => ofTable('spoiled')],
  ])('is refused for %s', async (_, code, asked) => {
    await expect(packageContent(parts(), asked())).rejects.toMatchObject({ code });
  });

  it('leaves out an event that was released, and names it', async () => {
    const unjudged = [{ table: 'spoiled', record: 0, line: 1, released: true }];
    const content = await packageContent(parts({ unjudged }), ofTable('spoiled'));
    const report = await verified(content);
    expect(report.faults).toEqual([]);
    expect(report.statement?.unjudged).toEqual(unjudged);
  });

  describe('as a file', () => {
    const steps: PackageStep[] = [];
    const fileOf = (name: string): string => `${site.folder}/${name}.zip`;
    const make = (
      name: string,
      changed: Partial<ExportParts> = {},
      signal = new AbortController().signal,
    ): Promise<MadePackage> =>
      makePackage(
        parts(changed),
        {
          platform: nodePlatform,
          exportsKey: keyOf('exports.key'),
          trust: {
            keys: [readVkey(sha256, keyOf('log.key').vkey)],
            ...{ checkpoints: [], witnesses: [], quorum: 0 },
          },
          replay: verifying,
        },
        ofShoe(2),
        {
          file: fileOf(name),
          work: `${site.folder}/work-${name}`,
          progress: (step) => steps.push(step),
          signal,
        },
      );

    it('is a zip that the verifier finds intact, and the same bytes each time', async () => {
      const made = await make('one');
      expect(steps).toEqual(['choosing', 'writing', 'verifying', 'packing', 'made']);
      const bytes = readFileSync(fileOf('one'));
      expect(made).toMatchObject({
        id: 'shoe-2',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
      const opened = await openPackage(fileOf('one'));
      const keys = [readVkey(sha256, keyOf('log.key').vkey)];
      const trust = { keys, checkpoints: [], witnesses: [], quorum: 0 };
      const report = await verifyPackage(opened.source, trust, verifying, nodePlatform);
      await opened.close();
      expect(report.verdict).toBe('INTACT');
      expect(await make('two')).toEqual(made);
      expect(existsSync(`${site.folder}/work-one`)).toBe(false);
    });

    it('is not there if its own verifier does not find it intact', async () => {
      const software = { name: 'shoeprint', version: '0', commit: 'test', fold: 1 };
      await expect(make('old', { software })).rejects.toMatchObject({ code: 'not-intact' });
      expect(existsSync(fileOf('old'))).toBe(false);
    });

    it('is not there if making it is stopped', async () => {
      const stop = new AbortController();
      const isAsInRows = async (): Promise<boolean> => {
        stop.abort(new Error('stopped'));
        return true;
      };
      await expect(make('half', { isAsInRows }, stop.signal)).rejects.toThrow('stopped');
      expect(existsSync(fileOf('half'))).toBe(false);
      expect(existsSync(`${site.folder}/work-half`)).toBe(false);
    });
  });

  it('is refused while nothing is sealed', async () => {
    const empty = await Site.open();
    try {
      const asked = packageContent(parts({ seals: empty.reader, log: empty.log }), ofTable('T1'));
      await expect(asked).rejects.toMatchObject({ code: 'not-sealed' });
    } finally {
      await empty.close();
    }
  });
});

import { readCheckpoint, readVkey, utf8Of, verifyPackage, type Trust } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { reportJson, reportLines } from '../../apps/cli/src/verify/report-text.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, sourceOf, type PackageFiles, type Packing } from './site-package.js';

const site = sampleSite();
const key = readVkey(nodeCryptography.sha256, site.logKey.vkey);
const [firstDay = 0] = site.seals.flatMap(({ number, day }) => (day ? [number] : []));
const held = readCheckpoint(utf8Of(site.checkpoint(firstDay + 1)));

const filesOf = (scope: string, changes: Partial<Packing> = {}): Promise<PackageFiles> =>
  packed(site, { ...(samplePackings(site)[scope] as Packing), ...changes });

const verified = (files: PackageFiles, trust: Partial<Trust> = {}) =>
  verifyPackage(
    sourceOf(files),
    { keys: [key], checkpoints: [], witnesses: [], quorum: 0, ...trust },
    plainJudges,
    nodePlatform,
  );

describe('the report for people', () => {
  test('shows what was signed, cosigned, sealed, counted and warned of', async () => {
    const trust = { checkpoints: [held], witnesses: [site.witness.key], quorum: 1 };
    const report = await verified(await filesOf('shoe', { warnings: ['one', 'two'] }), trust);
    const id = `${key.name}+${key.id}`;
    expect(reportLines(report, { hasKey: true, sizes: [held.size] })).toEqual([
      'INTACT  shoe: 13 events in 11 records of table B07, 3 seals',
      `  signed     ${`${id} (the key you gave)`.padEnd(58)}  cosigned  witness.example/w1 2026-11-20 12:08:02Z`,
      `  history    ${`only grew since your checkpoint of size ${held.size}`.padEnd(58)}  sealed    2026-11-20 12:03:00Z to 12:05:00Z by the house's clock`,
      '  3/3 seals, 11/11 records, 1/1 sessions without a hole, 3/3 findings the same under plain@1',
      '  warnings   one',
      '             two',
      '             plain@1 is not in the list of published documents of this verifier',
      '             13 records of table B07 follow the range',
    ]);
  });

  test('says what was not given in its line', async () => {
    const lines = reportLines(await verified(await filesOf('table')), { hasKey: true, sizes: [] });
    expect(lines[1]).toContain('cosigned  not checked: no witness was named');
    expect(lines[2]).toContain('history    not checked: no earlier checkpoint was given');
    expect(lines[2]).toContain('sealed    the first seal to 2026-11-20');
  });

  test('names a checkpoint since which it does not show the history', async () => {
    const early = readCheckpoint(utf8Of(site.checkpoint(site.leaves.length - 1)));
    const report = await verified(await filesOf('finding'), { checkpoints: [early] });
    const lines = reportLines(report, { hasKey: true, sizes: [early.size] });
    expect(lines.join('\n')).toContain(`not shown since your checkpoint of size ${early.size}`);
  });

  test('asks for the key, if nothing else is wrong', async () => {
    const report = await verified(await filesOf('table'), { keys: [] });
    const lines = reportLines(report, { hasKey: false, sizes: [] });
    expect(lines[0]).toMatch(/^INCOMPLETE {2}table: /);
    expect(lines[1]).toBe(
      `  whole in itself, but who signed it is not known to you: ask the house, on another way, whether its key is ${site.logKey.vkey}`,
    );
    expect(lines[2]).toContain('(unknown to you)');
  });

  test('shows how far a parked table was judged', async () => {
    const report = await verified(await filesOf('table'));
    const parked = [{ table: 'B07', record: 1_200, last: 2_104 }];
    const judgement = report.judgement && { ...report.judgement, parked };
    const lines = reportLines({ ...report, judgement }, { hasKey: true, sizes: [] });
    expect(lines).toContain('  judged to record 1,200 of 2,104 of table B07');
  });

  test('names the first bad position before everything else', async () => {
    const files = await filesOf('table');
    const path = 'data/tables/0/events.ndjson';
    const bytes = Buffer.from(files.get(path) ?? []);
    bytes[bytes.indexOf('"coup":7') + 7] = 0x38;
    const report = await verified(new Map(files).set(path, bytes));
    const lines = reportLines(report, { hasKey: true, sizes: [] });
    expect(lines[0]).toMatch(/^ALTERED {2}table: /);
    expect(lines[1]).toMatch(
      /^ {2}altered, step 6: data\/tables\/0\/events.ndjson, table B07, record 6, partition \d+ offset \d+, line 8: /,
    );
  });
});

interface Report {
  readonly sealed: object;
  readonly counts: object;
  readonly faults: readonly object[];
}

describe('the report for programs', () => {
  test('has the fields of the evidence page and no others, in their order', async () => {
    const json: Report = JSON.parse(
      reportJson(await verified(await filesOf('table'), { keys: [] })),
    );
    expect(Object.keys(json)).toEqual([
      ...['verdict', 'faults', 'warnings', 'counts', 'key', 'sealed'],
    ]);
    expect(Object.keys(json.sealed)).toEqual(['after', 'to']);
    expect(Object.keys(json.counts)).toEqual(['tables', 'records', 'events', 'seals', 'faults']);
    expect(Object.keys(json.faults[0] ?? {})).toEqual([
      ...['step', 'kind', 'file', 'table', 'record', 'partition', 'offset', 'line', 'seal'],
      'message',
    ]);
    expect(json).toMatchObject({ verdict: 'INCOMPLETE', key: site.logKey.vkey });
  });

  test('counts every fault, and lists the first hundred', async () => {
    const changed = await filesOf('table');
    for (let i = 0; i < 150; i += 1) changed.set(`more-${i}`, Buffer.from('x'));
    const { counts, faults } = await verified(changed);
    expect({ listed: faults.length, all: counts.faults }).toEqual({ listed: 100, all: 150 });
  });
});

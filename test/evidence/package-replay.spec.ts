import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import {
  chooseContext,
  findRange,
  FOLD_VERSION,
  type JudgedRange,
  type SettledRange,
  type TableRecord,
} from '#audit';
import {
  JUDGED_FILES,
  readVkey,
  utf8Of,
  verifyPackage,
  type PackageStatement,
  type PackageReport,
} from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { gamingDays } from '#read-model';
import { packageReplay } from '#replay';
import { decoded, type Sent } from '../kit/audit.js';
import { shortTable } from '../kit/short-table.js';
import { readerOf } from '../kit/table-records.js';
import { packed, sourceOf, type PackageFiles, type Packing } from './site-package.js';
import { SmallSite } from './small-site.js';

const { sha256 } = nodeCryptography;
const RULES = 'punto-banco@1';
const document = readFileSync(new URL(`../../rules/${RULES}.json`, import.meta.url));
const published = JSON.parse(
  readFileSync(new URL('../../rules/manifest.json', import.meta.url), 'utf8'),
) as Record<string, string>;
const parts = { published, sha256, gamingDays };
const replay = packageReplay({ ...parts, warnings: 'checked' });
const exporting = packageReplay({ ...parts, warnings: 'made' });
const rules = new Map<string, Uint8Array>([[RULES, document]]);

/** Returns the events of five lawful shoes of table T1. */
function played(): Sent[] {
  const numbers = new Map<unknown, number>();
  const log = shortTable({ rules: RULES, seed: 11, bets: true, shoes: 5, coups: 5 });
  return log.map((event) => {
    if (event.session === undefined) return event;
    const sequence = (numbers.get(event.source) ?? 0) + 1;
    numbers.set(event.source, sequence);
    return { ...event, sequence, id: `1/${sequence}` };
  });
}

/** Declares wrong outcomes, so that there is something to find. */
const spoiled = (events: readonly Sent[]): Sent[] =>
  events.map((event, i) =>
    event.type === 'shoeprint.outcome-declared.v1' && i % 3 === 0
      ? { ...event, data: { ...(event.data as Sent), outcome: 'tie' } }
      : event,
  );

interface Recorded {
  readonly site: SmallSite;
  readonly records: readonly TableRecord[];
  readonly values: readonly string[];
}

/** Records events at a site, three to a record, with a seal after every twenty records. */
function recorded(events: readonly Sent[]): Recorded {
  const site = new SmallSite();
  const values: string[] = [];
  for (let at = 0; at < events.length; at += 3) {
    const lines = events.slice(at, at + 3).map((event) => JSON.stringify(event));
    values.push(lines.join('\n'));
    site.append('T1', lines.join('\n'));
    if (values.length % 20 === 0) site.seal();
  }
  site.seal();
  const records = values.map((value, record) => ({
    record,
    events: value.split('\n').map(decoded),
  }));
  return { site, records, values };
}

/** Returns what the range of a package lists, made with the replay that the verifier has. */
function judged(
  { values }: Recorded,
  range: SettledRange,
  statement: Pick<PackageStatement, 'scope'> & { readonly shoes: readonly string[] },
): Pick<Packing, 'judged' | 'warnings'> {
  const { first, end, context } = range;
  const entry = {
    ...{ table: 'T1', name: 'T1', number: 0, first, records: end - first, events: 0 },
    shoes: [...statement.shoes],
  };
  const whole = {
    ...{ scope: statement.scope, tables: [entry], unjudged: [], warnings: [] },
    gamingDays: [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }],
  } as unknown as PackageStatement;
  const judging = exporting.open(whole, rules);
  const table = judging.begin(entry);
  for (const n of context) table.context(n, utf8Of(values[n] ?? ''));
  for (let n = first; n < end; n += 1) expect(table.record(n, utf8Of(values[n] ?? ''))).toEqual([]);
  table.end();
  const { warnings } = judging.end();
  const lines = judging.take();
  const judgedLines = Object.fromEntries(JUDGED_FILES.map((file) => [file, lines[file] ?? []]));
  return { judged: judgedLines, warnings };
}

/** Returns how the shoe with a name is packed. */
async function packing(log: Recorded, name: string): Promise<Packing> {
  const { site, records } = log;
  const opening = records
    .flatMap(({ events }) => events)
    .find(({ type, shoe }) => type === 'shoe-opened' && shoe === name);
  const ref = `${opening?.source ?? ''}#${opening?.id ?? ''}`;
  const read = readerOf(records);
  const found = (await findRange(read, { of: 'shoe', ref }, records.length)) as JudgedRange;
  const range = await chooseContext(read, found, found.shoe?.admitted ?? 0);
  const scope = { kind: 'shoe', table: 'T1', shoe: name } as const;
  return {
    id: 'shoe',
    scope,
    tables: [{ table: 'T1', first: range.first, end: range.end, shoes: [name] }],
    after: site.seals.findLast(({ sizes }) => (sizes[0] ?? 0) <= range.first)?.number ?? null,
    to: site.seals.find(({ sizes }) => (sizes[0] ?? 0) >= range.end)?.number ?? 0,
    context: { T1: range.context },
    rules,
    ...judged(log, range, { scope, shoes: [name] }),
    fold: FOLD_VERSION,
  };
}

const verified = (site: SmallSite, files: PackageFiles, judges = replay): Promise<PackageReport> =>
  verifyPackage(
    sourceOf(files),
    { keys: [readVkey(sha256, site.logKey.vkey)], checkpoints: [], witnesses: [], quorum: 0 },
    judges,
    nodePlatform,
  );

describe('a package of a shoe that is judged again', () => {
  let log: Recorded;
  let shoe: string;
  let asked: Packing;
  beforeAll(async () => {
    log = recorded(spoiled(played()));
    const names = log.records.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'shoe-opened' ? [event.shoe ?? ''] : [])),
    );
    shoe = names[2] ?? '';
    asked = await packing(log, shoe);
  });

  it('is intact, with the findings that it lists', async () => {
    const report = await verified(log.site, await packed(log.site, asked));
    expect(report.faults).toEqual([]);
    expect(report.verdict).toBe('INTACT');
    expect(report.judgement?.findings).toBe(asked.judged?.['findings.ndjson']?.length);
    expect(report.judgement?.findings).toBeGreaterThan(0);
    expect(report.judgement?.shoes).toEqual([
      { table: 'T1', shoe, isClosed: true, hasLeftReach: true },
    ]);
  });

  it('is judged the same by the lane and without it', async () => {
    const files = await packed(log.site, asked);
    const explained = packageReplay({ ...parts, warnings: 'checked', lanes: 'off' });
    const report = await verified(log.site, files, explained);
    expect(report.verdict).toBe('INTACT');
    expect(report).toEqual(await verified(log.site, files));
  });

  it.each(JUDGED_FILES.filter((file) => file !== 'unjudgeable.ndjson'))(
    'is altered if a line is left out of %s',
    async (file) => {
      const lines = { ...asked.judged, [file]: asked.judged?.[file]?.slice(0, -1) ?? [] };
      const files = await packed(log.site, { ...asked, judged: lines });
      const report = await verified(log.site, files);
      expect(report.verdict).toBe('ALTERED');
      expect(report.faults).toEqual([expect.objectContaining({ file: `data/${file}` })]);
    },
  );

  it('is altered if a finding is added that the records do not make', async () => {
    const findings = asked.judged?.['findings.ndjson'] ?? [];
    const lines = { ...asked.judged, 'findings.ndjson': [...findings, findings[0] ?? ''] };
    const report = await verified(log.site, await packed(log.site, { ...asked, judged: lines }));
    expect(report.faults).toMatchObject([{ step: 8, file: 'data/findings.ndjson' }]);
  });

  it('is altered if any record before its range is left out', async () => {
    const context = asked.context?.T1 ?? [];
    expect(context.length).toBeGreaterThan(0);
    for (const left of context) {
      const others = { T1: context.filter((n) => n !== left) };
      const report = await verified(
        log.site,
        await packed(log.site, { ...asked, context: others }),
      );
      expect({ left, verdict: report.verdict }).toEqual({ left, verdict: 'ALTERED' });
    }
  });

  it('is altered if a rule document is changed', async () => {
    const changed = Buffer.from(document.toString('utf8').replace('"0.05"', '"0.04"'));
    const files = await packed(log.site, { ...asked, rules: new Map([[RULES, changed]]) });
    const report = await verified(log.site, files);
    expect(report.verdict).toBe('ALTERED');
    expect(report.faults).toContainEqual(
      expect.objectContaining({ step: 8, message: expect.stringContaining(RULES) }),
    );
  });
});

describe('judging the records of a package', () => {
  const statement = (unjudged: PackageStatement['unjudged']): PackageStatement =>
    ({
      ...{ scope: { kind: 'table', table: 'T1' }, tables: [], unjudged, warnings: [] },
      gamingDays: [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }],
    }) as unknown as PackageStatement;
  const entry = { table: 'T1', name: 'T1', number: 0, first: 0, records: 9, events: 9, shoes: [] };
  const [opening] = shortTable({ rules: RULES, seed: 1, bets: false, coups: 1 }).filter(
    ({ type }) => type === 'shoeprint.shoe-opened.v1',
  );
  const value = utf8Of(JSON.stringify({ ...opening, session: '1', sequence: 1 }));

  it('names a line that is not canonical, and one that is not an event', () => {
    const table = replay.open(statement([]), rules).begin(entry);
    const spaced = utf8Of(Buffer.from(value).toString().replace('","', '", "'));
    expect(table.record(0, value)).toEqual([]);
    expect(table.record(1, spaced)).toEqual([{ line: 0, why: 'the line is not canonical' }]);
    expect(table.record(2, utf8Of('{}\nnonsense'))).toMatchObject([{ line: 0 }, { line: 1 }]);
  });

  it('leaves a released line out, and ends at one that is not released', () => {
    const at = { table: 'T1', record: 0, line: 1 };
    for (const released of [true, false]) {
      const judging = exporting.open(statement([{ ...at, released }]), rules);
      const table = judging.begin(entry);
      expect(table.record(0, utf8Of('not an event'))).toEqual([]);
      expect(table.record(1, value)).toEqual([]);
      table.end();
      const { shoes, warnings } = judging.end();
      expect(shoes).toHaveLength(released ? 1 : 0);
      const left =
        'table T1: lines that were released, and are not judged: 1, the first in record 0';
      expect(warnings).toEqual([released ? left : 'table T1 is parked: judged to record 0 of 8']);
    }
  });

  it('says how many events wait at the end', () => {
    const judging = exporting.open(statement([]), rules);
    const table = judging.begin(entry);
    table.record(0, utf8Of(JSON.stringify({ ...opening, session: '1', sequence: 2 })));
    table.end();
    expect(judging.end().warnings).toEqual(['table T1 waits for missing numbers with 1 events']);
  });

  it('refuses a shoe whose rules the package does not have', () => {
    const table = replay.open(statement([]), new Map()).begin(entry);
    const faults = table.record(0, value);
    expect(faults).toMatchObject([{ line: 0, why: expect.stringContaining('/data/rules') }]);
  });

  it('refuses records before a range that begins with record 0', () => {
    const table = replay.open(statement([]), rules).begin(entry);
    expect(() => table.context(3, value)).toThrow(/begins with record 0/);
  });

  it.each([
    ['not JSON', '{'],
    ['a document of another id', document.toString('utf8')],
    ['a document that the linter rejects', '{}'],
  ])('refuses %s', (_, text) => {
    const documents = new Map([['nsw-crown@1', utf8Of(text)]]);
    expect(() => replay.open(statement([]), documents)).toThrow(/nsw-crown@1: /);
  });
});

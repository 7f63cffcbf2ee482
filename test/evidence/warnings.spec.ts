import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  chooseContext,
  findRange,
  FOLD_VERSION,
  stamped,
  type AnyEvent,
  type JudgedRange,
  type SettledRange,
} from '#audit';
import {
  JUDGED_FILES,
  readVkey,
  utf8Of,
  verifyPackage,
  type CoveringSeal,
  type PackageReport,
  type PackageStatement,
} from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { gamingDays } from '#read-model';
import { packageReplay } from '#replay';
import { decoded, type Sent } from '../kit/audit.js';
import { shortTable } from '../kit/short-table.js';
import { readerOf } from '../kit/table-records.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, sourceOf, type Packing } from './site-package.js';
import { SmallSite } from './small-site.js';

const { sha256 } = nodeCryptography;
const RULES = 'punto-banco@1';
const document = readFileSync(new URL(`../../rules/${RULES}.json`, import.meta.url));
const rules = new Map<string, Uint8Array>([[RULES, document]]);
const published = { [RULES]: createHash('sha256').update(document).digest('hex') };
const parts = { published, sha256, gamingDays };
const replay = packageReplay({ ...parts, warnings: 'checked' });
const exporting = packageReplay({ ...parts, warnings: 'made' });
const days = [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }];

const person = (id: string, type: string, data: Sent): Sent => ({
  ...{ specversion: '1.0', type: `shoeprint.${type}.v1`, source: 'person/mira', id },
  ...{ time: '2026-11-20T12:00:00.000Z', table: 'T1', data },
});

/** Returns a statement of one table, and its entry. */
function statementOf(fields: Partial<PackageStatement>, first = 0, records = 1) {
  const entry = { table: 'T1', name: 'T1', number: 0, first, records, events: 0, shoes: [] };
  const statement = {
    ...{ scope: { kind: 'table', table: 'T1' }, tables: [entry], unjudged: [], warnings: [] },
    ...{ gamingDays: days, ...fields },
  } as unknown as PackageStatement;
  return { statement, entry };
}

/** Returns the warnings of judging these lines, each a record of its own. */
function warningsOf(lines: readonly string[], seal?: CoveringSeal): readonly string[] {
  const { statement, entry } = statementOf({}, 0, lines.length);
  const judging = exporting.open(statement, rules);
  const table = judging.begin(entry);
  lines.forEach((line, n) => expect(table.record(n, utf8Of(line), seal)).toEqual([]));
  table.end();
  return judging.end().warnings;
}

const remarked = (events: readonly Sent[], seal?: CoveringSeal): readonly string[] =>
  warningsOf(
    events.map((event) => JSON.stringify(event)),
    seal,
  );

const offline = (sequence: number, second: number): Sent => ({
  ...{ specversion: '1.0', type: 'shoeprint.device-error.v1', source: 'device/shoe' },
  ...{ id: `1/${sequence}`, time: `2026-11-20T12:00:${second}.000Z`, table: 'T1' },
  ...{ session: '1', sequence, data: { code: sequence } },
});

const received = (event: Sent, time: string): string =>
  stamped(JSON.stringify(event), 'device/shoe', time);

const seal = (time: string, fields: Partial<CoveringSeal> = {}): CoveringSeal => ({
  ...{ time, isFirst: true, day: undefined, ...fields },
});

describe('judging the records of a package warns', () => {
  it('warns of a time that goes back within a session', () => {
    expect(remarked([offline(1, 30), offline(2, 20), offline(3, 40)])).toEqual([
      'table T1: events whose time is before that of an earlier number of their session: 1, the first in record 1',
    ]);
    expect(remarked([offline(1, 20), offline(2, 30)])).toEqual([]);
  });

  it('warns of gaps that were declared and of events that came late', () => {
    const gap = { source: 'device/shoe', session: '1', from: 2, to: 2 };
    const declared = person('g1', 'gap-declared', gap);
    expect(remarked([offline(1, 10), offline(3, 30), declared, offline(2, 20)])).toEqual([
      'table T1: gaps declared: 1, the first in record 2',
      'table T1: events that came after their number had counted as missing: 1, the first in record 3',
    ]);
  });

  it('warns of events that were sealed more than 10 minutes after they were received', () => {
    const line = received(offline(1, 10), '2026-11-20T12:00:10.000Z');
    const warning =
      'table T1: events sealed more than 10 minutes after they were received: 1, the first in record 0';
    expect(warningsOf([line], seal('2026-11-20T12:10:11Z'))).toEqual([warning]);
    expect(warningsOf([line], seal('2026-11-20T12:10:10Z'))).toEqual([]);
    // the seal with which the range begins need not be the first that covers the record
    expect(warningsOf([line], seal('2026-11-20T12:10:11Z', { isFirst: false }))).toEqual([]);
  });

  it('warns of events that were received after the time of their seal', () => {
    const line = received(offline(1, 10), '2026-11-20T12:00:10.999Z');
    expect(warningsOf([line], seal('2026-11-20T12:00:09Z'))).toEqual([
      'table T1: events received after the time of their seal: 1, the first in record 0',
    ]);
    expect(warningsOf([line], seal('2026-11-20T12:00:10Z'))).toEqual([]);
  });

  it('warns of events of a day that were sealed with a later one', () => {
    const at = seal('2026-11-20T12:00:40Z', { day: '2026-11-21' });
    expect(remarked([offline(1, 10)], at)).toEqual([
      'table T1: events of an earlier gaming day than the one that they were sealed with: 1, the first in record 0',
    ]);
    expect(remarked([offline(1, 10)], { ...at, day: '2026-11-20' })).toEqual([]);
  });

  it('warns of the receipt of a line that is not ASCII', () => {
    const event = person('d1', 'dealer-signed-on', { dealer: 'Hà', role: 'dealer' });
    const line = stamped(JSON.stringify(event), 'mira', '2026-11-20T12:00:10.000Z');
    expect(warningsOf([line], seal('2026-11-20T12:00:09Z'))).toEqual([
      'table T1: events received after the time of their seal: 1, the first in record 0',
    ]);
  });

  it('refuses gaming days that cannot be read', () => {
    const gone = [{ from: '2026-01-01', zone: 'Mars/Olympus', cutover: '06:00' }];
    const { statement } = statementOf({ gamingDays: gone });
    expect(() => replay.open(statement, rules)).toThrow(/gaming days/);
  });
});

/** Five shoes, with a dealer and a caller who sign on in the first of them, each twice. */
function played(): Sent[] {
  const log = shortTable({ rules: RULES, seed: 11, bets: false, shoes: 5, coups: 3 });
  const numbers = new Map<unknown, number>();
  const numbered = log
    .filter(({ type }) => !/dealer-(signed-on|relieved)/.test(type as string))
    .map((event) => {
      if (event.session === undefined) return event;
      const sequence = (numbers.get(event.source) ?? 0) + 1;
      numbers.set(event.source, sequence);
      return { ...event, sequence, id: `1/${sequence}` };
    });
  const duty = ['dealer', 'caller'].flatMap((role) =>
    ['anna', 'bela'].map((dealer) =>
      person(`${role}-${dealer}`, 'dealer-signed-on', { dealer, role }),
    ),
  );
  return [...duty, ...numbered];
}

/** Returns the range of the third shoe, with what it needs of the records before. */
async function rangeOf(lines: readonly string[]): Promise<{ shoe: string; range: SettledRange }> {
  const records = lines.map((line, record) => ({ record, events: [decoded(line)] }));
  const openings = records.flatMap(({ events }) =>
    events.filter(({ type }) => type === 'shoe-opened'),
  );
  const { source, id, shoe = '' } = openings[2] as AnyEvent;
  const read = readerOf(records);
  const asked = { of: 'shoe', ref: `${source}#${id}` } as const;
  const found = (await findRange(read, asked, lines.length)) as JudgedRange;
  return { shoe, range: await chooseContext(read, found, found.shoe?.admitted ?? 0) };
}

/** Returns what the judges list of a range, as the exporter does. */
function judgedOf(
  lines: readonly string[],
  { first, end, context }: SettledRange,
  statement: PackageStatement,
): Pick<Packing, 'judged' | 'warnings'> {
  const judging = exporting.open(statement, rules);
  const table = judging.begin(statement.tables[0] as PackageStatement['tables'][number]);
  for (const n of context) table.context(n, utf8Of(lines[n] as string));
  for (let n = first; n < end; n += 1) table.record(n, utf8Of(lines[n] as string));
  table.end();
  const { warnings } = judging.end();
  const made = judging.take();
  return {
    warnings,
    judged: Object.fromEntries(JUDGED_FILES.map((file) => [file, made[file] ?? []])),
  };
}

describe('a package whose range begins later', () => {
  let site: SmallSite;
  let packing: Packing;
  let context: readonly number[];
  beforeAll(async () => {
    const lines = played().map((event) => JSON.stringify(event));
    site = new SmallSite();
    lines.forEach((line, n) => {
      site.append('T1', line);
      if (n % 40 === 39) site.seal();
    });
    site.seal();
    const { shoe, range } = await rangeOf(lines);
    const { first, end } = range;
    context = range.context;
    const scope = { kind: 'shoe', table: 'T1', shoe } as const;
    const entry = { ...statementOf({}, first, end - first).entry, shoes: [shoe] };
    packing = {
      ...{ id: 'later', scope, context: { T1: context }, rules, fold: FOLD_VERSION },
      tables: [{ table: 'T1', first, end, shoes: [shoe] }],
      after: site.seals.findLast(({ sizes }) => Number(sizes[0]) <= first)?.number ?? null,
      to: site.seals.find(({ sizes }) => Number(sizes[0]) >= end)?.number ?? 0,
      ...judgedOf(lines, range, statementOf({ scope, tables: [entry] }).statement),
    };
  });

  const verified = async (changes: Partial<Packing> = {}): Promise<PackageReport> =>
    verifyPackage(
      sourceOf(await packed(site, { ...packing, ...changes })),
      { keys: [readVkey(sha256, site.logKey.vkey)], checkpoints: [], witnesses: [], quorum: 0 },
      replay,
      nodePlatform,
    );

  const signedOn = (dealer: string): string =>
    `table T1: signed on when the range begins, by records that the house chose: dealer ${dealer}, caller bela`;

  it('is intact, and names who was signed on, once', async () => {
    const { faults, warnings } = await verified();
    expect(faults).toEqual([]);
    expect(context).toEqual(expect.arrayContaining([1, 3]));
    expect(warnings.filter((warning) => warning === signedOn('bela'))).toHaveLength(1);
  });

  it('is intact with an older sign-on, and names who that is', async () => {
    const older = [0, ...context.filter((n) => n !== 1)];
    const { faults, verdict, warnings } = await verified({ context: { T1: older } });
    expect({ faults, verdict }).toEqual({ faults: [], verdict: 'INTACT' });
    expect(warnings).toContain(signedOn('anna'));
  });

  it('is altered without a sign-on of a role', async () => {
    for (const left of [1, 3]) {
      const others = context.filter((n) => n !== left);
      const { faults } = await verified({ context: { T1: others } });
      expect(faults).toContainEqual(
        expect.objectContaining({
          ...{ step: 8, kind: 'altered' },
          message: expect.stringContaining('no record before the range shows a'),
        }),
      );
    }
  });

  it('warns that records follow the range', async () => {
    const { warnings } = await verified();
    expect(warnings).toContainEqual(
      expect.stringMatching(/^\d+ records of table T1 follow the range$/),
    );
  });

  it('warns of a rule document that its verifier has in no list', async () => {
    const judges = packageReplay({ ...parts, published: {}, warnings: 'checked' });
    const { warnings } = await verifyPackage(
      sourceOf(await packed(site, packing)),
      { keys: [readVkey(sha256, site.logKey.vkey)], checkpoints: [], witnesses: [], quorum: 0 },
      judges,
      nodePlatform,
    );
    expect(warnings).toContain(
      `${RULES} is not in the list of published documents of this verifier`,
    );
  });
});

describe('a package warns', () => {
  const sample = sampleSite();
  const packings = samplePackings(sample);
  const warningsOfPackage = async (changes: Packing): Promise<readonly string[]> => {
    const report = await verifyPackage(
      sourceOf(await packed(sample, changes)),
      { keys: [readVkey(sha256, sample.logKey.vkey)], checkpoints: [], witnesses: [], quorum: 0 },
      plainJudges,
      nodePlatform,
    );
    expect(report.verdict).toBe('INTACT');
    return report.warnings;
  };

  it('warns if only the log signed the checkpoint', async () => {
    const unwitnessed = 'unwitnessed: only the log signed the checkpoint';
    const { table } = packings as { readonly table: Packing };
    expect(await warningsOfPackage(table)).not.toContain(unwitnessed);
    const checkpoint = sample.checkpoint(undefined, { witnesses: [] });
    expect(await warningsOfPackage({ ...table, checkpoint })).toContain(unwitnessed);
  });

  it('warns if reviews of its finding can be among the records that follow', async () => {
    const { finding, shoe } = packings as { readonly finding: Packing; readonly shoe: Packing };
    const follow = (warnings: readonly string[]): readonly string[] =>
      warnings.filter((text) => text.includes('follow the range'));
    expect(follow(await warningsOfPackage(finding))).toEqual([
      '31 records of table B07 follow the range; reviews of the finding can be among them',
    ]);
    expect(follow(await warningsOfPackage(shoe))).toEqual([
      '13 records of table B07 follow the range',
    ]);
    const latest = { tables: [{ table: 'B07', first: 5, end: 40 }], to: sample.leaves.length - 1 };
    expect(follow(await warningsOfPackage({ ...finding, ...latest, later: {} }))).toEqual([]);
  });
});

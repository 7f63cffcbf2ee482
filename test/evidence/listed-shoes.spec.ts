import {
  chooseContext,
  findRange,
  FOLD_VERSION,
  type JudgedRange,
  type SettledRange,
  type TableRecord,
} from '#audit';
import { JUDGED_FILES, readVkey, utf8Of, verifyPackage } from '#evidence';
import type { PackageReport, PackageStatement } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { gamingDays } from '#read-model';
import { packageReplay } from '#replay';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { decoded, type Sent } from '../kit/audit.js';
import { shortTable } from '../kit/short-table.js';
import { readerOf } from '../kit/table-records.js';
import { packed, sourceOf, type Packing } from './site-package.js';
import { SmallSite } from './small-site.js';

const { sha256 } = nodeCryptography;
const RULES = 'punto-banco@1';
const document = readFileSync(new URL(`../../rules/${RULES}.json`, import.meta.url));
const rules = new Map<string, Uint8Array>([[RULES, document]]);
const parts = { published: {}, sha256, gamingDays };
const verifying = packageReplay({ ...parts, warnings: 'checked' });
const exporting = packageReplay({ ...parts, warnings: 'made' });
const DAYS = [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }];
const DAY = '2026-11-21';

/** Returns the events of five shoes of table T1, each source numbered. */
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

/** A recorded table with two sealed days, of which the second begins and ends within a shoe. */
class SealedDays {
  readonly site = new SmallSite();
  readonly values: readonly string[];
  readonly records: readonly TableRecord[];
  /** The records with which shoes are opened, and their names. */
  readonly openings: readonly { readonly shoe: string; readonly record: number }[];
  /** The numbers of the seals of the days. */
  readonly seals: readonly [number, number];
  /** The records with which the second day begins and ends. */
  readonly begin: number;
  readonly end: number;

  constructor(events: readonly Sent[]) {
    this.values = events.map((event) => JSON.stringify(event));
    this.records = this.values.map((value, record) => ({ record, events: [decoded(value)] }));
    this.openings = this.records.flatMap(({ events: [event], record }) =>
      event?.type === 'shoe-opened' ? { shoe: event.shoe ?? '', record } : [],
    );
    this.begin = this.openingOf(2) + 7;
    this.end = this.openingOf(4) + 7;
    const first = this.append(0, this.begin, '2026-11-20');
    this.seals = [first, this.append(this.begin, this.end, DAY)];
    this.append(this.end, this.values.length);
  }

  openingOf(shoe: number): number {
    return this.openings[shoe]?.record ?? 0;
  }

  private append(from: number, end: number, day?: string): number {
    for (const value of this.values.slice(from, end)) this.site.append('T1', value);
    return this.site.seal(day === undefined ? {} : { day });
  }

  /** Returns the range of the second day, as an exporter chooses it. */
  async range(): Promise<SettledRange> {
    const read = readerOf(this.records);
    const asked = { of: 'span', from: this.begin, to: this.end } as const;
    const found = (await findRange(read, asked, this.end)) as JudgedRange;
    return chooseContext(read, found, found.shoe?.admitted ?? 0);
  }

  /** Returns the shoes that are opened from a record on in the day. */
  shoesFrom(record: number): string[] {
    return this.openings
      .filter((each) => each.record >= record && each.record < this.end)
      .map(({ shoe }) => shoe);
  }

  /** Returns how the second day is packed with this range and these shoes, honestly listed. */
  packing(
    { first, end, context }: Omit<SettledRange, 'isSure'>,
    shoes: readonly string[],
    unjudged: PackageStatement['unjudged'] = [],
  ): Packing {
    const scope = { kind: 'day', table: 'T1', day: DAY } as const;
    const [after, to] = this.seals;
    const entry = {
      ...{ table: 'T1', name: 'T1', number: 0, first, records: end - first },
      ...{ events: end - first, shoes: [...shoes] },
    };
    const statement = {
      ...{ scope, tables: [entry], unjudged, warnings: [], gamingDays: DAYS },
    } as unknown as PackageStatement;
    const judging = exporting.open(statement, rules);
    const table = judging.begin(entry);
    for (const n of context) table.context(n, utf8Of(this.values[n] ?? ''));
    for (let n = first; n < end; n += 1) table.record(n, utf8Of(this.values[n] ?? ''));
    table.end();
    const { warnings } = judging.end();
    const lines = judging.take();
    return {
      ...{ id: 'day', scope, after, to, rules, warnings, unjudged, fold: FOLD_VERSION },
      tables: [{ table: 'T1', first, end, shoes }],
      context: { T1: context },
      judged: Object.fromEntries(JUDGED_FILES.map((file) => [file, lines[file] ?? []])),
    };
  }

  async verified(packing: Packing): Promise<PackageReport> {
    return verifyPackage(
      sourceOf(await packed(this.site, packing)),
      {
        ...{ keys: [readVkey(sha256, this.site.logKey.vkey)], checkpoints: [] },
        ...{ witnesses: [], quorum: 0 },
      },
      verifying,
      nodePlatform,
    );
  }
}

describe('the shoes of a package of a day', () => {
  let log: SealedDays;
  let range: SettledRange;
  let due: readonly string[];
  beforeAll(async () => {
    log = new SealedDays(played());
    range = await log.range();
    due = log.shoesFrom(log.openingOf(2));
  });

  it('begin with the one that is open when the day begins', async () => {
    expect(range.first).toBe(log.openingOf(1));
    const { verdict, faults } = await log.verified(log.packing(range, due));
    expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
  });

  it('cannot begin with a later one, so that nothing of the first is listed', async () => {
    const { verdict, faults } = await log.verified(log.packing(range, due.slice(1)));
    expect(verdict).toBe('ALTERED');
    expect(faults).toEqual([
      {
        ...{ step: 7, kind: 'altered', file: 'data/package.json', table: 'T1' },
        message: `its shoes begin with ${due[1]}, and its days with shoe ${due[0]}`,
      },
    ]);
  });

  it('are all named', async () => {
    const { faults } = await log.verified(log.packing(range, due.slice(0, -1)));
    expect(faults).toMatchObject([
      { step: 7, message: `the records open shoe ${due.at(-1)}, which is not named` },
    ]);
  });

  it('are opened in the range, and so is the one before them', async () => {
    const read = readerOf(log.records);
    const from = async (first: number, shown: number): Promise<SettledRange> =>
      chooseContext(read, { first, end: log.end }, shown);
    const after = await from(log.begin, log.begin);
    const none = await log.verified(log.packing(after, log.shoesFrom(log.begin)));
    expect(none.faults).toContainEqual(
      expect.objectContaining({
        ...{ step: 7, table: 'T1' },
        message: 'the range does not have the opening of the shoe with which its days begin',
      }),
    );
    const own = await from(log.openingOf(2), log.openingOf(2));
    expect(own.first).toBe(log.openingOf(2));
    const { faults } = await log.verified(log.packing(own, due));
    expect(faults).toContainEqual(
      expect.objectContaining({
        ...{ step: 7, table: 'T1' },
        message: `the range begins after the opening of the shoe before ${due[0]}`,
      }),
    );
  });

  it('are not asked of the records after the one at which judging stops', async () => {
    const at = { table: 'T1', record: log.openingOf(4) - 3, line: 1, released: false };
    const { verdict, faults, warnings } = await log.verified(log.packing(range, due, [at]));
    expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
    expect(warnings).toContain(
      `table T1 is parked: judged to record ${at.record} of ${log.end - 1}`,
    );
  });

  it('have a warning if they are not closed, and if corrections are still possible', async () => {
    const { warnings } = await log.verified(log.packing(range, due));
    const [before, last] = due.slice(-2);
    expect(warnings.filter((text) => /^(shoe|corrections) /.test(text))).toEqual([
      `corrections to shoe ${before} of table T1 are still possible`,
      `shoe ${last} of table T1 is not closed`,
      `corrections to shoe ${last} of table T1 are still possible`,
    ]);
  });
});

describe('a device that restarted its session before the range', () => {
  /** The shoe's device does so in the first shoe, and loses numbers in the third. */
  const restarted = (): Sent[] => {
    const events = played();
    const [first = 0, , third = 0] = events.flatMap(({ type }, at) =>
      type === 'shoeprint.shoe-opened.v1' ? [at] : [],
    );
    const device = events.find(({ type }) => type === 'shoeprint.card-drawn.v1')?.source;
    const start = events.findIndex(({ source }, at) => source === device && at > first + 20);
    const { shoe: _, ...rest } = events[start] as Sent;
    const online = { ...rest, type: 'shoeprint.device-online.v1', data: { firmware: '2' } };
    let sequence = 0;
    return events.toSpliced(start, 0, online).map((event, at) => {
      if (event.source !== device || at < start) return event;
      sequence += at > third + 30 && sequence < 1_000 ? 1_000 : 1;
      return { ...event, sequence, id: `2/${sequence}` };
    });
  };

  const findingsOf = ({ judged = {} }: Packing): readonly string[] =>
    judged['findings.ndjson'] ?? [];
  const bootsIn = (packing: Packing): number[] =>
    findingsOf(packing).flatMap((line) => {
      const { gap } = JSON.parse(line) as { readonly gap?: { readonly boot: number } };
      return gap ? gap.boot : [];
    });

  it('has findings that records from the middle do not make, but those from 0 do', async () => {
    const log = new SealedDays(restarted());
    const due = log.shoesFrom(log.openingOf(2));
    const middle = log.packing(await log.range(), due);
    const whole = log.packing({ first: 0, end: log.end, context: [] }, due);
    expect({ middle: bootsIn(middle), whole: bootsIn(whole) }).toEqual({ middle: [1], whole: [2] });
    expect(await log.verified(whole)).toMatchObject({ verdict: 'INTACT', faults: [] });
    const judged = { ...middle.judged, 'findings.ndjson': findingsOf(whole) };
    expect(await log.verified({ ...middle, judged })).toMatchObject({
      verdict: 'ALTERED',
      faults: [{ step: 8, file: 'data/findings.ndjson' }],
    });
  });
});

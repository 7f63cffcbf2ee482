import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  CommissionCoup,
  CommissionLine,
  CommissionReport,
  CoupLine,
  DealersReport,
  DeviceLine,
  DevicesReport,
  FindingLine,
  MisdealtLine,
  MisdealtReport,
  PayoutCoup,
  PayoutsReport,
  ShoeLine,
  ShoeReport,
  ShoeReportLine,
  TableLine,
} from '#read-model';
import { LISTS, ReadingFloor, REPORTS, TABLES, withQuery } from './reading-floor.js';

let floor: ReadingFloor;
beforeAll(async () => {
  floor = await ReadingFloor.open();
});
afterAll(() => floor?.close());

const sum = <Line>(lines: readonly Line[], of: (line: Line) => number): number =>
  lines.reduce((total, line) => total + of(line), 0);
const AMOUNTS = ['due', 'taken', 'marked', 'collected', 'waived', 'outstanding'] as const;
const amountsOf = (lines: readonly Record<(typeof AMOUNTS)[number], number>[]): object =>
  Object.fromEntries(AMOUNTS.map((name) => [name, sum(lines, (line) => line[name])]));

describe('commission owed', () => {
  it.each(['seat', 'shoe', 'table', 'dealer', 'day'])(
    'adds up by %s to its totals, which are the same for every grouping',
    async (by) => {
      const lines = await floor.lines<CommissionLine>(`/v1/reports/commission?by=${by}`, 3);
      const { totals } = await floor.read<CommissionReport>(
        `/v1/reports/commission?by=${by}&limit=1`,
      );
      expect(totals).toHaveLength(1);
      expect(totals[0]).toMatchObject({ currency: 'MOP', ...amountsOf(lines) });
      expect(totals).toEqual((await floor.read<CommissionReport>('/v1/reports/commission')).totals);
      expect(totals[0]?.due).toBeGreaterThan(0);
      for (const line of lines)
        expect(line.outstanding).toBe(line.marked - line.collected - line.waived);
    },
  );

  it('can be followed to coups that add up to each line', async () => {
    const lines = await floor.lines<CommissionLine>('/v1/reports/commission?by=seat');
    expect(lines.length).toBeGreaterThan(6);
    for (const { shoeRef, seat, due, taken, marked } of lines) {
      const coups = await floor.lines<CommissionCoup>(
        `/v1/reports/commission/coups?shoeRef=${encodeURIComponent(shoeRef as string)}&seat=${seat}`,
        5,
      );
      const standing = coups.filter(({ state }) => state !== 'void');
      expect([
        sum(standing, (coup) => coup.due),
        sum(coups, (coup) => coup.taken),
        sum(standing, (coup) => coup.marked),
      ]).toEqual([due, taken, marked]);
    }
    for (const { dealer, due } of await floor.lines<CommissionLine>(
      '/v1/reports/commission?by=dealer',
    )) {
      const coups = await floor.lines<CommissionCoup>(
        `/v1/reports/commission/coups?dealer=${encodeURIComponent(dealer ?? '')}`,
      );
      expect(
        sum(
          coups.filter(({ state }) => state !== 'void'),
          (coup) => coup.due,
        ),
      ).toBe(due);
    }
  });
});

describe('payouts', () => {
  const SUMS = ['bets', 'staked', 'paid', 'taken', 'won'] as const;

  it('can be followed to coups that add up to each line', async () => {
    const { lines } = await floor.read<PayoutsReport>('/v1/reports/payouts');
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      const coups = await floor.lines<PayoutCoup>(
        `/v1/reports/payouts/coups?bet=${line.bet}&currency=${line.currency}`,
        40,
      );
      expect(new Set(coups.map(({ coupRef, table }) => `${table} ${coupRef}`)).size).toBe(
        coups.length,
      );
      for (const name of SUMS) expect(sum(coups, (coup) => coup[name])).toBe(line[name]);
    }
    const all = await floor.lines<PayoutCoup>('/v1/reports/payouts/coups', 700);
    expect(sum(all, ({ paid }) => paid)).toBe(sum(lines, ({ paid }) => paid));
    expect(await floor.lines('/v1/reports/payouts/coups?currency=EUR')).toEqual([]);
  });

  it('can be followed from each wrong settlement to its findings', async () => {
    const { variance } = await floor.read<PayoutsReport>('/v1/reports/payouts');
    expect(variance.length).toBeGreaterThan(3);
    for (const { bet, code, explainedBy, favours, currency, ...figure } of variance) {
      const where = new URLSearchParams({
        report: 'payouts',
        bet: bet ?? '',
        code,
        explainedBy: explainedBy ?? '',
        favours: favours ?? '',
        currency,
      });
      const found = await floor.lines<FindingLine>(`/v1/findings?${where.toString()}`);
      expect({
        findings: found.length,
        amount: sum(found, ({ impact }) => impact?.amount ?? 0),
      }).toEqual(figure);
    }
  });
});

describe('dealers', () => {
  it.each([false, true])(
    'can be followed to their errors, with only what counts: %s',
    async (counted) => {
      const { lines } = await floor.read<DealersReport>(`/v1/reports/dealers?counted=${counted}`);
      expect(lines.some(({ errors }) => errors > 0)).toBe(true);
      for (const { dealer, errors, findings } of lines) {
        const where = `dealer=${encodeURIComponent(dealer ?? '')}${counted ? '&counts=true' : ''}`;
        const found = await floor.lines(`/v1/findings?${where}`);
        const wrong = await floor.lines(`/v1/findings?report=dealers&${where}`);
        expect([dealer, wrong.length, found.length]).toEqual([dealer, errors, findings]);
      }
    },
  );
});

describe('shoes', () => {
  it('can be listed by their rule document', async () => {
    const all = await floor.lines<ShoeReportLine>('/v1/reports/shoes');
    const [rules] = all.map((line) => line.rules);
    const { lines, total } = await floor.read<ShoeReport>(
      `/v1/reports/shoes?limit=1000&rules=${rules}`,
    );
    expect(lines).toEqual(all);
    expect(total.shoes).toBe(all.length);
    const others = await floor.read<ShoeReport>('/v1/reports/shoes?rules=other@1');
    expect([others.lines, others.total.shoes]).toEqual([[], 0]);
  });
});

describe('the other reports', () => {
  it('count in mis-dealt coups what they list, and each finding is in the list of findings', async () => {
    const lines = await floor.lines<MisdealtLine>('/v1/reports/misdealt', 7);
    const { summary } = await floor.read<MisdealtReport>('/v1/reports/misdealt?limit=1');
    const found = lines.flatMap(({ findings }) => findings);
    expect(summary).toMatchObject({
      coups: lines.length,
      findings: found.length,
      voidCoups: lines.filter((line) => line.void).length,
    });
    for (const counts of [
      summary.byCode,
      summary.bySeverity,
      summary.byTable,
      summary.byDealer,
      summary.byDay,
    ] as (readonly { readonly findings: number }[])[])
      expect(sum(counts, ({ findings }) => findings)).toBe(found.length);
    const all = new Map(
      (await floor.lines<FindingLine>('/v1/findings')).map((finding) => [finding.id, finding]),
    );
    for (const finding of found) expect(all.get(finding.id)).toEqual(finding);
    for (const { value } of summary.byCode)
      expect(await floor.lines<MisdealtLine>(`/v1/reports/misdealt?code=${value}`)).not.toEqual([]);
  });

  it('the reports on dealers, payouts, shoes and devices add up', async () => {
    const { lines: dealers, total } = await floor.read<DealersReport>('/v1/reports/dealers');
    expect(total).toMatchObject({
      coups: sum(dealers, ({ coups }) => coups),
      errors: sum(dealers, ({ errors }) => errors),
      findings: sum(dealers, ({ findings }) => findings),
    });
    expect(total.coups).toBe(sum(await floor.lines<ShoeLine>('/v1/shoes'), ({ coups }) => coups));
    const {
      lines,
      variance,
      totals: [payouts],
    } = await floor.read<PayoutsReport>('/v1/reports/payouts');
    for (const name of ['bets', 'staked', 'paid', 'taken', 'won'] as const)
      expect(payouts?.[name]).toBe(sum(lines, (line) => line[name]));
    expect(payouts?.findings).toBe(sum(variance, ({ findings }) => findings));
    const devices = await floor.lines<DeviceLine>('/v1/reports/devices', 2);
    const { total: all } = await floor.read<DevicesReport>('/v1/reports/devices?limit=1');
    expect(all).toMatchObject({
      devices: devices.length,
      events: sum(devices, ({ events }) => events),
      gaps: sum(devices, ({ gaps }) => gaps),
      unread: sum(devices, ({ unread }) => unread),
    });
    expect(
      (await floor.lines<ShoeReportLine>('/v1/reports/shoes', 1))
        .map(({ table, shoe }) => `${table} ${shoe}`)
        .sort(),
    ).toEqual(
      (await floor.lines<ShoeLine>('/v1/shoes'))
        .map(({ table, shoe }) => `${table} ${shoe}`)
        .sort(),
    );
  });
});

/**
 * Parses a CSV file into lines of fields. It follows RFC 4180 by hand, because the server uses a
 * library.
 */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted === undefined ? (plain as string) : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
/** Parses a CSV file into objects by its headings. */
async function csv(path: string): Promise<Record<string, string>[]> {
  const { body, headers, statusCode } = await floor.get(path, { headers: { accept: 'text/csv' } });
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(body.endsWith('\r\n')).toBe(true);
  const [headings = [], ...rows] = parsed(body);
  for (const row of rows) expect(row).toHaveLength(headings.length);
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [headings[i] as string, cell])));
}
const cell = (value: string | number | boolean | null | undefined): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'string' && /^[=+\-@]/.test(value)
      ? `'${value}`
      : String(value);

describe('a CSV file', () => {
  it('contains the lines of all pages, whatever page is requested', async () => {
    for (const path of [
      '/v1/tables',
      '/v1/shoes',
      '/v1/coups',
      '/v1/findings?status=all',
      '/v1/reports/commission?by=seat',
      '/v1/reports/commission?by=dealer',
      '/v1/reports/commission/coups',
      '/v1/reports/payouts/coups',
      '/v1/reports/shoes',
      '/v1/reports/devices',
      '/v1/reports/dealers',
    ]) {
      const [lines, file] = [
        await floor
          .lines<Record<string, string | number>>(path)
          .catch(
            async () =>
              (await floor.read<{ lines: Record<string, string | number>[] }>(path)).lines,
          ),
        await csv(path),
      ];
      expect([path, file.length]).toEqual([path, lines.length]);
      const same = Object.keys(file[0] as object).filter((heading) =>
        ['string', 'number', 'boolean'].includes(typeof lines[0]?.[heading]),
      );
      expect(same.length).toBeGreaterThan(2);
      const cells = (line: Record<string, string | number>): string[] =>
        same.map((heading) => cell(line[heading]));
      expect([path, file.map((row) => same.map((heading) => row[heading]))]).toEqual([
        path,
        lines.map(cells),
      ]);
      if (!path.endsWith('dealers')) expect(await csv(withQuery(path, 'limit=1'))).toEqual(file);
    }
    expect((await floor.lines<CoupLine>('/v1/coups')).length).toBeGreaterThan(300);
  });

  it('has a line for each finding of a mis-dealt coup, and for each bet and cause of a wrong payout', async () => {
    const misdealt = await floor.lines<MisdealtLine>('/v1/reports/misdealt');
    expect((await csv('/v1/reports/misdealt')).map(({ id }) => id)).toEqual(
      misdealt.flatMap(({ findings }) => findings.map(({ id }) => id)),
    );
    const { lines, variance } = await floor.read<PayoutsReport>('/v1/reports/payouts');
    const file = await csv('/v1/reports/payouts');
    expect(file).toHaveLength(lines.length + variance.length);
    expect(sum(file, ({ paid }) => Number(paid))).toBe(sum(lines, ({ paid }) => paid));
    expect(
      file.filter(({ code }) => code !== '').map(({ code, amount }) => [code, Number(amount)]),
    ).toEqual(variance.map(({ code, amount }) => [code, amount]));
  });

  it('continues beyond a thousand lines at the same positions', async () => {
    const opened = (n: number): string[] => [
      JSON.stringify({
        specversion: '1.0',
        type: 'shoeprint.shoe-opened.v1',
        source: `device/many-${n}`,
        id: '1',
        time: '2026-11-20T12:00:00.000Z',
        table: `many-${String(n).padStart(5, '0')}`,
        shoe: 'S',
        session: '1',
        sequence: 1,
        data: { rules: 'punto-banco@1', decks: 8, kind: 'physical', currency: 'MOP', reports: [] },
      }),
    ];
    await floor.send(Array.from({ length: 2_300 }, (_, n) => opened(n)).flat());
    await floor.caughtUp();
    for (const path of ['/v1/tables', '/v1/shoes', '/v1/reports/shoes', '/v1/reports/devices']) {
      const names = (await csv(path))
        .map(({ table }) => table)
        .filter((table) => table?.startsWith('many-'));
      expect([path, names.length, new Set(names).size]).toEqual([path, 2_300, 2_300]);
    }
  });

  it('begins with a byte order mark if asked', async () => {
    const path = '/v1/reports/commission?by=table&format=csv';
    const plain = await floor.get(path);
    expect((await floor.get(`${path}&bom=true`)).body).toBe(`\uFEFF${plain.body}`);
    expect((await floor.get(`${path}&bom=false`)).body).toBe(plain.body);
    const refused = await floor.get(`${path}&bom=yes`);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('bom');
  });

  it('never contains a formula, and has a file name', async () => {
    const { body, headers } = await floor.get('/v1/reports/commission?by=table&format=csv');
    expect(body).toContain(`"'${TABLES[1]}",`);
    expect(body).toContain(TABLES[2]);
    expect(headers['content-disposition']).toBe('attachment; filename="commission.csv"');
    for (const path of [...LISTS, ...REPORTS]) {
      const answer = await floor.get(withQuery(path, 'format=csv'));
      expect(answer.headers['content-disposition']).toMatch(
        /^attachment; filename="[a-z-]+\.csv"$/,
      );
      expect(answer.headers['log-position']).toMatch(/^\d+:\d+(,\d+:\d+)*$/);
      const formulas = parsed(answer.body)
        .flat()
        .filter((each) => /^[=+@\t\r\n]|^-(?!\d+(\.\d+)?$)/.test(each));
      expect([path, formulas]).toEqual([path, []]);
      expect((await floor.get(path)).headers['content-disposition']).toBeUndefined();
    }
    expect(
      (await floor.lines<TableLine>('/v1/tables')).some(({ table }) => table === TABLES[1]),
    ).toBe(true);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CoupLine, CoupWhole, FindingLine, ShoeLine, ShoeWhole, TableLine } from '#read-model';
import { LISTS, PAGED_REPORTS, ReadingFloor, REPORTS, TABLES, withQuery } from './reading-floor.js';

let floor: ReadingFloor;
beforeAll(async () => {
  floor = await ReadingFloor.open();
});
afterAll(() => floor?.close());

describe('lists over HTTP', () => {
  it('show every table, shoe, coup and finding of the floor', async () => {
    expect((await floor.lines<TableLine>('/v1/tables')).map(({ table }) => table).sort()).toEqual(
      [...TABLES].sort(),
    );
    expect(await floor.lines<ShoeLine>('/v1/shoes')).toHaveLength(6);
    expect((await floor.lines<CoupLine>('/v1/coups')).length).toBeGreaterThan(300);
    expect((await floor.lines<FindingLine>('/v1/findings')).length).toBeGreaterThan(60);
  });

  it.each([...LISTS, ...PAGED_REPORTS])(
    'contain each line once, whatever the page size: %s',
    async (path) => {
      const whole = await floor.lines<object>(path);
      expect(new Set(whole.map((line) => JSON.stringify(line))).size).toBe(whole.length);
      for (const limit of [whole.length > 100 ? 37 : 1, Math.min(whole.length, 1_000)])
        expect(await floor.lines(path, limit)).toEqual(whole);
    },
  );

  it('are narrowed by their filters', async () => {
    const findings = await floor.lines<FindingLine>('/v1/findings');
    const one = findings.find(({ severity, dealer }) => severity === 2 && dealer) as FindingLine;
    const same = async (query: string, keep: (line: FindingLine) => boolean): Promise<void> => {
      const narrowed = await floor.lines<FindingLine>(`/v1/findings?${query}`);
      expect(narrowed.length).toBeGreaterThan(0);
      expect(narrowed).toEqual(findings.filter(keep));
    };
    await same(`code=${one.code}`, ({ code }) => code === one.code);
    await same(`code=${one.code},TC-05`, ({ code }) => [one.code, 'TC-05'].includes(code));
    await same(`code=${one.code}&code=TC-05`, ({ code }) => [one.code, 'TC-05'].includes(code));
    await same('severity=2,3', ({ severity }) => severity === 2 || severity === 3);
    await same(
      `dealer=${encodeURIComponent(one.dealer as string)}`,
      ({ dealer }) => dealer === one.dealer,
    );
    await same(`table=${encodeURIComponent(TABLES[2])}`, ({ table }) => table === TABLES[2]);
    await same(
      `shoeRef=${encodeURIComponent(one.shoeRef as string)}`,
      ({ shoeRef }) => shoeRef === one.shoeRef,
    );
    await same(
      `from=${one.gamingDay}&to=${one.gamingDay}`,
      ({ gamingDay }) => gamingDay === one.gamingDay,
    );
    expect(await floor.lines('/v1/findings?from=2031-01-01')).toEqual([]);
    const coups = await floor.lines<CoupLine>('/v1/coups');
    expect(await floor.lines('/v1/coups?flagged=true')).toEqual(
      coups.filter(({ findings: found }) => found > 0),
    );
    expect(await floor.lines('/v1/coups?flagged=false')).toEqual(
      coups.filter(({ findings: found }) => found === 0),
    );
  });

  it('are refused for days that end before they begin, and not shown empty', async () => {
    const daily = [...LISTS, ...REPORTS].filter((path) => path !== '/v1/tables');
    for (const path of daily) {
      const one = await floor.get(withQuery(path, 'from=2026-11-20&to=2026-11-20'));
      expect([path, one.statusCode]).toEqual([path, 200]);
      const answer = await floor.get(withQuery(path, 'from=2026-11-20&to=2026-11-19'));
      expect([path, answer.statusCode, answer.json<{ errors: object[] }>().errors]).toEqual([
        ...[path, 400],
        [{ pointer: '/to', reason: 'the last day must not be before the first' }],
      ]);
    }
  });

  it('match the positions that they name, in the body and in Log-Position', async () => {
    for (const path of [...LISTS, ...REPORTS]) {
      const { headers, body } = await floor.get(path);
      expect([path, headers['log-position']]).toEqual([
        path,
        (JSON.parse(body) as { positions: string }).positions,
      ]);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers.vary).toBe('Accept, Authorization');
    }
  });
});

describe('a shoe or coup by its reference', () => {
  it('is found whatever characters the reference has, and shows what the lists show', async () => {
    const shoes = await floor.lines<ShoeLine>('/v1/shoes');
    expect(shoes.some(({ ref }) => /\/.*庄.*#.*%/.test(ref))).toBe(true);
    const [burned, cut] = [new Set<number | undefined>(), new Set<boolean>()];
    for (const line of shoes) {
      const shoe = await floor.read<ShoeWhole>(`/v1/shoes/${encodeURIComponent(line.ref)}`);
      expect(shoe).toMatchObject(line);
      expect(shoe.coupLines).toHaveLength(shoe.coups);
      expect(shoe.leftByRank).toHaveLength(13);
      burned.add(shoe.burn?.cards.length);
      if (shoe.cutCard)
        expect(shoe.cutCard.cardsLeft).toBeGreaterThanOrEqual(52 * shoe.decks - shoe.cards);
      cut.add(shoe.cutCard !== null);
      expect(shoe.leftByRank?.reduce((sum, left) => sum + left)).toBe(
        52 * shoe.decks - (shoe.cards - shoe.unread),
      );
    }
    expect([burned.size > 1, cut.has(true)]).toEqual([true, true]);
    const cells = new Set<string>();
    for (const line of (await floor.lines<CoupLine>('/v1/coups')).filter((_, i) => i % 20 === 0)) {
      const coup = await floor.read<CoupWhole>(`/v1/coups/${encodeURIComponent(line.ref)}`);
      expect(coup).toMatchObject(line);
      expect(coup.raised.filter(({ withdrawnBecause }) => withdrawnBecause === null)).toHaveLength(
        line.findings,
      );
      expect(coup.steps.length).toBeGreaterThan(0);
      for (const [at, { cell, due, to }] of coup.steps.entries()) {
        if (!cell) continue;
        expect(at).toBeGreaterThan(3);
        expect(cell.source).toMatchObject({ section: '§ 631a.11' });
        if (to === cell.table && cell.says === 'draw')
          expect(due).toEqual([{ step: 'card', to, optional: false }]);
        cells.add(`${to} ${cell.says}`);
      }
      const ended = coup.endedAt && Date.parse(coup.endedAt) - Date.parse(coup.openedAt);
      for (const { ms } of [...coup.steps, ...coup.declared]) {
        expect(ms).toBeGreaterThan(0);
        if (ended) expect(ms).toBeLessThanOrEqual(ended);
      }
    }
    expect([...cells]).toEqual(expect.arrayContaining(['player draw', 'banker draw']));
  });

  it('is found by a reference as long as a path can be, and by the shortened one of the lists', async () => {
    const table = `long ${'庄'.repeat(40)}`;
    const id = 'k/#ä'.repeat(700);
    const open = {
      specversion: '1.0',
      type: 'shoeprint.shoe-opened.v1',
      source: 'device/long',
      id,
      time: '2026-11-20T12:00:00.000Z',
      table,
      shoe: 'L1',
      session: '1',
      sequence: 1,
      data: {
        rules: 'punto-banco@1',
        decks: 8,
        kind: 'physical',
        currency: 'MOP',
        reports: ['outcomes'],
      },
    };
    const coup = {
      ...open,
      type: 'shoeprint.coup-opened.v1',
      id: `c${id}`,
      sequence: 2,
      data: { coup: 1 },
    };
    await floor.send([open, coup].map((event) => JSON.stringify(event)));
    await floor.caughtUp();
    const [shoe] = await floor.lines<ShoeLine>(`/v1/shoes?table=${encodeURIComponent(table)}`);
    expect(shoe?.ref).toMatch(/^device\/long#k\/#ä/);
    for (const ref of [`device/long#${id}`, shoe?.ref as string]) {
      expect(await floor.read(`/v1/shoes/${encodeURIComponent(ref)}`)).toMatchObject({
        ref: shoe?.ref,
        shoe: 'L1',
      });
      expect(
        (await floor.lines<CoupLine>(`/v1/coups?shoeRef=${encodeURIComponent(ref)}`)).map(
          ({ coup: number }) => number,
        ),
      ).toEqual([1]);
    }
    expect(await floor.read(`/v1/coups/${encodeURIComponent(`device/long#c${id}`)}`)).toMatchObject(
      { coup: 1, state: 'open', table },
    );
    expect(await floor.lines('/v1/coups', 1)).toEqual(await floor.lines('/v1/coups'));
  });

  it('is distinguished by its table from another with the same reference', async () => {
    const event = (table: string, name: string, id: string, data: object): string =>
      JSON.stringify({
        specversion: '1.0',
        type: `shoeprint.${name}.v1`,
        source: 'device/any',
        id,
        time: '2026-11-20T12:00:00.000Z',
        table,
        shoe: 'S1',
        data,
      });
    const data = {
      rules: 'punto-banco@1',
      decks: 8,
      kind: 'physical',
      currency: 'MOP',
      reports: [],
    };
    await floor.send(
      ['two/mine', 'two/theirs'].flatMap((table) => [
        event(table, 'shoe-opened', 'open', data),
        event(table, 'coup-opened', 'coup', { coup: 1 }),
      ]),
    );
    await floor.caughtUp();
    const mine = await floor.server.api.person('compliance', { tables: ['two/mine'] });
    for (const path of ['/v1/shoes/device%2Fany%23open', '/v1/coups/device%2Fany%23coup']) {
      for (const table of ['two/mine', 'two/theirs'])
        expect(await floor.read(`${path}?table=${encodeURIComponent(table)}`)).toMatchObject({
          table,
        });
      const unnamed = await floor.get(path);
      expect([unnamed.statusCode, unnamed.json<{ errors: object }>().errors]).toEqual([
        400,
        [
          {
            pointer: '/table',
            reason: 'must be given, because several tables have this reference',
          },
        ],
      ]);
      // Who sees one of the tables needs no name, and cannot notice that there is another.
      expect(await floor.read(path, mine)).toMatchObject({ table: 'two/mine' });
      expect((await floor.get(`${path}?table=two%2Ftheirs`, { token: mine })).statusCode).toBe(404);
      expect((await floor.get(`${path}?table=nowhere`)).statusCode).toBe(404);
      expect((await floor.get(`${path}?tabel=B07`)).statusCode).toBe(400);
    }
  });

  it('is not found if nothing has that reference', async () => {
    for (const ref of ['nothing#1', '\0', '%', '#', '..', 'x'.repeat(12_000), 'ü'.repeat(900)]) {
      for (const path of ['/v1/shoes/', '/v1/coups/']) {
        const { statusCode, body } = await floor.get(`${path}${encodeURIComponent(ref)}`);
        expect([ref.slice(0, 20), statusCode, (JSON.parse(body) as { type: string }).type]).toEqual(
          [ref.slice(0, 20), 404, 'urn:shoeprint:problem:not-found'],
        );
      }
    }
  });

  it('is refused as malformed if the path is badly encoded', async () => {
    expect((await floor.get('/v1/coups/%E0%A4%A')).statusCode).toBe(400);
  });
});

describe('visibility', () => {
  it("is limited to the caller's tables on every list, every report and every single resource", async () => {
    const roles = ['compliance', 'surveillance', 'pit-boss', 'finance', 'regulator'] as const;
    for (const [own, ...others] of [
      [TABLES[0], TABLES[1], TABLES[2]],
      [TABLES[2], TABLES[0], TABLES[1]],
    ] as const) {
      const token = await floor.server.api.person(roles, { tables: [own] });
      const nobody = await floor.server.api.person(roles, { tables: [] });
      for (const path of [...LISTS, ...REPORTS]) {
        const mine = await floor.get(path, { token });
        const narrowed = await floor.get(withQuery(path, `table=${encodeURIComponent(own)}`));
        const said = ({
          positions: _positions,
          ...rest
        }: Record<string, unknown>): Record<string, unknown> => rest;
        expect(said(mine.json())).toEqual(said(narrowed.json()));
        expect(mine.json<{ lines: unknown[] }>().lines.length).toBeGreaterThan(0);
        for (const other of others)
          expect(mine.body).not.toContain(JSON.stringify(other).slice(1, -1));
        for (const other of others) {
          const { lines, summary, total } = (
            await floor.get(withQuery(path, `table=${encodeURIComponent(other)}`), { token })
          ).json<{
            lines: unknown[];
            summary?: { findings: number };
            total?: { coups?: number; devices?: number };
          }>();
          expect([
            path,
            lines,
            summary?.findings ?? 0,
            total?.coups ?? total?.devices ?? 0,
          ]).toEqual([path, [], 0, 0]);
        }
        expect(
          (await floor.get(path, { token: nobody })).json<{ lines: unknown[] }>().lines,
        ).toEqual([]);
        const csv = await floor.get(withQuery(path, 'format=csv'), { token });
        for (const other of others) expect(csv.body).not.toContain(other);
      }
      for (const line of await floor.lines<CoupLine>('/v1/coups')) {
        const seen = line.table === own;
        expect(
          (await floor.get(`/v1/coups/${encodeURIComponent(line.ref)}`, { token })).statusCode,
        ).toBe(seen ? 200 : 404);
      }
      for (const { ref, table } of await floor.lines<ShoeLine>('/v1/shoes')) {
        expect(
          (await floor.get(`/v1/shoes/${encodeURIComponent(ref)}`, { token })).statusCode,
        ).toBe(table === own ? 200 : 404);
      }
    }
  });
});

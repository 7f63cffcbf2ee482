import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  canonicalLine,
  FINDING_CODES,
  REFUSALS,
  simulateTables,
  stamped,
  type EventData,
  type ReviewType,
} from '#audit';
import { partitionOf } from '#event-log';
import type {
  FindingFacets,
  FindingHistory,
  FindingLine,
  FindingWhole,
  TableLine,
} from '#read-model';
import { BOOK } from '../../kit/house.js';
import { eventually } from '../../kit/eventually.js';
import { TableLog } from '../../kit/table.js';
import { StreamReader } from '../../kit/stream-reader.js';
import type { Answer } from '../../kit/api.js';
import { LISTS, ReadingFloor, REPORTS, TABLES } from './reading-floor.js';

let floor: ReadingFloor;
/** Everything that was appended, as senders wrote it. */
const sent: string[] = [];
const HOUR_MS = 3_600_000;
const received = new Date(Date.now() - 3 * HOUR_MS).toISOString();

/** Appends lines to the log as the api does, several of a table in one record. */
async function append(lines: readonly string[], at = received): Promise<void> {
  const { log } = floor;
  const batch: string[] = [];
  const flush = async (table: string): Promise<void> => {
    const value = Buffer.from(batch.map((line) => stamped(line, 'device/test', at)).join('\n'));
    const partition = partitionOf(table, log.partitions);
    batch.length = 0;
    await log.append({ partition, urgency: 'bulk', records: [{ key: table, value }] });
  };
  let table = '';
  for (const line of lines) {
    const next = (JSON.parse(line) as { table: string }).table;
    if (batch.length > 0 && (next !== table || batch.length === 7)) await flush(table);
    table = next;
    batch.push(canonicalLine(line));
    sent.push(canonicalLine(line));
  }
  if (batch.length > 0) await flush(table);
}

let acts = 0;
/** Appends what a person does about a finding, and waits until the rows have it. */
async function act<T extends ReviewType>(
  who: string,
  type: T,
  { table, ...data }: { readonly table: string } & Omit<EventData[T], 'as'>,
  as = 'pit-boss',
): Promise<void> {
  acts += 1;
  const event = {
    specversion: '1.0',
    type: `shoeprint.${type}.v1`,
    source: `person/${who}`,
    id: `${type}/${acts}`,
    time: new Date(Date.now() + acts).toISOString(),
    table,
    data: { ...data, as },
  };
  await append([JSON.stringify(event)], new Date().toISOString());
  await floor.caughtUp();
}

beforeAll(async () => {
  floor = await ReadingFloor.open([]);
  const { lines } = simulateTables({
    rules: BOOK.get('punto-banco@1') as never,
    tables: TABLES,
    shoes: 2,
    seed: 'reads',
    bets: true,
    currency: 'MOP',
    faults: FINDING_CODES.filter((code) => !['DL-05', 'PY-05', 'PR-07'].includes(code)),
    reviews: {
      book: BOOK,
      policy: BOOK.policies.get('review@1') as never,
      faults: REFUSALS.filter((refusal) => refusal !== 'idempotency-key-reused'),
    },
  });
  await append([...lines, ...outsideAnyShoe()]);
  await floor.caughtUp();
});
afterAll(() => floor?.close());

/** Returns the lines of a device that sends two contents under one number, before any shoe. */
function outsideAnyShoe(table = 'N1', time?: string): string[] {
  const log = new TableLog(table);
  for (const dealer of ['dora', 'emil'])
    log.add(
      'device/n',
      'dealer-signed-on',
      { dealer, role: 'dealer' },
      { session: '1', sequence: 1, id: 'n/1', ...(time !== undefined && { time }) },
    );
  return log.events.map(({ shoe: _, ...event }) => JSON.stringify(event));
}

const all = (query = 'status=all'): Promise<FindingLine[]> =>
  floor.lines<FindingLine>(`/v1/findings?${query}`);
const whole = (id: string, token?: string): Promise<FindingWhole> =>
  floor.read(`/v1/findings/${id}`, token);
const problem = ({ statusCode, body }: Answer): unknown => {
  const { requestId: _, instance: _at, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return [statusCode, rest];
};
const isHeld = ({ claim }: FindingLine['review']): boolean =>
  claim !== null && Date.parse(claim.until) > Date.now();
const actsOnLog = (id: string): { id: string; source: string; type: string }[] =>
  sent
    .filter((line) => line.includes('"type":"shoeprint.finding-') && line.includes(id))
    .map((line) => JSON.parse(line) as never);

describe('the record of a finding', () => {
  it('has without stamps the SHA-256 that the review names as evidence', async () => {
    const seen = { coup: 0, shoe: 0, 'no shoe': 0 };
    for (const { id, coupRef, shoeRef, review } of await all()) {
      const answer = await floor.get(`/v1/findings/${id}/record?stamps=off`);
      if (review.evidence === null) {
        expect(problem(answer)).toMatchObject([409, { type: 'urn:shoeprint:problem:conflict' }]);
        continue;
      }
      expect([id, createHash('sha256').update(answer.body).digest('hex')]).toEqual([
        id,
        review.evidence,
      ]);
      seen[coupRef !== null ? 'coup' : shoeRef !== null ? 'shoe' : 'no shoe'] += 1;
    }
    expect(seen.coup).toBeGreaterThan(20);
    expect(seen.shoe).toBeGreaterThan(5);
    expect(seen['no shoe']).toBeGreaterThan(0);
  });

  it('has with stamps the exact lines of the log, or the references of a finding about no shoe', async () => {
    const [of] = (await all()).filter(({ coupRef, review }) => coupRef && review.evidence);
    const { body, headers } = await floor.get(`/v1/findings/${of?.id}/record`);
    const without = await floor.get(`/v1/findings/${of?.id}/record?stamps=off`);
    expect(headers['content-type']).toBe('application/x-ndjson');
    const lines = body.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(6);
    expect(lines.map((line) => canonicalLine(line))).toEqual(without.body.trimEnd().split('\n'));
    for (const line of lines)
      expect(line).toContain(`"receivedfrom":"device/test","receivedtime":"${received}"}`);
    const device = (await all()).find(({ shoeRef }) => shoeRef === null) as FindingLine;
    const references = await floor.get(`/v1/findings/${device.id}/record`);
    expect([references.headers['content-type'], references.body]).toEqual([
      'text/plain; charset=utf-8',
      device.events.map((reference) => `${reference}\n`).join(''),
    ]);
  });

  it('has only the lines that came to the log after an act, if it is asked so', async () => {
    const seen = { none: 0, some: 0 };
    const claimed = (await all()).filter(({ shoeRef, review }) => shoeRef && review.evidence);
    for (const { id } of claimed) {
      const { lines: done } = await floor.read<FindingHistory>(`/v1/findings/${id}/history`);
      const [act] = done;
      if (!act) continue;
      const after = sent.findIndex((line) => {
        const event = JSON.parse(line) as { source: string; id: string };
        return `${event.source}#${event.id}` === act.ref;
      });
      const record = await floor.get(`/v1/findings/${id}/record?stamps=off`);
      const later = await floor.get(
        `/v1/findings/${id}/record?stamps=off&after=${encodeURIComponent(act.ref)}`,
      );
      const lines = record.body.trimEnd().split('\n');
      const due = lines.filter((line) => sent.indexOf(line) > after);
      expect([id, later.statusCode, later.body]).toEqual([
        ...[id, 200],
        due.map((line) => `${line}\n`).join(''),
      ]);
      seen[due.length > 0 ? 'some' : 'none'] += 1;
    }
    expect(seen.none).toBeGreaterThan(0);
    expect(seen.some).toBeGreaterThan(0);
    const unknown = await floor.get(`/v1/findings/${claimed[0]?.id}/record?after=person%2Fp%23no`);
    expect(problem(unknown)).toMatchObject([
      400,
      {
        errors: [{ pointer: '/after', reason: 'must be the reference of an act on this finding' }],
      },
    ]);
  });

  it('is noted in the record of the house', async () => {
    const token = await floor.server.api.person('surveillance', { name: 'record.reader' });
    const [of] = (await all()).filter(({ review }) => review.evidence);
    expect((await floor.get(`/v1/findings/${of?.id}/record`, { token })).statusCode).toBe(200);
    await eventually('the note', async () => {
      const lines = await floor.server.api.app
        .get((await import('typeorm')).DataSource)
        .query<{ data: object }[]>(
          `select data from access.outbox where type = 'record-read' and "by" = 'person/record.reader'`,
        );
      return lines.some(
        ({ data }) =>
          JSON.stringify(data) ===
          JSON.stringify({
            record: '/v1/findings/:id/record',
            filter: { id: of?.id },
            format: 'ndjson',
          }),
      );
    });
  });
});

describe('one finding', () => {
  it('has in one answer what a reviewer needs, for every finding', async () => {
    const states = new Set<string>();
    for (const line of await all()) {
      const { finding, review, coup, coups, history, looks, people } = await whole(line.id);
      const { review: asListed, ...rest } = line;
      expect(finding).toEqual(rest);
      expect(review).toMatchObject(asListed);
      expect(coup?.ref ?? null).toBe(line.coupRef);
      if (line.shoeRef !== null) expect(coups.length).toBeGreaterThan(0);
      expect(people).toEqual([...new Set(people)]);
      const done = actsOnLog(line.id).filter(({ type }) => !type.includes('viewed'));
      expect(history.length).toBe(Math.min(50, done.length));
      expect(looks.looks).toBe(actsOnLog(line.id).length - done.length);
      if (asListed.ruling) expect(review.two).toBe(asListed.ruling.signedBy !== null);
      if (asListed.proposal) expect(review.two).toBe(true);
      states.add(asListed.state);
    }
    expect([...states].sort()).toEqual(['open', 'proposed', 'ruled']);
  });

  it('has for each finding of its coup the card that is wrong, or the hand that lacks one', async () => {
    const coups = new Map((await all('status=standing')).map((line) => [line.coupRef, line]));
    const seen = new Set<string>();
    for (const { id, coupRef } of coups.values()) {
      const { coup } = coupRef === null ? { coup: null } : await whole(id);
      for (const { code, hand, events, event, fault } of coup?.raised ?? []) {
        const of = (to: string) => coup?.steps.filter((step) => step.to === to) ?? [];
        const third = { player: of('player')[2]?.ref, banker: of('banker')[2]?.ref };
        const card = (ref: string | undefined) => ({ is: 'card', ref });
        const expected: Readonly<Record<string, unknown>> = {
          'TC-01': card(third.player),
          'TC-02': card(third.banker),
          'TC-03': { is: 'missing', hand: 'player' },
          'TC-04': card(third.player),
          'TC-05': { is: 'missing', hand: 'banker' },
          'TC-06': card(third.banker),
          'TC-07': { is: 'missing', hand: 'banker' },
          'TC-08': card(third.banker),
          'TC-09': card(third.banker),
          'TC-11': card(of(hand ?? '')[3]?.ref),
          'DL-01': card(coup?.steps[0]?.ref),
          'DL-06': card(event),
          'DV-01': card(event),
          'PR-01': card(events[0]),
          'RS-01': null,
          'RS-02': null,
          'BT-01': null,
          'PY-03': null,
        };
        if (!(code in expected)) continue;
        expect([code, fault]).toEqual([code, expected[code]]);
        seen.add(code);
      }
    }
    expect(seen.size).toBe(18);
  });

  it('does not exist for readers of other tables, the same as an unknown one', async () => {
    const [of] = await all(`table=${TABLES[0]}`);
    const token = await floor.server.api.person('compliance', { tables: [TABLES[1]] });
    for (const rest of ['', '/history', '/record']) {
      const other = await floor.get(`/v1/findings/${of?.id}${rest}`, { token });
      for (const id of ['f'.repeat(32), 'no-such', '%00', 'x'.repeat(9_000)])
        expect(problem(await floor.get(`/v1/findings/${id}${rest}`, { token }))).toEqual(
          problem(other),
        );
      expect(other.statusCode).toBe(404);
    }
  });

  it('is sent once more only if it changed', async () => {
    const [of] = await all('review=ruled');
    let tag = '';
    await eventually('the same answer, with the look of who asks', async () => {
      const again = await floor.get(`/v1/findings/${of?.id}`, {
        headers: { 'if-none-match': tag },
      });
      tag = again.headers.etag as string;
      return again.statusCode === 304 && again.body === '';
    });
  });

  it('is on the log as looked at, once for each person and quarter of an hour', async () => {
    const token = await floor.server.api.person('regulator', { name: 'looker' });
    const [of] = await all('review=ruled');
    const { id } = of as FindingLine;
    for (let times = 0; times < 3; times += 1) await whole(id, token);
    const looks = await eventually('the look', async () => {
      const { by } = (await whole(id, token)).looks;
      return by?.find(({ person }) => person === 'looker')?.looks;
    });
    expect([1, 2]).toContain(looks);
  });

  it('is not for finance, and who looked is for compliance and the regulator', async () => {
    const [of] = await all();
    const { person } = floor.server.api;
    expect(
      (await floor.get(`/v1/findings/${of?.id}`, { token: await person('finance') })).statusCode,
    ).toBe(403);
    for (const role of ['pit-boss', 'surveillance'] as const)
      expect((await whole(of?.id as string, await person(role))).looks.by).toBeNull();
    for (const role of ['compliance', 'regulator'] as const)
      expect((await whole(of?.id as string, await person(role))).looks.by).toBeInstanceOf(Array);
  });
});

describe('what the reader may do', () => {
  const may = async (id: string, token: string): Promise<FindingWhole['review']> =>
    (await floor.read<FindingWhole>(`/v1/findings/${id}`, token)).review;

  it('is what the fold would decide', async () => {
    const { person } = floor.server.api;
    const [of] = (await all('review=open&status=standing')).filter(
      ({ review, coupRef }) =>
        coupRef !== null &&
        review.evidence !== null &&
        review.escalated === null &&
        !isHeld(review),
    );
    const { id, table, severity } = of as FindingLine;
    await act('may.holder', 'finding-claimed', { table, finding: id, lease: 600 });
    const [holder, other] = [
      await person('pit-boss', { name: 'may.holder' }),
      await person(['surveillance', 'pit-boss'], { name: 'may.other' }),
    ];
    expect((await may(id, holder)).may).toEqual({
      ...{ claim: true, release: true, comment: true, video: true, hold: true },
      ...{ held: 'not-permitted', propose: true, sign: 'nothing-proposed' },
      ...{ refuse: 'nothing-proposed', 'take-back': 'nothing-proposed', escalate: true },
      reopen: 'not-permitted',
    });
    expect((await may(id, other)).may).toMatchObject({
      ...{ claim: 'claimed-by-another', release: 'not-yours', propose: 'not-claimed' },
      ...{ comment: true, held: true, reopen: 'not-ruled' },
    });
    if (severity === 1) expect((await may(id, other)).two).toBe(true);
    const { people } = await whole(id);
    const involved = await person('compliance', { person: people[0] as string });
    expect((await may(id, involved)).may).toMatchObject({
      ...{ claim: 'conflict-of-interest', propose: 'conflict-of-interest', comment: true },
    });
    for (const token of [
      await person('regulator'),
      await person('pit-boss', { wallDisplay: true }),
    ])
      expect(new Set(Object.values((await may(id, token)).may))).toEqual(
        new Set(['not-permitted']),
      );
  });

  it('is refused for what is ruled, withdrawn or of an open coup', async () => {
    const token = await floor.server.api.person('compliance', { name: 'may.compliance' });
    const [ruled] = await all('review=ruled&status=standing');
    expect((await may(ruled?.id as string, token)).may).toMatchObject({
      ...{ claim: 'already-ruled', propose: 'already-ruled', reopen: true },
    });
    const [gone] = await all('status=withdrawn');
    expect((await may(gone?.id as string, token)).may).toMatchObject({
      ...{ claim: 'finding-withdrawn', escalate: 'finding-withdrawn', comment: true },
    });
  });
});

describe('the history of a finding', () => {
  it('has every act that is on the log, in its order, in pages', async () => {
    const ids = (await all()).map(({ id }) => id).filter((id) => actsOnLog(id).length > 3);
    expect(ids.length).toBeGreaterThan(5);
    for (const id of ids.slice(0, 8)) {
      const path = `/v1/findings/${id}/history`;
      const lines = await floor.lines<FindingHistory['lines'][number]>(path, 2);
      const wanted = actsOnLog(id).filter(({ type }) => !type.includes('viewed'));
      expect(lines.map(({ ref }) => ref)).toEqual(
        wanted.map(({ source, id: act_ }) => `${source}#${act_}`),
      );
      const newest = await floor.lines<{ ref: string }>(`${path}?order=newest`, 3);
      expect(newest.map(({ ref }) => ref)).toEqual(lines.map(({ ref }) => ref).toReversed());
    }
  });
});

describe('the queue over HTTP', () => {
  it('has what waits, the gravest first and then what was raised first', async () => {
    const lines = await floor.lines<FindingLine>('/v1/findings?order=queue', 7);
    const waits = (await all('status=standing')).filter(({ review }) => review.state !== 'ruled');
    const key = ({ severity, raisedAt, id }: FindingLine): string =>
      `${severity} ${raisedAt ?? '~'} ${id}`;
    expect(lines.map(({ id }) => id)).toEqual(
      waits.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).map(({ id }) => id),
    );
  });

  it('finds what is overdue by the policy in force', async () => {
    // raised three hours ago: the gravest may wait for two
    const overdue = await all('overdue=true&order=queue');
    expect(overdue.length).toBeGreaterThan(3);
    expect(new Set(overdue.map(({ severity }) => severity))).toEqual(new Set([1]));
    const late = await all('overdue=false&order=queue');
    expect(late.filter(({ severity }) => severity === 1)).toEqual([]);
  });

  it('finds and counts what had been ruled and is open again', async () => {
    const isBack = ({ review }: FindingLine): boolean => review.regressed;
    const [ruled] = (await all('status=standing')).filter(({ review }) => review.ruling !== null);
    const { table, id, review } = ruled as FindingLine;
    const reopened = {
      finding: id,
      ruling: review.ruling?.ref as string,
      reason: 'A new witness.',
    };
    await act('vera', 'finding-reopened', { table, ...reopened }, 'surveillance');
    const lines = await all();
    expect(lines.filter(isBack).map((line) => line.id)).toContain(id);
    for (const regressed of [true, false])
      expect(await all(`status=all&regressed=${regressed}`)).toEqual(
        lines.filter((line) => isBack(line) === regressed),
      );
    const { regressed } = await floor.read<FindingFacets>('/v1/findings/facets?status=all');
    expect(new Map(regressed.map(({ value, findings }) => [value, findings]))).toEqual(
      new Map([true, false].map((is) => [is, lines.filter((line) => isBack(line) === is).length])),
    );
  });

  it('finds what loses its video within some hours, and hands it out, unless it is held', async () => {
    const ago = (days: number): string => new Date(Date.now() - days * 24 * HOUR_MS).toISOString();
    const raisedAgo = { SOON: 6.5, HELD: 6.5, FRESH: 1, GONE: 8 };
    for (const [table, days] of Object.entries(raisedAgo))
      await append(outsideAnyShoe(table, ago(days)));
    await floor.caughtUp();
    const at = async (table: string): Promise<FindingLine> =>
      (await all(`table=${table}`))[0] as FindingLine;
    const until = new Date(Date.now() + 48 * HOUR_MS).toISOString();
    const { id } = await at('HELD');
    await act('vera', 'finding-video-held', { table: 'HELD', finding: id, request: 'r', until });
    expect((await at('HELD')).videoHeldUntil).toBe(until);
    expect((await whole(id)).video).toMatchObject({ keptUntil: until, daysLeft: 1 });
    const soon = async (hours: number): Promise<string[]> =>
      (await all(`videoHours=${hours}`)).map(({ table }) => table).filter((of) => of in raisedAgo);
    expect([await soon(24), await soon(1)]).toEqual([['SOON'], []]);
    expect((await soon(49)).sort()).toEqual(['HELD', 'SOON']);
    const within = 'table=SOON&videoHours=24';
    expect((await floor.read<FindingFacets>(`/v1/findings/facets?${within}`)).total).toBe(1);
    const taken = await floor.server.api.app.inject({
      method: 'POST',
      url: `/v1/findings/take-next?${within}`,
      headers: {
        authorization: `Bearer ${await floor.server.api.person('pit-boss')}`,
        'idempotency-key': 'soon',
      },
    });
    expect(taken.json()).toMatchObject({ finding: (await at('SOON')).id, outcome: 'taken' });
  });

  it('refuses what it does not know, by the name of the parameter', async () => {
    for (const [query, pointer] of [
      ['review=closed', '/review'],
      ['mine=yes', '/mine'],
      ['escalated=finance', '/escalated'],
      ['overdue=1', '/overdue'],
      ['lapsed=', '/lapsed'],
      ['regressed=yes', '/regressed'],
      ['videoHours=0', '/videoHours'],
      ['videoHours=8785', '/videoHours'],
      ['disposition=error', '/disposition'],
      [`q=${'x'.repeat(201)}`, '/q'],
      ['order=best', '/order'],
    ] as const)
      expect(problem(await floor.get(`/v1/findings?${query}`))).toMatchObject([
        400,
        { errors: [{ pointer }] },
      ]);
  });

  it('says in a file where the review of each stands', async () => {
    const { body } = await floor.get('/v1/findings?review=ruled&format=csv');
    const [head, first] = body.split('\r\n');
    expect(head).toContain(
      '"review","claimedBy","claimedUntil","disposition","proposedBy","signedBy","ruledAt","counts","escalated","stale","regressed","touched","lapsed","evidence"',
    );
    expect(first).toContain('"ruled"');
  });
});

describe('the counts of findings over HTTP', () => {
  const facets = (query = '', token?: string): Promise<FindingFacets> =>
    floor.read(`/v1/findings/facets?${query}`, token);

  it('are as many as the list has', async () => {
    const lines = await all('severity=1,2');
    const counts = await facets('severity=1,2');
    expect(counts.total).toBe(lines.length);
    for (const { value, findings } of counts.code)
      expect([value, findings]).toEqual([value, lines.filter(({ code }) => code === value).length]);
    expect(counts.severity.map(({ value }) => value).sort()).toEqual([1, 2, 3]);
    expect((await facets('overdue=true')).total).toBe((await all('overdue=true')).length);
  });

  it('refuse what says how lines are shown', async () => {
    for (const query of ['order=queue', 'limit=3', 'format=csv', 'cursor=x'])
      expect((await floor.get(`/v1/findings/facets?${query}`)).statusCode).toBe(400);
  });

  it('are of the tables of who asks', async () => {
    const token = await floor.server.api.person('pit-boss', { tables: [TABLES[1]] });
    expect((await facets('', token)).table.map(({ value }) => value)).toEqual([TABLES[1]]);
  });

  it('include a position that who asks has written', async () => {
    const [of] = (await all('review=open')).filter(({ review }) => review.claim === null);
    const { table, id } = of as FindingLine;
    const before = await facets('mine=true');
    await act('mine.person', 'finding-claimed', { table, finding: id, lease: 600 });
    const token = await floor.server.api.person('pit-boss', { name: 'mine.person' });
    const positions = (await floor.get('/v1/tables')).headers['log-position'] as string;
    const { body } = await floor.get('/v1/findings/facets?mine=true', {
      token,
      headers: { 'min-position': positions },
    });
    expect((JSON.parse(body) as FindingFacets).total).toBe(1);
    expect((await facets('mine=true')).total).toBe(before.total);
  });
});

describe('a table whose findings are reviewed', () => {
  it('is as long without an event of its own as before', async () => {
    const [of] = (await all('review=open')).filter(({ table }) => table === TABLES[0]);
    const lastEvent = async (): Promise<unknown> =>
      (await floor.lines<TableLine>('/v1/tables')).find(({ table }) => table === TABLES[0])
        ?.lastEventTime;
    const before = await lastEvent();
    await act('late.reviewer', 'finding-released', { table: TABLES[0], finding: of?.id as string });
    expect(await lastEvent()).toBe(before);
    expect(before).toMatch(/^2026-11-2[01]T/);
  });
});

describe('the record of the house', () => {
  it('is in no list, report or count of tables', async () => {
    await eventually('an act in the house in the rows', async () => {
      const { lines } = await floor.read<{ lines: unknown[] }>('/v1/house-events');
      return lines.length > 0;
    });
    for (const path of [...LISTS, ...REPORTS, '/v1/findings/facets'])
      expect([path, await floor.get(path)]).toEqual([
        path,
        expect.objectContaining({ body: expect.not.stringContaining('@house') }),
      ]);
  });
});

describe('a claim and an accusation', () => {
  it('appear on the stream, the accusation not to whom it is about', async () => {
    const { person } = floor.server.api;
    const [of] = (await all('review=open')).filter(
      ({ review, coupRef }) => coupRef !== null && review.evidence !== null && !isHeld(review),
    );
    const { table, id, review } = of as FindingLine;
    const { people } = await whole(id);
    const accused = await person('pit-boss', { name: 'accused', person: people[0] as string });
    const other = await person('pit-boss', { name: 'another.boss' });
    const streams = [accused, other].map((token) => new StreamReader(floor.server.url, token));
    try {
      for (const stream of streams) await stream.listening();
      await act('hana', 'finding-claimed', { table, finding: id, lease: 600 });
      const last = (stream: StreamReader): FindingLine | undefined =>
        stream.of<FindingLine>('finding').findLast((each) => each.id === id);
      for (const stream of streams)
        await eventually('the claim', () => last(stream)?.review.claim?.by === 'hana');
      await act('hana', 'finding-ruling-proposed', {
        ...{ table, finding: id, disposition: 'suspected-collusion', policy: 'review@1' },
        ...{ evidence: review.evidence as string, note: 'They share a car.' },
      });
      for (const stream of streams)
        await eventually('the proposal', () => last(stream)?.review.state === 'proposed');
      expect(streams.map((stream) => last(stream)?.review.proposal?.disposition)).toEqual([
        null,
        'suspected-collusion',
      ]);
    } finally {
      for (const stream of streams) stream.cut();
    }
    for (const [path, isOf] of [
      [`/v1/findings/${id}`, true],
      [`/v1/findings/${id}/history`, true],
      [`/v1/findings?q=${id}`, true],
      [`/v1/findings?format=csv&q=${id}`, true],
      [`/v1/coups/${encodeURIComponent(of?.coupRef as string)}`, false],
      [`/v1/shoes/${encodeURIComponent(of?.shoeRef as string)}`, false],
    ] as const) {
      const seenBy = async (token: string): Promise<string> => {
        const { statusCode, body } = await floor.get(path, { token });
        expect([path, statusCode]).toEqual([path, 200]);
        if (isOf) return body;
        const { raised } = JSON.parse(body) as { raised: FindingLine[] };
        return JSON.stringify(raised.find((each) => each.id === id));
      };
      expect([path, await seenBy(accused)]).toEqual([
        path,
        expect.not.stringMatching(/collusion|share a car/),
      ]);
      expect([path, await seenBy(other)]).toEqual([path, expect.stringMatching(/-collusion/)]);
    }
    const searched = '/v1/findings/facets?disposition=suspected-collusion&q=';
    const counts = async (token: string): Promise<number> =>
      (await floor.read<FindingFacets>(`${searched}${id}`, token)).total;
    expect([await counts(accused), await counts(other)]).toEqual([0, 1]);
  });
});

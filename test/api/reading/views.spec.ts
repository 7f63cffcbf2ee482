import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FINDING_CODES } from '#audit';
import { PERMISSIONS, permitted, ROLES } from '#api';
import type { CoupLine, FindingLine, ShoeLine } from '#read-model';
import { ReadingFloor, withQuery } from './reading-floor.js';

let floor: ReadingFloor;
let finance: string;
let pitBoss: string;
beforeAll(async () => {
  floor = await ReadingFloor.open();
  finance = await floor.server.api.person('finance');
  pitBoss = await floor.server.api.person('pit-boss');
});
afterAll(() => floor?.close());

/** What finance may read: lists, single coups and shoes, and reports. */
async function financePaths(): Promise<string[]> {
  const findings = await floor.lines<FindingLine>('/v1/findings');
  const [coup, shoe] = [findings.find(({ coupRef }) => coupRef), findings[0]];
  return [
    '/v1/tables',
    '/v1/shoes',
    '/v1/coups?limit=1000',
    `/v1/coups/${encodeURIComponent(coup?.coupRef as string)}`,
    `/v1/shoes/${encodeURIComponent(shoe?.shoeRef as string)}`,
    '/v1/reports/commission',
    '/v1/reports/commission/coups',
    '/v1/reports/shoes',
    '/v1/reports/payouts',
    '/v1/reports/payouts/coups',
  ];
}

/** Everything that says that something was found: codes, ids, sentences, and the names of fields. */
async function wordsOfFindings(): Promise<string[]> {
  const findings = await floor.lines<FindingLine>('/v1/findings?status=all');
  return [
    ...FINDING_CODES.map((code) => `"${code}"`),
    ...findings.flatMap(({ id, message }) => [`"${id}"`, JSON.stringify(message)]),
    '"findings"',
    '"worst"',
    '"raised"',
    '"unjudgeable"',
    '"variance"',
    '"explainedBy"',
    'shoeFindings',
    'shoeWorst',
  ];
}

describe('what finance reads', () => {
  it('has no byte of a finding, in JSON or CSV, where others see them', async () => {
    const words = await wordsOfFindings();
    let seenByOthers = 0;
    for (const path of await financePaths())
      for (const asked of [path, ...(/\/v1\/(coups|shoes)\//.test(path) ? [] : [csv(path)])]) {
        const [theirs, everything] = [
          await floor.get(asked, { token: finance }),
          await floor.get(asked),
        ];
        expect([asked, theirs.statusCode, everything.statusCode]).toEqual([asked, 200, 200]);
        expect([asked, words.filter((word) => theirs.body.includes(word))]).toEqual([asked, []]);
        seenByOthers += words.filter((word) => everything.body.includes(word)).length;
      }
    expect(seenByOthers).toBeGreaterThan(20);
  });

  it('is otherwise what others read', async () => {
    const {
      findings: _,
      worst: __,
      ...coup
    } = (await floor.lines<CoupLine>('/v1/coups'))[0] as CoupLine;
    expect((await floor.lines('/v1/coups', 1000, finance))[0]).toEqual(coup);
    const shoes = await floor.lines<ShoeLine>('/v1/shoes');
    expect(await floor.lines('/v1/shoes', 1000, finance)).toEqual(
      shoes.map(({ findings: _findings, worst: _worst, ...shoe }) => shoe),
    );
    const payouts = await floor.read<{ totals: { net: number }[] }>('/v1/reports/payouts', finance);
    expect(payouts.totals[0]?.net).toEqual(expect.any(Number));
  });

  it.each(['true', 'false'])('cannot be filtered by findings: flagged=%s', async (flagged) => {
    for (const path of ['/v1/coups', csv('/v1/coups')]) {
      const answer = await floor.get(withQuery(path, `flagged=${flagged}`), { token: finance });
      expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
        403,
        'the filter flagged requires the permission read-findings',
      ]);
    }
    expect((await floor.get(`/v1/coups?flagged=${flagged}`, { token: pitBoss })).statusCode).toBe(
      200,
    );
  });
});

const csv = (path: string): string => withQuery(path.replace(/\?limit=\d+/, ''), 'format=csv');

describe('the stream', () => {
  it('is only for roles that see findings, whose events hold some', () => {
    const followers = ROLES.filter((role) => permitted('follow-stream', [role]));
    expect(followers.filter((role) => !permitted('read-findings', [role]))).toEqual([]);
    expect(PERMISSIONS['read-findings']).not.toContain('finance');
  });
});

describe('a pit boss', () => {
  it('reads the report on payouts, with the wrong ones', async () => {
    const report = await floor.read<{ variance: object[] }>('/v1/reports/payouts', pitBoss);
    expect(report.variance.length).toBeGreaterThan(0);
  });
});

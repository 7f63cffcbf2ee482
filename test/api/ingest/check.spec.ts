import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Finding, Unjudgeable } from '#audit';
import { MemoryLog } from '#event-log';
import { LivePlay } from '../../../apps/api/src/reading/live-play.js';
import { audit, type Sent } from '../../kit/audit.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { play } from '../../kit/play.js';
import { TableLog } from '../../kit/table.js';

const BATCH = 'application/cloudevents-batch+json';
const EVENT = 'application/cloudevents+json';
const LINES = 'application/x-ndjson';

const log = new MemoryLog();
let api: TestApi;
let device: string;
beforeAll(async () => {
  api = await startApi({ log });
  device = await api.device({ sources: ['device/*', 'person/*'] });
});
afterAll(async () => {
  await api.close();
  await log.close();
});

const post = (
  body: string,
  { query = '?check=true', type = BATCH, token = device } = {},
): Promise<Answer> =>
  api.app.inject({
    method: 'POST',
    url: `/v1/events${query}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    payload: body,
  });
const batch = (events: readonly Sent[]): string => JSON.stringify(events);
const lines = (events: readonly Sent[]): string =>
  events.map((event) => JSON.stringify(event)).join('\n');

interface Checked {
  readonly events: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  readonly unjudgeable: readonly Unjudgeable[];
}
const said = (answer: Answer): Checked => {
  expect([answer.statusCode, answer.body.slice(0, 200)]).toEqual([200, expect.anything()]);
  return answer.json<Checked>();
};
const named = (answer: Answer): string =>
  answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '');
/** Returns how many records tables have; the server writes of itself to `@house`. */
const recorded = (): number =>
  Array.from({ length: log.partitions }, (_, partition) => log.store.of(partition))
    .flat()
    .filter(({ key }) => key !== '@house').length;

/** A coup in which the player hand wins and the banker hand is declared. */
function faulty(table = 'T1'): TableLog {
  const written = new TableLog(table);
  written.open();
  written.dealer();
  play(written, 1, { bets: [[1, 'player', 100]], outcome: 'banker' });
  return written;
}

describe('checking events', () => {
  it('answers what audit says of them, and records nothing', async () => {
    const { events } = faulty();
    const { findings, unjudgeable } = audit(events);
    const answer = said(await post(batch(events)));
    expect(answer.findings.map(({ code }) => code).sort()).toEqual(['PY-01', 'RS-02']);
    expect(answer).toEqual({
      events: {
        read: events.length,
        admitted: events.length,
        duplicates: 0,
        equivocal: 0,
        late: 0,
        stray: 0,
      },
      findings: JSON.parse(JSON.stringify(findings)),
      unjudgeable,
    });
    expect(recorded()).toBe(0);
  });

  it('judges each table by itself, and each request as of empty tables', async () => {
    const [one, two] = [faulty('T1'), faulty('T2')];
    const both = one.events.flatMap((event, i) => [event, two.events[i] as Sent]);
    for (const type of [BATCH, LINES])
      for (let again = 0; again < 2; again += 1) {
        const answer = said(await post(type === BATCH ? batch(both) : lines(both), { type }));
        expect(answer.events.duplicates).toBe(0);
        const found = answer.findings.map(({ table, code }) => `${table} ${code}`).sort();
        expect(found).toEqual(['T1 PY-01', 'T1 RS-02', 'T2 PY-01', 'T2 RS-02']);
      }
    expect(recorded()).toBe(0);
  });

  it('ends the log with the last event: a gap is found, and what it hides is listed', async () => {
    const gapped = faulty();
    gapped.lose('terminal');
    play(gapped, 2, { bets: [[1, 'player', 100]], outcome: 'banker' });
    const { findings, unjudgeable } = audit(gapped.events);
    const answer = said(await post(batch(gapped.events)));
    expect(answer.findings.map(({ code }) => code)).toContain('DV-04');
    expect(answer.unjudgeable.length).toBeGreaterThan(0);
    expect([answer.findings, answer.unjudgeable]).toEqual([
      JSON.parse(JSON.stringify(findings)),
      unjudgeable,
    ]);
  });

  it('keeps what was found in shoes that are out of reach', async () => {
    const written = faulty();
    for (const shoe of ['S2', 'S3', 'S4']) {
      written.add('shoe', 'shoe-closed', { reason: 'end' });
      written.shoe = shoe;
      written.open();
      play(written, 1, { bets: [[1, 'player', 100]], outcome: 'banker' });
    }
    const places = (findings: readonly Finding[]): string[] =>
      findings.map(({ shoe, code, id }) => `${shoe} ${code} ${id}`).sort();
    const answer = said(await post(batch(written.events)));
    expect(places(answer.findings)).toEqual(places(audit(written.events).findings));
    expect(new Set(answer.findings.map(({ shoe }) => shoe)).size).toBe(4);
  });

  it('says nothing of a lawful shoe, and takes a single event', async () => {
    const clean = readFileSync(
      new URL('../../../examples/clean-shoe.ndjson', import.meta.url),
      'utf8',
    );
    const events = clean.trim().split('\n').length;
    expect(said(await post(clean, { type: LINES }))).toMatchObject({
      events: { read: events, admitted: events },
      findings: [],
      unjudgeable: [],
    });
    const [first] = faulty().events as [Sent];
    expect(said(await post(JSON.stringify(first), { type: EVENT }))).toMatchObject({
      events: { read: 1 },
      findings: [],
    });
    expect(said(await post('[]')).events).toMatchObject({ read: 0 });
  });

  it('finds no gap in the examples of the contract, sent as they stand', async () => {
    const page = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
    const examples = [...page.matchAll(/^```json\n([^]*?)^```$/gm)]
      .map(([, text]) => JSON.parse(text as string) as Sent)
      .filter(({ specversion }) => specversion !== undefined);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const answer = said(await post(JSON.stringify(example), { type: EVENT }));
      expect(answer.events).toMatchObject({ read: 1, admitted: 1 });
      expect(answer.findings.map(({ code }) => code)).not.toContain('DV-04');
    }
  });

  it('refuses what recording would refuse, with the same answer', async () => {
    const narrow = await api.device({ sources: ['device/T1-*'], tables: ['T1'], name: 'narrow' });
    const { events } = faulty();
    for (const [body, token, status] of [
      [batch([...events, { type: 'nonsense' }]), device, 400],
      [batch([{ ...events[0], data: {} }]), device, 400],
      ['{', device, 400],
      [batch(faulty('T2').events), narrow, 403],
      [batch(events), `${device}x`, 401],
      [batch(events), await api.person('finance'), 403],
    ] as const) {
      const [checked, real] = [await post(body, { token }), await post(body, { token, query: '' })];
      expect([checked.statusCode, checked.body]).toEqual([status, real.body]);
    }
    expect(recorded()).toBe(0);
  });

  it('refuses a query that it does not know, before it records anything', async () => {
    for (const query of ['?check=yes', '?check=', '?chek=true', '?check=true&check=true', '?x=1']) {
      const answer = await post(batch(faulty().events), { query });
      expect([query, answer.statusCode, named(answer)]).toEqual([query, 400, 'invalid-request']);
    }
    expect(recorded()).toBe(0);
  });

  it('takes at most 2,000 events', async () => {
    const written = new TableLog();
    written.open();
    while (written.events.length < 2000) written.add('terminal', 'seat-left', { seat: 1 });
    expect(said(await post(batch(written.events))).events.read).toBe(2000);
    written.add('terminal', 'seat-left', { seat: 1 });
    for (const type of [BATCH, LINES]) {
      const answer = await post(type === BATCH ? batch(written.events) : lines(written.events), {
        type,
      });
      expect([answer.statusCode, named(answer)]).toEqual([413, 'too-large']);
      expect(answer.json<{ detail: string }>().detail).toContain('2000');
    }
  });

  it('answers no more than 8 MiB: findings repeat references of any length', async () => {
    const written = new TableLog();
    written.open();
    written.dealer();
    written.add('shoe', 'coup-opened', { coup: 1 }, { id: 'x'.repeat(15_000) });
    written.add('terminal', 'betting-closed');
    for (let seat = 1; seat <= 1200; seat += 1)
      written.add('terminal', 'bet-placed', { seat, bet: 'player', amount: 1 });
    const answer = await post(batch(written.events));
    expect([answer.statusCode, named(answer)]).toEqual([413, 'too-large']);
  });

  /** Coups whose every card is unread, which take longest to judge. */
  function unread(most: number): readonly Sent[] {
    const written = new TableLog();
    written.open({ reports: [] });
    for (let coup = 1; written.events.length < most; coup += 1) {
      written.add('shoe', 'coup-opened', { coup });
      written.draw('- ?? - ?? - ?? - ?? - ?? - ??');
      written.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
      written.add('shoe', 'coup-closed');
    }
    return written.events;
  }

  it('lets other requests in while it judges', async () => {
    let turns = 0;
    const beat = setInterval(() => (turns += 1), 1);
    const began = performance.now();
    const answer = await post(batch(unread(1900)));
    const took = performance.now() - began;
    clearInterval(beat);
    expect([200, 413]).toContain(answer.statusCode);
    expect(turns).toBeGreaterThan(took / 100);
  });

  it('rests between its slices while events are being recorded', async () => {
    const live = api.app.get(LivePlay);
    const rests = jest.spyOn(live, 'rest');
    live.came();
    try {
      expect((await post(batch(unread(400)))).statusCode).toBe(200);
      expect(rests).toHaveBeenCalled();
      for (const [tookMs, share] of rests.mock.calls) {
        expect(tookMs).toBeGreaterThan(0);
        expect(share).toBeLessThanOrEqual(0.05);
      }
    } finally {
      rests.mockRestore();
    }
  });

  it('does four checks at a time, and asks others to come again', async () => {
    const body = batch(unread(200));
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(body)));
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    for (const answer of refused)
      expect([named(answer), answer.headers['retry-after']]).toEqual(['not-recorded', '1']);
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503, 503, 503, 503, 503, 503, 503]);
    expect((await post(body)).statusCode).toBe(200);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANY_CHARACTER } from '../../kit/any-character.js';
import { startApi, type TestApi } from '../../kit/api.js';
import { NO_EVIDENCE, PROPOSAL, refusal, ReviewFloor } from '../../kit/review-floor.js';
import { rounds } from '../../kit/rounds.js';
import type { TableLog } from '../../kit/table.js';

let floor: ReviewFloor;
let other: TestApi;
let [pia, sam, carol] = ['', '', ''];
let tables = 0;
beforeAll(async () => {
  floor = await ReviewFloor.open();
  other = await startApi({ log: floor.log, databaseUrl: floor.server.database.url });
  pia = await floor.person('pia');
  sam = await floor.person('sam');
  carol = await floor.person('carol', 'compliance');
});
afterAll(async () => {
  await other?.close();
  await floor?.close();
});

/** Returns the id of a fresh finding TC-08, at a table of its own. */
const fresh = (): Promise<string> => floor.faulty(`T${(tables += 1)}`);

/** Corrects the card 5C, which the player hand drew third, to another. */
const correct = (log: TableLog, card: string): void => {
  const { source, id, data } = log.events.find(
    (event) => (event.data as { card?: string }).card === '5C',
  ) as { source: string; id: string; data: object };
  log.add('person/floor', 'observation-corrected', {
    ...{ event: `${source}#${id}`, data: { ...data, card } },
    ...{ by: 'floor', reason: 'misread' },
  });
};

describe('a finding under review', () => {
  it('goes to one of two who claim it at the same moment, through two servers', async () => {
    for (let times = 0; times < 5; times += 1) {
      const id = await fresh();
      const there = other.app.inject({
        method: 'POST',
        url: `/v1/findings/${id}/claim`,
        headers: { authorization: `Bearer ${sam}`, 'idempotency-key': randomUUID() },
        payload: { lease: 600 },
      });
      const [mine, theirs] = await Promise.all([floor.claim(pia, id), there]);
      expect([mine.status, theirs.statusCode].sort()).toEqual([200, 409]);
      const { claim } = await floor.review(id);
      expect(claim?.by).toBe(mine.status === 200 ? 'pia' : 'sam');
    }
  });

  it('is withdrawn with its proposal, and holds no old ruling when it is raised again', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    await floor.sign(sam, id);
    // against a 6 the banker hand draws on 6, so nothing was wrong
    await floor.play(`T${tables}`, (log) => correct(log, '6C'));
    expect(refusal(await floor.claim(carol, id))).toBe('409 finding-withdrawn');
    await floor.play(`T${tables}`, (log) => correct(log, '8C'));
    const { state, regressed, ruling } = await floor.review(id);
    expect({ state, regressed, ruling }).toEqual({ state: 'open', regressed: true, ruling: null });
    expect((await floor.claim(carol, id)).status).toBe(200);
  });

  it('comes back if its coup is declared void after the ruling', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    await floor.sign(sam, id);
    const before = await floor.review(id);
    await floor.play(`T${tables}`, (log) =>
      log.add('person/floor', 'coup-voided', { by: 'floor', reason: 'misdeal' }, {}),
    );
    const after = await floor.review(id);
    expect(before.state).toBe('ruled');
    expect([after.state, after.regressed]).toEqual(['open', true]);
  });

  it('is signed with the evidence of now only', async () => {
    const id = await fresh();
    const { ref } = (await floor.propose(pia, id)).body;
    const answer = await floor.post(sam, `${id}/sign`, { proposal: ref, evidence: NO_EVIDENCE });
    expect(refusal(answer)).toBe('409 evidence-changed');
    const wrong = await floor.sign(sam, id, { proposal: 'person/pia#propose/x/y' });
    expect(refusal(wrong)).toBe('409 proposal-changed');
  });
});

describe('any command on a finding', () => {
  const COMMANDS = [
    ...['claim', 'release', 'comment', 'video', 'hold', 'held', 'propose', 'sign', 'refuse'],
    ...['take-back', 'escalate', 'reopen', 'nothing'],
  ];
  const FIELDS = [
    ...Object.keys(PROPOSAL),
    ...['lease', 'text', 'video', 'from', 'to', 'evidence', 'note', 'proposal', 'reason', 'as'],
    ...['ruling', 'request', 'until', 'amount', 'favours', 'finding', 'constructor', 'toJSON'],
  ];

  it('is answered and never half done, whatever its body, key and finding are', async () => {
    const id = await fresh();
    const all = await floor.person('all', ['pit-boss', 'surveillance', 'compliance']);
    const field = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.string({ unit: ANY_CHARACTER }),
      fc.constantFrom(600, 'compliance', NO_EVIDENCE, '2026-11-20T12:00:00Z', 'review@1'),
    );
    const request = fc.record({
      command: fc.constantFrom(...COMMANDS),
      body: fc.oneof(
        fc.dictionary(fc.constantFrom(...FIELDS), field, { maxKeys: 5 }),
        fc.jsonValue({ maxDepth: 2 }),
      ),
      key: fc.oneof(fc.uuid(), fc.string({ unit: 'binary-ascii' })),
      finding: fc.constantFrom(id, id, id, 'f'.repeat(32), '%00', 'x y', '%ED%A0%80'),
    });
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ({ command, body, key, finding }) => {
        const before = floor.acts().length;
        const { statusCode } = await floor.server.api.app.inject({
          method: 'POST',
          url: `/v1/findings/${finding}/${command}`,
          headers: {
            authorization: `Bearer ${all}`,
            'idempotency-key': Buffer.from(key)
              .toString('latin1')
              .replace(/[^\t\x20-\x7e]/g, ''),
            'content-type': 'application/json',
          },
          payload: JSON.stringify(body),
        });
        seen.add(statusCode);
        expect([200, 400, 403, 404, 409, 413, 422, 429]).toContain(statusCode);
        const added = floor.acts().length - before;
        if ([400, 404, 413, 429].includes(statusCode)) expect(added).toBe(0);
        else expect(added).toBeLessThanOrEqual(1);
      }),
      { seed: 20261122, numRuns: rounds(300), endOnFailure: false },
    );
    for (const status of [400, 404]) expect(seen).toContain(status);
    const { statusCode } = await floor.get('/v1/findings', carol);
    expect(statusCode).toBe(200);
  });
});

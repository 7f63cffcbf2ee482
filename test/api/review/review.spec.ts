import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Decoder, type Policy, readPolicy, REFUSALS, stamped } from '#audit';
import { partitionOf } from '#event-log';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { quickHash } from '../../kit/quick-hash.js';
import { PROBLEMS } from '../../../apps/api/src/problems/problems.js';
import { eventually } from '../../kit/eventually.js';
import { BOOK, HOUSE } from '../../kit/house.js';
import { NO_EVIDENCE, PROPOSAL, refusal, ReviewFloor } from '../../kit/review-floor.js';

let floor: ReviewFloor;
let [pia, sam, vera, carol] = ['', '', '', ''];
let tables = 0;
/** Returns the id of a fresh finding TC-08, at a table of its own. */
const fresh = (): Promise<string> => floor.faulty(`T${(tables += 1)}`);

beforeAll(async () => {
  floor = await ReviewFloor.open();
  pia = await floor.person('pia');
  sam = await floor.person('sam');
  vera = await floor.person('vera', 'surveillance');
  carol = await floor.person('carol', 'compliance');
});
afterAll(() => floor.close());

describe('a finding is ruled over HTTP', () => {
  it('two persons claim, propose and sign a ruling, and each answer shows the review', async () => {
    const id = await fresh();
    const claimed = await floor.claim(pia, id);
    expect([claimed.status, claimed.body]).toEqual([
      200,
      expect.objectContaining({
        ...{ finding: id, type: 'finding-claimed', by: 'pia', as: 'pit-boss', outcome: 'taken' },
        review: expect.objectContaining({
          state: 'open',
          claim: { by: 'pia', until: expect.any(String) },
          evidence: expect.stringMatching(/^[0-9a-f]{64}$/),
        }),
      }),
    ]);
    const { evidence } = claimed.body.review;
    const proposed = await floor.post(pia, `${id}/propose`, { ...PROPOSAL, evidence });
    expect([proposed.status, proposed.body.review]).toMatchObject([
      200,
      { state: 'proposed', claim: null, proposal: { ref: proposed.body.ref, by: 'pia' } },
    ]);
    const signed = await floor.post(sam, `${id}/sign`, { proposal: proposed.body.ref, evidence });
    expect([signed.status, signed.body.review]).toMatchObject([
      200,
      { state: 'ruled', ruling: { ref: signed.body.ref, proposedBy: 'pia', signedBy: 'sam' } },
    ]);
    expect(await floor.review(id)).toEqual(signed.body.review);
  });

  it('an act returns a position from which on every reader sees it', async () => {
    const { headers } = await floor.claim(pia, await fresh());
    expect(headers['log-position']).toMatch(/^[01]:\d+$/);
    const list = await floor.get('/v1/findings', undefined, {
      'min-position': headers['log-position'] as string,
    });
    expect(list.statusCode).toBe(200);
  });

  it('as events of the person at the table, whose time is the stamp, that an auditor can read', async () => {
    const id = await fresh();
    const other = await floor.person('pia-again', 'pit-boss', { person: 'pia' });
    await floor.claim(other, id, 'a-key');
    const line = floor.acts().find((act) => act.id === `claim/${id}/a-key`);
    expect(line).toMatchObject({
      type: 'shoeprint.finding-claimed.v1',
      source: 'person/pia',
      table: `T${tables}`,
      data: { finding: id, as: 'pit-boss', lease: 600 },
      receivedfrom: 'person/pia-again',
      receivedtime: line?.time,
    });
    for (const act of floor.acts())
      expect(new Decoder(HOUSE).explain(Buffer.from(JSON.stringify(act))).faults).toBeUndefined();
  });

  it('every other act is possible: comment, video, hold, held, refuse, take back, escalate, reopen', async () => {
    const id = await fresh();
    const from = '2026-11-20T12:00:00Z';
    const to = '2026-11-20T12:01:00Z';
    const ok = async (token: string, command: string, body?: object) => {
      const { status, body: answer } = await floor.post(token, `${id}/${command}`, body);
      expect([command, status, answer.outcome ?? answer.type]).toEqual([command, 200, 'taken']);
      return answer;
    };
    await ok(pia, 'comment', { text: 'the third card lay face down' });
    await ok(pia, 'video', { video: 'cam-4/1200', from, to });
    const { ref: request } = await ok(pia, 'hold', { from, to, camera: '4' });
    await ok(vera, 'held', { request, until: '2027-11-20T12:00:00Z' });
    await ok(pia, 'claim', { lease: 60 });
    await ok(pia, 'release');
    const { ref: first } = (await floor.propose(pia, id)).body;
    await ok(pia, 'take-back', { proposal: first, reason: 'wrong disposition' });
    const { ref: second } = (await floor.propose(pia, id)).body;
    await ok(sam, 'refuse', { proposal: second, reason: 'look at the video' });
    await floor.propose(pia, id);
    await ok(pia, 'escalate', { to: 'compliance', reason: 'a known patron' });
    const { ref: ruling, review } = (await floor.sign(carol, id)).body;
    expect(review).toMatchObject({ state: 'ruled', escalated: 'compliance' });
    const { review: again } = await ok(carol, 'reopen', { ruling, reason: 'new video' });
    expect(again).toMatchObject({ state: 'open', regressed: true, ruling: null });
  });

  it('a person acts in the first role of the account that may, or the role that it was escalated to', async () => {
    const both = await floor.person('both', ['surveillance', 'pit-boss', 'compliance']);
    const id = await fresh();
    expect((await floor.post(both, `${id}/comment`, { text: 'seen' })).body.as).toBe(
      'surveillance',
    );
    await floor.propose(pia, id);
    await floor.post(pia, `${id}/escalate`, { to: 'compliance', reason: 'large' });
    expect((await floor.sign(both, id)).body).toMatchObject({ outcome: 'taken', as: 'compliance' });
  });
});

describe('a claim that ran out', () => {
  /** Appends a claim of pia that lasts a minute, as if it had been sent this long ago. */
  async function claimedAgo(id: string, seconds: number): Promise<void> {
    const time = new Date(Date.now() - seconds * 1000).toISOString();
    const table = `T${tables}`;
    const event = {
      specversion: '1.0',
      type: 'shoeprint.finding-claimed.v1',
      source: 'person/pia',
      id: `claim/${id}/ago`,
      time,
      table,
      data: { finding: id, as: 'pit-boss', lease: 60 },
    };
    const line = stamped(JSON.stringify(event), 'person/pia', time);
    await floor.log.append({
      partition: partitionOf(table, floor.log.partitions),
      urgency: 'live',
      records: [{ key: table, value: Buffer.from(line) }],
    });
    await eventually('the claim', async () => (await floor.review(id)).claim?.by === 'pia');
  }

  it('holds for its lease, and then lets another person claim, propose and be signed', async () => {
    const held = await fresh();
    await claimedAgo(held, 30);
    expect(refusal(await floor.claim(sam, held))).toBe('409 claimed-by-another');
    const id = await fresh();
    await claimedAgo(id, 61);
    const { status, body } = await floor.claim(sam, id);
    expect([status, body.review.claim?.by]).toEqual([200, 'sam']);
    const { evidence } = body.review;
    expect(refusal(await floor.post(pia, `${id}/propose`, { ...PROPOSAL, evidence }))).toBe(
      '409 not-claimed',
    );
    expect((await floor.post(sam, `${id}/propose`, { ...PROPOSAL, evidence })).status).toBe(200);
    expect((await floor.sign(pia, id)).body.review.state).toBe('ruled');
  });

  it('is still enough for its person to propose until somebody else claims', async () => {
    const id = await fresh();
    await claimedAgo(id, 3600);
    const { evidence } = await floor.review(id);
    const { status, body } = await floor.post(pia, `${id}/propose`, { ...PROPOSAL, evidence });
    expect([status, body.review.proposal?.by]).toEqual([200, 'pia']);
  });

  it('leaves the finding to the one who takes the next', async () => {
    const id = await fresh();
    await claimedAgo(id, 61);
    const { status, body } = await floor.post(sam, `take-next?table=T${tables}`, undefined);
    expect([status, body.finding, body.review.claim?.by]).toEqual([200, id, 'sam']);
  });
});

describe('what a reader may do', () => {
  it('is what each command answers, also for a role that the policy leaves out', async () => {
    const id = await fresh();
    const { may, evidence } = await (async () => {
      const { review } = (await floor.get(`/v1/findings/${id}`, pia)).json<{
        review: { may: Record<string, string | true>; evidence: string };
      }>();
      return review;
    })();
    const wanted = { evidence: evidence ?? NO_EVIDENCE, reason: 'as asked' };
    const nothing = { proposal: 'person/nobody#none', reason: 'as asked' };
    const bodies = {
      propose: { ...PROPOSAL, evidence: wanted.evidence },
      sign: { proposal: nothing.proposal, evidence: wanted.evidence },
      refuse: nothing,
      'take-back': nothing,
      reopen: { ruling: nothing.proposal, reason: 'as asked' },
      release: undefined,
      held: { request: nothing.proposal, until: '2027-11-20T12:00:00Z' },
    };
    for (const [command, body] of Object.entries(bodies)) {
      const answered = refusal(await floor.post(pia, `${id}/${command}`, body)).split(' ')[1];
      expect([command, answered]).toEqual([command, may[command]]);
    }
  });
});

describe('an act that the fold refuses', () => {
  it('is a problem with the review as it stands, and stays on the log', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    const before = floor.acts().length;
    const own = await floor.sign(pia, id);
    expect([refusal(own), own.body.review.state]).toEqual(['409 same-person', 'proposed']);
    expect(floor.acts()).toHaveLength(before + 1);
  });

  it('is refused to the one involved, who may comment', async () => {
    const dora = await floor.person('dora');
    const id = await fresh();
    expect(refusal(await floor.claim(dora, id))).toBe('409 conflict-of-interest');
    expect((await floor.post(dora, `${id}/comment`, { text: 'I misread it' })).status).toBe(200);
  });

  it('keeps a suspicion from the one who is suspected', async () => {
    const id = await fresh();
    const more = { disposition: 'suspected-collusion', note: 'third time tonight' };
    expect((await floor.propose(pia, id, more)).body.review.proposal?.disposition).toBe(
      'suspected-collusion',
    );
    const dora = await floor.person('dora-2', 'pit-boss', { person: 'dora' });
    const { body } = await floor.sign(dora, id);
    expect(body).toMatchObject({ type: 'urn:shoeprint:problem:conflict-of-interest' });
    expect(body.review.proposal).toMatchObject({ by: 'pia', disposition: null });
    expect(JSON.stringify(body)).not.toContain('collusion');
  });

  it('is the same person in another account', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    const second = await floor.person('pia-2', 'compliance', { person: 'pia' });
    expect(refusal(await floor.sign(second, id))).toBe('409 same-person');
  });

  it('is a pit boss who signs what went to compliance', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    await floor.post(pia, `${id}/escalate`, { to: 'compliance', reason: 'large' });
    const answer = await floor.sign(sam, id);
    expect([refusal(answer), answer.body.review.state]).toEqual(['403 not-permitted', 'proposed']);
  });

  it('is a proposal about a coup that is still played, which may be claimed', async () => {
    const table = `T${(tables += 1)}`;
    await floor.play(table, (log) => {
      log.open();
      log.dealer('dora');
      log.add('terminal', 'coup-opened', { coup: 2 }); // where 1 was due: DL-16
    });
    const id = await floor.finding(table, 'DL-16');
    const { status, body } = await floor.claim(pia, id);
    expect([status, body.review.evidence]).toEqual([200, null]);
    const more = { disposition: 'procedure-breach', note: 'miscounted', evidence: NO_EVIDENCE };
    expect(refusal(await floor.post(pia, `${id}/propose`, { ...PROPOSAL, ...more }))).toBe(
      '409 coup-open',
    );
  });

  it('is a proposal whose evidence is another, and one without a claim', async () => {
    const id = await fresh();
    expect(
      refusal(await floor.post(pia, `${id}/propose`, { ...PROPOSAL, evidence: NO_EVIDENCE })),
    ).toBe('409 not-claimed');
    expect(refusal(await floor.propose(pia, id, { evidence: NO_EVIDENCE }))).toBe(
      '409 evidence-changed',
    );
  });

  it('is a signature after a correction of the coup, which the proposal fell with', async () => {
    const table = `T${(tables += 1)}`;
    const id = await floor.faulty(table);
    const { proposal, evidence } = (await floor.propose(pia, id)).body.review;
    await floor.play(table, (log) => {
      const { source, ...card } = log.events.find(
        ({ data }) => (data as { card?: string }).card === '5C',
      ) as { source: string; id: string; data: object };
      log.add('person/floor', 'observation-corrected', {
        ...{ event: `${source}#${card.id}`, data: { ...card.data, card: '8C' } },
        ...{ by: 'floor', reason: 'misread' },
      });
    });
    const late = await floor.post(sam, `${id}/sign`, { proposal: proposal?.ref, evidence });
    expect([refusal(late), late.body.review]).toMatchObject([
      '409 nothing-proposed',
      { state: 'open', stale: true },
    ]);
  });

  it('is a ruling that does not state what its disposition needs, each field by pointer', async () => {
    const answer = await floor.propose(pia, await fresh(), { disposition: 'payout-error' });
    expect([refusal(answer), answer.body.errors?.map(({ pointer }) => pointer)]).toEqual([
      '422 ruling-incomplete',
      ['/amount', '/favours'],
    ]);
    const noted = await floor.propose(pia, await fresh(), { disposition: 'no-error' });
    expect(noted.body.errors).toEqual([
      { pointer: '/note', reason: 'is required by the disposition no-error' },
    ]);
  });

  it('has a problem type of its own, whatever the refusal', () => {
    for (const each of REFUSALS) expect(Object.keys(PROBLEMS)).toContain(each);
  });
});

describe('nothing is appended', () => {
  const untouched = async (send: () => Promise<string>, expected: string): Promise<void> => {
    const before = floor.acts().length;
    expect(await send()).toBe(expected);
    expect(floor.acts()).toHaveLength(before);
  };
  const text = (length: number): string => 'x'.repeat(length);

  it.each([
    ['no key', 'claim', { lease: 600 }, '', ''],
    ['a key with a space', 'claim', { lease: 600 }, 'a b', ''],
    ['a key of 201 characters', 'claim', { lease: 600 }, text(201), ''],
    ['a missing field', 'claim', {}, 'k', '/lease'],
    ['an unknown field', 'claim', { lease: 600, weight: 1 }, 'k', '/weight'],
    ['a field that the server writes', 'claim', { lease: 600, as: 'compliance' }, 'k', '/as'],
    ['a lease of 59 s', 'claim', { lease: 59 }, 'k', '/lease'],
    ['a lease of 3,601 s', 'claim', { lease: 3601 }, 'k', '/lease'],
    ['a text of 4,001 characters', 'comment', { text: text(4001) }, 'k', '/text'],
    ['a NUL', 'comment', { text: 'a\0b' }, 'k', '/text'],
    ['half a character', 'comment', { text: 'a\ud800b' }, 'k', '/text'],
    ['evidence of 63 digits', 'propose', { ...PROPOSAL, evidence: text(63) }, 'k', '/evidence'],
    [
      'a policy that is not installed',
      'propose',
      { ...PROPOSAL, policy: 'review@9', evidence: NO_EVIDENCE },
      'k',
      '/policy',
    ],
    [
      'a disposition that the policy does not have',
      'propose',
      { ...PROPOSAL, disposition: 'bad-luck', evidence: NO_EVIDENCE },
      'k',
      '/disposition',
    ],
    ['a batch, which is the server’s', 'propose', { batch: 'x' }, 'k', '/batch'],
    ['a text in place of a time', 'video', { video: 'x', from: 'noon' }, 'k', '/from'],
  ])('for %s: 400', async (...[, command, body, key, pointer]) => {
    const id = await fresh();
    await untouched(async () => {
      const answer = await floor.post(pia, `${id}/${command}`, body, key);
      expect(answer.body.errors?.map((error) => error.pointer)).toContain(pointer);
      return refusal(answer);
    }, '400 invalid-request');
  });

  it('appends nothing for a body that is a list, or no JSON', async () => {
    const id = await fresh();
    await untouched(
      async () => refusal(await floor.post(pia, `${id}/claim`, [])),
      '400 invalid-request',
    );
  });

  it('appends nothing for an event of more than 16 KiB', async () => {
    const id = await fresh();
    const body = { text: '庄'.repeat(4000), video: '庄'.repeat(4000) };
    await untouched(
      async () => refusal(await floor.post(pia, `${id}/comment`, body)),
      '413 too-large',
    );
  });

  it('appends nothing for an unknown finding and for one of a table out of scope, which answer the same', async () => {
    const id = await fresh();
    const stranger = await floor.person('stranger', 'pit-boss', { tables: ['Z9'] });
    await untouched(async () => {
      const answers = [
        await floor.claim(stranger, id),
        await floor.claim(pia, 'f'.repeat(32)),
        await floor.claim(pia, 'no finding'),
      ];
      const [first] = answers;
      for (const { status, body } of answers)
        expect([status, body]).toEqual([first?.status, first?.body]);
      return refusal(answers[0] as never);
    }, '404 not-found');
  });

  it('appends nothing for a role that may not, and for a device', async () => {
    const id = await fresh();
    const regulator = await floor.person('reg', 'regulator');
    const wall = await floor.person('wall', 'pit-boss', { wallDisplay: true });
    for (const token of [regulator, wall, await floor.server.api.device()])
      await untouched(async () => refusal(await floor.claim(token, id)), '403 not-permitted');
    const from = '2026-11-20T12:00:00Z';
    await untouched(
      async () => refusal(await floor.post(pia, `${id}/held`, { request: 'x', until: from })),
      '403 not-permitted',
    );
  });

  it('appends nothing for a role that the policy does not let reopen', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    const { ref: ruling } = (await floor.sign(carol, id)).body;
    await untouched(
      async () => refusal(await floor.post(sam, `${id}/reopen`, { ruling, reason: 'doubt' })),
      '403 not-permitted',
    );
  });

  it('appends nothing for a signature of a session that was confirmed over 15 minutes ago, until it is again', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    const passwordHash = quickHash('a long enough password');
    const token = await floor.person('sleepy', 'pit-boss', { passwordHash });
    const source = floor.server.api.app.get(DataSource);
    await source.query(
      `update access.session set confirmed_at = now() - interval '16 minutes' where account_name = 'sleepy'`,
    );
    await untouched(
      async () => refusal(await floor.sign(token, id, {}, 'first')),
      '403 confirm-first',
    );
    const confirmed = await floor.server.api.send('POST', '/v1/me/confirm', token, {
      password: 'a long enough password',
    });
    expect(confirmed.statusCode).toBe(200);
    const signed = await floor.sign(token, id, {}, 'first');
    expect([signed.status, signed.body.review.state]).toEqual([200, 'ruled']);
    const line = floor.acts().find((act) => act.id === `sign/${id}/first`);
    expect(line?.data).toMatchObject({ confirmed: expect.stringMatching(/^20.*Z$/) });
  });

  it('appends nothing for a finding that the rows show as claimed by another, or as ruled', async () => {
    const id = await fresh();
    await floor.claim(pia, id);
    await untouched(async () => {
      const answer = await floor.claim(sam, id);
      expect(answer.body.review.claim?.by).toBe('pia');
      return refusal(answer);
    }, '409 claimed-by-another');
    await floor.propose(pia, id);
    await floor.sign(sam, id);
    await untouched(async () => refusal(await floor.claim(carol, id)), '409 already-ruled');
  });

  it('appends nothing for a parked table', async () => {
    const id = await fresh();
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    try {
      await client.query(
        `insert into rows.parked ("table", name, partition, "offset", line, reason, parked_at) values ($1, $1, 0, 0, 0, 'test', now())`,
        [`T${tables}`],
      );
      await untouched(async () => refusal(await floor.claim(pia, id)), '409 table-parked');
    } finally {
      await client.query('delete from rows.parked');
      await client.end();
    }
  });

  it('appends nothing for the eleventh command of a session within a second', async () => {
    const id = await fresh();
    const quick = await floor.person('quick');
    const answers = await Promise.all(
      Array.from({ length: 11 }, () => floor.postOnce(quick, `${id}/comment`, { text: 'x' })),
    );
    expect(answers.map(refusal).sort()).toEqual([
      ...Array(10).fill('200 '),
      '429 too-many-requests',
    ]);
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');
  });

  it('appends nothing while the log does not take events', async () => {
    const id = await fresh();
    floor.log.faults.failBefore = true;
    try {
      await untouched(async () => refusal(await floor.claim(pia, id)), '503 not-recorded');
    } finally {
      floor.log.faults.failBefore = false;
    }
  });
});

describe('a policy that is installed and not in force', () => {
  it('is superseded, and nothing is appended', async () => {
    const { document, hash } = BOOK.policies.get('review@1') as Policy;
    BOOK.policies.set('review@2', readPolicy({ ...document, version: 2 }, hash));
    const later = await ReviewFloor.open({ policy: 'review@2' });
    try {
      const one = await later.person('one');
      const id = await later.faulty('T1');
      const before = later.acts().length;
      const answer = await later.propose(one, id);
      expect([refusal(answer), answer.body.detail]).toEqual([
        '409 policy-superseded',
        'the review policy in force is review@2',
      ]);
      expect(later.acts()).toHaveLength(before + 1); // the claim
    } finally {
      await later.close();
    }
  });
});

describe('the same key again', () => {
  it('gets the first answer for the same command, and adds nothing to the rows', async () => {
    const id = await fresh();
    const first = await floor.claim(pia, id, 'once');
    await floor.post(pia, `${id}/release`, undefined);
    const again = await floor.claim(pia, id, 'once');
    expect([again.status, again.body.ref, again.body.outcome]).toEqual([
      200,
      first.body.ref,
      'taken',
    ]);
    expect(again.body.review.claim).toBeNull();
  });

  it('gets the first refusal as well', async () => {
    const id = await fresh();
    await floor.propose(pia, id);
    const { proposal, evidence } = await floor.review(id);
    const body = { proposal: proposal?.ref, evidence };
    const first = await floor.post(pia, `${id}/sign`, body, 'twice');
    await floor.post(sam, `${id}/sign`, body);
    const again = await floor.post(pia, `${id}/sign`, body, 'twice');
    expect([refusal(first), refusal(again)]).toEqual(['409 same-person', '409 same-person']);
    expect(again.body.review.state).toBe('ruled');
  });

  it('is refused for another body, and is free for another command and another finding', async () => {
    const id = await fresh();
    await floor.claim(pia, id, 'key');
    const other = await floor.post(pia, `${id}/claim`, { lease: 900 }, 'key');
    expect([refusal(other), other.body.review.claim?.by]).toEqual([
      '422 idempotency-key-reused',
      'pia',
    ]);
    expect((await floor.post(pia, `${id}/comment`, { text: 'x' }, 'key')).status).toBe(200);
    expect((await floor.claim(pia, await fresh(), 'key')).status).toBe(200);
  });

  it('counts once if both commands are under way together', async () => {
    const id = await fresh();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => floor.post(pia, `${id}/comment`, { text: 'hm' }, 'together')),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.ref)).size).toBe(1);
  });

  it('counts once after an append without an answer', async () => {
    const id = await fresh();
    floor.log.faults.failAfter = true;
    const lost = await floor.claim(pia, id, 'lost');
    floor.log.faults.failAfter = false;
    expect(refusal(lost)).toBe('504 outcome-unknown');
    const again = await floor.claim(pia, id, 'lost');
    expect([again.status, again.body.review.claim?.by]).toEqual([200, 'pia']);
    const heard = await floor.get(
      `/v1/review-events/${encodeURIComponent(again.body.ref)}?table=T${tables}`,
      pia,
    );
    expect(heard.json()).toMatchObject({ outcome: 'taken', by: 'pia' });
  });
});

describe('an act that is not decided about in time', () => {
  it('is answered 202, with where to read it', async () => {
    const id = await fresh();
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    await client.query('begin');
    await client.query('select from rows.position for update'); // the auditor cannot go on
    const answer = await floor.claim(pia, id);
    await client.query('rollback');
    await client.end();
    expect([answer.status, answer.body]).toEqual([
      202,
      { ref: expect.stringMatching(`^person/pia#claim/${id}/`), table: `T${tables}`, finding: id },
    ]);
    const at = { 'min-position': answer.headers['log-position'] as string };
    const shown = await eventually('the act on the rows', async () => {
      const read = await floor.get(answer.headers.location as string, pia, at);
      return read.statusCode === 200 && read.json<object>();
    });
    expect(shown).toMatchObject({ ref: answer.body.ref, outcome: 'taken', as: 'pit-boss' });
  });

  it('is not refused because of a claim whose release is on the log and not in the rows', async () => {
    const id = await fresh();
    await floor.claim(sam, id);
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    await client.query('begin');
    await client.query('select from rows.position for update'); // the auditor cannot go on
    const released = floor.post(sam, `${id}/release`, {});
    await eventually('the release on the log', () =>
      floor.acts().some(({ id: act }) => String(act).startsWith(`release/${id}/`)),
    );
    const claimed = await floor.claim(pia, id);
    await client.query('rollback');
    await client.end();
    expect([(await released).status, claimed.status]).toEqual([202, 202]);
    const at = { 'min-position': claimed.headers['log-position'] as string };
    const shown = await eventually('the act on the rows', async () => {
      const read = await floor.get(claimed.headers.location as string, pia, at);
      return read.statusCode === 200 && read.json<object>();
    });
    expect(shown).toMatchObject({ ref: claimed.body.ref, outcome: 'taken', by: 'pia' });
  });

  it('is not found before that, at another table, and by somebody who may not see the table', async () => {
    const { body } = await floor.claim(pia, await fresh());
    const path = `/v1/review-events/${encodeURIComponent(body.ref)}?table=`;
    const stranger = await floor.person('stranger-2', 'pit-boss', { tables: ['Z9'] });
    expect((await floor.get(`${path}T${tables}`, pia)).statusCode).toBe(200);
    for (const [token, at] of [
      [pia, `${path}Z9`],
      [stranger, `${path}T${tables}`],
      [pia, `/v1/review-events/${encodeURIComponent('person/pia#no')}?table=T${tables}`],
    ] as const)
      expect((await floor.get(at, token)).statusCode).toBe(404);
    expect((await floor.get(path.slice(0, -7), pia)).statusCode).toBe(400);
  });
});

describe('commands of one person', () => {
  it('stand on the log in the order in which they were sent', async () => {
    const id = await fresh();
    await floor.get('/v1/me', carol); // the first use in a minute waits until it is noted
    await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        floor.post(carol, `${id}/comment`, { text: String(at) }, `in-order-${at}`),
      ),
    );
    const texts = floor
      .acts()
      .filter(({ id: each }) => String(each).includes('/in-order-'))
      .map(({ data }) => (data as { text: string }).text);
    expect(texts).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('are counted by what became of them', async () => {
    const { body } = await floor.server.api.send('GET', '/metrics');
    for (const line of [
      'shoeprint_review_commands_total{command="claim",outcome="taken"}',
      'shoeprint_review_commands_total{command="sign",outcome="same-person"}',
      'shoeprint_review_commands_total{command="claim",outcome="pending"}',
      'shoeprint_review_commands_total{command="claim",outcome="not-recorded"}',
    ])
      expect(body).toContain(line);
    expect(body).toContain(
      'shoeprint_ingest_events_total{type="finding-claimed",result="recorded"}',
    );
  });
});

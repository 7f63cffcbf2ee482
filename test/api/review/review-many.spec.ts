import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { eventually } from '../../kit/eventually.js';
import { refusal, ReviewFloor, type Acted } from '../../kit/review-floor.js';
import { faultyCoup } from '../../kit/reviewed-table.js';
import type { TableLog } from '../../kit/table.js';

let floor: ReviewFloor;
let [pia, sam] = ['', ''];
let tables = 0;
/** Returns the table and the id of a fresh finding TC-08. */
async function fresh(): Promise<[table: string, id: string]> {
  const table = `T${(tables += 1)}`;
  return [table, await floor.faulty(table)];
}
const lent = (): Promise<{ finding: string }[]> =>
  floor.server.api.app.get(DataSource).query('select finding from access.hand_out');

beforeAll(async () => {
  floor = await ReviewFloor.open();
  pia = await floor.person('pia');
  sam = await floor.person('sam');
});
afterAll(() => floor.close());

describe('taking the next finding', () => {
  const next = (token: string, query: string, key?: string): Promise<Acted> =>
    floor.post(token, `take-next?${query}`, undefined, key);

  it('claims the worst and oldest one, then the next, until none is left', async () => {
    const [table] = await fresh();
    await floor.play(table, (log) => faultyCoup(log, 3)); // where 2 was due: DL-16, and TC-08
    const taken: string[] = [];
    for (;;) {
      const { status, body } = await next(pia, `table=${table}`);
      if (status === 204) break;
      expect([status, body.outcome, body.review.claim?.by]).toEqual([200, 'taken', 'pia']);
      taken.push(body.finding);
    }
    const { lines } = (await floor.get(`/v1/findings?table=${table}`)).json<{
      lines: { id: string; severity: number; raisedAt: string }[];
    }>();
    expect(lines.length).toBeGreaterThan(2);
    const inOrder = lines.toSorted((a, b) =>
      `${a.severity} ${a.raisedAt} ${a.id}` < `${b.severity} ${b.raisedAt} ${b.id}` ? -1 : 1,
    );
    expect(taken).toEqual(inOrder.map(({ id }) => id));
    expect(await lent()).toEqual([]);
  });

  it('keeps to the filter and to the tables that the account sees', async () => {
    const [table, id] = await fresh();
    const stranger = await floor.person('stranger', 'pit-boss', { tables: ['Z9'] });
    expect((await next(stranger, `table=${table}`)).status).toBe(204);
    expect((await next(pia, `table=${table}&severity=4`)).status).toBe(204);
    const { body } = await next(pia, `table=${table}&code=TC-08`);
    expect(body.finding).toBe(id);
  });

  it.each(['cursor=x', 'limit=3', 'order=worst', 'status=all', 'format=csv', 'nothing=1'])(
    'refuses %s, which is of the list',
    async (query) => {
      expect(refusal(await next(pia, query))).toBe('400 invalid-request');
    },
  );

  it('leaves out what the person is involved in, what another holds, and what was ruled', async () => {
    const [table, id] = await fresh();
    const dora = await floor.person('dora');
    expect((await next(dora, `table=${table}`)).status).toBe(204);
    await floor.claim(pia, id);
    expect((await next(sam, `table=${table}&code=TC-08`)).status).toBe(204);
    await floor.propose(pia, id);
    expect((await next(sam, `table=${table}&code=TC-08`)).status).toBe(204);
    await floor.sign(sam, id);
    expect((await next(sam, `table=${table}&code=TC-08`)).status).toBe(204);
  });

  it('gives the same finding for the same key: claimed, handed out, and under way twice', async () => {
    const [table] = await fresh();
    await floor.play(table, (log) => faultyCoup(log, 2));
    const query = `table=${table}`;
    const [first, second] = await Promise.all([next(pia, query, 'same'), next(pia, query, 'same')]);
    expect(first?.body.finding).toBe(second?.body.finding);
    await floor.post(pia, `${first?.body.finding}/release`, undefined);
    const third = await next(pia, query, 'same');
    expect([third.status, third.body.ref]).toEqual([200, first?.body.ref]);
    const other = await floor.finding(table, 'TC-08');
    await floor.server.api.app
      .get(DataSource)
      .query(`insert into access.hand_out values ($1, 'sam', 'crashed', now() + interval '9 s')`, [
        other,
      ]);
    expect((await next(pia, `${query}&code=TC-08`)).body.finding).not.toBe(other);
    const resumed = await next(sam, query, 'crashed');
    expect([resumed.body.finding, resumed.body.review.claim?.by]).toEqual([other, 'sam']);
  });

  it('gives the same finding for the same key if another api ends it meanwhile', async () => {
    const [table, id] = await fresh();
    await floor.play(table, (log) => faultyCoup(log, 2));
    const lock = new pg.Client(floor.server.api.databaseUrl);
    await lock.connect();
    await lock.query('begin');
    await lock.query('lock table access.hand_out');
    const asked = next(pia, `table=${table}&code=TC-08`, 'ended');
    await eventually('the command to wait for the lock', async () => {
      const { rows } = await lock.query(
        `select from pg_locks where relation = 'access.hand_out'::regclass and not granted`,
      );
      return rows.length > 0;
    });
    const { status, body } = await floor.claim(pia, id, 'ended'); // as another api does in the end
    expect([status, body.finding]).toEqual([200, id]);
    await lock.query('commit');
    await lock.end();
    const answer = await asked;
    expect([answer.status, answer.body.ref]).toEqual([200, body.ref]);
    expect(await lent()).toEqual([]);
  });

  it('keeps the first claim under a key if another api claimed another finding meanwhile', async () => {
    const [table, handed] = await fresh();
    const [, first] = await fresh();
    const database = floor.server.api.app.get(DataSource);
    // this api handed it out, and is about to claim it
    await database.query(
      `insert into access.hand_out values ($1, 'pia', 'twice', now() + interval '60 s')`,
      [handed],
    );
    const lock = new pg.Client(floor.server.api.databaseUrl);
    await lock.connect();
    await lock.query('begin');
    await lock.query('lock table access.hand_out');
    const asked = next(pia, `table=${table}`, 'twice');
    await eventually('the command to wait for the lock', async () => {
      const { rows } = await lock.query(
        `select from pg_locks where relation = 'access.hand_out'::regclass and not granted`,
      );
      return rows.length > 0;
    });
    // the other api was refused it while somebody else held it, and went on to the next
    const { status, body } = await floor.claim(pia, first, 'twice');
    expect(status).toBe(200);
    await lock.query('commit');
    await lock.end();
    const answer = await asked;
    expect([answer.status, answer.body.finding, answer.body.ref]).toEqual([200, first, body.ref]);
    expect((await floor.review(first)).claim?.by).toBe('pia');
    expect((await floor.review(handed)).claim).toBeNull();
    expect(await lent()).toEqual([]);
    expect((await next(pia, `table=${table}`, 'twice')).body.ref).toBe(body.ref);
  });

  it('releases what another api claimed under a key after the claim that is first by the clock', async () => {
    const [table, handed] = await fresh();
    const [, later] = await fresh();
    const database = floor.server.api.app.get(DataSource);
    await database.query(
      `insert into access.hand_out values ($1, 'pia', 'crossed', now() + interval '60 s')`,
      [handed],
    );
    const lock = new pg.Client(floor.server.api.databaseUrl);
    await lock.connect();
    await lock.query('begin');
    // once its claim has its time, this api is kept from looking for others until they are there
    floor.log.faults.beforeSend = async () => {
      delete floor.log.faults.beforeSend;
      await lock.query('lock table access.hand_out');
    };
    const asked = next(pia, `table=${table}`, 'crossed');
    await eventually('the first claim', async () => (await floor.review(handed)).claim);
    const { status } = await floor.claim(pia, later, 'crossed');
    expect([status, (await floor.review(later)).claim?.by]).toEqual([200, 'pia']);
    await lock.query('commit');
    await lock.end();
    const answer = await asked;
    expect([answer.status, answer.body.finding]).toEqual([200, handed]);
    expect((await floor.review(handed)).claim?.by).toBe('pia');
    expect((await floor.review(later)).claim).toBeNull();
  });

  it('releases the second of two claims under a key when the command is repeated', async () => {
    const [table] = await fresh();
    const [, second] = await fresh();
    const { body } = await next(pia, `table=${table}`, 'repeated');
    await floor.claim(pia, second, 'repeated'); // of an api that stopped before it looked
    const again = await next(pia, `table=${table}`, 'repeated');
    expect([again.status, again.body.ref]).toEqual([200, body.ref]);
    expect((await floor.review(body.finding)).claim?.by).toBe('pia');
    expect((await floor.review(second)).claim).toBeNull();
    expect((await next(pia, `table=${table}`, 'repeated')).body.ref).toBe(body.ref);
  });

  it('hands out to others what a repeated command had claimed, once it is released', async () => {
    const [table, id] = await fresh();
    const database = floor.server.api.app.get(DataSource);
    await database.query(
      `insert into access.hand_out values ($1, 'pia', 'killed', now() + interval '60 s')`,
      [id],
    );
    await floor.claim(pia, id, 'killed'); // of an api that was killed before it ended the hand-out
    const again = await next(pia, `table=${table}`, 'killed');
    expect([again.status, again.body.finding]).toEqual([200, id]);
    await floor.post(pia, `${id}/release`, undefined);
    expect((await next(sam, `table=${table}&code=TC-08`)).body.finding).toBe(id);
  });

  it('claims no second finding under a key if the one that was handed out becomes free again', async () => {
    const [table, handed] = await fresh();
    await floor.play(table, (log) => faultyCoup(log, 2));
    const database = floor.server.api.app.get(DataSource);
    await database.query(
      `insert into access.hand_out values ($1, 'pia', 'freed', now() + interval '60 s')`,
      [handed],
    );
    await floor.claim(sam, handed);
    const { status, body } = await next(pia, `table=${table}`, 'freed');
    expect([status, body.finding === handed]).toEqual([200, false]);
    await floor.post(sam, `${handed}/release`, undefined);
    // another api that runs the same command claims it only now, and is killed before it looks
    expect(refusal(await floor.claim(pia, handed, 'freed'))).toBe('409 claimed-by-another');
    expect((await floor.review(handed)).claim).toBeNull();
    expect((await floor.review(body.finding)).claim?.by).toBe('pia');
    expect(await lent()).toEqual([]);
  });

  it('hands a finding to nobody else while the rows do not have its claim yet', async () => {
    const [table] = await fresh();
    await floor.play(table, (log) => faultyCoup(log, 2));
    const database = floor.server.api.app.get(DataSource);
    const lock = new pg.Client(floor.server.database.url);
    await lock.connect();
    await lock.query('begin');
    await lock.query('select from rows.position for update'); // the auditor cannot go on
    const first = await next(pia, `table=${table}`, 'behind');
    // two minutes go by
    await database.query(`update access.hand_out set until = until - interval '120 s'`);
    const other = await next(sam, `table=${table}`);
    const second = await next(pia, `table=${table}`, 'behind');
    await lock.query('rollback');
    await lock.end();
    expect([first.status, other.status, second.status]).toEqual([202, 202, 202]);
    expect(other.body.finding).not.toBe(first.body.finding);
    expect(second.body.ref).toBe(first.body.ref);
    const done = await eventually('the claim in the rows', async () => {
      const answer = await next(pia, `table=${table}`, 'behind');
      return answer.status === 200 && answer;
    });
    expect(done.body.ref).toBe(first.body.ref);
    await floor.post(pia, `${first.body.finding}/release`, undefined);
    expect((await next(sam, `table=${table}`)).body.finding).toBe(first.body.finding);
    const claims = floor.acts().filter(({ id }) => String(id).endsWith('/behind'));
    expect(new Set(claims.map(({ id }) => id)).size).toBe(1);
  });

  it('hands out each finding once to twenty who ask at the same time', async () => {
    const table = `T${(tables += 1)}`;
    await floor.play(table, (log) => {
      log.open();
      log.dealer('dora');
      for (let coup = 1; coup <= 40; coup += 1) faultyCoup(log, coup);
    });
    const { lines } = (await floor.get(`/v1/findings?table=${table}&limit=1000`)).json<{
      lines: { id: string }[];
    }>();
    expect(lines.length).toBeGreaterThanOrEqual(40);
    const people = await Promise.all(
      Array.from({ length: 20 }, (_, at) => floor.person(`drain-${at}`)),
    );
    const taken = await Promise.all(
      people.map(async (token) => {
        const mine: string[] = [];
        for (;;) {
          // a busy machine may answer 202 first; the same key then has the same finding
          const key = randomUUID();
          const { status, body } = await eventually('what became of a command', async () => {
            const answer = await next(token, `table=${table}`, key);
            return answer.status !== 202 && answer;
          });
          if (status === 204) return mine;
          expect([200, 503]).toContain(status);
          if (status === 200) mine.push(body.finding);
        }
      }),
    );
    expect(taken.flat().sort()).toEqual(lines.map(({ id }) => id).sort());
    const claims = floor.acts().filter(({ table: at }) => at === table);
    expect(claims).toHaveLength(lines.length); // no claim was in vain
  });

  it('gives 503 for the key where the log takes nothing, and the finding later', async () => {
    const [table, id] = await fresh();
    floor.log.faults.failBefore = true;
    const refused = await next(pia, `table=${table}`, 'later');
    floor.log.faults.failBefore = false;
    expect(refusal(refused)).toBe('503 not-recorded');
    expect((await next(pia, `table=${table}`, 'later')).body.finding).toBe(id);
  });
});

describe('one ruling for many findings', () => {
  const RULING = { disposition: 'dealer-error-corrected', policy: 'review@1' };
  interface Done {
    readonly preview: string;
    readonly items: readonly { finding: string; outcome: string; review?: { state: string } }[];
  }
  const bulk = (token: string, body: object, key?: string): Promise<Acted> =>
    floor.post(token, 'bulk', { ...RULING, ...body }, key);
  const done = ({ body }: Acted): Done => body as unknown as Done;
  const outcomes = (answer: Acted): string[] => done(answer).items.map(({ outcome }) => outcome);

  it('says first what would happen to each, and appends nothing for that', async () => {
    const [, open] = await fresh();
    const [, held] = await fresh();
    await floor.claim(sam, held);
    const [, ruled] = await fresh();
    await floor.propose(pia, ruled);
    await floor.sign(sam, ruled);
    const before = floor.acts().length;
    const ids = [open, held, ruled, 'f'.repeat(32), 'a\0', '\ud800'];
    const answer = await bulk(pia, { ids, dryRun: true });
    expect([answer.status, outcomes(answer)]).toEqual([
      200,
      ['taken', 'claimed-by-another', 'already-ruled', ...Array(3).fill('not-found')],
    ]);
    expect(floor.acts()).toHaveLength(before);
  });

  it('claims and proposes each, under one batch and each on its own evidence', async () => {
    const ids = [(await fresh())[1], (await fresh())[1]];
    const { preview } = done(await bulk(pia, { ids, dryRun: true }));
    const answer = await bulk(pia, { ids, preview }, 'batch-1');
    expect(outcomes(answer)).toEqual(['taken', 'taken']);
    const acts = floor.acts().filter(({ id }) => String(id).endsWith('/batch-1'));
    expect(acts).toHaveLength(4);
    const reviews = await Promise.all(ids.map((id) => floor.review(id)));
    for (const [at, { state, evidence, proposal }] of reviews.entries()) {
      expect([state, proposal?.by]).toEqual(['proposed', 'pia']);
      const own = acts.find(({ id }) => id === `propose/${ids[at]}/batch-1`);
      expect(own?.data).toMatchObject({ batch: 'batch-1', evidence });
    }
    expect(new Set(reviews.map(({ evidence }) => evidence)).size).toBe(2);
    const list = await floor.get('/v1/findings', undefined, {
      'min-position': answer.headers['log-position'] as string,
    });
    expect(list.statusCode).toBe(200);
  });

  it('is refused if one of them changed since the preview', async () => {
    const ids = [(await fresh())[1], (await fresh())[1]];
    const { preview } = done(await bulk(pia, { ids, dryRun: true }));
    await floor.claim(sam, ids[1] as string);
    const before = floor.acts().length;
    expect(refusal(await bulk(pia, { ids, preview }))).toBe('409 preview-changed');
    expect(floor.acts()).toHaveLength(before);
    const again = done(await bulk(pia, { ids, dryRun: true }));
    const answer = await bulk(pia, { ids, preview: again.preview });
    expect(outcomes(answer)).toEqual(['taken', 'claimed-by-another']);
  });

  /** Settles a bet of coup 1 once more, so that its findings stay and their evidence changes. */
  const settlesLate = (log: TableLog): void => {
    log.add('terminal', 'bet-settled', { seat: 2, bet: 'tie', stake: 'returned', paid: 0 });
  };
  const isUnproposed = async (id: string): Promise<void> =>
    expect(await floor.review(id)).toMatchObject({ state: 'open', proposal: null });

  it('proposes nothing for one that changed after its claim', async () => {
    const [table, id] = await fresh();
    const { preview } = done(await bulk(pia, { ids: [id], dryRun: true }));
    await floor.claim(pia, id, 'late'); // as if the server had ended after the claims
    await floor.play(table, settlesLate);
    for (let times = 0; times < 2; times += 1) {
      const answer = await bulk(pia, { ids: [id], preview }, 'late');
      expect(outcomes(answer)).toEqual(['evidence-changed']);
      await isUnproposed(id);
    }
  });

  it('proposes nothing for one that changed between its preview and its claim', async () => {
    const [table, id] = await fresh();
    await floor.claim(pia, id); // so that its evidence is known
    const { preview } = done(await bulk(pia, { ids: [id], dryRun: true }));
    floor.log.faults.beforeSend = async () => {
      delete floor.log.faults.beforeSend;
      await floor.playBesides(table, settlesLate);
    };
    const answer = await bulk(pia, { ids: [id], preview });
    expect(outcomes(answer)).toEqual(['evidence-changed']);
    await isUnproposed(id);
  });

  it('says of one that lapsed that it is out of reach', async () => {
    const [, id] = await fresh();
    await floor.server.api.app
      .get(DataSource)
      .query('update rows.finding set lapsed = true where id = $1', [id]);
    const answer = await bulk(pia, { ids: [id], dryRun: true });
    expect(outcomes(answer)).toEqual(['out-of-reach']);
  });

  it('gets the first answers for the same key, and goes on where it stopped', async () => {
    const ids = [(await fresh())[1], (await fresh())[1]];
    const { preview } = done(await bulk(pia, { ids, dryRun: true }));
    await bulk(pia, { ids, preview }, 'again');
    const before = floor.acts().length;
    expect(outcomes(await bulk(pia, { ids, preview }, 'again'))).toEqual(['taken', 'taken']);
    expect(floor.acts()).toHaveLength(before);
    const other = { ids, preview, note: 'another body' };
    expect(refusal(await bulk(pia, other, 'again'))).toBe('422 idempotency-key-reused');

    const third = (await fresh())[1];
    const more = done(await bulk(pia, { ids: [third], dryRun: true }));
    await floor.claim(pia, third, 'stopped'); // as if the server had ended after the claims
    const resumed = await bulk(pia, { ids: [third], preview: more.preview }, 'stopped');
    expect(outcomes(resumed)).toEqual(['taken']);
  });

  it.each([
    ['no ids', { ids: [] }, '/ids'],
    ['201 ids', { ids: Array.from({ length: 201 }, (_, at) => `${at}`) }, '/ids'],
    ['an id twice', { ids: ['a', 'a'] }, '/ids'],
    ['no preview', { ids: ['a'] }, '/preview'],
    ['an unknown field', { ids: ['a'], dryRun: true, evidence: 'x' }, '/evidence'],
    ['an unknown disposition', { ids: ['a'], dryRun: true, disposition: 'luck' }, '/disposition'],
    ['a note of 4,001', { ids: ['a'], dryRun: true, note: 'x'.repeat(4001) }, '/note'],
  ])('refuses %s: 400', async (_, body, pointer) => {
    const answer = await bulk(pia, body);
    expect([refusal(answer), answer.body.errors?.[0]?.pointer]).toEqual([
      '400 invalid-request',
      pointer,
    ]);
  });

  it('refuses a ruling that does not state what it needs, and a policy that is not installed', async () => {
    const ids = [(await fresh())[1]];
    const bare = await bulk(pia, { ids, dryRun: true, disposition: 'no-error' });
    expect([refusal(bare), bare.body.errors?.[0]?.pointer]).toEqual([
      '422 ruling-incomplete',
      '/note',
    ]);
    const other = await bulk(pia, { ids, dryRun: true, policy: 'review@9' });
    expect([refusal(other), other.body.errors?.[0]?.pointer]).toEqual([
      '400 invalid-request',
      '/policy',
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Decoder } from '#audit';
import { DataSource } from 'typeorm';
import { LooksAtFindings } from '../../../apps/api/src/review/looks-at-findings.js';
import { tokenFrom } from '../../../apps/api/src/identity/credentials/bearer-token.js';
import { Identities } from '../../../apps/api/src/identity/identities.js';
import type { Identity } from '../../../apps/api/src/identity/identity.js';
import { startApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { HOUSE } from '../../kit/house.js';
import { ReviewFloor } from '../../kit/review-floor.js';

const NOON = new Date('2026-11-20T12:00:00Z');
const LATER = new Date('2026-11-20T12:14:59Z');
const NEXT = new Date('2026-11-20T12:15:00Z');

let floor: ReviewFloor;
let finding: { id: string; table: string };
beforeAll(async () => {
  floor = await ReviewFloor.open();
  finding = { id: await floor.faulty('T1'), table: 'T1' };
});
afterAll(() => floor.close());

const identity = async (token: string): Promise<Identity> => {
  const found = await floor.server.api.app.get(Identities).of(tokenFrom(token));
  if (!found) throw new Error('no such person');
  return found;
};
const looks = (): LooksAtFindings => floor.server.api.app.get(LooksAtFindings);
/** Returns the looks of a person that the rows have. */
const seenBy = (person: string): Promise<{ ref: string; as: string; outcome: string }[]> =>
  floor.server.api.app
    .get(DataSource)
    .query(
      `select ref, "as", outcome from rows.review_event where type = 'finding-viewed' and "by" = $1`,
      [person],
    );
const onLog = (person: string): Record<string, unknown>[] =>
  floor.looks().filter(({ source }) => source === person);

describe('a look at a finding', () => {
  it('is on the log once for each person and quarter of an hour, at the table of the finding', async () => {
    const by = await identity(await floor.person('rita', ['regulator', 'compliance']));
    for (const at of [NOON, NOON, LATER, NEXT]) await looks().looked(by, finding, at);
    await eventually('two looks on the rows', async () => (await seenBy('rita')).length === 2);
    expect(await seenBy('rita')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ as: 'regulator', outcome: 'taken' }),
        expect.objectContaining({ ref: expect.stringContaining(`view/${finding.id}/`) }),
      ]),
    );
    expect(onLog('person/rita')).toHaveLength(2);
  });

  it('is received when it was made, from the account, and can be read by an auditor', async () => {
    const by = await identity(
      await floor.person('rob-2', 'surveillance', { person: 'rob', tables: ['T1'] }),
    );
    await looks().looked(by, finding);
    const [line] = await eventually('a look on the log', () => {
      const found = onLog('person/rob');
      return found.length === 1 && found;
    });
    expect(line).toMatchObject({
      table: 'T1',
      data: { finding: finding.id, as: 'surveillance' },
      receivedfrom: 'person/rob-2',
      receivedtime: line?.time,
    });
    const decoded = new Decoder(HOUSE).explain(Buffer.from(JSON.stringify(line)));
    expect(decoded.faults).toBeUndefined();
  });

  it('waits in the database while the log is away, beside the acts in the house', async () => {
    const by = await identity(await floor.person('ron', 'compliance'));
    floor.log.faults.failBefore = true;
    await looks().looked(by, finding);
    const held = await floor.server.api.app
      .get(DataSource)
      .query<{ table: string }[]>(
        `select "table" from access.outbox where type = 'finding-viewed'`,
      );
    floor.log.faults.failBefore = false;
    expect(held).toEqual([{ table: 'T1' }]);
    await eventually('the look on the rows', async () => (await seenBy('ron')).length === 1);
    await eventually('an empty outbox', async () => {
      const [left] = await floor.server.api.app
        .get(DataSource)
        .query<[{ count: string }]>('select count(*) from access.outbox');
      return left.count === '0';
    });
  });

  it('is the same look through another api', async () => {
    const by = await identity(await floor.person('rex', 'compliance'));
    await looks().looked(by, finding, NOON);
    await eventually('the look on the rows', async () => (await seenBy('rex')).length === 1);
    const other = await startApi({ log: floor.log, databaseUrl: floor.server.database.url });
    try {
      await other.app.get(LooksAtFindings).looked(by, finding, LATER);
      await eventually('it on the log again', () => onLog('person/rex').length === 2);
      await floor.play('T1', (log) => log.add('terminal', 'device-online'));
      expect(await seenBy('rex')).toHaveLength(1);
    } finally {
      await other.close();
    }
  });
});

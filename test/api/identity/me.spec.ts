import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appVersion } from '#process';
import { startApi, type TestApi } from '../../kit/api.js';
import { BOOK } from '../../kit/house.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('GET /v1/me', () => {
  type Me = { session: Record<string, string | null> | null; house: object; build: string };
  const meOf = async (server: TestApi, token: string): Promise<Me> =>
    (await server.send('GET', '/v1/me', token)).json<Me>();

  it('says when the session ends: of age, idle, and as a confirmation', async () => {
    const token = await api.person('finance');
    const from = Date.now();
    const { session } = await meOf(api, token);
    const minutes = Object.fromEntries(
      Object.entries(session ?? {}).map(([name, at]) => [
        name,
        Math.round((Date.parse(at ?? '') - from) / 60_000),
      ]),
    );
    // The session of the kit lasts an hour. The last use is kept to the minute.
    expect(minutes).toEqual({ expiresAt: 60, idleUntil: 59, confirmedUntil: 15 });
    const display = await meOf(api, await api.person('finance', { wallDisplay: true }));
    expect(display.session).toMatchObject({ idleUntil: null });
    expect((await meOf(api, await api.device())).session).toBeNull();
  });

  it('says which days, rules and review policy are in force, and which version answers', async () => {
    const days = [
      { from: '2000-01-01', zone: 'Asia/Macau', cutover: '06:00' },
      { from: '2020-01-01', zone: 'Asia/Manila', cutover: '08:00' },
      { from: '2999-01-01', zone: 'UTC', cutover: '00:00' },
    ];
    const house = await startApi({
      settings: { gamingDays: days, policy: 'review@1' },
      databaseUrl: api.databaseUrl,
    });
    try {
      const me = await meOf(house, await house.person('finance', { name: 'of.the.house' }));
      expect(me.house).toEqual({
        zone: 'Asia/Manila',
        cutover: '08:00',
        gamingDays: days,
        rules: [...BOOK.keys()].sort(),
        policy: 'review@1',
      });
      expect(me.build).toBe(appVersion());
    } finally {
      await house.close();
    }
  });
});

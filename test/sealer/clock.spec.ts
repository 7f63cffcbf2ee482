import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readSeal } from '#evidence';
import type { RunningSealer } from '#sealer';
import { eventually } from '../kit/eventually.js';
import { setClocks, setTimeOfDay } from './site-days.js';
import { Site, verified } from './site.js';

let site: Site;
beforeEach(async () => {
  site = await Site.open();
});
afterEach(async () => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  await site.close();
});

describe('a sealer whose clock', () => {
  it.each([
    ['over a minute', 61_000],
    ['an hour ahead', 3_600_000],
    ['an hour back', -3_600_000],
  ])(
    'differs from that of the database by %s seals nothing, and raises the alarm',
    async (_, ms) => {
      const trueNow = Date.now.bind(Date);
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => trueNow() + ms);
      const sealer = await site.start();
      await site.append('B07', 'x');
      await eventually('the alarm', async () =>
        /shoeprint_seal_alarms_total\{alarm="clock"\} 1/.test(await sealer.registry.metrics()),
      );
      expect(await site.reader.lastEntry('seal')).toBeUndefined();
      expect(await sealer.registry.metrics()).not.toMatch(/^shoeprint_seal_age_seconds 0$/m);
      clock.mockRestore();
      await site.sealedAll();
      await verified(site);
    },
  );

  it('drifts away raises one alarm, however far it goes', async () => {
    const trueNow = Date.now.bind(Date);
    let looks = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => {
      if (new Error().stack?.includes('clockAheadMs')) looks += 1;
      return trueNow() + 61_000 + 2_000 * looks;
    });
    const sealer = await site.start();
    await eventually('three comparisons of the clocks', () => looks >= 6);
    expect(await sealer.registry.metrics()).toContain(
      'shoeprint_seal_alarms_total{alarm="clock"} 1\n',
    );
  });

  it('goes back by less repeats the time of the seal before', async () => {
    await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    const before = await site.reader.lastEntry('seal');
    setTimeOfDay(Date.now() - 40_000);
    await site.append('B07', 'y');
    await site.sealedAll();
    const after = await site.reader.lastEntry('seal');
    expect(after?.index).toBeGreaterThan(before?.index ?? 0);
    expect(readSeal(after?.text ?? '').time).toBe(readSeal(before?.text ?? '').time);
    await verified(site);
  });
});

const DAY_MS = 86_400_000;
/** A noon of long ago: the tests let days pass from there. */
const NOON = Date.parse('2026-11-16T12:00:00Z');

describe('a sealer that sleeps through three cut-overs', () => {
  const closed = async (): Promise<string[]> => {
    const seals = await site.query<{ text: string }>(
      'select text from seal.entry where day is not null order by "index"',
    );
    return seals.map(({ text }) => readSeal(text).day ?? '');
  };
  const closes = (...days: readonly string[]): Promise<unknown> =>
    eventually(
      `seals of ${days.join(' ')}`,
      async () => (await closed()).join(' ') === days.join(' '),
    );

  /** Starts a sealer that closes the first day, and seals something of the second. */
  async function awake(): Promise<RunningSealer> {
    await setClocks(site, NOON);
    const sealer = await site.start();
    await site.append('B07', 'on the 16th');
    await site.sealedAll();
    await setClocks(site, NOON + DAY_MS);
    await closes('2026-11-16');
    await site.append('B07', 'on the 17th');
    await site.sealedAll();
    return sealer;
  }

  it('closes only the last day once it is started, in a seal with all records of the others', async () => {
    await site.stop(await awake());
    for (const day of ['17th', '18th', '19th']) await site.append('B08', `asleep on the ${day}`);
    const heads = await site.heads();
    await setClocks(site, NOON + 4 * DAY_MS);
    await site.start();
    await closes('2026-11-16', '2026-11-19');
    const daySeal = await site.reader.lastDaySeal();
    expect(readSeal(daySeal?.text ?? '').next).toEqual(heads);
    await site.sealedAll();
    expect(await verified(site)).toMatchObject({ days: ['2026-11-16', '2026-11-19'] });
  });

  it('closes only the last day when its machine wakes up, and the next one at its own end', async () => {
    const sealer = await awake();
    await setClocks(site, NOON + 4 * DAY_MS);
    await site.append('B08', 'awake again');
    await closes('2026-11-16', '2026-11-19');
    await site.sealedAll();
    await setClocks(site, NOON + 5 * DAY_MS);
    await closes('2026-11-16', '2026-11-19', '2026-11-20');
    await verified(site);
    expect(await sealer.registry.metrics()).not.toMatch(/shoeprint_seal_alarms_total\{.*\} [1-9]/);
  });
});

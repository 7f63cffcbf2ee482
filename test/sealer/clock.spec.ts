import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readSeal } from '#evidence';
import { eventually } from '../kit/eventually.js';
import { setTimeOfDay } from './site-days.js';
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
      clock.mockRestore();
      await site.sealedAll();
      await verified(site);
    },
  );

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

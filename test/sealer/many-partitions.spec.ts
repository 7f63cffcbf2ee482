import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryLog } from '#event-log';
import { readSeal } from '#evidence';
import { Site, verified } from './site.js';

const PARTITIONS = 1_024;

let site: Site;
beforeEach(async () => {
  site = await Site.open(async () => new MemoryLog({ partitions: PARTITIONS }));
});
afterEach(async () => {
  await site.close();
});

describe('a log of 1,024 partitions', () => {
  it('is sealed, read again and verified', async () => {
    await site.start();
    for (let at = 0; at < 300; at += 1) await site.append(`T${at}`, `{"n":${at}}`);
    await site.sealedAll();
    expect(readSeal((await site.reader.lastEntry('seal'))?.text ?? '').next).toHaveLength(
      PARTITIONS,
    );
    expect(await verified(site)).toMatchObject({ records: 300 });
    expect(await site.run('verify')).toMatchObject({ code: 0 });
  }, 120_000);
});

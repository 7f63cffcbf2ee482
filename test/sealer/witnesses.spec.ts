import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readCheckpoint, readVkey, signaturesOf, utf8Of, type SignedCheckpoint } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { eventually } from '../kit/eventually.js';
import { Site, verified } from './site.js';
import { TestWitness } from './test-witness.js';

let site: Site;
let witnesses: TestWitness[];
beforeEach(async () => {
  site = await Site.open();
  witnesses = await Promise.all(
    [1, 2, 3].map((number) => TestWitness.listen(`witness.example/w${number}`, number)),
  );
});
afterEach(async () => {
  await site.close();
  for (const witness of witnesses) await witness.close();
});

const start = (): ReturnType<Site['start']> =>
  site.start({ witnesses: witnesses.map(({ settings }) => settings), witnessQuorum: 2 });

/** Waits until the last checkpoint has cosignatures of these witnesses, each of them good. */
async function cosignedBy(...wanted: readonly TestWitness[]): Promise<SignedCheckpoint> {
  return eventually(`a checkpoint with ${wanted.length} cosignatures`, async () => {
    const kept = await site.reader.checkpoint();
    if (!kept) return undefined;
    const checkpoint = readCheckpoint(utf8Of(kept.note));
    const keys = wanted.map(({ settings }) => readVkey(nodeCryptography.sha256, settings.vkey));
    const good = signaturesOf(nodeCryptography, checkpoint.note, keys).filter((each) => each.good);
    return good.length === wanted.length && checkpoint;
  });
}

/** Returns a metric of a sealer. */
async function metric(sealer: Awaited<ReturnType<typeof start>>, line: RegExp): Promise<string> {
  return line.exec(await sealer.registry.metrics())?.[1] ?? '';
}

async function seal(record: string): Promise<SignedCheckpoint> {
  await site.append('B07', record);
  return site.sealedAll();
}

describe('witnesses', () => {
  it('cosign each checkpoint, in the database and in the folder', async () => {
    await start();
    await seal('a');
    await cosignedBy(...witnesses);
    const { size } = await seal('b');
    await cosignedBy(...witnesses);
    await eventually('the cosigned checkpoint in the folder', () => {
      const published = readCheckpoint(readFileSync(join(site.tiles, 'checkpoint')));
      return published.size === size && published.note.signatures.length === 4;
    });
  });

  it.each(['away', 'silent', 'rubbish'] as const)(
    'that are %s delay no seal, and two of three still cosign',
    async (mood) => {
      const [first, second, third] = witnesses as [TestWitness, TestWitness, TestWitness];
      third.mood = mood;
      const sealer = await start();
      await seal('a');
      await seal('b');
      await cosignedBy(first, second);
      expect(await verified(site)).toMatchObject({ records: 2 });
      expect(await metric(sealer, /shoeprint_seal_unwitnessed_seconds (\S+)/)).not.toBe('');
    },
  );

  it('witnesses that are slow cosign what they were sent, and then the last checkpoint', async () => {
    const [first, second, third] = witnesses as [TestWitness, TestWitness, TestWitness];
    third.mood = 'slow';
    await start();
    const early = await seal('a');
    await eventually('a request that waits', () => third.slow === 1);
    await cosignedBy(first, second);
    for (const record of ['b', 'c']) {
      await seal(record);
      await cosignedBy(first, second);
    }
    third.hurry();
    await cosignedBy(...witnesses);
    expect(third.cosigned.length).toBeGreaterThan(1);
    expect(third.cosigned[0]?.size).toBeLessThanOrEqual(early.size);
    expect(third.cosigned.length).toBeLessThan(first.cosigned.length);
  });

  it('witnesses that know an older size get the proof from there', async () => {
    const [first] = witnesses as [TestWitness];
    const sealer = await start();
    await seal('a');
    await cosignedBy(...witnesses);
    await site.stop(sealer);
    first.mood = 'away';
    const again = await start();
    await seal('b');
    await site.stop(again);
    first.mood = 'honest';
    await site.query('delete from seal.cosignature');
    await start();
    await seal('c');
    await cosignedBy(...witnesses);
    expect(first.cosigned.at(-1)?.size).toBeGreaterThan(first.cosigned[0]?.size ?? 0);
  });

  it('witnesses that another sealer of the house has asked meanwhile raise no alarm', async () => {
    const [first] = witnesses as [TestWitness];
    first.mood = 'slow';
    const sealer = await start();
    await seal('a');
    await eventually('a request that waits', () => first.slow === 1);
    first.cosigned.push(await seal('b'));
    first.hurry();
    await seal('c');
    await cosignedBy(...witnesses);
    expect(await metric(sealer, /shoeprint_seal_alarms_total\{alarm="fork"\} (\d+)/)).toBe('0');
    expect(await metric(sealer, /shoeprint_seal_failures_total\{step="witness"\} (\d+)/)).toBe('0');
  });

  it('witnesses that have cosigned a longer log, or another one, raise the alarm of a fork', async () => {
    const [first] = witnesses as [TestWitness];
    first.mood = 'lying';
    const sealer = await start();
    await seal('a');
    await eventually('the alarm', async () =>
      metric(sealer, /shoeprint_seal_alarms_total\{alarm="fork"\} (1)/),
    );
    await seal('b');
    await cosignedBy(...witnesses.slice(1));
  });
});

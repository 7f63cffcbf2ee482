import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkpointText, noteText, readCheckpoint, signText, utf8Of } from '#evidence';
import { nodeCryptography, signerOf } from '#evidence/node';
import { MemoryLog, partitionOf } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { expectOneHistory, Site, verified } from './site.js';

let site: Site;
beforeEach(async () => {
  site = await Site.open();
});
afterEach(async () => {
  await site.close();
});

const run: Site['run'] = (...args) => site.run(...args);

const fileOf = (name: string, text: string): string => {
  const file = join(site.folder, name);
  writeFileSync(file, text);
  return file;
};

describe('shoeprint seal', () => {
  it('is refused by its name, its words and its options, and before anything is sealed', async () => {
    await expect(run('status')).rejects.toThrow('nothing is sealed in this database yet');
    await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    await expect(run('polish')).rejects.toThrow('unknown command "polish" (expected status, ');
    await expect(run('resume')).rejects.toThrow('unknown command "resume"');
    await expect(run('status', '--soon')).rejects.toThrow("Unknown option '--soon'");
    await expect(run('resume', '0', '--reason', 'x')).rejects.toThrow('partition 0 is not stopped');
  });

  it('shows what is sealed', async () => {
    await site.start();
    await site.append('B07', 'x', 'y');
    const { size } = await site.sealedAll();
    const { code, said } = await run('status');
    expect(code).toBe(0);
    expect(said).toMatch(/^site {8}shoeprint\.example\/test$/m);
    expect(said).toMatch(new RegExp(`^signed {6}${size} leaves$`, 'm'));
    expect(said).toMatch(/^hashed {6}2 records$/m);
    expect(said).toMatch(/^stopped {5}0 partitions$/m);
  });

  it('resumes a partition for a reason, records who did it, and the running sealer goes on', async () => {
    if (!(site.log instanceof MemoryLog)) throw new Error('needs the log in memory');
    const table = ['B01', 'B02', 'B03'].find((each) => partitionOf(each, 2) === 0) ?? '';
    await site.append(table, 'a', 'b', 'c');
    site.log.faults.hole = { partition: 0, offset: 1 };
    await site.start();
    await eventually('a stopped partition', async () =>
      (await run('status')).said.includes('0 at'),
    );
    delete site.log.faults.hole;
    await expect(run('resume', '0')).rejects.toThrow('--reason is missing');
    const { said } = await run('resume', '0', '--reason', 'the disk was replaced', '--by', 'mei');
    expect(said).toContain('partition 0 is resumed');
    await site.sealedAll();
    await verified(site);
    expect(await site.house('evidence-resumed')).toContainEqual(
      expect.objectContaining({
        source: 'person/mei',
        data: { partition: 0, offset: expect.any(Number), reason: 'the disk was replaced' },
      }),
    );
  });

  it('lets the key go on after a checkpoint that it signed, if its memory is lost', async () => {
    const sealer = await site.start();
    await site.append('B07', 'x');
    const before = await site.sealedAll();
    await site.stop(sealer);
    const kept = fileOf('kept', (await site.reader.checkpoint())?.note ?? '');
    rmSync(`${site.keyFile}.last`);
    const forged = fileOf('forged', readFileSync(kept, 'utf8').replace('\n2\n', '\n1\n'));
    await expect(run('trust', forged, '--reason', 'x')).rejects.toThrow('is not signed by');
    await run('trust', kept, '--reason', 'the disk was lost', '--by', 'mei');
    await site.append('B07', 'y');
    await site.start();
    const after = await site.sealedAll();
    await expectOneHistory(site, [before, after]);
    expect(await site.house('evidence-keys-changed')).toHaveLength(1);
  });
});

describe('shoeprint key show', () => {
  it('prints the public halves of both log keys and of the exports key', async () => {
    const { vkey } = await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    const { said } = await run('keys');
    expect(said.split('\n')).toHaveLength(3);
    expect(said).toContain(`log      ${vkey}`);
    expect(said).toMatch(/^exports {2}shoeprint\.example\/test\/exports\+/m);
  });
});

describe('shoeprint checkpoint', () => {
  it('prints the last one, and finds two of one history, and a fork', async () => {
    await site.start();
    await site.append('B07', 'x');
    await site.sealedAll();
    const first = fileOf('first', `${(await run('checkpoint')).said}\n`);
    await site.append('B07', 'y');
    await site.sealedAll();
    const second = fileOf('second', `${(await run('checkpoint')).said}\n`);
    expect(await run('compare', second, first)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^size \d+ continues size 2$/),
    });
    const { origin, size } = readCheckpoint(utf8Of(readFileSync(second, 'utf8')));
    const text = checkpointText({ origin, size, root: new Uint8Array(32) });
    const signer = signerOf(readFileSync(site.keyFile, 'utf8'));
    const signatures = [signText(nodeCryptography.sha256, text, signer)];
    const fork = fileOf('fork', noteText({ text, signatures }));
    expect(await run('compare', second, fork)).toMatchObject({
      code: 1,
      said: expect.stringContaining('their roots differ: a fork'),
    });
    expect((await run('compare', first, fork)).code).toBe(1);
    copyFileSync(first, join(site.folder, 'same'));
    expect((await run('compare', first, join(site.folder, 'same'))).code).toBe(0);
  });
});

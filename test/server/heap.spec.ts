import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Keeps little alive, makes much garbage that gets old, and prints the largest heap in bytes. */
const PROGRAM = `
  import { getHeapStatistics } from 'node:v8';
  import { keepHeapSmall } from '#server';
  if (process.argv[1] === 'small') keepHeapSmall();
  const alive = Array.from({ length: 400_000 }, (_, i) => ({ i, text: 'x' + i }));
  const getsOld = [];
  let most = 0;
  for (let i = 0; i < 1_500_000; i += 1) {
    getsOld[i % 100_000] = { i, list: [i, i + 1], text: 'v' + i };
    if (i % 1_000 === 0) most = Math.max(most, getHeapStatistics().total_heap_size);
  }
  console.log(alive.length > 0 ? most : 0);`;

function mostBytes(how: 'small' | 'as-node-does'): number {
  const args = ['--max-old-space-size=4096', '--input-type=module', '--eval', PROGRAM, how];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return Number(stdout);
}

describe('the heap of a server', () => {
  it('holds far less garbage than Node lets it hold by default', () => {
    expect(mostBytes('small')).toBeLessThan(0.85 * mostBytes('as-node-does'));
  });
});

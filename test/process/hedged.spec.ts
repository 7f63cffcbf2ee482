import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { hedged } from '#process';
import { eventually } from '../kit/eventually.js';

interface Begun {
  readonly resolve: (answer: string) => void;
  readonly reject: (why: Error) => void;
}

/** Asks what the test answers, one after the other, each a millisecond after the one before. */
function asking() {
  const begun: Begun[] = [];
  const discarded: string[] = [];
  const answer = hedged(
    () => new Promise<string>((resolve, reject) => begun.push({ resolve, reject })),
    { everyMs: 1, most: 3, discard: (late) => void discarded.push(late) },
  );
  const all = () => eventually('three begun', () => begun.length === 3);
  return { begun, discarded, answer, all };
}

describe('hedged work', () => {
  it('is begun once if it ends in time', async () => {
    let begun = 0;
    const options = { everyMs: 60_000, most: 3, discard: () => undefined };
    expect(await hedged(async () => (begun += 1), options)).toBe(1);
    expect(begun).toBe(1);
  });

  it('ends as the first of what was begun, and gives away what comes later', async () => {
    const { begun, discarded, answer, all } = asking();
    await all();
    begun[1]?.resolve('second');
    expect(await answer).toBe('second');
    begun[0]?.resolve('first');
    begun[2]?.reject(new Error('too late to matter'));
    await turn();
    expect(discarded).toEqual(['first']);
  });

  it('fails as the first that ends, without waiting for the others', async () => {
    const { begun, discarded, answer, all } = asking();
    await all();
    begun[2]?.reject(new Error('refused'));
    await expect(answer).rejects.toThrow('refused');
    begun[0]?.resolve('first');
    await turn();
    expect(discarded).toEqual(['first']);
  });

  it('is begun no more often than it may', async () => {
    const { begun, answer, all } = asking();
    await all();
    for (let look = 0; look < 20; look += 1) await turn();
    expect(begun.length).toBe(3);
    begun[0]?.resolve('first');
    expect(await answer).toBe('first');
  });
});

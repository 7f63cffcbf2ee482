import { describe, expect, it } from '@jest/globals';
import { Environment, heapArgument, heapLimit } from '#process';

const GB = 1024 ** 3;
const MB = 1024 ** 2;
/** What Node returns as the limit of a control group that has none. */
const NO_LIMIT = 2 ** 64;

/** Returns the limit of the heap, and the faults of the setting. */
function read(text: string | undefined, machine: number, container?: number) {
  const env = new Environment({ SHOEPRINT_HEAP_MB: text });
  const limit = heapLimit(env, { machine, container });
  try {
    env.check();
    return limit;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the limit of the heap', () => {
  it.each([
    ['half of what the container may use', 24 * GB, 512 * MB, 256],
    ['half of what a large container may use', 24 * GB, 8 * GB, 4096],
    ['a quarter of the machine without a limit of the container', 24 * GB, NO_LIMIT, 6144],
    ['a quarter of the machine if the limit is not known', 2 * GB, undefined, 512],
    ['a quarter of the machine if Node names no limit', 2 * GB, 0, 512],
    ['a quarter of the machine if the container may use more than there is', 2 * GB, 4 * GB, 512],
    ['128 MB in a container where half is less', 24 * GB, 200 * MB, 128],
    ['64 GB on a machine where a quarter is more', 1024 * GB, undefined, 65_536],
  ])('is %s', (_what, machine, container, limit) => {
    expect(read(undefined, machine, container)).toBe(limit);
    expect(read('', machine, container)).toBe(limit);
  });

  it('is its setting, whatever the container may use', () => {
    expect(read('1024', 24 * GB, 512 * MB)).toBe(1024);
  });

  it.each(['127', '65537', '256M', '-1', '1e3', 'half', '0'])(
    'is refused by the name of its setting if that is %s',
    (text) => {
      expect(read(text, 24 * GB)).toBe(
        'cannot start:\n  SHOEPRINT_HEAP_MB: must be a whole number from 128 to 65536',
      );
    },
  );

  it('is an argument of Node, by default for an invalid setting, which the program refuses', () => {
    const memory = { machine: 8 * GB, container: undefined };
    expect(heapArgument({ SHOEPRINT_HEAP_MB: '300' }, memory)).toBe('--max-old-space-size=300');
    expect(heapArgument({ SHOEPRINT_HEAP_MB: 'rubbish' }, memory)).toBe(
      '--max-old-space-size=2048',
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Legibility } from '../../apps/gateway/src/ports/legibility.js';

type Device = ConstructorParameters<typeof Legibility>[0];
const shoe = (baud: number): Device => ({
  protocol: 'angel-eye-ii-ex',
  port: { serial: '/dev/ttyUSB0', baud },
});

/** Returns the problem after 240 bytes in 12 seconds without a whole frame. */
function problemOf(device: Device): string | undefined {
  const legibility = new Legibility(device);
  for (let up = 100; up <= 112; up += 3) legibility.heard(48, 0, up);
  return legibility.problem();
}

describe('bytes of which no frame is whole', () => {
  it.each([
    [shoe(4_800), 'angel-eye-ii-ex fits: try 9600 baud instead of 4800'],
    [shoe(9_600), 'angel-eye-ii-ex fits: try 4800 baud instead of 9600'],
    [shoe(19_200), 'angel-eye-ii-ex fits: try 4800 or 9600 baud instead of 19200'],
    [
      { protocol: 'angel-eye-ii-ex', port: { connect: '10.0.7.20:4001' } },
      'angel-eye-ii-ex fits: check the baud rate at the device server or the sender (4800 or 9600 is usual)',
    ],
    [
      { protocol: 'line-1', port: { serial: '/dev/ttyACM0', baud: 9_600 } },
      'line-1 fits: try 115200 baud instead of 9600',
    ],
    [
      { protocol: 'line-1', port: { serial: '/dev/ttyACM0', baud: 115_200 } },
      'line-1 fits: 115200 baud is usual, so check the device, its protocol and its cable',
    ],
  ] as const)('are a problem with advice: %j', (device, words) => {
    expect(problemOf(device)).toBe(`240 bytes came in 12 s and no frame of ${words}`);
  });

  it('are a problem from 200 bytes and 10 seconds on, and not sooner', () => {
    const after = (bytes: number, seconds: number): boolean => {
      const legibility = new Legibility(shoe(4_800));
      legibility.heard(1, 0, 50);
      legibility.heard(bytes - 1, 0, 50 + seconds);
      return legibility.problem() !== undefined;
    };
    expect(after(200, 10)).toBe(true);
    expect(after(199, 10)).toBe(false);
    expect(after(200, 9.99)).toBe(false);
    expect(after(100_000, 1)).toBe(false);
  });

  it('are forgotten with the next whole frame, and counted from there', () => {
    const legibility = new Legibility(shoe(4_800));
    legibility.heard(500, 0, 0);
    legibility.heard(500, 0, 20);
    legibility.heard(11, 1, 21);
    expect(legibility.problem()).toBeUndefined();
    legibility.heard(250, 0, 30);
    legibility.heard(250, 0, 39);
    expect(legibility.problem()).toBeUndefined();
    legibility.heard(1, 0, 40);
    expect(legibility.problem()).toMatch(/^501 bytes came in 10 s /);
  });

  it('say the same however they are cut into chunks, and silence does not count', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 1, maxLength: 40 }), (chunks) => {
        const cut = new Legibility(shoe(4_800));
        const whole = new Legibility(shoe(4_800));
        const total = chunks.reduce((sum, bytes) => sum + bytes, 0);
        whole.heard(1, 0, 0);
        cut.heard(1, 0, 0);
        for (const bytes of chunks) cut.heard(bytes, 0, 11);
        cut.heard(0, 0, 99);
        whole.heard(total, 0, 11);
        expect(cut.problem()).toBe(whole.problem());
        expect(cut.problem() !== undefined).toBe(total >= 199);
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { WallClock } from '#gateway';

/** Clocks that the test moves. */
function clocks(wall: number) {
  const now = { wall, up: 100 };
  const clock = new WallClock({ wall: () => now.wall, up: () => now.up });
  const pass = (seconds: number, wallSeconds = seconds): void => {
    now.up += seconds;
    now.wall += 1_000 * wallSeconds;
  };
  return { clock, pass };
}
const NOON = Date.parse('2026-11-20T12:00:00Z');

describe('the clock of a gateway', () => {
  it('gives a moment of the monotonic clock its time', () => {
    const { clock, pass } = clocks(NOON);
    pass(5);
    expect([clock.at(100), clock.at(102.5)]).toEqual([NOON, NOON + 2_500]);
  });

  it.each([3_600, -3_600, 0.3])('says a step of %s seconds once, and follows it', (step) => {
    const { clock, pass } = clocks(NOON);
    pass(1, 1 + step);
    expect(clock.compare()).toBeCloseTo(1_000 * step, 3);
    expect(clock.compare()).toBeUndefined();
    expect(clock.at(101)).toBeCloseTo(NOON + 1_000 * (1 + step), 3);
    expect(clock.offsetSeconds).toBeCloseTo(step, 6);
  });

  it('follows a slow drift without a word', () => {
    const { clock, pass } = clocks(NOON);
    for (let second = 0; second < 600; second += 1) {
      pass(1, 1.0002);
      expect(clock.compare()).toBeUndefined();
    }
    expect(clock.offsetSeconds).toBeCloseTo(0.12, 3);
  });
});

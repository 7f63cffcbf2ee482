import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WallClock } from '#gateway';
import { audit, codes } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { reportsOf, shoeOf } from './coups.js';
import { SmallGateway } from './small-gateway.js';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600;

/** A clock that the test moves: both move with time, and the wall clock steps. */
const now = { wall: NOON, up: 100 };
const pass = (seconds: number): void => {
  now.up += seconds;
  now.wall += 1_000 * seconds;
};

let gateway: SmallGateway;
beforeEach(async () => {
  Object.assign(now, { wall: NOON, up: 100 });
  gateway = await SmallGateway.open({}, new WallClock({ wall: () => now.wall, up: () => now.up }));
});
afterEach(() => gateway.close());

describe('a gateway whose clock steps while a shoe is dealt', () => {
  it.each([
    ['forward and back', [HOUR, -HOUR]],
    ['back and forward', [-HOUR, HOUR]],
  ])('an hour %s says so, changes no time that it gave, and accuses nobody', async (_, steps) => {
    const reports = reportsOf(shoeOf('clock'));
    const { delivered } = gateway;
    const drawn = () => delivered.filter(({ type }) => type === 'shoeprint.card-drawn.v1');
    const third = Math.ceil(reports.length / 3);
    gateway.link(0).opened(null);
    for (const [at, step] of [...steps, undefined].entries()) {
      for (const report of reports.slice(at * third, (at + 1) * third)) {
        pass(2);
        gateway.shoeSays(report);
      }
      const dealt = reports.slice(0, (at + 1) * third).filter(({ is }) => is === 'card');
      await eventually('every card on disk', async () => {
        await gateway.deliver();
        return drawn().length === dealt.length;
      });
      if (step === undefined) break;
      now.wall += 1_000 * step;
      gateway.table.lookAtClock();
    }
    const said = delivered.filter(({ source }) => source === 'device/B07-gateway');
    expect(said.map(({ type, data }) => [type, data])).toEqual([
      ['shoeprint.device-online.v1', { firmware: '0.1.0' }],
      ...steps.map((step) => [
        'shoeprint.device-error.v1',
        { code: 'clock-step', text: `by ${step}.000 s` },
      ]),
    ]);
    const times = drawn().map(({ time }) => Date.parse(time as string));
    const jumps = times.flatMap((time, at) => {
      const seconds = Math.round((time - (times[at - 1] ?? time)) / 1_000);
      return Math.abs(seconds) > HOUR / 2 ? [Math.round(seconds / HOUR)] : [];
    });
    expect(jumps).toEqual(steps.map((step) => step / HOUR));
    expect(codes(audit(delivered, { once: true }).findings)).toEqual([]);
  });
});

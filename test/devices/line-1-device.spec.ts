import { describe, expect, it } from '@jest/globals';
import {
  asciiBytes,
  encodeLine1,
  feedDevice,
  parseLine,
  powerUp,
  recordEvent,
  type Line1,
  type Line1DeviceTurn,
  type PowerUp,
} from '#devices';

const FIRST: PowerUp = { unit: 'U', firmware: '1', boot: 17, memory: [], missed: 0 };

/** A device on a line, with a clock that the test moves. */
class Device {
  up = 50;
  /** The bodies that it wrote at power-up. */
  readonly atPowerUp;
  state;

  constructor(power: Partial<PowerUp> = {}) {
    const turn = powerUp({ ...FIRST, ...power }, this.up);
    this.state = turn.state;
    this.atPowerUp = this.took(turn);
  }

  draws(count = 1): readonly string[] {
    return Array.from({ length: count }, () =>
      this.took(
        recordEvent(
          this.state,
          { type: 'card-drawn', data: { card: '9S', to: 'player' } },
          this.up,
        ),
      ),
    ).flat();
  }

  hears(...lines: readonly (Line1 | string)[]): readonly string[] {
    const texts = lines.map((line) => (typeof line === 'string' ? line : encodeLine1(line)));
    return this.took(feedDevice(this.state, asciiBytes(texts.join('')), this.up));
  }

  /** Lets seconds pass in quarters. Returns what it writes, with the seconds from now. */
  waits(seconds: number): readonly (readonly [at: number, body: string])[] {
    const from = this.up;
    const written: [number, string][] = [];
    while (this.up < from + seconds) {
      this.up += 0.25;
      written.push(...this.hears().map((body): [number, string] => [this.up - from, body]));
    }
    return written;
  }

  private took({ state, write }: Line1DeviceTurn): readonly string[] {
    this.state = state;
    return write.map((line) => {
      const parsed = parseLine(line.trimEnd());
      return parsed.is === 'line' ? parsed.body : parsed.is;
    });
  }
}

const ack = (seq: number, boot = 17): Line1 => ({ type: 'A', boot, seq });
const nak = (seq: number, reason: 'GAP' | 'CRC' | 'FORM' = 'GAP', boot = 17): Line1 => ({
  type: 'N',
  boot,
  seq,
  reason,
});
const busy = (boot = 17): Line1 => ({ type: 'B', boot, reason: 'spool' });
const numbers = (bodies: readonly string[]): readonly number[] =>
  bodies.flatMap((body) => (body.startsWith('E,') ? [Number(body.split(',')[2])] : []));

describe('the device', () => {
  it('says H at power-up, and ON as its first event', () => {
    expect(new Device().atPowerUp).toEqual(['H,1,U,1,17,0,0,0', 'E,17,1,0,ON,1,0']);
    expect(new Device({ missed: null }).atPowerUp[1]).toBe('E,17,1,0,ON,1');
  });

  it('answers each Q with H: what it made last and what it keeps', () => {
    const device = new Device();
    device.draws(3);
    device.up += 1.5;
    expect(device.hears({ type: 'Q' })[0]).toBe('H,1,U,1,17,1500,4,1');
    device.hears(ack(4));
    expect(device.hears({ type: 'Q' })).toEqual(['H,1,U,1,17,1500,4,0']);
  });

  it('has at most 8 events unacknowledged on the line', () => {
    const device = new Device();
    expect(numbers(device.draws(20))).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(numbers(device.hears(ack(3)))).toEqual([9, 10, 11]);
  });

  it('sends the oldest again after 0.5 s, doubling to 8 s, for ever', () => {
    const device = new Device();
    device.draws(1);
    const sent = device.waits(60).filter(([, body]) => body.startsWith('E,'));
    expect(sent.map(([at]) => at)).toEqual([
      0.5, 1.5, 3.5, 7.5, 15.5, 23.5, 31.5, 39.5, 47.5, 55.5,
    ]);
    expect(new Set(sent.map(([, body]) => body))).toEqual(new Set(['E,17,1,0,ON,1,0']));
  });

  it('begins with 0.5 s again once something was acknowledged', () => {
    const device = new Device();
    device.draws(1);
    device.waits(10);
    device.hears(ack(1));
    const again = device.waits(1).filter(([, body]) => body.startsWith('E,'));
    expect(again).toEqual([[0.5, 'E,17,2,0,CD,9S,P']]);
  });

  it('sends from a number on when asked', () => {
    const device = new Device();
    device.draws(4);
    expect(numbers(device.hears(nak(3)))).toEqual([3, 4, 5]);
    expect(numbers(device.hears(nak(2, 'CRC')))).toEqual([2, 3, 4, 5]);
  });

  it('says H where it is asked for what it does not keep, and nothing where nothing is missing', () => {
    const device = new Device();
    device.draws(4);
    device.hears(ack(3));
    expect(device.hears(nak(2))).toEqual(['H,1,U,1,17,0,5,4']);
    expect(device.hears(nak(9))).toEqual(['H,1,U,1,17,0,5,4']);
    expect(device.hears(nak(6))).toEqual([]);
  });

  it('sends nothing again where a line broke the grammar: it would be the same line', () => {
    const device = new Device();
    expect(device.hears(nak(1, 'FORM'))).toEqual([]);
  });

  it('keeps the last 64 events, and says what it lost', () => {
    const device = new Device();
    device.draws(79);
    expect(device.hears({ type: 'Q' })).toEqual(['H,1,U,1,17,0,80,17']);
    expect(numbers(device.hears(nak(17)))).toEqual([17, 18, 19, 20, 21, 22, 23, 24]);
  });

  it('sends no events after B until A, but says that it is there', () => {
    const device = new Device();
    device.hears(busy());
    expect(numbers(device.draws(2))).toEqual([]);
    expect(device.waits(9).map(([at, body]) => [at, body[0]])).toEqual([[5, 'I']]);
    expect(numbers(device.hears(ack(0)))).toEqual([1, 2, 3]);
  });

  it('begins with the oldest event after B, because the gateway took nothing', () => {
    const device = new Device();
    device.draws(4);
    device.hears(busy());
    expect(numbers(device.hears(ack(0)))).toEqual([1, 2, 3, 4, 5]);
  });

  it('holds a B for at most 10 s', () => {
    const device = new Device();
    device.hears(busy());
    const [first] = device.waits(12).filter(([, body]) => body.startsWith('E,'));
    expect(first).toEqual([10, 'E,17,1,0,ON,1,0']);
  });

  it('says I whenever 5 s passed without a line', () => {
    const device = new Device();
    device.hears(ack(1));
    expect(device.waits(12)).toEqual([
      [5, 'I,17,5000,1'],
      [10, 'I,17,10000,1'],
    ]);
  });

  it.each([
    ['lines of another boot', [ack(1, 16), nak(1, 'GAP', 18), busy(16)]],
    ['an acknowledgment of what it never made', [ack(9)]],
    ['lines of devices', [{ type: 'I', boot: 17, ms: 0, last: 1 } as const]],
    ['a wrong CRC', ['$A,17,1*00000000\n']],
    ['bytes outside lines', ['boot\n*\u0000']],
  ])('ignores %s', (_, lines) => {
    const device = new Device();
    const before = device.state.boots;
    expect(device.hears(...lines)).toEqual([]);
    expect(device.state.boots).toBe(before);
    expect(device.state.busyUntil).toBeNull();
  });

  describe('after a power cut', () => {
    const before = new Device();
    before.up += 1;
    before.draws(2);
    before.hears(ack(1));
    const memory = before.state.boots;

    it('says H of the earlier boot and its events first, then H of the new boot', () => {
      const device = new Device({ boot: 18, memory });
      expect(device.atPowerUp).toEqual([
        'H,1,U,1,17,1000,3,2',
        'E,17,2,1000,CD,9S,P',
        'E,17,3,1000,CD,9S,P',
      ]);
      expect(device.hears(ack(1, 18))).toEqual([]);
      expect(device.hears(ack(3))).toEqual(['H,1,U,1,18,0,1,1', 'E,18,1,0,ON,1,0']);
    });

    it('goes on with the next power cut where it was', () => {
      const second = new Device({ boot: 18, memory });
      second.draws(1);
      const third = new Device({ boot: 19, memory: second.state.boots });
      expect(third.hears(ack(3))[0]).toBe('H,1,U,1,18,0,2,1');
      expect(third.hears(ack(2, 18))[0]).toBe('H,1,U,1,19,0,1,1');
    });

    it('says that events may be missed where more boots wait than it keeps', () => {
      let kept = memory;
      for (let boot = 18; boot < 23; boot += 1)
        kept = new Device({ boot, memory: kept }).state.boots;
      expect(kept.map(({ boot }) => boot)).toEqual([19, 20, 21, 22]);
      expect(kept.at(-1)?.events[0]?.event.data).toEqual({ firmware: '1' });
    });
  });

  it('refuses an event that does not fit a line, and uses no number for it', () => {
    const device = new Device();
    const text = 'x'.repeat(200);
    expect(() =>
      recordEvent(device.state, { type: 'device-error', data: { code: '1', text } }, device.up),
    ).toThrow(/^line: has 2\d\d bytes, and at most 160 fit$/);
    expect(numbers(device.draws(1))).toEqual([2]);
  });

  describe('that cannot hear', () => {
    it('sends each line three times, keeps nothing, and says H every 30 s', () => {
      const device = new Device({ isDeaf: true });
      expect(device.atPowerUp.map((body) => body[0]).join('')).toBe('HHHEEE');
      expect(numbers(device.draws(1))).toEqual([2, 2, 2]);
      const later = device.waits(31).map(([at, body]) => `${at}${body[0]}`);
      expect(later.filter((each) => each.endsWith('H'))).toEqual(['30H', '30H', '30H']);
      expect(later.filter((each) => each.endsWith('E'))).toEqual([]);
      expect(device.hears({ type: 'Q' })).toEqual([]);
    });
  });
});

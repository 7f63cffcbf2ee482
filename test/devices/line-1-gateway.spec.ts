import { describe, expect, it } from '@jest/globals';
import {
  asciiBytes,
  encodeLine1,
  line1Gateway,
  parseLine,
  remember,
  rememberKept,
  type Line1,
  type Line1GatewayTurn,
  type Line1Memory,
  type Observation,
  type ReportedEvent,
} from '#devices';
import { around } from './bytes.js';

const DRAWN: ReportedEvent = { type: 'card-drawn', data: { card: '9S', to: 'player' } };
const OTHER: ReportedEvent = { type: 'card-drawn', data: { card: '8S', to: 'player' } };
const ONLINE: ReportedEvent = { type: 'device-online', data: { firmware: '2' } };

const hello = (boot: number, last = 0, oldest = 0, unit = 'U'): Line1 => ({
  type: 'H',
  unit,
  firmware: '1',
  boot,
  ms: 0,
  last,
  oldest,
});
const event = (seq: number, reported: ReportedEvent = DRAWN, boot = 17): Line1 => ({
  type: 'E',
  boot,
  seq,
  ms: 100 * seq,
  event: reported,
});
const idle = (last: number, boot = 17): Line1 => ({ type: 'I', boot, ms: 0, last });

/** What is remembered of a unit, without what only its H says. */
const withoutFirmware = ({ firmware: _, ...unit }: Line1Memory[number]): object => unit;

/** A gateway on a line, with a clock that the test moves. */
class Gateway {
  readonly protocol;
  up = 100;
  state;
  observations: Observation[] = [];

  constructor({ listenOnly = false, memory = [] as Line1Memory } = {}) {
    let fresh = 0;
    const freshDigits = () => `0000000${(fresh += 1)}`;
    this.protocol = line1Gateway({ listenOnly, freshDigits });
    this.state = this.protocol.start(memory);
  }

  /** Opens the line. Returns the bodies that the gateway writes. */
  open(): readonly string[] {
    return this.took(this.protocol.opened(this.state, this.up));
  }

  /** Takes lines, then returns the bodies that the gateway writes. */
  hears(...lines: readonly (Line1 | string)[]): readonly string[] {
    const texts = lines.map((line) => (typeof line === 'string' ? line : encodeLine1(line)));
    return this.took(this.protocol.feed(this.state, asciiBytes(texts.join('')), this.up));
  }

  /** Lets seconds pass in quarters. Returns the bodies that the gateway writes. */
  waits(seconds: number): readonly string[] {
    const written: string[] = [];
    for (const end = this.up + seconds; this.up < end;) {
      this.up += 0.25;
      written.push(...this.hears());
    }
    return written;
  }

  stores(session: string, number: number): readonly string[] {
    return this.took(this.protocol.stored(this.state, { session, number }, this.up));
  }

  busy(reason: string | null): readonly string[] {
    return this.took(this.protocol.busy(this.state, reason, this.up));
  }

  private took({ state, observations, write }: Line1GatewayTurn): readonly string[] {
    this.state = state;
    this.observations.push(...observations);
    return write.map((line) => {
      const parsed = parseLine(line.trimEnd());
      return parsed.is === 'line' ? parsed.body : parsed.is;
    });
  }

  /** Returns session and number of each event, in order. */
  taken(): readonly string[] {
    return this.observations
      .filter(({ kind }) => kind === 'report')
      .map(({ session, deviceNumber }) => `${session}/${deviceNumber}`);
  }

  kinds(): readonly string[] {
    return this.observations.map(({ kind }) => kind);
  }
}

/** Returns a gateway that has heard H of boot 17 and the events 1 to `last`, all on its disk. */
function after(last: number): Gateway {
  const gateway = new Gateway();
  gateway.open();
  gateway.hears(hello(17));
  for (let seq = 1; seq <= last; seq += 1) gateway.hears(event(seq));
  if (last > 0) gateway.stores('U.17', last);
  return gateway;
}

/** A line of which one byte is another. */
const damaged = (line: Line1): string => encodeLine1(line).replace('*', '+');
const malformed = (seq: number): string => `${around(`E,17,${seq},5,CD,1S,P`)}\n`;

describe('the gateway', () => {
  it('asks who is there on opening and each second, until H', () => {
    const gateway = new Gateway();
    expect(gateway.open()).toEqual(['Q']);
    expect(gateway.waits(3)).toEqual(['Q', 'Q', 'Q']);
    expect(gateway.hears(hello(17))).toEqual(['A,17,0']);
    expect(gateway.waits(3)).toEqual([]);
  });

  it('takes events in order, and acknowledges only what is on its disk', () => {
    const gateway = after(0);
    expect(gateway.hears(event(1), event(2))).toEqual([]);
    expect(gateway.stores('U.17', 1)).toEqual(['A,17,1']);
    expect(gateway.stores('U.17', 2)).toEqual(['A,17,2']);
    expect(gateway.taken()).toEqual(['U.17/1', 'U.17/2']);
  });

  it('names the unit in device-online, and does not know what was missed unless it is said', () => {
    const gateway = after(0);
    const known: ReportedEvent = { type: 'device-online', data: { firmware: '2', missed: 0 } };
    gateway.hears(event(1, ONLINE), event(2, known));
    expect(gateway.observations.slice(1).map(({ fields }) => fields)).toEqual([
      { events: [{ type: 'device-online', data: { firmware: '2', missed: null, unit: 'U' } }] },
      { events: [{ type: 'device-online', data: { firmware: '2', missed: 0, unit: 'U' } }] },
    ]);
  });

  it('takes nothing of a boot that the last H did not name, and asks', () => {
    const gateway = after(2);
    gateway.up += 5;
    expect(gateway.hears(event(3, DRAWN, 18))).toEqual(['Q']);
    expect(gateway.hears(idle(3, 18))).toEqual([]);
    expect(gateway.taken()).toHaveLength(2);
    expect(gateway.hears(hello(18))).toEqual(['A,18,0']);
    gateway.hears(event(1, DRAWN, 18));
    expect(gateway.taken().at(-1)).toBe('U.18/1');
  });

  it('asks for the number due where a later one comes, at most once in a quarter of a second', () => {
    const gateway = after(4);
    expect(gateway.hears(event(6), event(7))).toEqual(['N,17,5,GAP']);
    gateway.up += 0.2;
    expect(gateway.hears(idle(7), damaged(event(8)))).toEqual([]);
    gateway.up += 0.1;
    expect(gateway.hears(idle(7))).toEqual(['N,17,5,GAP']);
    gateway.hears(event(5), event(6));
    expect(gateway.taken().slice(4)).toEqual(['U.17/5', 'U.17/6']);
  });

  it('asks for the number due after a damaged line, and keeps its bytes', () => {
    const gateway = after(4);
    const text = damaged(event(5));
    expect(gateway.hears(text)).toEqual(['N,17,5,CRC']);
    expect(gateway.observations.at(-1)).toMatchObject({
      kind: 'damaged',
      raw: Buffer.from(text.trimEnd()).toString('hex'),
      integrity: 'damaged',
    });
  });

  it('ignores bytes outside lines', () => {
    const gateway = after(0);
    expect(gateway.hears('boot ok\r\n*CE6E8EEF\n\u0000\u00ff', event(1))).toEqual([]);
    expect(gateway.kinds()).toEqual(['session', 'report']);
  });

  it('takes a line that begins inside another one', () => {
    const gateway = after(0);
    expect(gateway.hears('$E,17,1,2', event(1))).toEqual(['N,17,1,CRC']);
    expect(gateway.taken()).toEqual(['U.17/1']);
  });

  it('refuses a line of 161 bytes by name, and takes one of 160', () => {
    const text = (length: number): Line1 =>
      event(1, { type: 'device-error', data: { code: 'x'.repeat(length) } });
    const room = 160 - encodeLine1(text(1)).length;
    const fits = encodeLine1(text(room + 1));
    expect(fits).toHaveLength(160);
    const gateway = after(0);
    gateway.hears(`${fits.slice(0, -1)}x\n`);
    expect(gateway.observations.at(-1)?.fields).toEqual({
      reason: 'line: has no end within 160 bytes',
    });
    gateway.hears(fits);
    expect(gateway.taken()).toEqual(['U.17/1']);
  });

  it.each(['\n', '\r\n'])('takes a line that ends with %j', (end) => {
    const gateway = after(0);
    gateway.hears(encodeLine1(event(1)).replace('\n', end));
    expect(gateway.taken()).toEqual(['U.17/1']);
  });

  it('acknowledges a repeat again, once it is on its disk', () => {
    const gateway = after(1);
    expect(gateway.hears(event(1))).toEqual(['A,17,1']);
    gateway.hears(event(2));
    expect(gateway.hears(event(2))).toEqual([]);
    expect(gateway.kinds().slice(-2)).toEqual(['report', 'repeat']);
  });

  it('takes other bytes under a known number too, each once', () => {
    const gateway = after(3);
    gateway.hears(event(2, OTHER), event(2, OTHER), event(2));
    expect(gateway.kinds().slice(-3)).toEqual(['report', 'repeat', 'repeat']);
    expect(gateway.taken().at(-1)).toBe('U.17/2');
    expect(gateway.stores('U.17', 2)).toEqual(['A,17,3']);
  });

  it('remembers at most four bodies of a number', () => {
    const gateway = after(1);
    const texts = ['1', '2', '3', '4', '5'];
    for (const text of texts)
      gateway.hears(event(1, { type: 'device-error', data: { code: text } }));
    expect(gateway.taken()).toHaveLength(4);
  });

  it('keeps nonsense with a good CRC, says so once, and makes its number a hole', () => {
    const gateway = after(1);
    expect(gateway.hears(malformed(2))).toEqual(['N,17,2,FORM']);
    expect(gateway.observations.at(-1)).toMatchObject({
      kind: 'refused',
      deviceNumber: 2,
      fields: {
        problem: 'card: "1S" is not a card (expected rank and suit, for example 9S, or ??)',
      },
    });
    expect(gateway.stores('U.17', 2)).toEqual(['A,17,2']);
    expect(gateway.hears(malformed(2))).toEqual(['A,17,2']);
    gateway.hears(event(3));
    expect(gateway.taken().at(-1)).toBe('U.17/3');
  });

  it('keeps nonsense without a number, and asks for nothing', () => {
    const gateway = after(1);
    expect(gateway.hears(`${around('E,0,2,5,CC')}\n`)).toEqual([]);
    expect(gateway.observations.at(-1)).toMatchObject({
      kind: 'refused',
      fields: { problem: 'boot: "0" must be a whole number from 1 to 4294967295' },
    });
  });

  describe('accepts a hole', () => {
    it('where the device no longer keeps the number', () => {
      const gateway = after(2);
      expect(gateway.hears(hello(17, 9, 6))).toEqual(['A,17,2']);
      expect(gateway.observations.at(-1)).toMatchObject({
        kind: 'lost',
        fields: { count: 3, because: 'number' },
        session: 'U.17',
      });
      gateway.hears(event(6));
      expect(gateway.taken().at(-1)).toBe('U.17/6');
    });

    it('where the device keeps nothing', () => {
      const gateway = after(2);
      gateway.hears(hello(17, 9, 0));
      gateway.hears(event(10));
      expect(gateway.taken().at(-1)).toBe('U.17/10');
    });

    it('accepts a hole after 30 s of N, and never sooner', () => {
      const gateway = after(4);
      for (let second = 0; second < 30; second += 1) {
        gateway.hears(event(7));
        gateway.up += 1;
      }
      expect(gateway.kinds()).not.toContain('lost');
      gateway.hears(event(7));
      expect(gateway.observations.at(-2)).toMatchObject({ kind: 'lost', fields: { count: 2 } });
      expect(gateway.taken().at(-1)).toBe('U.17/7');
    });

    it('accepts no hole where an H came in between', () => {
      const gateway = after(4);
      for (let second = 0; second < 50; second += 1) {
        gateway.hears(event(7));
        if (second === 25) gateway.hears(hello(17, 7, 5));
        gateway.up += 1;
      }
      expect(gateway.kinds()).not.toContain('lost');
    });

    it('accepts no hole where the device was silent in between', () => {
      const gateway = after(4);
      gateway.hears(event(7));
      gateway.up += 40;
      gateway.hears(event(7));
      expect(gateway.kinds()).not.toContain('lost');
    });

    it('takes an event that comes after its hole was accepted', () => {
      const gateway = after(2);
      gateway.hears(hello(17, 9, 6), event(6), event(4));
      expect(gateway.taken().slice(-2)).toEqual(['U.17/6', 'U.17/4']);
    });
  });

  describe('while busy', () => {
    it.each([
      [
        'a long path',
        `the disk refuses: ENOENT: no such file or directory, open '/${'f'.repeat(71)}/000000000001.spool'`,
        `B,4294967295,the disk refuses: ENOENT: no such file or directory%2C open '/${'f'.repeat(71)}/00`,
      ],
      ['escapes', '€'.repeat(100), `B,4294967295,${'%E2%82%AC'.repeat(15)}`],
      ['controls', 'a\u0000b\n', 'B,4294967295,a b '],
      ['no reason', '', 'B,4294967295,busy'],
    ])('says as much of the reason as a line has room for: %s', (_, reason, body) => {
      const gateway = new Gateway();
      gateway.open();
      gateway.hears(hello(4_294_967_295));
      expect(gateway.busy(reason)).toEqual([body]);
    });

    it('says B to each event and every 3 s, takes nothing, and ends with A', () => {
      const gateway = after(2);
      expect(gateway.busy('spool')).toEqual(['B,17,spool']);
      expect(gateway.hears(event(3))).toEqual(['B,17,spool']);
      expect(gateway.waits(6.5)).toEqual(['B,17,spool', 'B,17,spool']);
      expect(gateway.taken()).toHaveLength(2);
      expect(gateway.busy(null)).toEqual(['A,17,2']);
      gateway.hears(event(3));
      expect(gateway.taken()).toHaveLength(3);
    });

    it('answers H with B, and a sync with nothing', () => {
      const gateway = after(2);
      gateway.busy('spool');
      expect(gateway.hears(hello(17, 2, 0))).toEqual(['B,17,spool']);
      expect(gateway.stores('U.17', 2)).toEqual([]);
    });
  });

  describe('names a session', () => {
    const sessions = (gateway: Gateway) =>
      gateway.observations.flatMap((each) =>
        each.kind === 'session' ? [[each.session, each.fields.reused]] : [],
      );

    it('names a session by unit and boot: two units never share one', () => {
      const gateway = after(1);
      gateway.hears(hello(17, 0, 0, 'V'), event(1));
      expect(gateway.taken()).toEqual(['U.17/1', 'V.17/1']);
    });

    it('the same while the boot goes on', () => {
      const gateway = after(3);
      expect(gateway.hears(hello(17, 5, 4))).toEqual(['A,17,3']);
      expect(sessions(gateway)).toEqual([['U.17', false]]);
    });

    it.each([
      ['a lower boot', hello(16)],
      ['a last number below what is held', hello(17, 2)],
    ])('with random digits after %s', (_, line) => {
      const gateway = after(3);
      const boot = line.type === 'H' ? line.boot : 0;
      expect(gateway.hears(line)).toEqual([`A,${boot},0`]);
      expect(sessions(gateway).at(-1)).toEqual([`U.${boot}~00000001`, true]);
      gateway.hears(event(1, OTHER, boot));
      expect(gateway.taken().at(-1)).toBe(`U.${boot}~00000001/1`);
    });

    it('names a session with random digits for every boot up to the highest that was ever named', () => {
      const gateway = after(1);
      gateway.hears(hello(3), hello(4), hello(17), hello(18));
      expect(sessions(gateway).slice(1)).toEqual([
        ['U.3~00000001', true],
        ['U.4~00000002', true],
        ['U.17~00000003', true],
        ['U.18', false],
      ]);
    });

    it('names a session with random digits after another ON under number 1', () => {
      const gateway = after(0);
      gateway.hears(event(1, ONLINE));
      gateway.stores('U.17', 1);
      const again: ReportedEvent = { type: 'device-online', data: { firmware: '3' } };
      expect(gateway.hears(event(1, again))).toEqual([]);
      expect(gateway.taken()).toEqual(['U.17/1', 'U.17~00000001/1']);
      expect(gateway.stores('U.17~00000001', 1)).toEqual(['A,17,1']);
    });

    it('the same after a restart that remembers what is on its disk', () => {
      const before = after(2);
      const durable = [...before.observations];
      before.hears(event(3));
      const memory = durable.reduce<Line1Memory>(remember, []);
      const gateway = new Gateway({ memory });
      gateway.open();
      expect(gateway.hears(hello(17, 3, 3))).toEqual(['A,17,2']);
      gateway.hears(event(2), event(3));
      expect(gateway.kinds()).toEqual(['session', 'repeat', 'report']);
      expect(gateway.taken()).toEqual(['U.17/3']);
    });

    it('the same after a restart that kept the lines and not what was observed', () => {
      const before = after(2);
      before.hears(hello(18, 0, 0), event(1, ONLINE, 18), `${around('E,18,2,9,XX')}\n`);
      const again: ReportedEvent = { type: 'device-online', data: { firmware: '3' } };
      before.hears(hello(17, 0, 0), event(1, again));
      const kept = before.observations.flatMap(({ kind, raw, session = null }) =>
        kind === 'report' || kind === 'refused'
          ? [{ raw, session: kind === 'report' ? session : null }]
          : [],
      );
      const memory = kept.reduce<Line1Memory>(rememberKept, []);
      const observed = before.observations.reduce<Line1Memory>(remember, []);
      expect(kept).toHaveLength(5);
      expect(memory.map(withoutFirmware)).toEqual(observed.map(withoutFirmware));
    });

    it('the same after its disk was lost, and asks for nothing that the device forgot', () => {
      const gateway = new Gateway();
      gateway.open();
      gateway.hears(hello(17, 100, 0));
      expect(gateway.hears(event(101))).toEqual([]);
      expect(gateway.taken()).toEqual(['U.17/101']);
    });
  });

  it('acknowledges nothing of a unit that came back before its events were on the disk', () => {
    const gateway = after(1);
    gateway.hears(event(2), hello(1, 0, 0, 'V'));
    expect(gateway.hears(hello(17, 2, 2))).toEqual(['A,17,1']);
    expect(gateway.stores('U.17', 2)).toEqual(['A,17,2']);
  });

  describe('on a line that is opened again', () => {
    it('asks, forgets the open line, and goes on where it was', () => {
      const gateway = after(2);
      gateway.hears('$E,17,3,');
      expect(gateway.open()).toEqual(['Q']);
      expect(gateway.hears(event(3))).toEqual([]);
      expect(gateway.hears(hello(17, 3, 3))).toEqual(['A,17,2']);
      gateway.hears(event(3));
      expect(gateway.taken().at(-1)).toBe('U.17/3');
    });
  });

  describe('sets the time of an event', () => {
    const times = (gateway: Gateway) =>
      gateway.observations.filter(({ kind }) => kind === 'report').map(({ up }) => up);
    const at = (ms: number, seq: number): Line1 => ({ ...event(seq), ms }) as Line1;

    it('sets the time of an event by the least delay of this boot in the last minute, H and I included', () => {
      const gateway = after(0); // H with ms 0 came at 100 s
      gateway.up = 103;
      gateway.hears(at(1000, 1)); // made at 101 s, and 2 s late
      gateway.up = 104;
      gateway.hears({ type: 'I', boot: 17, ms: 4500, last: 1 }); // 0.5 s faster than H
      gateway.hears(at(4000, 2));
      expect(times(gateway)).toEqual([101, 103.5]);
    });

    it('sets the time of an event without what is older than a minute, so that no drift adds up', () => {
      const gateway = after(0);
      gateway.up = 170;
      gateway.hears(at(69_000, 1)); // the device's clock lost a second
      expect(times(gateway)).toEqual([170]);
    });

    it.each([1.01, 0.99])('within 1 s over ten hours of a crystal that runs at %s', (rate) => {
      const gateway = after(0);
      const began = gateway.up;
      const sent: number[] = [];
      for (let second = 5, seq = 0; second <= 36_000; second += 5) {
        const late = (second * 7) % 4 === 0 ? 0 : 0.7; // most lines wait in an adapter
        const ms = Math.floor(1_000 * rate * second);
        gateway.up = began + second + late;
        const isEvent = second % 60 === 0;
        if (isEvent) sent.push(began + second);
        if (isEvent) seq += 1;
        gateway.hears(isEvent ? at(ms, seq) : { type: 'I', boot: 17, ms, last: seq });
      }
      const found = times(gateway);
      expect(found).toHaveLength(sent.length);
      const wrong = found.map((time, i) => Math.abs(time - (sent[i] as number)));
      expect(Math.max(...wrong)).toBeLessThan(1);
    });

    it('sets the time of an event by arrival where ms goes back, and by the new count from then on', () => {
      const gateway = after(0);
      gateway.up = 101;
      gateway.hears(at(4_294_967_000, 1));
      gateway.up = 102;
      gateway.hears(at(100, 2));
      gateway.up = 104;
      gateway.hears(at(1100, 3));
      expect(times(gateway).slice(1)).toEqual([102, 103]);
    });

    it('never after its arrival', () => {
      const gateway = after(0);
      gateway.up = 101;
      gateway.hears(at(5_000_000, 1));
      expect(times(gateway)).toEqual([101]);
    });
  });

  describe('of a device that cannot hear', () => {
    const deaf = (): Gateway => {
      const gateway = new Gateway({ listenOnly: true });
      expect(gateway.open()).toEqual([]);
      return gateway;
    };

    it('writes nothing, and takes each of three copies once', () => {
      const gateway = deaf();
      const lines = [hello(17), hello(17), event(1), event(1), event(1), event(2), event(2)];
      expect(gateway.hears(...lines)).toEqual([]);
      expect(gateway.waits(5)).toEqual([]);
      expect(gateway.taken()).toEqual(['U.17/1', 'U.17/2']);
    });

    it('accepts holes at once', () => {
      const gateway = deaf();
      gateway.hears(hello(17), event(1), event(4), idle(6));
      expect(gateway.taken()).toEqual(['U.17/1', 'U.17/4']);
      const lost = gateway.observations.filter(({ kind }) => kind === 'lost');
      expect(lost.map(({ fields }) => fields)).toMatchObject([{ count: 2 }, { count: 2 }]);
    });

    it('takes events before H under the last known unit', () => {
      const before = deaf();
      before.hears(hello(17), event(1));
      const memory = before.observations.reduce<Line1Memory>(remember, []);
      const gateway = new Gateway({ listenOnly: true, memory });
      gateway.open();
      gateway.hears(event(2), event(1, ONLINE, 18));
      expect(gateway.taken()).toEqual(['U.17/2', 'U.18/1']);
    });

    it('takes no event of a unit that it never heard of', () => {
      const gateway = deaf();
      gateway.hears(event(1));
      expect(gateway.taken()).toEqual([]);
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  EMULATED_SEQUENCE,
  EMULATOR_FAULTS,
  emulatedDevice,
  expectedOf,
  readFaults,
  type EmulatedProtocol,
  type ExpectedEvent,
  type Observation,
  type Schedule,
  type WireFault,
} from '#devices';
import { differences } from '../kit/expected-delivery.js';
import { around } from './bytes.js';
import {
  NAMES,
  playAngelEye,
  playLine1,
  recordOf,
  scheduled,
  simulatedRecord,
} from './emulated.js';

const record = simulatedRecord('7');
const play = (protocol: EmulatedProtocol, schedule: Schedule) =>
  protocol === 'line-1' ? playLine1(schedule) : playAngelEye(schedule);
const kinds = (observations: readonly Observation[]): readonly string[] =>
  observations.map(({ kind }) => kind);
const countOf = (observations: readonly Observation[], kind: string): number =>
  kinds(observations).filter((each) => each === kind).length;

/** A log of one table that begins with its shoe: short ways to write its events. */
const event = (type: string, data: object, more: object = {}): string => {
  const shoe = type.startsWith('device-') ? {} : { shoe: 'B07-1' };
  numbers += 1;
  return JSON.stringify({
    ...{ specversion: '1.0', type: `shoeprint.${type}.v1`, source: 'device/B07-x' },
    ...{ id: `${numbers}`, time: '2026-11-20T12:00:00Z', table: 'B07', ...shoe },
    ...{ session: '1', sequence: numbers, data, ...more },
  });
};
let numbers = 0;
const card = (face: string | null, to: string | null): string =>
  event('card-drawn', { card: face, to });
const types = (schedule: Schedule): readonly string[] =>
  schedule.steps.map(({ step }) => (step.is === 'report' ? step.event.type : step.is));

describe('an emulated device', () => {
  it.each(['angel-eye-ii-ex', 'line-1'] as const)(
    'of %s sends a seeded shoe, of which exactly the expected events come',
    (protocol) => {
      const schedule = scheduled(protocol, record);
      const { delivered } = play(protocol, schedule);
      const expected = expectedOf(protocol, schedule, NAMES);
      expect(differences(expected, delivered)).toEqual([]);
      expect(delivered.length).toBe(expected.length);
      expect(delivered.length).toBeGreaterThan(400);
    },
  );

  it('plays several shoes over line protocol 1', () => {
    const schedule = scheduled('line-1', simulatedRecord('2', 2));
    const expected = expectedOf('line-1', schedule, NAMES);
    expect(differences(expected, playLine1(schedule).delivered)).toEqual([]);
    expect(new Set(expected.map(({ shoe }) => shoe)).size).toBe(3);
  });

  it('numbers a moved card as its gateway names it, and again after it had no power', () => {
    const [first, second] = [card('9S', 'player'), card('4H', 'player')];
    const moved = (line: string) =>
      event('card-moved', {
        event: `device/B07-x#${(JSON.parse(line) as { id: string }).id}`,
        to: 'discard',
      });
    const schedule = scheduled('line-1', recordOf([first, second, moved(second), moved(first)]));
    const { delivered } = playLine1(schedule);
    expect(delivered.slice(3).map(({ data }) => data)).toEqual([
      { event: 'device/B07-shoe#B07-shoe/U.17/3', to: 'discard' },
      { event: 'device/B07-shoe#B07-shoe/U.17/2', to: 'discard' },
    ]);
    expect(differences(expectedOf('line-1', schedule, NAMES), delivered)).toEqual([]);
  });

  it('leaves out what the protocol cannot say, and counts it', () => {
    const lines = [
      event('shoe-opened', {
        ...{ rules: 'punto-banco@1', decks: 8, kind: 'physical', currency: 'USD', reports: [] },
      }),
      event('dealer-signed-on', { dealer: 'd', role: 'dealer' }, { shoe: undefined }),
      card('9S', null),
      card('9S', 'player'),
      event('outcome-declared', { outcome: 'tie', by: 'dealer' }),
      event('outcome-declared', { outcome: 'tie', by: 'device' }),
      event('coup-voided', { reason: 'x'.repeat(140) }),
      event('card-moved', { event: 'device/B07-x#unknown', to: 'discard' }),
      event('shoe-closed', {}),
    ];
    const line = scheduled('line-1', recordOf(lines));
    expect(types(line)).toEqual(['shoe-opened', 'card-drawn', 'card-drawn', 'outcome-declared']);
    expect([...line.leftOut]).toEqual([
      ['dealer-signed-on', 1],
      ['outcome-declared by the dealer', 1],
      ['coup-voided', 1],
      ['shoe-closed', 1],
      ['card-moved', 1],
    ]);
    const frames = scheduled('angel-eye-ii-ex', recordOf(lines));
    expect(types(frames)).toEqual(['card-drawn', 'outcome-declared']);
    expect(frames.leftOut.get('card-drawn')).toBe(1);
  });

  it('takes the results of the dealer where no device declares one', () => {
    const lines = [
      card('9S', 'player'),
      event('outcome-declared', { outcome: 'tie', by: 'dealer' }),
    ];
    const { delivered } = playAngelEye(scheduled('angel-eye-ii-ex', recordOf(lines)));
    expect(delivered.at(-1)).toEqual({
      type: 'outcome-declared',
      data: { outcome: 'tie', by: 'device' },
    });
  });

  it('keeps to the times of the record, and never goes back', () => {
    const at = (time: string) =>
      event('card-drawn', { card: '9S', to: 'player' }, { time: `2026-11-20T12:00:${time}Z` });
    const { steps } = scheduled('line-1', recordOf([at('10'), at('12.5'), at('11'), at('14')]));
    expect(steps.map((step) => step.at)).toEqual([0, 2.5, 2.5, 5.5]);
  });

  it('does not see a card that is drawn while it has no power, and does not claim otherwise', () => {
    const device = emulatedDevice('line-1', { ...NAMES, seed: '1', repeats: false });
    const text = (sent: ReturnType<typeof device.feed>) =>
      Buffer.concat(sent.map(({ bytes }) => bytes)).toString();
    expect(text(device.start(0))).toContain('E,17,1,0,ON,1.2,0*');
    device.take({ is: 'power', on: false }, 1);
    const drawn = { type: 'card-drawn', data: { card: '9S', to: 'player' } } as const;
    expect(device.take({ is: 'report', event: drawn }, 2)).toEqual([]);
    expect(text(device.take({ is: 'power', on: true }, 3))).toContain('$H,1,U,1.2,17,');
    expect(text(device.feed(Buffer.from('$A,17,1*'), 3))).toBe('');
    expect(device.waiting()).toBe(2);
  });

  it('refuses a record without a card that it can report', () => {
    expect(() => scheduled('line-1', recordOf([event('cut-card-drawn', {})]))).toThrow(
      'events: the record has no card that the device can report',
    );
    expect(() => scheduled('angel-eye-ii-ex', recordOf([card('9S', null)]))).toThrow('has no card');
  });
});

/** What each fault leaves on the line, beside what is expected of a gateway. */
const SIGNS: Readonly<Record<string, (observations: readonly Observation[]) => void>> = {
  'angel-eye-ii-ex misread': (seen) => expect(unread(seen)).toBe(2),
  'line-1 misread': (seen) => expect(unread(seen)).toBe(2),
  'angel-eye-ii-ex double': (seen) => expect(countOf(seen, 'repeat')).toBe(2),
  'line-1 double': (seen) => expect(countOf(seen, 'repeat')).toBe(2),
  'angel-eye-ii-ex lost': (seen) => expect(countOf(seen, 'lost')).toBe(2),
  'line-1 lost': (seen) => expect(countOf(seen, 'lost')).toBe(0),
  'angel-eye-ii-ex swap': (seen) => expect(countOf(seen, 'lost')).toBe(0),
  'line-1 swap': (seen) => expect(countOf(seen, 'read-past')).toBeGreaterThan(1),
  'angel-eye-ii-ex reboot': (seen) => expect(countOf(seen, 'started')).toBe(2),
  'line-1 reboot': (seen) => expect(countOf(seen, 'session')).toBe(3),
  'line-1 clock': (seen) => expect(seen.length).toBeGreaterThan(400),
  'line-1 cut': (seen) => expect(countOf(seen, 'lost')).toBe(0),
  'angel-eye-ii-ex repeat': (seen) => expect(countOf(seen, 'repeat')).toBeGreaterThan(800),
  'line-1 repeat': (seen) => expect(countOf(seen, 'repeat')).toBeGreaterThan(800),
  'angel-eye-ii-ex rubbish': (seen) => expect(countOf(seen, 'damaged')).toBeGreaterThan(1),
  'line-1 rubbish': (seen) => expect(countOf(seen, 'lost')).toBe(0),
  'angel-eye-ii-ex slow': (seen) => expect(countOf(seen, 'damaged')).toBe(0),
  'line-1 slow': (seen) => expect(countOf(seen, 'damaged')).toBe(0),
};

const unread = (observations: readonly Observation[]): number =>
  observations.filter(
    ({ kind, fields }) =>
      kind === 'report' &&
      fields.events.some(({ type, data }) => type === 'card-drawn' && data.card === null),
  ).length;

const NINE = { type: 'card-drawn', data: { card: '9S', to: 'player' } } as const;
const line = (body: string): Uint8Array => Uint8Array.from(Buffer.from(`${around(body)}\n`));
const isCard = ({ type }: ExpectedEvent): boolean => type === 'card-drawn';

describe('a fault', () => {
  it.each(Object.keys(SIGNS))('%s leaves its signs, and all that is expected comes', (name) => {
    const [protocol, fault] = name.split(' ') as [EmulatedProtocol, string];
    const schedule = scheduled(protocol, record, fault === 'repeat' ? fault : `${fault}=2`);
    const { delivered, observations } = play(protocol, schedule);
    expect(differences(expectedOf(protocol, schedule, NAMES), delivered)).toEqual([]);
    SIGNS[name]?.(observations);
    const onWire = schedule.steps.filter(({ step }) => step.is === 'report' && step.wire === fault);
    const isOnWire = ['double', 'lost', 'swap', 'rubbish', 'slow'].includes(fault);
    expect(onWire.length).toBe(isOnWire ? 2 : 0);
  });

  it.each(['angel-eye-ii-ex', 'line-1'] as const)(
    'of a message of %s changes how its bytes leave the device',
    (protocol) => {
      const sent = (wire: WireFault | undefined, after = false) => {
        const device = emulatedDevice(protocol, { ...NAMES, seed: '1', repeats: false });
        device.start(0);
        device.feed(line('A,17,1'), 0);
        const first = device.take({ is: 'report', event: NINE, ...(wire ? { wire } : {}) }, 1);
        return after ? device.take({ is: 'report', event: NINE }, 1) : first;
      };
      const [whole] = sent(undefined);
      const bytes = whole?.bytes ?? new Uint8Array();
      expect(sent(undefined)).toEqual([{ bytes, pause: 0 }]);
      expect(sent('lost')).toEqual([]);
      expect(sent('double')).toEqual([whole, whole]);
      expect(sent('swap')).toEqual([]);
      expect(sent('swap', true).map((each) => each.bytes)).toEqual([expect.anything(), bytes]);
      expect(sent('slow')).toEqual(
        [...bytes].map((byte) => ({ bytes: Uint8Array.of(byte), pause: 0.1 })),
      );
      const [rubbish, ...others] = sent('rubbish');
      expect(others).toEqual([whole]);
      expect(rubbish?.bytes.length).toBeGreaterThan(0);
      expect(rubbish?.bytes.length).toBeLessThanOrEqual(40);
    },
  );

  it('lost of angel-eye-ii-ex takes a card that a later one of its hand shows to be missing', () => {
    const schedule = scheduled('angel-eye-ii-ex', record, 'lost=3');
    const expected = expectedOf('angel-eye-ii-ex', schedule, NAMES);
    const places = expected.flatMap(({ data }, at) => (data.code === 'frame-lost' ? [at] : []));
    expect(places.length).toBe(3);
    const lost = schedule.steps.flatMap(({ step }) =>
      step.is === 'report' && step.wire === 'lost' ? [step.event.data] : [],
    );
    expect(places.map((at) => expected.slice(at).find(isCard)?.data.to)).toEqual(
      lost.map((data) => 'to' in data && data.to),
    );
  });

  it('cut of angel-eye-ii-ex loses frames, and what a gateway makes of it is not said', () => {
    const schedule = scheduled('angel-eye-ii-ex', record, 'cut=5');
    const whole = playAngelEye(scheduled('angel-eye-ii-ex', record));
    expect(playAngelEye(schedule).bytes).toBeLessThan(whole.bytes - 5);
    expect(() => expectedOf('angel-eye-ii-ex', schedule, NAMES)).toThrow(
      'expect: with the fault cut it is not known beforehand what arrives over angel-eye-ii-ex',
    );
  });

  it('clock lets the milliseconds jump before the wrap of 32 bits, and wrap', () => {
    const { steps } = scheduled('line-1', record, 'clock');
    expect(steps.flatMap(({ step }) => (step.is === 'clock' ? [step.ms] : []))).toEqual([
      4_294_967_295, 0,
    ]);
  });

  it('has a name that is known, and a count that makes sense', () => {
    expect(readFaults([...EMULATOR_FAULTS]).map(({ count }) => count)).toEqual(
      EMULATOR_FAULTS.map(() => 1),
    );
    expect(readFaults(['lost=3', 'swap'])).toEqual([
      { fault: 'lost', count: 3 },
      { fault: 'swap', count: 1 },
    ]);
    expect(() => readFaults(['burn'])).toThrow('faults: "burn" must be one of misread, double');
    expect(() => readFaults(['lost', 'lost=2'])).toThrow('faults: lost is named twice');
    for (const count of ['0', '', '101', '1.5', '2=3'])
      expect(() => readFaults([`lost=${count}`])).toThrow(
        'faults: the count of lost must be a whole number from 1 to 100',
      );
    expect(() => readFaults(['repeat=2'])).toThrow('faults: repeat takes no count');
  });

  it('is refused where it has no place', () => {
    expect(() => scheduled('angel-eye-ii-ex', record, 'clock')).toThrow(
      'faults: angel-eye-ii-ex has no clock',
    );
    const one = recordOf([card('9S', 'player')]);
    expect(() => scheduled('angel-eye-ii-ex', one, 'lost')).toThrow(
      'faults: lost has no place left in shoe B07-1',
    );
    expect(() => scheduled('line-1', one, 'double=2')).toThrow('faults: double has no place left');
  });

  it('happens as often in each shoe as was asked', () => {
    const { steps } = scheduled('line-1', simulatedRecord('2', 2), 'lost=3');
    expect(steps.filter(({ step }) => step.is === 'report' && step.wire === 'lost').length).toBe(6);
  });
});

describe('--expect', () => {
  it('refuses several shoes of a device that does not say where one ends', () => {
    const schedule = scheduled('angel-eye-ii-ex', simulatedRecord('2', 2));
    expect(() => expectedOf('angel-eye-ii-ex', schedule, NAMES)).toThrow(
      'angel-eye-ii-ex does not say where a shoe ends, so the record must have one shoe',
    );
  });
});

const SAID = EMULATOR_FAULTS.filter((fault) => fault !== 'cut' && fault !== 'clock');
const anyFaults = fc.subarray([...SAID]);

describe('any faults together', () => {
  it.each(['unknown', EMULATED_SEQUENCE])(
    'leave all that is expected of angel-eye-ii-ex, with the sequence %s',
    (sequence) => {
      fc.assert(
        fc.property(anyFaults, fc.integer({ min: 1, max: 500 }), (faults, seed) => {
          const schedule = scheduled('angel-eye-ii-ex', simulatedRecord(`${seed}`), ...faults);
          const { delivered } = playAngelEye(schedule, sequence);
          const expected = expectedOf('angel-eye-ii-ex', schedule, NAMES);
          expect(differences(expected, delivered)).toEqual([]);
        }),
        { numRuns: 15 },
      );
    },
  );

  it('leave everything of line protocol 1', () => {
    fc.assert(
      fc.property(fc.subarray([...EMULATOR_FAULTS]), fc.integer({ min: 1, max: 500 }), (all, n) => {
        const schedule = scheduled('line-1', simulatedRecord(`${n}`), ...all);
        const { delivered } = playLine1(schedule);
        expect(differences(expectedOf('line-1', schedule, NAMES), delivered)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it('make the same bytes for the same events, faults and seed', () => {
    const all = ['rubbish=5', 'swap', 'double'];
    const [one, other] = [0, 1].map(
      () => playAngelEye(scheduled('angel-eye-ii-ex', record, ...all)).observations,
    );
    expect(one).toEqual(other);
  });
});

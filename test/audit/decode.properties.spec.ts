import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  blockOf,
  canonicalLine,
  Decoder,
  EVENT_TYPES,
  heardOf,
  SHAPES,
  timeIn,
  timeOf,
  unstamped,
  type Decoded,
  type Field,
  type Line,
} from '#audit';
import { anyEvent, anyEventOf, NARROW, type World } from '../kit/any-event.js';
import type { Sent } from '../kit/audit.js';
import { HOUSE } from '../kit/house.js';
import { rounds, thinned } from '../kit/rounds.js';

const decoder = new Decoder(HOUSE);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const line = (event: Sent): string => canonicalLine(JSON.stringify(event));

/** Returns a line without its stamps. */
const contentOf = (text: string): string => unstamped(text)?.content ?? text;

/** Decodes the line as it occurs in a log: in the middle of a block, with others around it. */
function decodeAmongOthers(bytes: Uint8Array): Decoded {
  const { block, from, to } = amongOthers(bytes);
  return decoder.decode(block, from, to);
}

function amongOthers(bytes: Uint8Array): Line {
  const before = bytesOf('{"specversion":"1.0","type":"shoeprint.card-drawn.v1"}\n');
  const block = new Uint8Array([...before, ...bytes, ...bytesOf('\n{"specversion":"1.0"}\n')]);
  return {
    decoder,
    block: blockOf(block, Buffer.from(block).toString('latin1')),
    from: before.length,
    to: before.length + bytes.length,
  };
}

/** Returns whether a canonical line is ASCII without escapes, and no number is very long. */
const isPlain = (text: string): boolean => /^[ !#-[\]-~"]+$/.test(text) && !LONG_NUMBER.test(text);
const LONG_NUMBER = /\d{16}|\de[+-]\d/;

/** A house whose names are in plain ASCII, and whose numbers have at most 15 digits. */
const PLAIN: World = {
  ...NARROW,
  ordinals: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  amounts: fc.integer({ min: 0, max: 999_999_999_999_999 }),
  texts: fc.constantFrom('', 'misdeal', 'seen on video [2], at {3}'),
  times: fc.constantFrom('2026-11-20T12:00:00.000Z', '2026-11-21T23:59:59.999Z'),
};

/** Times in all forms that the contract allows, a leap second among them. */
const TIMES = fc.constantFrom(
  '2026-11-20T12:00:00Z',
  '2026-11-20t12:00:00.123z',
  '2026-11-20T12:00:00.1Z',
  '2026-11-20T12:00:00.123456Z',
  '2026-11-20T12:00:00.5+01:00',
  '2026-11-20T12:00:00-11:30',
  '2016-12-31T23:59:60.123Z',
  '0001-01-01T00:00:00.000Z',
);

/** Bytes that JSON has a meaning for, and some that it has none for. */
const TELLING = [...bytesOf('"\\{}[]:,0-9eASTn '), 0, 10, 31, 127, 128, 255];

/** Yields a line with another byte at each position, without it, and with one more before it. */
function* changedEverywhere(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1) {
    const telling = TELLING[at % TELLING.length] as number;
    const near = (bytes[at] as number) ^ (1 << (at % 8));
    for (const byte of [telling, near]) {
      if (byte === 0x0a) continue;
      const changed = bytes.slice();
      changed[at] = byte;
      yield changed;
    }
    yield Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]);
    if (telling !== 0x0a)
      yield Uint8Array.from([...bytes.subarray(0, at), telling, ...bytes.subarray(at)]);
  }
}

/** Returns an event with its attributes in canonical order. */
const inOrder = (event: Sent): Sent => JSON.parse(line(event)) as Sent;

/** Half of the lines are like those of live play, in plain ASCII. The other half are arbitrary. */
const stampedLine = fc
  .tuple(fc.oneof(anyEvent(), anyEvent(NARROW)), fc.boolean())
  .map(([event, stamped]) => {
    const canonical = line(event);
    return stamped
      ? `${canonical.slice(0, -1)},"receivedfrom":"gateway-7","receivedtime":"2026-11-20T12:00:00.500Z"}`
      : canonical;
  });

describe('the fast scanner and the explaining decoder', () => {
  for (const type of EVENT_TYPES) {
    it(`read the same ${type} event from its canonical line`, () => {
      fc.assert(
        fc.property(anyEventOf(type), (event) => {
          const bytes = bytesOf(line(event));
          const explained = decoder.explain(bytes);
          expect(explained.faults).toBeUndefined();
          expect(decodeAmongOthers(bytes)).toStrictEqual(explained);
        }),
        { numRuns: rounds(240) },
      );
    });
  }

  for (const type of EVENT_TYPES) {
    it(`read ${type} without the other if its line is plain`, () => {
      fc.assert(
        fc.property(anyEventOf(type, PLAIN).map(line).filter(isPlain), (text) => {
          decodeAmongOthers(bytesOf(text));
          expect(decoder.isScanned).toBe(true);
        }),
        { numRuns: rounds(120) },
      );
    });

    it(`agree on ${type} with any byte changed, removed or added at every position`, () => {
      for (const event of fc.sample(anyEventOf(type, PLAIN), { numRuns: rounds(4), seed: 16 }))
        for (const changed of thinned(changedEverywhere(bytesOf(line(event)))))
          expect(decodeAmongOthers(changed)).toStrictEqual(decoder.explain(changed));
    });
  }

  it('hear who sent an event and when, to the millisecond and in any form of time', () => {
    const times = fc.oneof(
      TIMES,
      fc
        .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString()),
    );
    const heard = fc
      .oneof(...[NARROW, PLAIN].map((world) => anyEvent({ ...world, times })))
      .map(line)
      .filter(isPlain);
    fc.assert(
      fc.property(heard, (text) => {
        const { event } = decoder.explain(bytesOf(text));
        if (!event) throw new Error('an event that was made cannot be read');
        expect(heardOf(amongOthers(bytesOf(text)))).toStrictEqual(heardOf(event));
        expect(timeIn(amongOthers(bytesOf(text)))).toBe(event.time);
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('read when the server received a line from its stamps, whatever lines came before', () => {
    const time = fc.oneof(
      TIMES,
      fc.constantFrom('2026-11-20T23:59:60.000Z', '2026-11-20t12:00:00.123z'),
      fc
        .date({ min: new Date('2026-11-19'), max: new Date('2026-11-22'), noInvalidDate: true })
        .map((date) => date.toISOString()),
    );
    const from = fc.constantFrom('key-1', 'key-2', 'k'.repeat(500));
    const stamped = fc
      .record({ text: anyEvent(PLAIN).map(line).filter(isPlain), time, from })
      .map(({ text, ...stamps }) => {
        const { from: receivedfrom, time: receivedtime } = stamps;
        const end = `,"receivedfrom":"${receivedfrom}","receivedtime":"${receivedtime}"}`;
        return { text: `${text.slice(0, -1)}${end}`, at: timeOf(receivedtime) };
      });
    fc.assert(
      fc.property(fc.array(stamped, { minLength: 1, maxLength: 12 }), (lines) => {
        for (const { text, at } of lines) {
          const { block, from: begin, to } = amongOthers(bytesOf(text));
          expect(decoder.scanned(block, begin, to)?.received()).toBe(at);
          const { block: bare, from: first, to: last } = amongOthers(bytesOf(contentOf(text)));
          expect(decoder.scanned(bare, first, last)?.received()).toBeNaN();
        }
      }),
      { numRuns: rounds(500) },
    );
  });

  it('read lines of many sources, shoes and tables by turns as each by itself', () => {
    const sent = fc.array(
      fc.tuple(fc.oneof(anyEvent(NARROW), anyEvent(PLAIN)), fc.nat(40), fc.constantFrom('1', '2')),
      { minLength: 20, maxLength: 60 },
    );
    fc.assert(
      fc.property(sent, (events) => {
        const fresh = new Decoder(HOUSE);
        for (const [event, table, shoe] of events) {
          const { shoe: named, ...rest } = event;
          const of = { ...rest, table: `T${table}`, ...(named ? { shoe } : undefined) };
          const bytes = bytesOf(line(inOrder(of)));
          const block = blockOf(bytes, Buffer.from(bytes).toString('latin1'));
          expect(fresh.decode(block, 0, bytes.length)).toStrictEqual(decoder.explain(bytes));
        }
      }),
      { numRuns: rounds(200) },
    );
  });

  it('agree on every line with one byte changed, removed or added', () => {
    const change = fc.tuple(
      fc.nat(),
      fc.oneof(
        fc.integer({ min: 0, max: 255 }),
        fc.constantFrom(...bytesOf('"\\{}[]:,0123456789ASTn')),
      ),
      fc.constantFrom('put', 'cut', 'set', 'set', 'flip'),
    );
    fc.assert(
      fc.property(
        stampedLine,
        fc.array(change, { minLength: 1, maxLength: 2 }),
        (text, changes) => {
          let bytes = [...bytesOf(text)];
          for (const [where, byte, how] of changes) {
            const at = where % bytes.length;
            if (how === 'flip') bytes[at] = (bytes[at] as number) ^ (1 << (byte % 8));
            else
              bytes = [
                ...bytes.slice(0, at),
                ...(how === 'cut' ? [] : [byte]),
                ...bytes.slice(how === 'put' ? at : at + 1),
              ];
          }
          const line_ = Uint8Array.from(bytes);
          if (bytes.length === 0 || bytes.includes(0x0a)) return;
          expect(decodeAmongOthers(line_)).toStrictEqual(decoder.explain(line_));
        },
      ),
      { numRuns: rounds(6000) },
    );
  });

  it('agree on every truncated line', () => {
    fc.assert(
      fc.property(stampedLine, fc.nat(), (text, where) => {
        const bytes = bytesOf(text);
        const cut = bytes.slice(0, where % bytes.length);
        expect(decodeAmongOthers(cut)).toStrictEqual(decoder.explain(cut));
        expect(decodeAmongOthers(cut).event).toBeUndefined();
      }),
      { numRuns: rounds(300) },
    );
  });

  it.each([
    ['a source of an unknown kind', '"source":"device/', '"source":"nowhere/'],
    ['a source without a name', '"source":"device/B07-shoe"', '"source":"device/"'],
    ['an empty session', '"session":"7"', '"session":""'],
    ['a sequence of 0', '"sequence":42', '"sequence":0'],
    ['an unknown hand', '"to":"player"', '"to":"dealer"'],
    ['a minute of 60', 'T12:00:00', 'T12:60:00'],
    ['an hour of 24', 'T12:00:00', 'T24:00:00'],
  ])('both refuse %s', (_, good, bad) => {
    const text =
      '{"specversion":"1.0","type":"shoeprint.card-drawn.v1","source":"device/B07-shoe","id":"B07-shoe/7/42","time":"2026-11-20T12:00:00.123Z","table":"B07","shoe":"B07-20261120-3","session":"7","sequence":42,"data":{"card":"9S","to":"player"}}';
    expect(decodeAmongOthers(bytesOf(text)).event).toBeDefined();
    const broken = bytesOf(text.replace(good, bad));
    expect(decodeAmongOthers(broken).faults?.length).toBe(1);
    expect(decoder.explain(broken).faults?.length).toBe(1);
  });

  const device =
    '{"specversion":"1.0","type":"shoeprint.device-error.v1","source":"device/B07-shoe","id":"B07-shoe/7/42","time":"2026-11-20T12:00:00.123Z","table":"B07","session":"7","sequence":42,"data":{"code":-1}}';
  const viewed =
    '{"specversion":"1.0","type":"shoeprint.finding-viewed.v1","source":"person/dora","id":"1","time":"2026-11-20T12:00:00.123Z","table":"B07","data":{"finding":"f","as":"regulator"}}';
  const closed =
    '{"specversion":"1.0","type":"shoeprint.coup-closed.v1","source":"device/B07-shoe","id":"B07-shoe/7/42","time":"2026-11-20T12:00:00.123Z","table":"B07","shoe":"S","data":{},"receivedfrom":"device/B07","receivedtime":"2026-11-20T12:00:00.500Z"}';

  it.each([
    ['a code of -0', device, ':-1}', ':-0}'],
    ['a device that looks at a finding', viewed, 'person/dora', 'device/dora'],
    ['a look at a finding in a shoe', viewed, '"table":"B07"', '"table":"B07","shoe":"S"'],
    [
      'a look at a finding with a number',
      viewed,
      '"table":"B07"',
      '"table":"B07","session":"7","sequence":1',
    ],
    ['the closing of a coup without its shoe', closed, '"shoe":"S",', ''],
    ['a stamp that goes on', closed, '.500Z"}', '.500Z"}Z"}'],
  ])('say the same of %s', (_, good, part, other) => {
    // the good line first, so that the scanner knows what the other begins and ends with
    expect(decodeAmongOthers(bytesOf(good)).event).toBeDefined();
    expect(decoder.isScanned).toBe(true);
    const changed = bytesOf(good.replace(part, other));
    expect(decodeAmongOthers(changed)).toStrictEqual(decoder.explain(changed));
    expect(decoder.isScanned).toBe(false);
  });

  it('both refuse a card whose suit has its high bit set, because that is not UTF-8', () => {
    const text =
      '{"specversion":"1.0","type":"shoeprint.card-drawn.v1","source":"device/B07-shoe","id":"B07-shoe/7/42","time":"2026-11-20T12:00:00.123Z","table":"B07","shoe":"B07-20261120-3","session":"7","sequence":42,"data":{"card":"8S","to":"player"}}';
    const bytes = bytesOf(text);
    bytes[text.indexOf('8S') + 1] = 0x80 | 0x53;
    expect(decodeAmongOthers(bytes)).toStrictEqual({
      faults: [{ pointer: '', reason: 'is not UTF-8' }],
    });
  });
});

describe('the digest of an event', () => {
  const shuffledText = (value: unknown, order: number, gap: string): string => {
    if (Array.isArray(value))
      return `[${gap}${value.map((item) => shuffledText(item, order, gap)).join(`,${gap}`)}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(value).map(
      ([key, item]) =>
        `${JSON.stringify(key)}${gap}:${gap}${isFree(key, value) ? JSON.stringify(item) : shuffledText(item, order, gap)}`,
    );
    const turned =
      'min' in value || isLimits(value)
        ? members
        : [...members.slice(order % members.length), ...members.slice(0, order % members.length)];
    return `{${gap}${turned.join(`${gap},`)}${gap}}`;
  };
  const freeFields = new Set(
    Object.values(SHAPES).flatMap(({ fields }) =>
      Object.entries<Field>(fields).flatMap(([name, { is }]) => (is === 'object' ? [name] : [])),
    ),
  );
  /** Fields that hold any JSON keep its order. */
  const isFree = (key: string, of: object): boolean =>
    freeFields.has(key) && !('specversion' in of);
  const isLimits = (value: object): boolean =>
    Object.values(value).length > 0 &&
    Object.values(value).every(
      (item) => typeof item === 'object' && item !== null && 'min' in item,
    );

  it('is the same in any order of fields, and with spaces, a trace or stamps', () => {
    fc.assert(
      fc.property(
        anyEvent(),
        fc.nat(20),
        fc.constantFrom('', ' ', '\n\t ', '\r'),
        fc.boolean(),
        (event, order, gap, extras) => {
          const more = extras
            ? {
                ...event,
                datacontenttype: 'application/json',
                traceparent: '00-1-2-03',
                receivedfrom: 'gateway',
                receivedtime: '2026-11-20T12:00:00Z',
              }
            : event;
          const sent = decoder.explain(bytesOf(shuffledText(more, order, gap)));
          const canonical = decodeAmongOthers(bytesOf(line(event)));
          expect(sent.faults).toBeUndefined();
          expect(sent).toEqual(canonical);
        },
      ),
      { numRuns: rounds(500) },
    );
  });

  it('differs if anything in the content differs', () => {
    fc.assert(
      fc.property(anyEvent(), anyEvent(), (one, other) => {
        const [a, b] = [line(one), line(other)];
        for (const name of Object.keys(one)) {
          if (!(name in other) || name === 'type' || name === 'data') continue;
          const changed = line({ ...one, [name]: other[name] });
          const digest = decoder.explain(bytesOf(changed)).event?.digest;
          if (digest !== undefined)
            expect(digest === decoder.explain(bytesOf(a)).event?.digest).toBe(changed === a);
        }
        expect(
          decoder.explain(bytesOf(a)).event?.digest === decoder.explain(bytesOf(b)).event?.digest,
        ).toBe(a === b);
      }),
      { numRuns: rounds(300) },
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  blockOf,
  canonicalLine,
  Decoder,
  EVENT_TYPES,
  SHAPES,
  type Decoded,
  type Field,
} from '#audit';
import { anyEvent, anyEventOf, NARROW } from '../kit/any-event.js';
import type { Sent } from '../kit/audit.js';
import { HOUSE } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';

const decoder = new Decoder(HOUSE);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const line = (event: Sent): string => canonicalLine(JSON.stringify(event));

/**
 * Returns the line as it occurs in a log: in the middle of a block, with others before and after
 * it.
 */
function decodeAmongOthers(bytes: Uint8Array): Decoded {
  const before = bytesOf('{"specversion":"1.0","type":"shoeprint.card-drawn.v1"}\n');
  const block = new Uint8Array([...before, ...bytes, ...bytesOf('\n{"specversion":"1.0"}\n')]);
  return decoder.decode(
    blockOf(block, Buffer.from(block).toString('latin1')),
    before.length,
    before.length + bytes.length,
  );
}

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
        { numRuns: 60 },
      );
    });
  }

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

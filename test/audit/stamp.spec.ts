import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blockOf, canonicalLine, Decoder, splitArray, stamped, unstamped } from '#audit';
import { anyEvent, NARROW } from '../kit/any-event.js';
import { HOUSE } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const name = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text));
const NOW = '2026-11-20T12:00:00.500Z';

const received = new Decoder(HOUSE, 'refused');
const receive = (text: string): ReturnType<Decoder['decode']> => {
  const bytes = bytesOf(text);
  return received.decode(blockOf(bytes, Buffer.from(bytes).toString('latin1')), 0, bytes.length);
};

describe('an event from a sender', () => {
  it('is its own content if it is canonical, and is decoded with its content if it is not', () => {
    fc.assert(
      fc.property(fc.oneof(anyEvent(), anyEvent(NARROW)), (event) => {
        const canonical = canonicalLine(JSON.stringify(event));
        expect(receive(canonical)).toStrictEqual({
          event: received.explain(bytesOf(canonical)).event,
        });
        for (const spaced of [
          JSON.stringify(event, null, 1),
          ` ${canonical}`,
          `${canonical}\n`,
          canonical.replace('{', '{"datacontenttype":"application/json",'),
        ]) {
          const read = receive(spaced);
          expect(read.event).toStrictEqual(receive(canonical).event);
          expect((read as { content?: string }).content).toBe(canonical);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('has no content from a decoder of stamped lines, because those are already recorded', () => {
    const event = {
      specversion: '1.0',
      type: 'shoeprint.seat-left.v1',
      source: 'device/d',
      id: '1',
      time: NOW,
      table: 'T',
      shoe: 'S',
      data: { seat: 1 },
    };
    expect(new Decoder(HOUSE).explain(bytesOf(JSON.stringify(event, null, 1)))).not.toHaveProperty(
      'content',
    );
  });
});

describe('a stamped line', () => {
  it('is the content followed by receivedfrom and receivedtime, and reads as the same event', () => {
    fc.assert(
      fc.property(anyEvent(), name, (event, from) => {
        const content = canonicalLine(JSON.stringify(event));
        const line = stamped(content, from, NOW);
        expect(line.startsWith(`${content.slice(0, -1)},"receivedfrom":`)).toBe(true);
        expect(JSON.parse(line)).toEqual({
          ...(JSON.parse(content) as object),
          receivedfrom: from,
          receivedtime: NOW,
        });
        expect(Object.keys(JSON.parse(line) as object).slice(-2)).toEqual([
          'receivedfrom',
          'receivedtime',
        ]);
        expect(new Decoder(HOUSE).explain(bytesOf(line))).toStrictEqual(
          received.explain(bytesOf(content)),
        );
        expect(receive(line).faults?.map(({ pointer }) => pointer)).toEqual([
          '/receivedfrom',
          '/receivedtime',
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('is split into its content and time again, also as one character for each byte', () => {
    fc.assert(
      fc.property(anyEvent(), name, (event, from) => {
        const content = canonicalLine(JSON.stringify(event));
        const line = stamped(content, from, NOW);
        expect(unstamped(line)).toEqual({ content, received: NOW });
        const bytes = unstamped(Buffer.from(line).toString('latin1'));
        expect(Buffer.from(bytes?.content ?? '', 'latin1').toString()).toBe(content);
        expect(unstamped(content)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['', NOW],
    ['a\0b', NOW],
    ['a\ud800', NOW],
    ['a', 'yesterday'],
    ['a', ''],
  ])('cannot be made with the name %j and the time %j', (from, time) => {
    expect(() => stamped('{}', from, time)).toThrow('is not valid as');
  });
});

describe('a batch split into its elements', () => {
  /** Splits a batch and reads its elements, as JSON.parse would. */
  const readApart = (text: string): unknown => {
    const bytes = bytesOf(text);
    const split = splitArray(bytes, 1_000_000);
    if (split.is !== 'array') throw new Error('refused');
    const elements: unknown[] = [];
    for (let i = 0; i < split.ranges.length; i += 2) {
      const element = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        bytes.subarray(split.ranges[i], split.ranges[i + 1]),
      );
      expect(element).toMatch(/^[^ \t\r\n]/);
      expect(element).toMatch(/[^ \t\r\n]$/);
      elements.push(JSON.parse(element));
    }
    return elements;
  };
  const parsed = (read: () => unknown): unknown => {
    try {
      const value = read();
      return Array.isArray(value) ? { value: value as unknown[] } : 'refused';
    } catch {
      return 'refused';
    }
  };
  const agree = (text: string): void =>
    expect(parsed(() => readApart(text))).toEqual(parsed(() => JSON.parse(text)));

  const space = fc.constantFrom('', '', ' ', '\n', '\t\r\n ');
  const array = fc
    .tuple(fc.array(fc.jsonValue()), space, space)
    .map(
      ([values, a, b]) =>
        `${a}[${b}${values.map((value) => `${a}${JSON.stringify(value, null, b)}${b}`).join(',')}]${b}`,
    );

  it('has the values that JSON.parse reads, whatever they are', () => {
    fc.assert(
      fc.property(array, (text) => {
        expect(readApart(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('is refused exactly if JSON.parse refuses it, with characters changed, removed and added', () => {
    const change = fc.tuple(
      fc.nat(),
      fc.constantFrom(...'[]{},:"\\ \n0a\u00a0\ufeff庄'),
      fc.constantFrom('put', 'cut', 'set'),
    );
    fc.assert(
      fc.property(array, fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
        let changed = text;
        for (const [where, letter, how] of changes) {
          const at = where % (changed.length + 1);
          changed =
            changed.slice(0, at) +
            (how === 'cut' ? '' : letter) +
            changed.slice(how === 'put' ? at : at + 1);
        }
        if (/\p{Surrogate}/u.test(changed)) return;
        agree(changed);
      }),
      { numRuns: rounds(5000) },
    );
  });

  it.each([
    '',
    ' ',
    '[',
    ']',
    '[]',
    '[ ]',
    '[,]',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1]]',
    '[1][2]',
    '[1]x',
    '[}]',
    '[{]}]',
    '["]"]',
    '["\\"]"]',
    '["\\\\"]',
    '["a]',
    '{}',
    '\ufeff[]',
    '[[],[]]',
    '[1}',
    '[\u00a01]',
  ])('is read or refused as JSON.parse does it: %j', (text) => agree(text));

  it('is not read beyond the maximum number of elements', () => {
    expect(splitArray(bytesOf('[1,2,3]'), 3)).toEqual({ is: 'array', ranges: [1, 2, 3, 4, 5, 6] });
    expect(splitArray(bytesOf('[1,2,3'), 2)).toEqual({ is: 'too-many' });
  });

  it('may be nested to any depth', () => {
    const deep = '['.repeat(1_000_000);
    expect(splitArray(bytesOf(`${deep}${']'.repeat(1_000_000)}`), 10)).toEqual({
      is: 'array',
      ranges: [1, 1_999_999],
    });
    expect(splitArray(bytesOf(deep), 10).is).toBe('no-array');
  });
});

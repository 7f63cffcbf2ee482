import { describe, expect, it } from '@jest/globals';
import {
  blockOf,
  canonicalLine,
  Decoder,
  EVENT_BYTES_MAX,
  EVENT_TYPES,
  fullName,
  knownType,
} from '#audit';
import { upcast, type Upcast } from '../../libs/audit/src/events/upcast.js';
import { decoded, type Sent } from '../kit/audit.js';
import { HOUSE } from '../kit/house.js';

const accepting = new Decoder(HOUSE);
const refusing = new Decoder(HOUSE, 'refused');
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function faults(
  line: string | Uint8Array | Sent,
  decoder = accepting,
): { pointer: string; reason: string }[] {
  const bytes =
    line instanceof Uint8Array
      ? line
      : bytesOf(typeof line === 'string' ? line : JSON.stringify(line));
  return [
    ...(decoder.decode(blockOf(bytes, Buffer.from(bytes).toString('latin1')), 0, bytes.length)
      .faults ?? []),
  ];
}
const pointers = (line: string | Uint8Array | Sent, decoder = accepting): string[] =>
  faults(line, decoder)
    .map(({ pointer }) => pointer)
    .sort();

const CARD =
  '{"specversion":"1.0","type":"shoeprint.card-drawn.v1","source":"device/B07-shoe","id":"B07-shoe/7/42","time":"2026-11-20T12:00:00.123Z","table":"B07","shoe":"B07-20261120-3","session":"7","sequence":42,"data":{"card":"9S","to":"player"}}';
const card: Sent = JSON.parse(CARD) as Sent;
/** Returns an event of a type with this data, from a person at table B07. */
const event = (type: string, data: unknown, rest: Sent = {}): Sent => ({
  specversion: '1.0',
  type: `shoeprint.${type}.v1`,
  source: 'person/dora',
  id: 'e1',
  time: '2026-11-20T12:00:00Z',
  table: 'B07',
  shoe: 'S1',
  data,
  ...rest,
});
const opening = {
  rules: 'punto-banco@1',
  decks: 8,
  kind: 'physical',
  currency: 'USD',
  reports: ['bets'],
};
const settled = { seat: 1, bet: 'player', stake: 'returned', paid: 100 };
const without = (sent: Sent, name: string): Sent =>
  Object.fromEntries(Object.entries(sent).filter(([key]) => key !== name));

describe('a line that is not a JSON text is refused as a whole', () => {
  it.each<[string, string | Uint8Array]>([
    [
      'bytes that are not UTF-8',
      Uint8Array.from([...bytesOf(CARD.slice(0, 150)), 0xff, ...bytesOf(CARD.slice(150))]),
    ],
    [
      'a surrogate written in UTF-8',
      Uint8Array.from([...bytesOf('{"id":"'), 0xed, 0xa0, 0x80, ...bytesOf('"}')]),
    ],
    ['a byte order mark', `\uFEFF${CARD}`],
    ['a truncated line', CARD.slice(0, -1)],
    ['two objects on one line', CARD + CARD],
    ['a trailing comma', CARD.replace('"player"}}', '"player"},}')],
    ['single quotes', CARD.replaceAll('"', "'")],
    ['a comment', `${CARD} // the last card`],
    ['a number that JSON does not have', CARD.replace('42,', '0x2A,')],
    ['an empty line', ''],
    ['a list', `[${CARD}]`],
    ['a string', '"card-drawn"'],
    ['null', 'null'],
    ['a line of a megabyte', CARD.replace('9S', 'A'.repeat(1 << 20))],
  ])('%s', (_, line) => {
    expect(pointers(line)).toEqual(['']);
  });

  it('accepts an event of exactly 16 KiB and refuses a larger one', () => {
    const ofSize = (size: number): Sent => {
      const bare = event('supervisor-called', { reason: '' });
      const used = canonicalLine(JSON.stringify(bare)).length;
      return event('supervisor-called', { reason: 'x'.repeat(size - used) });
    };
    expect(pointers(ofSize(EVENT_BYTES_MAX))).toEqual([]);
    expect(faults(ofSize(EVENT_BYTES_MAX + 1))).toEqual([
      { pointer: '', reason: 'is over 16384 bytes' },
    ]);
    expect(pointers(event('supervisor-called', { reason: '庄'.repeat(5600) }))).toEqual(['']);
  });

  it('counts the bytes of the content, without spaces and stamps', () => {
    const bare = canonicalLine(JSON.stringify(event('supervisor-called', { reason: '' })));
    const full = JSON.stringify(
      event('supervisor-called', { reason: 'x'.repeat(EVENT_BYTES_MAX - bare.length) }),
    );
    expect(pointers(full.replace(/,/g, ',\t  '))).toEqual([]);
    expect(
      pointers(
        `${full.slice(0, -1)},"receivedfrom":"gateway","receivedtime":"2026-11-20T12:00:00Z"}`,
      ),
    ).toEqual([]);
  });
});

describe('a malformed event is refused with a pointer to each fault', () => {
  describe('in its attributes', () => {
    it.each(['specversion', 'type', 'source', 'id', 'time', 'table', 'data'])(
      '%s is required',
      (name) => {
        expect(faults(without(card, name))).toContainEqual({
          pointer: `/${name}`,
          reason: 'is required',
        });
      },
    );

    it.each<[string, Sent, string[]]>([
      ['another specversion', { ...card, specversion: '1.1' }, ['/specversion']],
      ['an unknown type', { ...card, type: 'shoeprint.card-eaten.v1' }, ['/type']],
      ['an unknown version', { ...card, type: 'shoeprint.card-drawn.v2' }, ['/type']],
      ['a version 0', { ...card, type: 'shoeprint.card-drawn.v0' }, ['/type']],
      ['a type without its prefix', { ...card, type: 'card-drawn' }, ['/type']],
      ['a type named like a property of every object', { ...card, type: 'constructor' }, ['/type']],
      ['a type that is not a string', { ...card, type: 7 }, ['/type']],
      ['a source without a kind', { ...card, source: 'B07-shoe' }, ['/source']],
      ['a source of an unknown kind', { ...card, source: 'robot/B07' }, ['/source']],
      ['a source without a name', { ...card, source: 'device/' }, ['/source']],
      ['an empty id', { ...card, id: '' }, ['/id']],
      ['an id that is a number', { ...card, id: 42 }, ['/id']],
      ['an empty table', { ...card, table: '' }, ['/table']],
      ['an empty shoe', { ...card, shoe: '' }, ['/shoe']],
      ['an empty session', { ...card, session: '' }, ['/session']],
      ['a session that is null', { ...card, session: null }, ['/session']],
      ['a sequence of 0', { ...card, sequence: 0 }, ['/sequence']],
      ['a sequence below 0', { ...card, sequence: -1 }, ['/sequence']],
      ['a sequence of 1.5', { ...card, sequence: 1.5 }, ['/sequence']],
      ['a sequence as a string', { ...card, sequence: '42' }, ['/sequence']],
      ['a session without a sequence', without(card, 'sequence'), ['/sequence']],
      ['a sequence without a session', without(card, 'session'), ['/session']],
      ['a card without a shoe', without(card, 'shoe'), ['/shoe']],
      ['an additional attribute', { ...card, partitionkey: 'B07' }, ['/partitionkey']],
      ['an additional attribute with a slash and a tilde', { ...card, 'a/b~c': 1 }, ['/a~1b~0c']],
      [
        'another content type',
        { ...card, datacontenttype: 'application/xml' },
        ['/datacontenttype'],
      ],
      ['a traceparent that is not a string', { ...card, traceparent: 1 }, ['/traceparent']],
      ['a tracestate that is not a string', { ...card, tracestate: [] }, ['/tracestate']],
      ['data that is a list', { ...card, data: [] }, ['/data']],
      ['data that is null', { ...card, data: null }, ['/data']],
      ['an empty stamp', { ...card, receivedfrom: '' }, ['/receivedfrom']],
      ['a stamp that is not a time', { ...card, receivedtime: 'now' }, ['/receivedtime']],
    ])('%s', (_, sent, at) => {
      expect(pointers(sent)).toEqual(at);
    });

    it.each([
      '2026-11-20',
      '2026-11-20T12:00:00',
      '2026-11-20 12:00:00Z',
      '2026-13-20T12:00:00Z',
      '2026-02-30T12:00:00Z',
      '2023-02-29T12:00:00Z',
      '1900-02-29T12:00:00Z',
      '2026-11-00T12:00:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T12:60:00Z',
      '2026-11-20T12:00:61Z',
      '2026-11-20T12:00:60Z',
      '2026-11-20T12:00:00.Z',
      '2026-11-20T12:00:00+24:00',
      '2026-11-20T12:00:00+01:60',
      '2026-11-20T12:00:00+0100',
      ' 2026-11-20T12:00:00Z',
      '2026-11-20T12:00:00Z\n',
      '1795176000',
      '',
    ])('%p is not a time', (time) => {
      expect(pointers({ ...card, time })).toEqual(['/time']);
    });

    it.each(EVENT_TYPES.slice(0, EVENT_TYPES.indexOf('coup-voided') + 1))(
      '%s must name a shoe',
      (type) => {
        expect(pointers(without(event(type, {}), 'shoe'))).toContain('/shoe');
      },
    );

    it.each(EVENT_TYPES.slice(EVENT_TYPES.indexOf('coup-voided') + 1))(
      '%s need not name a shoe',
      (type) => {
        expect(pointers(without(event(type, {}), 'shoe'))).not.toContain('/shoe');
      },
    );

    it("refuses the api's own stamps from a sender, but accepts them on the lines of a log", () => {
      const stamped = `${CARD.slice(0, -1)},"receivedfrom":"gateway-7","receivedtime":"2026-11-20T12:00:00.500Z"}`;
      expect(pointers(stamped, refusing)).toEqual(['/receivedfrom', '/receivedtime']);
      expect(pointers(stamped)).toEqual([]);
      expect(pointers(CARD, refusing)).toEqual([]);
      expect(
        pointers(stamped.replace(',"receivedtime":"2026-11-20T12:00:00.500Z"', ''), refusing),
      ).toEqual(['/receivedfrom']);
    });
  });

  describe('in its text', () => {
    it.each<[string, string, string[]]>([
      [
        'a key twice in the event',
        CARD.replace('"table":"B07"', '"table":"B07","table":"B07"'),
        ['/table'],
      ],
      [
        'a key twice in the data',
        CARD.replace('"card":"9S"', '"card":"9S","card":"9S"'),
        ['/data/card'],
      ],
      [
        'a key twice, once written with an escape',
        CARD.replace('"card":"9S"', '"card":"9S","c\\u0061rd":"9S"'),
        ['/data/card'],
      ],
      [
        'a key twice in a limit',
        JSON.stringify(
          event('shoe-opened', { ...opening, limits: { tie: { min: 1, max: 2 } } }),
        ).replace('"min":1', '"min":1,"min":1'),
        ['/data/limits/tie/min'],
      ],
      [
        'a key twice deep in corrected data',
        JSON.stringify(
          event('observation-corrected', { event: 'x', data: { a: [0, { b: 1 }] } }),
        ).replace('"b":1', '"b":1,"b":2'),
        ['/data/data/a/1/b'],
      ],
      ['NUL in a string', CARD.replace('"id":"B07', '"id":"\\u0000B07'), ['/id']],
      [
        'NUL in a text',
        JSON.stringify(event('supervisor-called', { reason: 'a\0b' })),
        ['/data/reason'],
      ],
      [
        'NUL in corrected data',
        JSON.stringify(event('observation-corrected', { event: 'x', data: { a: ['\0'] } })),
        ['/data/data/a/0'],
      ],
      ['a lone high surrogate', CARD.replace('"table":"B07"', '"table":"\\ud83c"'), ['/table']],
      ['a lone low surrogate', CARD.replace('"table":"B07"', '"table":"\\udca1x"'), ['/table']],
      [
        'an integer beyond 2^53 - 1',
        CARD.replace('"sequence":42', '"sequence":9007199254740992'),
        ['/sequence'],
      ],
      [
        'an amount beyond 2^53 - 1 that rounds into range',
        JSON.stringify(event('bet-placed', { seat: 1, bet: 'tie', amount: 1 })).replace(
          '"amount":1',
          '"amount":9007199254740993',
        ),
        ['/data/amount'],
      ],
      [
        'an integer below -(2^53 - 1) in corrected data',
        JSON.stringify(event('observation-corrected', { event: 'x', data: { a: 1 } })).replace(
          '{"a":1}',
          '{"a":-9007199254740992}',
        ),
        ['/data/data/a'],
      ],
      [
        'a number beyond the range of a double',
        JSON.stringify(event('bet-placed', { seat: 1, bet: 'tie', amount: 1 })).replace(
          '"amount":1',
          '"amount":1e400',
        ),
        ['/data/amount'],
      ],
      [
        'a fraction that becomes whole only by rounding',
        JSON.stringify(event('bet-placed', { seat: 1, bet: 'tie', amount: 1 })).replace(
          '"amount":1',
          '"amount":5.00000000000000000001',
        ),
        ['/data/amount'],
      ],
    ])('%s', (_, line, at) => {
      expect([...new Set(pointers(line))]).toEqual(at);
    });

    it('a pair of surrogates is one character, escaped or not', () => {
      expect(pointers(CARD.replace('"id":"B07', '"id":"\\ud83c\\udca1B07'))).toEqual([]);
      expect(pointers(CARD.replace('"id":"B07', '"id":"🂡B07'))).toEqual([]);
    });
  });

  describe('in its data', () => {
    it.each<[string, string, unknown, string[]]>([
      ['a field that is missing', 'card-drawn', { card: '9S' }, ['/data/to']],
      [
        'an unknown field',
        'card-drawn',
        { card: '9S', to: 'player', colour: 'red' },
        ['/data/colour'],
      ],
      [
        'a field named __proto__',
        'card-drawn',
        JSON.parse('{"card":"9S","to":"player","__proto__":1}'),
        ['/data/__proto__'],
      ],
      ['a field on a type without fields', 'coup-closed', { coup: 1 }, ['/data/coup']],
      ['a card of rank 1', 'card-drawn', { card: '1S', to: 'player' }, ['/data/card']],
      ['a card of rank 10', 'card-drawn', { card: '10S', to: 'player' }, ['/data/card']],
      ['a card in lower case', 'card-drawn', { card: '9s', to: 'player' }, ['/data/card']],
      ['an unknown suit', 'card-drawn', { card: '9X', to: 'player' }, ['/data/card']],
      ['an empty card', 'card-drawn', { card: '', to: 'player' }, ['/data/card']],
      ['an unknown hand', 'card-drawn', { card: '9S', to: 'dealer' }, ['/data/to']],
      [
        'a flag as a string',
        'card-drawn',
        { card: '9S', to: 'player', exposed: 'true' },
        ['/data/exposed'],
      ],
      [
        'an optional field that is null',
        'card-drawn',
        { card: '9S', to: 'player', exposed: null },
        ['/data/exposed'],
      ],
      ['an amount below 0', 'bet-placed', { seat: 1, bet: 'tie', amount: -1 }, ['/data/amount']],
      [
        'a fraction of an amount',
        'bet-placed',
        { seat: 1, bet: 'tie', amount: 0.5 },
        ['/data/amount'],
      ],
      [
        'an amount as a string',
        'bet-placed',
        { seat: 1, bet: 'tie', amount: '100' },
        ['/data/amount'],
      ],
      ['a seat 0', 'bet-placed', { seat: 0, bet: 'tie', amount: 1 }, ['/data/seat']],
      [
        'a bet that no document has',
        'bet-placed',
        { seat: 1, bet: 'blue', amount: 1 },
        ['/data/bet'],
      ],
      [
        'a bet named like a property of every object',
        'bet-placed',
        { seat: 1, bet: 'constructor', amount: 1 },
        ['/data/bet'],
      ],
      ['a coup 0', 'coup-opened', { coup: 0 }, ['/data/coup']],
      ['a coup of an unknown kind', 'coup-opened', { coup: 1, kind: 'training' }, ['/data/kind']],
      ['decks 0', 'shoe-opened', { ...opening, decks: 0 }, ['/data/decks']],
      [
        'a document that is not installed',
        'shoe-opened',
        { ...opening, rules: 'punto-banco@99' },
        ['/data/rules'],
      ],
      [
        'a document without a version',
        'shoe-opened',
        { ...opening, rules: 'punto-banco' },
        ['/data/rules'],
      ],
      [
        'an unknown currency',
        'shoe-opened',
        { ...opening, currency: 'DOLLARS' },
        ['/data/currency'],
      ],
      [
        'a currency in lower case',
        'shoe-opened',
        { ...opening, currency: 'usd' },
        ['/data/currency'],
      ],
      ['a shoe of an unknown kind', 'shoe-opened', { ...opening, kind: 'paper' }, ['/data/kind']],
      [
        'an unknown kind of report',
        'shoe-opened',
        { ...opening, reports: ['bets', 'weather'] },
        ['/data/reports/1'],
      ],
      [
        'reports that are not a list',
        'shoe-opened',
        { ...opening, reports: 'bets' },
        ['/data/reports'],
      ],
      [
        'limits of an unknown bet',
        'shoe-opened',
        { ...opening, limits: { blue: { min: 1, max: 2 } } },
        ['/data/limits/blue'],
      ],
      [
        'limits without a maximum',
        'shoe-opened',
        { ...opening, limits: { tie: { min: 1 } } },
        ['/data/limits/tie/max'],
      ],
      [
        'limits with an additional field',
        'shoe-opened',
        { ...opening, limits: { tie: { min: 1, max: 2, mid: 1 } } },
        ['/data/limits/tie/mid'],
      ],
      [
        'limits below 0',
        'shoe-opened',
        { ...opening, limits: { tie: { min: -1, max: 2 } } },
        ['/data/limits/tie/min'],
      ],
      ['limits that are a list', 'shoe-opened', { ...opening, limits: [] }, ['/data/limits']],
      [
        'a limit that is a number',
        'shoe-opened',
        { ...opening, limits: { tie: 5 } },
        ['/data/limits/tie'],
      ],
      ['an unknown reason', 'shoe-closed', { reason: 'bored' }, ['/data/reason']],
      [
        'remaining cards with an unknown card',
        'shoe-closed',
        { remainingCards: ['9S', '1S', null] },
        ['/data/remainingCards/1', '/data/remainingCards/2'],
      ],
      ['a move without a place', 'card-moved', { event: 'x#y', to: null }, ['/data/to']],
      ['an empty reference', 'card-moved', { event: '', to: 'next' }, ['/data/event']],
      ['a total of 10', 'hand-called', { hand: 'player', total: 10 }, ['/data/total']],
      ['a total below 0', 'hand-called', { hand: 'player', total: -1 }, ['/data/total']],
      [
        'an unknown outcome',
        'outcome-declared',
        { outcome: 'draw', by: 'dealer' },
        ['/data/outcome'],
      ],
      ['an outcome without a declarer', 'outcome-declared', { outcome: 'tie' }, ['/data/by']],
      [
        'an outcome by an unknown declarer',
        'outcome-declared',
        { outcome: 'tie', by: 'caller' },
        ['/data/by'],
      ],
      [
        'an empty special',
        'outcome-declared',
        { outcome: 'tie', by: 'dealer', specials: ['natural', ''] },
        ['/data/specials/1'],
      ],
      [
        'a total of 12 with an outcome',
        'outcome-declared',
        { outcome: 'tie', by: 'dealer', player: 12 },
        ['/data/player'],
      ],
      [
        'a stake neither returned nor taken',
        'bet-settled',
        { ...settled, stake: 'kept' },
        ['/data/stake'],
      ],
      [
        'commission below 0',
        'bet-settled',
        { ...settled, commissionMarked: -5 },
        ['/data/commissionMarked'],
      ],
      ['an empty person', 'coup-voided', { by: '' }, ['/data/by']],
      ['an unknown role', 'dealer-signed-on', { dealer: 'dora', role: 'pit boss' }, ['/data/role']],
      [
        'a dealer without a name',
        'dealer-signed-on',
        { dealer: '', role: 'dealer' },
        ['/data/dealer'],
      ],
      ['a code that is a fraction', 'device-error', { code: 1.5 }, ['/data/code']],
      ['a code that is a list', 'device-error', { code: [] }, ['/data/code']],
      [
        'corrected data that is a list',
        'observation-corrected',
        { event: 'x#y', data: [] },
        ['/data/data'],
      ],
      ['a correction without data', 'observation-corrected', { event: 'x#y' }, ['/data/data']],
      [
        'a gap from 0',
        'gap-declared',
        { source: 'device/x', session: '1', from: 0, to: 1 },
        ['/data/from'],
      ],
    ])('%s', (_, type, data, at) => {
      expect(pointers(event(type, data))).toEqual(at);
    });
  });

  it('lists every fault of one event', () => {
    expect(
      pointers({
        specversion: 1,
        type: 'shoeprint.bet-settled.v1',
        source: 'x',
        id: '',
        time: 'noon',
        session: '1',
        colour: 'red',
        data: { seat: 0, bet: 'blue', stake: 'kept', paid: -1, tip: 5 },
      }),
    ).toEqual([
      '/colour',
      '/data/bet',
      '/data/paid',
      '/data/seat',
      '/data/stake',
      '/data/tip',
      '/id',
      '/sequence',
      '/shoe',
      '/source',
      '/specversion',
      '/table',
      '/time',
    ]);
  });

  it('does not check the data of an unknown type', () => {
    expect(pointers({ ...card, type: 'shoeprint.card-eaten.v1', data: { bite: -1 } })).toEqual([
      '/type',
    ]);
  });

  it('explains each fault in words', () => {
    expect(faults(event('card-drawn', { card: '1S', to: 'player' }))[0]?.reason).toBe(
      '"1S" is not a card (expected rank and suit, such as "9S" or "TD"), or null for an unread card',
    );
    expect(faults({ ...card, sequence: 0 })[0]?.reason).toBe('0 is below 1');
  });
});

describe('an event that is wrong but well-formed is accepted', () => {
  it.each<[string, string, unknown]>([
    ['a card that could not be read', 'card-drawn', { card: null, to: null }],
    ['a coup of number 2^53 - 1', 'coup-opened', { coup: Number.MAX_SAFE_INTEGER }],
    ['a bet of amount 0', 'bet-placed', { seat: 1, bet: 'tie', amount: 0 }],
    ['a bet at seat 4,000,000', 'bet-placed', { seat: 4_000_000, bet: 'tie', amount: 1 }],
    [
      'a bet that only another document has',
      'bet-placed',
      { seat: 1, bet: 'dragon-bonus-banker', amount: 1 },
    ],
    ['a shoe of 99 decks', 'shoe-opened', { ...opening, decks: 99 }],
    ['a shoe that reports nothing', 'shoe-opened', { ...opening, reports: [] }],
    [
      'limits with a minimum above the maximum',
      'shoe-opened',
      { ...opening, limits: { tie: { min: 9, max: 1 } } },
    ],
    ['a hash that is not a hash', 'shoe-opened', { ...opening, rulesHash: '' }],
    ['a move of something that is not a card', 'card-moved', { event: 'nonsense', to: 'next' }],
    ['a move without a name', 'card-moved', { event: 'a#b', to: 'next' }],
    ['a void without a reason', 'coup-voided', {}],
    [
      'specials that no document has',
      'outcome-declared',
      { outcome: 'tie', specials: ['eclipse'], by: 'device' },
    ],
    [
      'impossible totals',
      'outcome-declared',
      { outcome: 'player', player: 0, banker: 9, by: 'dealer' },
    ],
    ['a loser that is paid', 'bet-settled', { seat: 1, bet: 'player', stake: 'taken', paid: 5 }],
    [
      'a correction that fits no event',
      'observation-corrected',
      { event: 'a#b', data: { half: 0.5, nothing: null, list: [[]] } },
    ],
    [
      'a gap that ends before it begins',
      'gap-declared',
      { source: 'device/x', session: '1', from: 9, to: 1 },
    ],
    ['an error with a number for a code', 'device-error', { code: -7, text: '' }],
  ])('%s', (_, type, data) => {
    expect(pointers(event(type, data))).toEqual([]);
  });

  it.each<[string, Sent]>([
    ['a device without numbers', without(without(card, 'session'), 'sequence')],
    ['a person with numbers', { ...card, source: 'person/dora' }],
    ['an unknown table', { ...card, table: '@house' }],
    ['a time in another century', { ...card, time: '1066-10-14T09:00:00Z' }],
    ['a leap second', { ...card, time: '2016-12-31T23:59:60Z' }],
    ['a leap second in another time zone', { ...card, time: '2017-01-01T00:59:60+01:00' }],
    [
      'a time with an offset and a long fraction',
      { ...card, time: '2026-11-20T12:00:00.123456789-09:30' },
    ],
    ['names in any script', { ...card, table: '賭桌 №7 "β"', id: '\u0001\u2028' }],
    ['a shoe on an event that needs none', event('supervisor-called', { video: 'clip 7' })],
  ])('%s', (_, sent) => {
    expect(pointers(sent)).toEqual([]);
  });

  it('accepts a whole number in any notation', () => {
    expect(decoded(CARD.replace('"sequence":42', '"sequence":4.2e1'))).toEqual(decoded(CARD));
    expect(decoded(CARD.replace('"sequence":42', '"sequence":42.0'))).toEqual(decoded(CARD));
  });

  it('accepts deep nesting in the data of a correction', () => {
    const deep = JSON.stringify(
      event('observation-corrected', { event: 'a#b', data: { deep: 1 } }),
    ).replace('1}}', `${'['.repeat(7000)}${']'.repeat(7000)}}}`);
    expect(pointers(deep)).toEqual([]);
  });
});

describe('the canonical line', () => {
  it('has attributes and fields in their order, without spaces', () => {
    const sent =
      '{ "data" : { "to" : "player" , "card" : "9S" }, "sequence": 42, "session": "7", "shoe":"B07-20261120-3", "table" :"B07", "time":"2026-11-20T12:00:00.123Z",\n"id":"B07-shoe\\/7\\/42", "source":"device/B07-shoe", "type":"shoeprint.card-drawn.v1", "specversion":"1.0" }';
    expect(canonicalLine(sent)).toBe(CARD);
    expect(decoded(sent)).toEqual(decoded(CARD));
  });

  it('leaves out stamps and everything that is accepted but not stored', () => {
    expect(
      canonicalLine(
        JSON.stringify({
          receivedfrom: 'gateway',
          traceparent: '00-1-2-03',
          tracestate: 'house=1',
          ...card,
          datacontenttype: 'application/json',
          receivedtime: '2026-11-20T12:00:00Z',
        }),
      ),
    ).toBe(CARD);
  });

  it("keeps the data of a correction in the sender's order, but without its spaces", () => {
    const sent =
      '{"specversion":"1.0","type":"shoeprint.observation-corrected.v1","source":"person/sam","id":"c1","time":"2026-11-20T12:00:00Z","table":"B07","data":{"by":"sam","data":{ "to":"banker", "9": 1, "card" : "4\\u0044", "1":[ 1.50, 1e2 ] },"event":"device/B07-shoe#B07-shoe/7/42"}}';
    expect(canonicalLine(sent)).toContain(
      '"data":{"event":"device/B07-shoe#B07-shoe/7/42","data":{"to":"banker","9":1,"card":"4D","1":[1.5,100]},"by":"sam"}',
    );
    const turned = sent.replace('"to":"banker", "9": 1', '"9": 1, "to":"banker"');
    expect(decoded(turned).digest).not.toBe(decoded(sent).digest);
    expect(decoded(sent.replaceAll(', ', ',')).digest).toBe(decoded(sent).digest);
  });

  it('is its own canonical line', () => {
    const line = canonicalLine(
      JSON.stringify(event('shoe-opened', { limits: { tie: { max: 5, min: 1 } }, ...opening })),
    );
    expect(canonicalLine(line)).toBe(line);
    expect(line).toContain('"reports":["bets"],"limits":{"tie":{"min":1,"max":5}}}');
  });

  it('does not exist for an unknown type', () => {
    expect(() => canonicalLine('{"type":"shoeprint.card-eaten.v1"}')).toThrow('unknown event type');
  });
});

describe('an event of an older version', () => {
  const upcasts = new Map<string, Upcast>([
    [
      'shoeprint.card-drawn.v0',
      ({ rank, suit, ...rest }) => ({ card: `${String(rank)}${String(suit)}`, ...rest }),
    ],
  ]);

  it('is recognized by its full name and brought to the current version', () => {
    expect(knownType('shoeprint.card-drawn.v0', upcasts)).toBe('card-drawn');
    expect(
      upcast('shoeprint.card-drawn.v0', { rank: '9', suit: 'S', to: 'player' }, upcasts),
    ).toEqual({ card: '9S', to: 'player' });
  });

  it('is left unchanged if it has the current version', () => {
    const data = { card: '9S', to: 'player' };
    expect(upcast(fullName('card-drawn'), data, upcasts)).toBe(data);
    expect(knownType(fullName('card-drawn'), upcasts)).toBe('card-drawn');
  });

  it('is unknown without an upcast to the next version', () => {
    expect(knownType('shoeprint.card-drawn.v0')).toBeUndefined();
    expect(knownType('shoeprint.card-drawn.v2', upcasts)).toBeUndefined();
    expect(knownType('shoeprint.card-eaten.v0', upcasts)).toBeUndefined();
    expect(knownType('shoeprint.card-drawn.v0', new Map())).toBeUndefined();
  });
});

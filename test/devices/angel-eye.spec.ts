import { describe, expect, it } from '@jest/globals';
import {
  angelEye,
  encodeAngelEye,
  FRAME_BYTES_MAX,
  type AngelEyeReport,
  type AngelEyeSettings,
  type Observation,
  type ReportedEvent,
} from '#devices';
import { bytesOf, heard, joined, type Chunk } from './bytes.js';

const CAUTIOUS: AngelEyeSettings = { sequence: 'unknown', bcc: 'learn', pairs: false };
const HEX: AngelEyeSettings = { ...CAUTIOUS, sequence: '0123456789ABCDEF' };

/** Returns what a decoder observes of frames that come five seconds apart. */
function observed(
  frames: readonly (string | Uint8Array)[],
  settings: Partial<AngelEyeSettings> = {},
): readonly Observation[] {
  const chunks = frames.map((frame, at): Chunk => [
    typeof frame === 'string' ? bytesOf(frame) : frame,
    5 * at,
  ]);
  return heard(angelEye({ ...CAUTIOUS, ...settings }), chunks).all;
}

/** Returns the events of observations, in their order. */
const eventsOf = (observations: readonly Observation[]): readonly ReportedEvent[] =>
  observations.flatMap((each) => (each.kind === 'report' ? each.fields.events : []));

/** Returns the kind of an observation, but not of where a coup begins. */
const kindSaid = ({ kind }: Observation): readonly string[] =>
  kind === 'coup-begins' ? [] : [kind];

/** Returns kind and fields of observations, without where coups begin. */
const said = (observations: readonly Observation[]) =>
  observations
    .filter(({ kind }) => kind !== 'coup-begins')
    .map(({ kind, fields }) => [kind, fields]);

/** Returns the reports, by their place among all, before which a coup begins. */
const beginnings = (observations: readonly Observation[]): readonly number[] =>
  observations.flatMap(({ kind }, at) =>
    kind === 'coup-begins'
      ? [observations.slice(0, at).filter((each) => each.kind === 'report').length]
      : [],
  );

/** Returns a report's frame under a sequence character, with the check from the sequence on. */
const frame = (sequence: string, report: AngelEyeReport): Uint8Array =>
  encodeAngelEye(report, { sequence, bcc: 'from-sequence' });

const card = (to: 'player' | 'banker' | 'burn', index: number, name: '9S' | '7H' | 'KD' | null) =>
  ({ is: 'card', to, index, card: name }) as const;

/** Returns a frame of which one byte is another. */
const damaged = (bytes: Uint8Array, at: number, byte: number): Uint8Array =>
  bytes.map((each, i) => (i === at ? byte : each));

const drawn = (name: string | null, to: string): object => ({
  type: 'card-drawn',
  data: { card: name, to },
});
const setting = (code: string, text: string): object => ({
  type: 'device-setting-changed',
  data: { code, text },
});
const fault = (code: string, text: string): object => ({
  type: 'device-error',
  data: { code, text },
});

describe('a report of angel-eye-ii-ex', () => {
  it.each([
    ['a player card', '05 31 44 81 B9 03 34 45', [drawn('9S', 'player')]],
    ['a banker card', '05 31 44 91 C7 03 32 30', [drawn('7H', 'banker')]],
    ['the indicator', '05 31 44 C0 C4 03 37 32', [drawn('4H', 'burn')]],
    ['a burned card', '05 31 44 A1 B3 03 36 34', [drawn('3S', 'burn')]],
    [
      'a card outside the game',
      '05 31 64 91 A5 03 36 32',
      [drawn('5C', 'out'), fault('drawn-outside', 'drawn in error mode')],
    ],
    [
      'a result',
      '05 31 47 90 03 45 35',
      [{ type: 'outcome-declared', data: { outcome: 'player', by: 'device' } }],
    ],
    ['the cut card', '05 31 43 03 37 31', [{ type: 'cut-card-drawn', data: {} }]],
    ['an error', '05 31 45 C1 03 42 36', [fault('1', 'cannot read, in error mode')]],
    [
      'a cleared error',
      '05 31 65 81 03 44 36',
      [{ type: 'device-error-cleared', data: { code: '1' } }],
    ],
    ['a lock state', '05 31 4C 81 03 46 46', [setting('lock', '1')]],
  ])('says %s, with the bytes that integrators published', (_, hex, events) => {
    expect(observed([hex]).filter(({ kind }) => kind === 'report')).toEqual([
      {
        kind: 'report',
        fields: { events },
        raw: hex.replaceAll(' ', '').toLowerCase(),
        integrity: 'ok',
        up: 0,
        deviceNumber: '1',
      },
    ]);
  });

  it('says the second player card, after the first', () => {
    const cards = ['05 31 44 81 B9 03 34 45', '05 31 44 82 9D 03 36 39'];
    expect(eventsOf(observed(cards))).toEqual([drawn('9S', 'player'), drawn('KD', 'player')]);
  });

  it('ends the session where the shoe starts', () => {
    expect(said(observed(['05 31 53 03 36 31']))).toEqual([['started', { missed: null }]]);
  });

  it.each([
    [0x81, 0x80],
    [0x81, 0x89],
    [0x81, 0xb0],
    [0xa1, 0x80],
  ])('says an unread card where suit or rank is 0 (%p %p)', (target, byte) => {
    const content = report('D', [target, byte]);
    expect(eventsOf(observed([content]))).toEqual([
      drawn(null, target === 0x81 ? 'player' : 'burn'),
    ]);
  });

  it.each([0xd5, 0x9e, 0x9f])(
    'says an unread card and its bytes where %p is not a card',
    (byte) => {
      const bytes = report('D', [0x81, byte]);
      expect(eventsOf(observed([bytes]))).toEqual([
        drawn(null, 'player'),
        fault('unrecognised', spaced(bytes)),
      ]);
    },
  );

  it('says a burn count as a setting, with its bytes, because its encoding is not public', () => {
    const events = eventsOf(observed([report('D', [0xd0, 0x85])]));
    expect(events).toEqual([setting('burn-count', 'D0 85')]);
  });

  it.each(['lock', 'error', 'setting'] as const)('names the mode %p of a card outside', (mode) => {
    const out = frame('1', { is: 'card-outside', mode, index: 1, card: null });
    expect(eventsOf(observed([out]))).toEqual([
      drawn(null, 'out'),
      fault('drawn-outside', `drawn in ${mode} mode`),
    ]);
  });

  it.each([
    [0x90, 'player', []],
    [0xa3, 'tie', ['player-pair', 'banker-pair']],
    [0xc2, 'banker', ['player-pair']],
    [0xc1, 'banker', ['banker-pair']],
  ])('says result %p, and its pairs only where they are configured', (byte, outcome, specials) => {
    const bytes = report('G', [byte]);
    const declared = { outcome, by: 'device' };
    expect(eventsOf(observed([bytes]))).toEqual([{ type: 'outcome-declared', data: declared }]);
    expect(eventsOf(observed([bytes], { pairs: true }))).toEqual([
      { type: 'outcome-declared', data: { ...declared, specials } },
    ]);
  });

  it('voids the coup after a force quit, by nobody', () => {
    expect(eventsOf(observed([report('G', [0xf0])]))).toEqual([
      { type: 'coup-voided', data: { reason: 'force quit at the shoe' } },
    ]);
  });

  it.each([
    [1, 'cannot read'],
    [2, 'overdraw'],
    [3, 'button misused'],
    [4, 'reverse run at the exit'],
    [5, 'reverse run midway'],
    [6, 'card code error'],
    [7, 'draw timed out'],
    [8, 'unknown error'],
  ])('names error %p: %s', (number, text) => {
    const error = { number, inErrorMode: false };
    const frames = [
      frame('1', { is: 'error', ...error }),
      frame('2', { is: 'error-cleared', ...error }),
    ];
    expect(eventsOf(observed(frames))).toEqual([
      fault(`${number}`, text),
      { type: 'device-error-cleared', data: { code: `${number}` } },
    ]);
  });

  it('says a preset with its address and value', () => {
    const preset = {
      is: 'preset',
      address: [0x81, 0x82],
      value: [0x80, 0x80, 0x80, 0x85],
    } as const;
    expect(eventsOf(observed([frame('1', preset)]))).toEqual([
      setting('preset', 'address 81 82, value 80 80 80 85'),
    ]);
  });

  it('keeps a standby and makes no event of it', () => {
    expect(said(observed([report('P', [])]))).toEqual([['report', { events: [] }]]);
  });

  it('says the bytes of an unknown letter, and that no frame was lost', () => {
    const bytes = report('Z', [0x81]);
    expect(said(observed([bytes]))).toEqual([
      ['report', { events: [fault('unrecognised', spaced(bytes))] }],
    ]);
  });

  it.each([
    ['D', [0xb1, 0xb9], 1],
    ['D', [0x81], 1],
    ['G', [0x80], 1],
    ['C', [0x81], 1],
    ['S', [0x81], 1],
    ['E', [], 0],
    ['L', [], 0],
    ['M', [0x81], 0],
  ])('loses a fact of the game where %s has an unknown form %p', (letter, payload, count) => {
    const bytes = report(letter, payload);
    expect(said(observed([bytes]))).toEqual([
      ...(count === 0 ? [] : [['lost', { count, because: 'form' }]]),
      ['report', { events: [fault('unrecognised', spaced(bytes))] }],
    ]);
  });

  describe('retransmitted', () => {
    const first = report('D', [0x81, 0xb9]);

    it('makes no event where the card lies at its place', () => {
      const events = eventsOf(observed([first, report('R', [0x81, 0xb9])]));
      expect(events).toEqual([drawn('9S', 'player')]);
    });

    it.each([
      ['another card', [0x81, 0xb8]],
      ['another place', [0x82, 0xb9]],
      ['nothing', []],
    ])('says its bytes where it has %s', (_, payload) => {
      const bytes = report('R', payload);
      expect(said(observed([first, bytes])).slice(1)).toEqual([
        ['report', { events: [fault('R', spaced(bytes))] }],
      ]);
    });

    it('knows no card of the coup before', () => {
      const frames = [
        first,
        report('G', [0x90]),
        report('D', [0x81, 0xc7]),
        report('R', [0x81, 0xb9]),
      ];
      expect(eventsOf(observed(frames)).at(-1)).toEqual(
        fault('R', spaced(frames[3] as Uint8Array)),
      );
    });
  });

  /** Returns the frame of a letter and a payload under the sequence character 1. */
  function report(letter: string, payload: readonly number[]): Uint8Array {
    return frame('1', { is: 'other', letter, payload });
  }
  const spaced = (bytes: Uint8Array): string =>
    Buffer.from(bytes)
      .toString('hex')
      .toUpperCase()
      .replace(/..(?!$)/g, '$& ');
});

describe('a coup', () => {
  const result = { is: 'result', result: 'tie', playerPair: false, bankerPair: false } as const;
  const burn = card('burn', 1, '9S');
  const [p1, b1, p2] = [card('player', 1, '9S'), card('banker', 1, '7H'), card('player', 2, 'KD')];

  it.each([
    ['after a start and a burn', [burn, p1, b1, p2], [1]],
    ['after a result', [p1, b1, result, burn, p1, b1], [0, 4]],
    ['after a result whose first card was lost', [p1, b1, result, b1, p2], [0, 3]],
    ['where an index goes back', [p1, b1, p2, p1, b1], [0, 3]],
    ['where only the index of the second card is heard', [p1, b1, b1, p2], [0, 2]],
  ] as const)('begins %s', (_, reports, begins) => {
    const found = observed(reports.map((each, at) => frame('123456'.charAt(at), each)));
    expect(beginnings(found)).toEqual(begins);
  });

  it('begins before the cards of it that never came', () => {
    const found = observed(['1', '2'].map((seq, at) => frame(seq, at === 0 ? p1 : p2)).slice(1));
    expect(found.map(({ kind }) => kind)).toEqual(['coup-begins', 'lost', 'report']);
  });

  it('begins after what never came before it', () => {
    const found = observed([frame('1', b1), frame('2', result), frame('5', p2)], HEX);
    expect(found.slice(-4).map(({ kind, fields }) => [kind, fields])).toEqual([
      ['lost', { count: 1, because: 'number' }],
      ['coup-begins', {}],
      ['lost', { count: 1, because: 'index' }],
      ['report', { events: [drawn('KD', 'player')] }],
    ]);
  });
});

describe('the check of a report', () => {
  const rows = ['1', '2', '3', '4'].map(
    (sequence, at) => [sequence, card('player', at + 1, '9S')] as const,
  );
  const by = (bcc: 'from-sequence' | 'from-enq') =>
    rows.map(([sequence, report]) => encodeAngelEye(report, { sequence, bcc }));

  it.each(['from-sequence', 'from-enq'] as const)(
    'is learned from three reports in a row: %s',
    (bcc) => {
      const kinds = observed(by(bcc)).flatMap(kindSaid);
      expect(kinds).toEqual(['report', 'report', 'checksum-settled', 'report', 'report']);
      const settled = observed(by(bcc)).find(({ kind }) => kind === 'checksum-settled');
      expect(settled?.fields).toEqual({ reading: bcc });
    },
  );

  it.each([
    ['from-sequence', 'from-enq'],
    ['from-enq', 'from-sequence'],
  ] as const)('held to %s never takes %s again', (learned, other) => {
    const frames = [...by(learned).slice(0, 3), by(other)[3] as Uint8Array];
    const last = observed(frames).at(-1);
    expect(last).toMatchObject({ kind: 'damaged', integrity: 'damaged' });
  });

  it('is held to the configured reading from the first report on', () => {
    expect(observed(by('from-enq'), { bcc: 'from-sequence' })[0]).toMatchObject({
      kind: 'damaged',
      fields: { reason: 'BCC: does not fit the frame' },
    });
    expect(eventsOf(observed(by('from-enq'), { bcc: 'from-enq' }))).toHaveLength(4);
  });

  it('is not settled by reports of both readings', () => {
    const [one, two] = [by('from-sequence'), by('from-enq')];
    const frames = [one[0], one[1], two[2], one[3]] as Uint8Array[];
    expect(observed(frames).flatMap(kindSaid)).not.toContain('checksum-settled');
  });

  it('must be two upper-case digits', () => {
    const bytes = bytesOf('05 31 44 81 B9 03 34 65');
    expect(observed([bytes])[0]).toMatchObject({ kind: 'damaged' });
  });
});

describe('a report that comes again', () => {
  it('is a repeat if every byte is the same', () => {
    const one = frame('1', card('player', 1, '9S'));
    const kinds = observed([one, one, one]).flatMap(kindSaid);
    expect(kinds).toEqual(['report', 'repeat', 'checksum-settled', 'repeat']);
  });

  it('is another report if only its sequence character differs', () => {
    const error = { is: 'error', number: 1, inErrorMode: false } as const;
    expect(eventsOf(observed([frame('1', error), frame('2', error)]))).toHaveLength(2);
  });
});

describe('a lost report', () => {
  const lost = (observations: readonly Observation[]) =>
    said(observations).filter(([kind]) => kind === 'lost');

  it('shows by the index of the next card of the hand, before that card', () => {
    const frames = [frame('1', card('player', 1, '9S')), frame('1', card('player', 3, 'KD'))];
    expect(said(observed(frames))).toEqual([
      ['report', { events: [drawn('9S', 'player')] }],
      ['lost', { count: 1, because: 'index' }],
      ['report', { events: [drawn('KD', 'player')] }],
    ]);
  });

  it.each([
    ['the first player card', [card('banker', 1, '7H'), card('player', 2, 'KD')], 1],
    ['both first cards', [card('player', 2, 'KD'), card('banker', 2, '7H')], 2],
    ['nothing', [card('player', 1, 'KD'), card('banker', 1, '7H')], 0],
  ] as const)('shows after a result: %s', (_, cards, count) => {
    const result = { is: 'result', result: 'tie', playerPair: false, bankerPair: false } as const;
    const before = [card('player', 1, '9S'), card('banker', 1, '7H'), result];
    const found = lost(observed([...before, ...cards].map((each) => frame('1', each))));
    expect(found.length).toBe(count);
  });

  it('shows where the index of a hand goes back without a result', () => {
    const cards = [card('player', 1, '9S'), card('player', 2, 'KD'), card('player', 2, '9S')];
    expect(lost(observed(cards.map((each) => frame('1', each))))).toEqual([
      ['lost', { count: 1, because: 'index' }],
    ]);
  });

  it.each([
    ['the index of the other hand goes back', card('player', 1, 'KD')],
    ['the shoe starts', { is: 'started' } as const],
  ])('shows after %s: the hand begins with index 1', (_, between) => {
    const cards = [card('player', 1, '9S'), card('banker', 1, '7H'), between];
    const frames = [...cards, card('banker', 2, '9S')].map((each) => frame('1', each));
    expect(lost(observed(frames))).toEqual([['lost', { count: 1, because: 'index' }]]);
  });

  it('shows by the sequence character where its alphabet is known', () => {
    const numbered = [...'EF2'].map((sequence) => frame(sequence, { is: 'standby' }));
    expect(lost(observed(numbered))).toEqual([]);
    expect(lost(observed(numbered, HEX))).toEqual([['lost', { count: 2, because: 'number' }]]);
  });

  it('is not counted twice where number and index both jump', () => {
    const frames = [frame('1', card('player', 1, '9S')), frame('3', card('player', 3, 'KD'))];
    expect(lost(observed(frames, HEX))).toEqual([['lost', { count: 1, because: 'number' }]]);
  });

  it('cannot be seen by a character outside the alphabet, which is an error', () => {
    const observations = observed(
      [frame('1', { is: 'standby' }), frame('z', { is: 'standby' })],
      HEX,
    );
    expect(said(observations)[1]).toEqual([
      'report',
      { events: [fault('sequence', 'z is not in the configured sequence')] },
    ]);
    expect(lost(observations)).toEqual([]);
  });

  it('is not looked for where the shoe starts', () => {
    const frames = [frame('1', card('player', 1, '9S')), frame('9', { is: 'started' })];
    expect(lost(observed(frames, HEX))).toEqual([]);
  });
});

describe('a damaged report', () => {
  const good = frame('1', card('player', 1, '9S'));
  const bad = damaged(good, 4, 0xb8);
  const next = frame('2', card('banker', 1, '7H'));
  const decoder = angelEye(CAUTIOUS);
  const kinds = (...chunks: readonly Chunk[]): readonly string[] =>
    heard(decoder, chunks).all.flatMap(kindSaid);
  const NONE = new Uint8Array();

  it('is forgiven where its copy comes within a second', () => {
    expect(kinds([bad, 0], [good, 0.5], [NONE, 9])).toEqual(['damaged', 'report']);
    expect(kinds([good, 0], [bad, 0.5], [NONE, 9])).toEqual(['report', 'damaged']);
  });

  it('is lost after a second', () => {
    expect(kinds([bad, 0], [NONE, 1])).toEqual(['damaged']);
    expect(kinds([bad, 0], [NONE, 1.01])).toEqual(['damaged', 'lost']);
  });

  it('is lost before the next report that is not a copy of it', () => {
    expect(kinds([bad, 0], [next, 0.2])).toEqual(['damaged', 'lost', 'report']);
  });

  it('is forgiven where the next number follows the last', () => {
    const known = heard(angelEye(HEX), [
      [good, 0],
      [damaged(next, 4, 1), 0.1],
      [next, 0.2],
    ]).all;
    expect(known.flatMap(kindSaid)).not.toContain('lost');
  });

  it('is not counted again by the number of the next report', () => {
    const third = frame('3', { is: 'standby' });
    const { all } = heard(angelEye(HEX), [
      [good, 0],
      [damaged(next, 4, 0xb8), 1],
      [NONE, 3],
      [third, 4],
    ]);
    expect(all.flatMap(kindSaid)).toEqual(['report', 'damaged', 'lost', 'report']);
  });

  it.each([
    ['cut short', good.slice(0, 5)],
    ['cut at its front', good.slice(2)],
    ['without one of its bytes', Uint8Array.from([...good.slice(0, 3), ...good.slice(4)])],
    ['with a wrong first byte', damaged(good, 0, 0x07)],
  ])('%s is a copy of the whole one', (_, piece) => {
    expect(kinds([piece, 0], [good, 0.1], [NONE, 9])).not.toContain('lost');
  });

  it('cut so short that it fits any report has no copy', () => {
    expect(kinds([good.slice(0, 2), 0], [good, 0.1])).toEqual(['damaged', 'lost', 'report']);
  });

  it('is never forgiven where more pieces wait than are kept', () => {
    const pieces = Array.from({ length: 20 }, (_, at): Chunk => [damaged(good, 4, at + 0x80), 0]);
    expect(kinds(...pieces, [good, 0.1])).toContain('lost');
  });

  it('never hides another report: what follows a cut is read', () => {
    const bytes = joined([good.slice(0, 4), good]);
    expect(kinds([bytes, 0])).toEqual(['damaged', 'report']);
  });

  it('is ended by a second of silence, and its bytes are kept', () => {
    const { all } = heard(decoder, [
      [good.slice(0, 5), 3],
      [good.slice(5), 4.5],
    ]);
    expect(all[0]).toMatchObject({ kind: 'damaged', raw: '05314481b9', up: 3 });
  });

  it('goes on after less than a second of silence, and has the time of its first byte', () => {
    const { all } = heard(decoder, [
      [good.slice(0, 5), 3],
      [good.slice(5), 3.9],
    ]);
    expect(all.slice(1)).toMatchObject([{ kind: 'report', up: 3 }]);
  });

  it('ends at 64 bytes', () => {
    const endless = Uint8Array.from([5, ...new Array<number>(200).fill(0x81)]);
    const { all, state } = heard(decoder, [[endless, 0]]);
    expect(all.map(({ raw }) => raw.length / 2)).toEqual([64, 64, 64]);
    expect(FRAME_BYTES_MAX).toBe(64);
    expect(state.open).toHaveLength(9);
  });
});

describe('what another system and the shoe say to each other', () => {
  it.each([
    ['a reply', '02 4F 50 4C 4B 30 31 03 31 42'],
    ['an ACK', '06'],
    ['a NAK and its code', '15 31'],
  ])('is read past: %s', (_, hex) => {
    const frames = joined([bytesOf(hex), frame('1', card('player', 1, '9S'))]);
    expect(observed([frames]).flatMap(kindSaid)).toEqual(['read-past', 'report']);
  });

  it('does not hide a report whose first byte was damaged', () => {
    for (const first of [0x02, 0x06, 0x15]) {
      const bytes = damaged(frame('1', card('player', 1, '9S')), 0, first);
      const chunks: Chunk[] = [
        [bytes, 0],
        [new Uint8Array(), 3],
      ];
      expect(heard(angelEye(CAUTIOUS), chunks).all.flatMap(kindSaid)).toContain('lost');
    }
  });
});

describe('a decoder that heard nothing for a while', () => {
  const decoder = angelEye({ ...HEX, bcc: 'from-sequence' });
  /** Returns what is observed of frames around a silence, the copies of both ends included. */
  function around(before: readonly Uint8Array[], after: readonly Uint8Array[]) {
    const chunk = (bytes: Uint8Array, at: number): Chunk => [bytes, at];
    const { state } = heard(decoder, before.map(chunk));
    const { state: end, all } = heard(
      { ...decoder, start: decoder.resume(state) },
      after.map((bytes, at) => chunk(bytes, at + 100)),
    );
    return { end, kinds: all.map(({ kind }) => kind), all };
  }
  const first = frame('1', card('player', 1, '9S'));
  const third = frame('7', card('player', 3, 'KD'));

  it('still knows a copy of the last report, so a card is never taken twice', () => {
    expect(around([first], [first]).kinds).toEqual(['repeat']);
  });

  it('reports no number and no card as lost that may have come meanwhile', () => {
    expect(around([first], [third]).kinds).toEqual(['report']);
  });

  it('reports what is lost after it', () => {
    const fifth = frame('A', card('player', 5, '7H'));
    expect(around([first], [third, fifth]).kinds).toEqual(['report', 'lost', 'report']);
  });

  it('goes on with the coup, and begins the next one where the index begins', () => {
    expect(beginnings(around([first], [third, first]).all)).toEqual([1]);
  });

  it('reports a card as lost where the first that is heard of a coup cannot be its first', () => {
    const banker = frame('8', card('banker', 1, '7H'));
    expect(around([], [banker]).kinds).toEqual(['coup-begins', 'lost', 'report']);
    expect(around([], [frame('8', card('player', 1, '9S'))]).kinds).toEqual([
      ...['coup-begins', 'report'],
    ]);
  });

  it('drops what is open', () => {
    expect(around([first.slice(0, 5)], [first]).kinds).toEqual(['coup-begins', 'report']);
  });
});

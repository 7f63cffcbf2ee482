import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeLine1, LINE1_BYTES_MAX, parseLine, type Line1, type ReportedEvent } from '#devices';
import { anyLine } from './any-line.js';
import { around } from './bytes.js';

/** Returns the event of a code and its fields. */
function eventOf(fields: string): ReportedEvent {
  const parsed = parseLine(around(`E,17,4,160115,${fields}`));
  if (parsed.is !== 'line' || parsed.line.type !== 'E') throw new Error(JSON.stringify(parsed));
  return parsed.line.event;
}

/** Returns why a body is refused. */
function problemOf(body: string): string {
  const parsed = parseLine(around(body));
  return parsed.is === 'malformed' ? parsed.problem : parsed.is;
}

/** The example of docs/devices/line-protocol-1.md. */
const EXAMPLE: readonly (readonly [string, Line1])[] = [
  ['$Q*CE6E8EEF', { type: 'Q' }],
  [
    '$H,1,SHOE-0042,2.1.7,17,1190,0,0*73507172',
    { type: 'H', unit: 'SHOE-0042', firmware: '2.1.7', boot: 17, ms: 1190, last: 0, oldest: 0 },
  ],
  ['$A,17,0*07AC8DBC', { type: 'A', boot: 17, seq: 0 }],
  [
    '$E,17,1,1204,ON,2.1.7*E65FBC14',
    made(1, 1204, { type: 'device-online', data: { firmware: '2.1.7' } }),
  ],
  [
    '$E,17,2,152034,SO,B07-20261121-3,8*402B133F',
    made(2, 152034, { type: 'shoe-opened', data: { shoe: 'B07-20261121-3', decks: 8 } }),
  ],
  ['$E,17,3,158220,CO,1*5A18CCB6', made(3, 158220, { type: 'coup-opened', data: { coup: 1 } })],
  [
    '$E,17,4,160115,CD,9S,P*A71F5369',
    made(4, 160115, { type: 'card-drawn', data: { card: '9S', to: 'player' } }),
  ],
  ['$A,17,4*00C149A5', { type: 'A', boot: 17, seq: 4 }],
  [
    '$E,17,6,163377,CD,KD,P,X*6197D742',
    made(6, 163377, { type: 'card-drawn', data: { card: 'KD', to: 'player', exposed: true } }),
  ],
  ['$N,17,5,GAP*2708B025', { type: 'N', boot: 17, seq: 5, reason: 'GAP' }],
  [
    '$E,17,5,161702,CD,??,B*66DB5EF3',
    made(5, 161702, { type: 'card-drawn', data: { card: null, to: 'banker' } }),
  ],
  [
    '$E,17,7,171400,ER,3,card not read%2C twice*5ECF7EB2',
    made(7, 171400, { type: 'device-error', data: { code: '3', text: 'card not read, twice' } }),
  ],
];

function made(seq: number, ms: number, event: ReportedEvent): Line1 {
  return { type: 'E', boot: 17, seq, ms, event };
}

describe('a line of line protocol 1', () => {
  it.each(EXAMPLE)('is read and written as in the example: %s', (text, line) => {
    expect(parseLine(text)).toMatchObject({ is: 'line', line });
    expect(encodeLine1(line)).toBe(`${text}\n`);
  });

  it('has the CRC-32 of zlib', () => {
    expect(around('123456789')).toBe('$123456789*CBF43926');
    fc.assert(
      fc.property(anyLine, (line) => {
        const written = encodeLine1(line);
        expect(around(written.slice(1, written.lastIndexOf('*')))).toBe(written.trimEnd());
      }),
    );
  });

  it('is read back as it was written, whatever texts and numbers it has', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const written = encodeLine1(line);
        expect(written).toMatch(/^\$[ -~]*\*[0-9A-F]{8}\n$/);
        expect(written.length).toBeLessThanOrEqual(LINE1_BYTES_MAX);
        expect(parseLine(written.slice(0, -1))).toMatchObject({ is: 'line', line });
      }),
    );
  });
});

describe('an event of line protocol 1', () => {
  it.each([
    ['ON,2.1.7', 'device-online', { firmware: '2.1.7' }],
    ['ON,2.1.7,0', 'device-online', { firmware: '2.1.7', missed: 0 }],
    ['OF', 'device-offline', {}],
    ['SO,B07-20261121-3,8', 'shoe-opened', { shoe: 'B07-20261121-3', decks: 8 }],
    ['SC,cut-card', 'shoe-closed', { reason: 'cut-card' }],
    ['SC,operator,17', 'shoe-closed', { reason: 'operator', remaining: 17 }],
    ['SC,error', 'shoe-closed', { reason: 'error' }],
    ['SC,end', 'shoe-closed', { reason: 'end' }],
    ['CC', 'cut-card-drawn', {}],
    ['CO,12', 'coup-opened', { coup: 12 }],
    ['CO,12,N', 'coup-opened', { coup: 12, kind: 'normal' }],
    ['CO,12,D', 'coup-opened', { coup: 12, kind: 'dummy' }],
    ['CO,12,X', 'coup-opened', { coup: 12, kind: 'demonstration' }],
    ['CO,12,F', 'coup-opened', { coup: 12, kind: 'free' }],
    ['BC', 'betting-closed', {}],
    ['CL', 'coup-closed', {}],
    ['CV,misdeal', 'coup-voided', { reason: 'misdeal' }],
    ['CD,9S,P', 'card-drawn', { card: '9S', to: 'player' }],
    ['CD,TD,B', 'card-drawn', { card: 'TD', to: 'banker' }],
    ['CD,??,U', 'card-drawn', { card: null, to: 'burn' }],
    ['CD,AC,O', 'card-drawn', { card: 'AC', to: 'out' }],
    ['CD,QH,-', 'card-drawn', { card: 'QH', to: null }],
    ['CD,QH,P,X', 'card-drawn', { card: 'QH', to: 'player', exposed: true }],
    ['CM,4,P', 'card-moved', { number: 4, to: 'player' }],
    ['CM,4,B', 'card-moved', { number: 4, to: 'banker' }],
    ['CM,4,U', 'card-moved', { number: 4, to: 'burn' }],
    ['CM,4,D', 'card-moved', { number: 4, to: 'discard' }],
    ['CM,4,N', 'card-moved', { number: 4, to: 'next' }],
    ['HC,P,6', 'hand-called', { hand: 'player', total: 6 }],
    ['HC,B,0', 'hand-called', { hand: 'banker', total: 0 }],
    ['RS,P', 'outcome-declared', { outcome: 'player', by: 'device' }],
    ['RS,B,3,5', 'outcome-declared', { outcome: 'banker', player: 3, banker: 5, by: 'device' }],
    [
      'RS,T,6,6,player-pair,natural',
      'outcome-declared',
      { outcome: 'tie', player: 6, banker: 6, specials: ['player-pair', 'natural'], by: 'device' },
    ],
    ['ER,3', 'device-error', { code: '3' }],
    ['ER,3,K%C3%B6nig%25', 'device-error', { code: '3', text: 'König%' }],
    ['EC,3', 'device-error-cleared', { code: '3' }],
    ['DS,lock,on', 'device-setting-changed', { code: 'lock', text: 'on' }],
  ])('%s becomes %s', (fields, type, data) => {
    expect(eventOf(fields)).toEqual({ type, data });
  });
});

describe('a line that breaks the grammar', () => {
  it.each([
    ['E,0,1,0,CC', 'boot: "0" must be a whole number from 1 to 4294967295'],
    ['E,4294967296,1,0,CC', 'boot: "4294967296" must be a whole number from 1 to 4294967295'],
    ['E,17,0,0,CC', 'seq: "0" must be a whole number from 1 to 9007199254740990'],
    ['E,17,01,0,CC', 'seq: "01" must be a whole number from 1 to 9007199254740990'],
    ['E,17,1,-5,CC', 'ms: "-5" must be a whole number from 0 to 9007199254740991'],
    [
      'E,17,1,0,CD,1S,P',
      'card: "1S" is not a card (expected rank and suit, for example 9S, or ??)',
    ],
    ['E,17,1,0,CD,9S,Q', 'to: "Q" must be one of P, B, U, O, -'],
    ['E,17,1,0,HC,Q,5', 'hand: "Q" must be one of P, B'],
    ['E,17,1,0,HC,P,10', 'total: "10" must be a whole number from 0 to 9'],
    ['E,17,1,0,SO,B07%00,8', 'shoe: contains the control character U+0000'],
    ['E,17,1,0,SO,,8', 'shoe: must not be empty'],
    ['E,17,1,0,SO,B07', 'decks: is missing'],
    ['E,17,1,0,SO,%C3,8', 'shoe: its %HH are not UTF-8'],
    ['E,17,1,0,SO,%4,8', 'shoe: must be printable ASCII, with %HH for other characters'],
    ['E,17,1,0,SO,B\u007f7,8', 'shoe: must be printable ASCII, with %HH for other characters'],
    ['E,17,1,0,SC,lunch', 'reason: "lunch" must be one of cut-card, operator, error, end'],
    ['E,17,1,0,RS,P,3', 'banker: is missing'],
    ['E,17,1,0,CC,1', 'CC: has 1 fields, and at most 0 are known'],
    ['E,17,1,0,XX', 'code: "XX" is not a code of line protocol 1'],
    ['E,17,1,0', 'code: is missing'],
    ['E,17,1', 'ms: is missing'],
    ['H,2,U,1,17,0,0,0', 'version: "2" must be one of 1'],
    ['Z', 'type: "Z" is not a type of line'],
    ['A,17,4,5', 'A: has 3 fields, and 2 are known'],
    ['N,17,4,WHY', 'reason: "WHY" must be one of GAP, CRC, FORM'],
  ])('%s is refused by name: %s', (body, problem) => {
    expect(problemOf(body)).toBe(problem);
  });

  it.each([
    ['no end', '$Q*CE6E8EE'],
    ['a lower-case CRC', '$Q*ce6e8eef'],
    ['another CRC', '$Q*CE6E8EEE'],
    ['no $', 'Q*CE6E8EEF'],
  ])('is damaged if it has %s', (_, text) => {
    expect(parseLine(text).is).toBe('damaged');
  });

  it.each([
    [{ type: 'A', boot: 0, seq: 1 }, 'boot: "0" must be a whole number from 1 to 4294967295'],
    [{ type: 'B', boot: 1, reason: '' }, 'reason: must not be empty'],
    [{ type: 'B', boot: 1, reason: 'x'.repeat(200) }, 'line: has 215 bytes, and at most 160 fit'],
  ] as const)('cannot be written: %j', (line, message) => {
    expect(() => encodeLine1(line)).toThrow(new RangeError(message));
  });
});

import fc from 'fast-check';
import type { Line1, ReportedEvent } from '#devices';

const count = fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER - 1));
const ordinal = fc.oneof(
  fc.integer({ min: 1, max: 1e6 }),
  fc.constant(Number.MAX_SAFE_INTEGER - 1),
);
const boot = fc.integer({ min: 1, max: 4_294_967_295 });
const total = fc.integer({ min: 0, max: 9 });
/** Short text of any characters but control characters and half surrogate pairs. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 3 })
  .filter((each) => !/\p{Cc}/u.test(each) && encodeURIComponent(each).length <= 30);
const card = fc.constantFrom('9S', 'TD', 'AC', 'QH', null);
const hand = fc.constantFrom('player', 'banker');

const event = (
  type: ReportedEvent['type'],
  data: Record<string, fc.Arbitrary<unknown>>,
  ...required: string[]
): fc.Arbitrary<ReportedEvent> =>
  fc
    .record(data, { requiredKeys: required })
    .map((each) => ({ type, data: each }) as unknown as ReportedEvent);

/** Any event that line protocol 1 can carry. */
export const anyReported: fc.Arbitrary<ReportedEvent> = fc.oneof(
  event('device-online', { firmware: text, missed: count }, 'firmware'),
  event('device-offline', {}),
  event('shoe-opened', { shoe: text, decks: ordinal }, 'shoe', 'decks'),
  event(
    'shoe-closed',
    { reason: fc.constantFrom('cut-card', 'operator', 'error', 'end'), remaining: count },
    'reason',
  ),
  event('cut-card-drawn', {}),
  event(
    'coup-opened',
    { coup: ordinal, kind: fc.constantFrom('normal', 'dummy', 'demonstration', 'free') },
    'coup',
  ),
  event('betting-closed', {}),
  event('coup-closed', {}),
  event('coup-voided', { reason: text }, 'reason'),
  event(
    'card-drawn',
    {
      card,
      to: fc.constantFrom('player', 'banker', 'burn', 'out', null),
      exposed: fc.constant(true),
    },
    'card',
    'to',
  ),
  event(
    'card-moved',
    { number: ordinal, to: fc.constantFrom('player', 'banker', 'burn', 'discard', 'next') },
    'number',
    'to',
  ),
  event('hand-called', { hand, total }, 'hand', 'total'),
  event(
    'outcome-declared',
    { outcome: fc.constantFrom('player', 'banker', 'tie'), by: fc.constant('device') },
    'outcome',
    'by',
  ),
  event(
    'outcome-declared',
    {
      outcome: fc.constantFrom('player', 'banker', 'tie'),
      player: total,
      banker: total,
      specials: fc.array(text, { minLength: 1, maxLength: 2 }),
      by: fc.constant('device'),
    },
    'outcome',
    'player',
    'banker',
    'by',
  ),
  event('device-error', { code: text, text }, 'code'),
  event('device-error-cleared', { code: text }, 'code'),
  event('device-setting-changed', { code: text, text }, 'code', 'text'),
);

/** Any line of line protocol 1. */
export const anyLine: fc.Arbitrary<Line1> = fc.oneof(
  fc.record({
    type: fc.constant('H' as const),
    unit: text,
    firmware: text,
    boot,
    ms: count,
    last: count,
    oldest: count,
  }),
  fc.record({ type: fc.constant('E' as const), boot, seq: ordinal, ms: count, event: anyReported }),
  fc.record({ type: fc.constant('I' as const), boot, ms: count, last: count }),
  fc.record({ type: fc.constant('A' as const), boot, seq: count }),
  fc.record({
    type: fc.constant('N' as const),
    boot,
    seq: ordinal,
    reason: fc.constantFrom('GAP', 'CRC', 'FORM'),
  }),
  fc.record({ type: fc.constant('B' as const), boot, reason: text }),
  fc.record({ type: fc.constant('Q' as const) }),
);

import type { ReportedEvent } from '../observation.js';
import type { AngelEyeReport } from './reports.js';

/** What integrators call the errors of the shoe, by number. */
const ERRORS: Readonly<Record<number, string>> = {
  1: 'cannot read',
  2: 'overdraw',
  3: 'button misused',
  4: 'reverse run at the exit',
  5: 'reverse run midway',
  6: 'card code error',
  7: 'draw timed out',
};

/** Returns bytes for a text, such as `91 A5`. */
const spacedHex = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');

/** Returns an error that says the bytes of a frame of which something is not known. */
export const unrecognised = (frame: readonly number[], code = 'unrecognised'): ReportedEvent => ({
  type: 'device-error',
  data: { code, text: spacedHex(frame) },
});

const changed = (code: string, text: string): ReportedEvent => ({
  type: 'device-setting-changed',
  data: { code, text },
});

/** What each report says. `pairs`: whether results announce pairs. */
const EVENTS: {
  readonly [K in AngelEyeReport['is']]: (
    report: AngelEyeReport & { readonly is: K },
    frame: readonly number[],
    pairs: boolean,
  ) => readonly ReportedEvent[];
} = {
  card: ({ card, to, unknown }, frame) => [
    { type: 'card-drawn', data: { card, to: to === 'indicator' ? 'burn' : to } },
    ...(unknown ? [unrecognised(frame)] : []),
  ],
  'card-outside': ({ card, mode, unknown }, frame) => [
    { type: 'card-drawn', data: { card, to: 'out' } },
    { type: 'device-error', data: { code: 'drawn-outside', text: `drawn in ${mode} mode` } },
    ...(unknown ? [unrecognised(frame)] : []),
  ],
  'burn-count': ({ payload }) => [changed('burn-count', spacedHex(payload))],
  result: (report, _frame, pairs) => [resultEvent(report, pairs)],
  'cut-card': () => [{ type: 'cut-card-drawn', data: {} }],
  error: (error) => [
    { type: 'device-error', data: { code: `${error.number}`, text: words(error) } },
  ],
  'error-cleared': ({ number }) => [{ type: 'device-error-cleared', data: { code: `${number}` } }],
  lock: ({ state }) => [changed('lock', `${state}`)],
  preset: ({ address, value }) => [
    changed('preset', `address ${spacedHex(address)}, value ${spacedHex(value)}`),
  ],
  other: (_report, frame) => [unrecognised(frame)],
  standby: () => [],
  started: () => [],
  retransmission: () => [],
};

/**
 * Returns the events of a report. `retransmission` and `started` need what was heard before, so
 * the decoder answers for them. `pairs` says whether results announce pairs.
 */
export const eventsOf = (
  report: AngelEyeReport,
  frame: readonly number[],
  pairs: boolean,
): readonly ReportedEvent[] =>
  (
    EVENTS[report.is] as (
      report: AngelEyeReport,
      frame: readonly number[],
      pairs: boolean,
    ) => readonly ReportedEvent[]
  )(report, frame, pairs);

function words({
  number,
  inErrorMode,
}: AngelEyeReport & { readonly is: 'error' | 'error-cleared' }) {
  const what = ERRORS[number] ?? 'unknown error';
  return inErrorMode ? `${what}, in error mode` : what;
}

function resultEvent(
  report: AngelEyeReport & { readonly is: 'result' },
  pairs: boolean,
): ReportedEvent {
  if (report.result === 'force-quit')
    return { type: 'coup-voided', data: { reason: 'force quit at the shoe' } };
  const specials = [
    ...(report.playerPair ? ['player-pair'] : []),
    ...(report.bankerPair ? ['banker-pair'] : []),
  ];
  return {
    type: 'outcome-declared',
    data: { outcome: report.result, ...(pairs ? { specials } : {}), by: 'device' },
  };
}

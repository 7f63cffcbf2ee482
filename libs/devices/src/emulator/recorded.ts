import type { AnyEvent, EventOf, EventType } from '#audit';
import { encodeLine1 } from '../line-1/line.js';
import type { Reported, ReportedEvent } from '../observation.js';
import type { EmulatedProtocol, ReportStep } from './step.js';

/** The reason of a coup that `angel-eye-ii-ex` reports as voided. */
const FORCE_QUIT = 'force quit at the shoe';
/** The highest boot and number, so that a line that fits with them fits with all others. */
const WIDEST = { boot: 4_294_967_295, seq: 999_999_999, ms: 9_999_999_999 };

/** An event of a table's log, and when it happened in seconds of any clock. */
export interface RecordedEvent {
  readonly at: number;
  readonly event: AnyEvent;
}

/** A report that a device makes of a recorded event. */
export interface Said {
  /** Seconds since the first report. */
  readonly at: number;
  /** The shoe that the record names. */
  readonly shoe: string | undefined;
  readonly step: ReportStep;
}

/** What a device can say of a record. */
export interface Sayable {
  readonly said: readonly Said[];
  /** How many events of each kind the protocol cannot say. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/**
 * Returns what a device can say of a table's record, in its order. Of results it takes those that
 * a device declared, or those of the dealer if no device declared one: both are about one result.
 */
export function sayable(protocol: EmulatedProtocol, events: readonly RecordedEvent[]): Sayable {
  const said: Said[] = [];
  const leftOut = new Map<string, number>();
  const declaredBy = events.some(({ event }) => isResult(event) && event.data.by === 'device')
    ? 'device'
    : 'dealer';
  let at = 0;
  let before: number | undefined;
  for (const { at: now, event } of events) {
    const report = reportOf(protocol, event, declaredBy);
    if (report === undefined) {
      const what = isResult(event) ? `${event.type} by the ${event.data.by}` : event.type;
      leftOut.set(what, (leftOut.get(what) ?? 0) + 1);
      continue;
    }
    at += Math.max(0, now - (before ?? now));
    before = now;
    said.push({ at, shoe: event.shoe, step: withReferences(report, event) });
  }
  return { said, leftOut };
}

const isResult = (event: AnyEvent): event is EventOf<'outcome-declared'> =>
  event.type === 'outcome-declared';

function withReferences(report: ReportedEvent, event: AnyEvent): ReportStep {
  const step = { is: 'report', event: report } as const;
  if (event.type === 'card-drawn') return { ...step, reference: `${event.source}#${event.id}` };
  return event.type === 'card-moved' ? { ...step, card: event.data.event } : step;
}

function reportOf(
  protocol: EmulatedProtocol,
  event: AnyEvent,
  declaredBy: 'device' | 'dealer',
): ReportedEvent | undefined {
  if (isResult(event) && event.data.by !== declaredBy) return undefined;
  const report = asReported(event);
  if (report === undefined) return undefined;
  return (protocol === 'line-1' ? fitsLine : fitsFrame)(report) ? report : undefined;
}

/** How a device reports each type of event, or undefined for one that it cannot report. */
const REPORTS: { readonly [T in EventType]?: (event: EventOf<T>) => ReportedEvent | undefined } = {
  'shoe-opened': ({ shoe, data: { decks } }) =>
    shoe === undefined ? undefined : { type: 'shoe-opened', data: { shoe, decks } },
  'shoe-closed': ({ data }) => closed(data),
  'cut-card-drawn': () => ({ type: 'cut-card-drawn', data: {} }),
  'coup-opened': ({ data }) => ({ type: 'coup-opened', data }),
  'betting-closed': () => ({ type: 'betting-closed', data: {} }),
  'coup-closed': () => ({ type: 'coup-closed', data: {} }),
  // A device voids the coup that is open.
  'coup-voided': ({ data: { reason, coup } }) =>
    reason === undefined || coup !== undefined
      ? undefined
      : { type: 'coup-voided', data: { reason } },
  'card-drawn': ({ data: { card, to, exposed } }) => ({
    type: 'card-drawn',
    data: { card, to, ...(exposed ? { exposed } : {}) },
  }),
  'card-moved': ({ data: { to } }) => ({ type: 'card-moved', data: { number: 1, to } }),
  'hand-called': ({ data }) => ({ type: 'hand-called', data }),
  'outcome-declared': ({ data }) => ({ type: 'outcome-declared', data: declared(data) }),
  'device-error': noted,
  'device-error-cleared': noted,
  'device-setting-changed': noted,
};

/** Returns an event as a device would report it, or undefined if no device reports it. */
const asReported = (event: AnyEvent): ReportedEvent | undefined =>
  (REPORTS[event.type] as ((event: AnyEvent) => ReportedEvent | undefined) | undefined)?.(event);

function closed({ reason, remaining }: EventOf<'shoe-closed'>['data']): ReportedEvent | undefined {
  if (reason === undefined) return undefined;
  const left = remaining === undefined ? {} : { remaining };
  return { type: 'shoe-closed', data: { reason, ...left } };
}

/** Announced combinations stand behind both totals, so they need them. */
function declared(data: EventOf<'outcome-declared'>['data']): Reported['outcome-declared'] {
  const { outcome, player, banker, specials = [] } = data;
  const totals = player === undefined || banker === undefined ? {} : { player, banker };
  const announced = 'player' in totals && specials.length > 0 ? { specials } : {};
  return { outcome, ...totals, ...announced, by: 'device' };
}

function noted({
  type,
  data,
}: EventOf<'device-error' | 'device-error-cleared' | 'device-setting-changed'>):
  ReportedEvent | undefined {
  const { code: given, text } = data;
  if (given === undefined) return undefined;
  const code = String(given);
  if (type === 'device-error')
    return { type, data: { code, ...(text === undefined ? {} : { text }) } };
  if (type === 'device-error-cleared') return { type, data: { code } };
  return text === undefined ? undefined : { type, data: { code, text } };
}

function fitsLine(event: ReportedEvent): boolean {
  try {
    encodeLine1({ type: 'E', ...WIDEST, event });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Returns whether `angel-eye-ii-ex` reports an event. No frame opens a coup, but the shoe begins
 * to count the cards of a hand again.
 */
function fitsFrame({ type, data }: ReportedEvent): boolean {
  switch (type) {
    case 'coup-opened':
    case 'cut-card-drawn':
    case 'outcome-declared':
      return true;
    case 'card-drawn':
      return data.to !== null;
    case 'coup-voided':
      return data.reason === FORCE_QUIT;
    case 'device-error':
    case 'device-error-cleared':
      return /^([0-9]|[1-5][0-9]|6[0-3])$/.test(data.code);
    default:
      return false;
  }
}

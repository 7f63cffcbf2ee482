import { hexOf, type Feed, type FrameDecoder, type Observation } from '../observation.js';
import type { LostBecause, ObservationFields, ObservationKind } from '../observation.js';
import { learn, type Checksum } from './checksum.js';
import { COPY_WITHIN, isCopyOf, withoutCopiesOf, withPiece, type Damage } from './damage.js';
import { eventsOf, unrecognised } from './events.js';
import { CONTROL, endPiece, readByte, readingOf, type BccReading, type Piece } from './frames.js';
import { afterResult, afterSilence, lay, NO_PLACES, type Places } from './places.js';
import { decodeReport, type AngelEyeReport } from './reports.js';

/** Seconds of silence that end a piece which is not whole. */
const SILENCE = 1;
/** Letters whose report is a fact of the game: not to understand one is to lose it. */
const OF_THE_GAME = 'DdGCS';

/** What a site knows of its shoe. Each default is the cautious reading. */
export interface AngelEyeSettings {
  /** The sequence characters in their order, as in `0123456789ABCDEF`. */
  readonly sequence: string;
  readonly bcc: BccReading | 'learn';
  /** Whether results announce pairs (`specials`). */
  readonly pairs: boolean;
}

/** The setting of `sequence` for a shoe whose characters are not known. */
export const SEQUENCE_UNKNOWN = 'unknown';

/** What the decoder of `angel-eye-ii-ex` keeps between chunks, as plain JSON. */
export interface AngelEyeState {
  /** The piece that is open, when its first byte came, and when the last byte came. */
  readonly open: readonly number[];
  readonly openedAt: number;
  readonly heardAt: number;
  readonly checksum: Checksum;
  /** The last report, or empty before the first. */
  readonly last: readonly number[];
  readonly places: Places;
  readonly damage: Damage | null;
  /** Losses reported since the last report, which its number then must not count again. */
  readonly reported: number;
  /** Reports may have gone by unheard since the last, so its number says nothing about the next. */
  readonly unsure: boolean;
}

/** A decoder at work on one chunk. */
interface Work {
  state: AngelEyeState;
  readonly settings: AngelEyeSettings;
  readonly observations: Observation[];
}

/** A report with a good check. */
interface Good {
  readonly frame: readonly number[];
  readonly sequence: string;
  readonly letter: string;
  readonly payload: readonly number[];
  readonly up: number;
}

/**
 * Returns the decoder of `angel-eye-ii-ex` (docs/devices/angel-eye-ii-ex.md). It only listens.
 * `deviceNumber` is the sequence character.
 */
export function angelEye(settings: AngelEyeSettings): FrameDecoder<AngelEyeState> {
  const start: AngelEyeState = {
    open: [],
    openedAt: 0,
    heardAt: 0,
    checksum: {
      settled: settings.bcc === 'learn' ? null : settings.bcc,
      fitted: null,
      run: 0,
    },
    last: [],
    places: NO_PLACES,
    damage: null,
    reported: 0,
    unsure: false,
  };
  return {
    start,
    resume: (state) => ({
      ...state,
      ...{ open: [], damage: null, reported: 0, unsure: true },
      places: afterSilence(state.places),
    }),
    feed: (state, bytes, up) => feed({ state, settings, observations: [] }, bytes, up),
  };
}

function feed(work: Work, bytes: Uint8Array, up: number): Feed<AngelEyeState> {
  const { open, openedAt, heardAt } = work.state;
  if (open.length > 0 && up - heardAt > SILENCE) {
    work.state = { ...work.state, open: [] };
    for (const piece of endPiece(open)) take(work, piece, openedAt);
  }
  loseWhatHasNoCopy(work, up);
  for (const byte of bytes) {
    const before = work.state;
    const read = readByte(before.open, byte);
    const firstAt = before.open.length > 0 ? before.openedAt : up;
    const goesOn = read.pieces.length === 0;
    work.state = { ...before, open: read.open, openedAt: goesOn ? firstAt : up, heardAt: up };
    for (const [at, piece] of read.pieces.entries()) take(work, piece, at === 0 ? firstAt : up);
  }
  return { state: work.state, observations: work.observations };
}

/** Adds an observation of the bytes `of`. */
function observe<K extends ObservationKind>(
  work: Work,
  kind: K,
  fields: ObservationFields[K],
  of: Pick<Observation, 'up'> &
    Partial<Pick<Observation, 'integrity' | 'deviceNumber'>> & {
      readonly bytes?: readonly number[];
    },
): void {
  const { bytes = [], integrity = 'none', up, deviceNumber } = of;
  work.observations.push({
    kind,
    fields,
    raw: hexOf(bytes),
    integrity,
    up,
    ...(deviceNumber === undefined ? {} : { deviceNumber }),
  } as Observation);
}

function lose(work: Work, count: number, because: LostBecause, up: number): void {
  if (count > 0) observe(work, 'lost', { count, because }, { up });
}

/** Reports a loss once a damaged frame has waited in vain for a copy. */
function loseWhatHasNoCopy(work: Work, up: number): void {
  const { damage, reported } = work.state;
  if (damage === null || up - damage.since <= COPY_WITHIN) return;
  work.state = { ...work.state, damage: null, reported: reported + 1 };
  lose(work, 1, 'damage', up);
}

function take(work: Work, { is, bytes }: Piece, up: number): void {
  if (is === 'reply') observe(work, 'read-past', {}, { bytes, up });
  else if (is === 'broken') takeDamaged(work, bytes, { up, reason: brokenBecause(bytes) });
  else takeReport(work, bytes, up);
}

const brokenBecause = ([first]: readonly number[]): string =>
  first === CONTROL.ENQ || first === CONTROL.STX
    ? 'frame: was cut or is too long'
    : 'frame: bytes outside a frame';

function takeDamaged(
  work: Work,
  bytes: readonly number[],
  { up, reason }: { readonly up: number; readonly reason: string },
): void {
  observe(work, 'damaged', { reason }, { bytes, integrity: 'damaged', up });
  const { damage, heardAt, last } = work.state;
  if (isCopyOf(bytes, last)) return;
  work.state = { ...work.state, damage: withPiece(damage, bytes, heardAt) };
}

function takeReport(work: Work, frame: readonly number[], up: number): void {
  const before = work.state.checksum;
  const reading = readingOf(frame);
  const checksum = learn(before, reading);
  work.state = { ...work.state, checksum };
  if (checksum.settled !== null && before.settled === null)
    observe(work, 'checksum-settled', { reading: checksum.settled }, { up });
  const good = contentOf(frame, up);
  if (reading === undefined || reading !== (checksum.settled ?? reading))
    takeDamaged(work, frame, { up, reason: 'BCC: does not fit the frame' });
  else if (good === undefined)
    takeDamaged(work, frame, { up, reason: 'frame: has no sequence character and letter' });
  else takeGood(work, good);
}

/** Returns the parts of a report, or undefined if it is not built like one. */
function contentOf(frame: readonly number[], up: number): Good | undefined {
  const [sequence = 0, letter = 0, ...payload] = frame.slice(1, -3);
  const [number, code] = [String.fromCharCode(sequence), String.fromCharCode(letter)];
  if (!/^[!-~]$/.test(number) || !/^[A-Za-z]$/.test(code)) return undefined;
  return { frame, sequence: number, letter: code, payload, up };
}

function takeGood(work: Work, good: Good): void {
  const { frame, sequence, up } = good;
  const of = { bytes: frame, integrity: 'ok', up, deviceNumber: sequence } as const;
  const { last, damage } = work.state;
  work.state = { ...work.state, damage: withoutCopiesOf(damage, frame) };
  if (hexOf(frame) === hexOf(last)) return observe(work, 'repeat', {}, of);
  const report = decodeReport(good.letter, good.payload);
  if (report?.is === 'started') {
    loseDamaged(work, up);
    observe(work, 'started', { missed: null }, of);
    work.state = { ...work.state, places: NO_PLACES };
  } else {
    loseBefore(work, good, report);
    observe(work, 'report', { events: eventsFor(work, good, report) }, of);
  }
  work.state = { ...work.state, last: frame, damage: null, reported: 0, unsure: false };
}

/** Reports what was damaged before a report and was no copy of it. */
function loseDamaged(work: Work, up: number): void {
  lose(work, work.state.damage === null ? 0 : 1, 'damage', up);
}

/**
 * Reports what never came before a report and that a coup begins, and moves the places on. Cards of
 * that coup which never came are reported after its beginning.
 */
function loseBefore(work: Work, good: Good, report: AngelEyeReport | undefined): void {
  const { up } = good;
  const byNumber = skipped(work, good.sequence);
  const { missing: byIndex, beginsCoup } = layReport(work, report, good.payload);
  const { damage, reported } = work.state;
  const most = Math.max(0, Math.max(byNumber ?? 0, byIndex) - reported);
  const ofCoup = beginsCoup ? Math.min(byIndex, most) : 0;
  lose(work, most - ofCoup, (byNumber ?? 0) >= byIndex ? 'number' : 'index', up);
  if (most === 0 && byNumber === undefined && damage !== null) lose(work, 1, 'damage', up);
  if (beginsCoup) observe(work, 'coup-begins', {}, { up });
  lose(work, ofCoup, 'index', up);
  if (report === undefined && OF_THE_GAME.includes(good.letter)) lose(work, 1, 'form', up);
}

/** Returns how many numbers were skipped before this one, or undefined if that is not known. */
function skipped({ settings, state }: Work, sequence: string): number | undefined {
  if (settings.sequence === SEQUENCE_UNKNOWN || state.last.length === 0 || state.unsure)
    return undefined;
  const { length } = settings.sequence;
  const before = settings.sequence.indexOf(String.fromCharCode(state.last[1] as number));
  const now = settings.sequence.indexOf(sequence);
  if (before === -1 || now === -1) return undefined;
  return (now - before - 1 + 2 * length) % length;
}

const LAYS_NOTHING = { missing: 0, beginsCoup: false };

/** Lays a card. Returns the number of cards that its index shows to be missing. */
function layReport(
  work: Work,
  report: AngelEyeReport | undefined,
  payload: readonly number[],
): typeof LAYS_NOTHING {
  const { places } = work.state;
  if (report?.is === 'result') work.state = { ...work.state, places: afterResult(places) };
  if (report?.is !== 'card') return LAYS_NOTHING;
  const laid = lay(places, report, payload);
  work.state = { ...work.state, places: laid.places };
  return laid;
}

function eventsFor({ settings, state }: Work, good: Good, report: AngelEyeReport | undefined) {
  const { frame, payload, sequence } = good;
  const events =
    report === undefined
      ? [unrecognised(frame)]
      : report.is === 'retransmission'
        ? retransmitted(state.places, payload, frame)
        : eventsOf(report, frame, settings.pairs);
  if (settings.sequence === SEQUENCE_UNKNOWN || settings.sequence.includes(sequence)) return events;
  const text = `${sequence} is not in the configured sequence`;
  return [...events, { type: 'device-error', data: { code: 'sequence', text } } as const];
}

/** A retransmission of the card that lies at its place is empty. What others mean is not public. */
function retransmitted({ held }: Places, payload: readonly number[], frame: readonly number[]) {
  const [target = 0, card] = payload;
  if (payload.length === 2 && held[target] === card) return [];
  return [unrecognised(frame, 'R')];
}

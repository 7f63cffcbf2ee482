import type { EventData } from '#audit';

/** The data of an event type without what only the gateway knows, such as a coup's table. */
type Of<T extends keyof EventData> = EventData[T];

/**
 * The data of each event that a device can report. It is the data of contract section 2, except
 * where a device cannot know a field: `shoe-opened` gets its rules from the configuration, and
 * `card-moved` names the card's event by its number in the same session.
 */
export interface Reported {
  'device-online': {
    readonly firmware?: string;
    readonly unit?: string;
    /** Cards and events that were lost before this session. `null` is not known. */
    readonly missed?: number | null;
  };
  'device-offline': Readonly<Record<string, never>>;
  'shoe-opened': { readonly shoe: string; readonly decks: number };
  'shoe-closed': Pick<Of<'shoe-closed'>, 'remaining'> & {
    readonly reason: NonNullable<Of<'shoe-closed'>['reason']>;
  };
  'cut-card-drawn': Of<'cut-card-drawn'>;
  'coup-opened': Of<'coup-opened'>;
  'betting-closed': Of<'betting-closed'>;
  'coup-closed': Of<'coup-closed'>;
  'coup-voided': { readonly reason: string };
  'card-drawn': Omit<Of<'card-drawn'>, 'to'> & { readonly to: Of<'card-drawn'>['to'] | 'out' };
  'card-moved': { readonly number: number; readonly to: Of<'card-moved'>['to'] };
  'hand-called': Of<'hand-called'>;
  'outcome-declared': Of<'outcome-declared'>;
  'device-error': { readonly code: string; readonly text?: string };
  'device-error-cleared': { readonly code: string };
  'device-setting-changed': { readonly code: string; readonly text: string };
}

/** An event as a device reports it. The gateway adds table, source, shoe, time and number. */
export type ReportedEvent = {
  [T in keyof Reported]: { readonly type: T; readonly data: Reported[T] };
}[keyof Reported];

/** Why a decoder knows that something was lost. */
export type LostBecause =
  /** The device's own numbering jumps. */
  | 'number'
  /** The index of a card jumps. */
  | 'index'
  /** A damaged frame came, and no undamaged copy of it. */
  | 'damage'
  /** A whole frame carries a fact of the game in a form that is not known. */
  | 'form';

/** The fields of each kind of observation. */
export interface ObservationFields {
  /** A frame that was understood. Some frames report nothing. */
  report: { readonly events: readonly ReportedEvent[] };
  /** By the shoe's own index of cards, a coup begins with what follows. It has no bytes. */
  'coup-begins': Readonly<Record<string, never>>;
  /** A copy of what was taken before. */
  repeat: Readonly<Record<string, never>>;
  /** A frame that says nothing about the game, such as a reply to another system's command. */
  'read-past': Readonly<Record<string, never>>;
  /** Bytes that make no whole frame, or a frame with a wrong checksum. */
  damaged: { readonly reason: string };
  /** A whole frame around something that is not understood. `problem` names field and reason. */
  refused: { readonly problem: string };
  /** The device started. Its session ends, and `device-online` opens a new one. */
  started: { readonly missed: number | null };
  /** Frames or numbers that never came, directly before what follows. It has no bytes. */
  lost: { readonly count: number; readonly because: LostBecause };
  /** The decoder now knows how the device computes its checksum. Keep it over a restart. */
  'checksum-settled': { readonly reading: string };
  /** A session of a device that numbers its events itself begins or goes on. */
  session: {
    readonly unit: string;
    readonly boot: number;
    readonly firmware: string;
    /** The device used numbers again that it had used before. */
    readonly reused: boolean;
  };
}

/** The kinds of observation. */
export type ObservationKind = keyof ObservationFields;

/**
 * What a decoder found in a stream of bytes, as plain JSON. Every byte of a frame stands in the
 * `raw` of exactly one observation, so a later decoder can be run over what was kept.
 */
export type Observation = {
  [K in ObservationKind]: {
    readonly kind: K;
    readonly fields: ObservationFields[K];
    /** The bytes as lower-case hexadecimal. Empty if no bytes belong to it. */
    readonly raw: string;
    /** `none`: the protocol has no checksum there, or no bytes belong to it. */
    readonly integrity: 'ok' | 'damaged' | 'none';
    /**
     * When it happened by the clock of `feed`, in seconds. For a device without a clock that is
     * when its first byte came.
     */
    readonly up: number;
    /** The device's own session, if it has one. */
    readonly session?: string;
    /** The device's own number: an integer, or the character that a frame is numbered with. */
    readonly deviceNumber?: number | string;
  };
}[ObservationKind];

/** What a decoder made of a chunk of bytes. */
export interface Feed<S> {
  readonly state: S;
  readonly observations: readonly Observation[];
}

/**
 * Turns the bytes of a device into observations. It is pure and total: it never throws, its state
 * is bounded plain JSON, and the same bytes at the same times make the same observations, however
 * they are cut into chunks.
 */
export interface FrameDecoder<S> {
  /** The state before the first byte. */
  readonly start: S;
  /**
   * Takes the next bytes. `up` is a monotonic clock in seconds. Call it with no bytes at least
   * twice a second, so that silence ends what is open.
   */
  feed(state: S, bytes: Uint8Array, up: number): Feed<S>;
  /**
   * Takes that nothing was heard for a while: the link was lost, or the program was down. What is
   * open is dropped. Copies of what was taken before are still known, and what went by meanwhile is
   * not reported as lost: only the caller knows that nobody listened.
   */
  resume(state: S): S;
}

/** Returns bytes as lower-case hexadecimal. */
export function hexOf(bytes: Iterable<number>): string {
  let digits = '';
  for (const byte of bytes) digits += PAIRS[byte] as string;
  return digits;
}
const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

import type { EventData } from '#audit';

type Card = EventData['card-drawn']['card'];

/** What the shoe does while cards are drawn from it outside the game. */
const MODES = ['lock', 'error', 'setting'] as const;
const TARGETS = ['player', 'banker', 'burn', null, 'indicator'] as const;
const RESULTS = [null, 'player', 'tie', null, 'banker', null, null, 'force-quit'] as const;

/**
 * What a report of `angel-eye-ii-ex` says, as integrators published it. `index` counts the cards
 * of a target, 0 to 15, and `null` is a card that was not read.
 */
export type AngelEyeReport =
  | {
      readonly is: 'card';
      readonly to: 'player' | 'banker' | 'burn' | 'indicator';
      readonly index: number;
      readonly card: Card;
      /** The bytes of the card are neither a card nor "not read". */
      readonly unknown?: true;
    }
  | {
      readonly is: 'card-outside';
      readonly mode: (typeof MODES)[number];
      readonly index: number;
      readonly card: Card;
      readonly unknown?: true;
    }
  | { readonly is: 'burn-count'; readonly payload: readonly number[] }
  | {
      readonly is: 'result';
      readonly result: NonNullable<(typeof RESULTS)[number]>;
      readonly playerPair: boolean;
      readonly bankerPair: boolean;
    }
  | { readonly is: 'cut-card' | 'started' | 'standby' }
  | {
      readonly is: 'error' | 'error-cleared';
      /** 0 to 63. */
      readonly number: number;
      readonly inErrorMode: boolean;
    }
  | { readonly is: 'lock'; readonly state: number }
  | {
      readonly is: 'preset';
      readonly address: readonly number[];
      readonly value: readonly number[];
    }
  | { readonly is: 'retransmission'; readonly payload: readonly number[] }
  | { readonly is: 'other'; readonly letter: string; readonly payload: readonly number[] };

/** Ranks by their number, 1 to 13, and suits, 1 to 4. */
const RANK_DIGITS = ' A23456789TJQK';
const SUIT_DIGITS = ' DCSH';
const HIGH = 0x80;

/** The fields of a byte: bits 6 to 4, and bits 3 to 0. */
const high = (byte: number): number => (byte >> 4) & 7;
const low = (byte: number): number => byte & 15;
const byteOf = (top: number, bottom: number): number => HIGH | (top << 4) | bottom;

/** Returns the card of a byte. Rank 0 or suit 0 is a card that was not read. */
function cardOf(byte: number): { readonly card: Card; readonly unknown?: true } {
  const [rank, suit] = [RANK_DIGITS[low(byte)], SUIT_DIGITS[high(byte)]];
  if (rank === undefined || suit === undefined) return { card: null, unknown: true };
  return { card: rank === ' ' || suit === ' ' ? null : (`${rank}${suit}` as Card) };
}

const cardByte = (card: Card): number =>
  card === null
    ? HIGH
    : byteOf(SUIT_DIGITS.indexOf(card.charAt(1)), RANK_DIGITS.indexOf(card.charAt(0)));

type Decode = (payload: readonly number[]) => AngelEyeReport | undefined;
/** How long the payload of each letter is, and what it says. */
const FORMS: Readonly<Record<string, readonly [length: number, decode: Decode]>> = {
  D: [2, cardReport],
  d: [2, outsideReport],
  G: [1, resultReport],
  C: [0, () => ({ is: 'cut-card' })],
  E: [1, errorReport('error')],
  e: [1, errorReport('error-cleared')],
  L: [1, ([state = 0]) => ({ is: 'lock', state: state & 127 })],
  M: [6, (bytes) => ({ is: 'preset', address: bytes.slice(0, 2), value: bytes.slice(2) })],
  S: [0, () => ({ is: 'started' })],
};

/** Returns what a report says, or undefined if its letter is known and its payload is not. */
export function decodeReport(
  letter: string,
  payload: readonly number[],
): AngelEyeReport | undefined {
  if (letter === 'P') return { is: 'standby' };
  if (letter === 'R') return { is: 'retransmission', payload };
  const form = Object.hasOwn(FORMS, letter) ? FORMS[letter] : undefined;
  if (form === undefined) return { is: 'other', letter, payload };
  const [length, decode] = form;
  const isKnown = payload.length === length && payload.every((byte) => byte >= HIGH);
  return isKnown ? decode(payload) : undefined;
}

function cardReport(payload: readonly number[]): AngelEyeReport | undefined {
  const [first = 0, second = 0] = payload;
  if (high(first) === 5) return { is: 'burn-count', payload };
  const to = TARGETS[high(first)];
  return to ? { is: 'card', to, index: low(first), ...cardOf(second) } : undefined;
}

function outsideReport([first = 0, second = 0]: readonly number[]): AngelEyeReport | undefined {
  const mode = MODES[high(first)];
  return mode && { is: 'card-outside', mode, index: low(first), ...cardOf(second) };
}

function resultReport([byte = 0]: readonly number[]): AngelEyeReport | undefined {
  const result = RESULTS[high(byte)];
  if (!result) return undefined;
  return { is: 'result', result, playerPair: (byte & 2) !== 0, bankerPair: (byte & 1) !== 0 };
}

function errorReport(is: 'error' | 'error-cleared'): Decode {
  return ([byte = 0]) => ({ is, number: byte & 63, inErrorMode: (byte & 64) !== 0 });
}

type Encoded = readonly [letter: string, payload: readonly number[]];
const errorByte = (error: { readonly number: number; readonly inErrorMode: boolean }): number =>
  HIGH | (error.inErrorMode ? 64 : 0) | error.number;
const ENCODE: {
  readonly [K in AngelEyeReport['is']]: (report: AngelEyeReport & { readonly is: K }) => Encoded;
} = {
  card: ({ to, index, card }) => ['D', [byteOf(TARGETS.indexOf(to), index), cardByte(card)]],
  'card-outside': ({ mode, index, card }) => [
    'd',
    [byteOf(MODES.indexOf(mode), index), cardByte(card)],
  ],
  'burn-count': ({ payload }) => ['D', payload],
  result: ({ result, playerPair, bankerPair }) => [
    'G',
    [byteOf(RESULTS.indexOf(result), (playerPair ? 2 : 0) + (bankerPair ? 1 : 0))],
  ],
  'cut-card': () => ['C', []],
  error: (error) => ['E', [errorByte(error)]],
  'error-cleared': (error) => ['e', [errorByte(error)]],
  lock: ({ state }) => ['L', [HIGH | state]],
  preset: ({ address, value }) => ['M', [...address, ...value]],
  started: () => ['S', []],
  standby: () => ['P', []],
  retransmission: ({ payload }) => ['R', payload],
  other: ({ letter, payload }) => [letter, payload],
};

/** Returns the letter and the payload that say a report. `decodeReport` reads it back. */
export const encodeReport = (report: AngelEyeReport): Encoded =>
  (ENCODE[report.is] as (report: AngelEyeReport) => Encoded)(report);

import type { Key } from '../words/words.js';

/**
 * The single keys of all screens that a person can change, and what each does. Keys that every page
 * has (arrows, Enter, Escape, Home, End), pairs such as `g q` and the digits are not among them.
 */
export const CONSOLE_KEYS = {
  j: 'key.j',
  k: 'key.k',
  n: 'key.n',
  c: 'key.c',
  r: 'key.r',
  s: 'key.s',
  x: 'key.x',
  u: 'key.u',
  m: 'key.m',
  e: 'key.e',
  v: 'key.v',
  f: 'key.f',
  '[': 'key.before',
  ']': 'key.after',
  p: 'key.p',
  '/': 'key.search',
  '?': 'key.keys',
} as const satisfies Readonly<Record<string, Key>>;
/** A key of the console that can be changed. */
export type ConsoleKey = keyof typeof CONSOLE_KEYS;

/** The keys that can be changed, in their order. */
export const CHANGEABLE = Object.keys(CONSOLE_KEYS) as ConsoleKey[];

/** Why a key cannot be chosen: it is used as it is, or another function has it. */
export type KeyRefusal = 'reserved' | { readonly taken: ConsoleKey };

/** `g` begins the pairs, and digits choose dispositions. */
const RESERVED = /^[g1-9\s]$/;

/** Returns why a function cannot have a key, or undefined if it can. */
export function keyRefusal(
  of: ConsoleKey,
  wanted: string,
  changed: Readonly<Record<string, string>>,
): KeyRefusal | undefined {
  if (RESERVED.test(wanted)) return 'reserved';
  const taken = CHANGEABLE.find((each) => each !== of && (changed[each] ?? each) === wanted);
  return taken === undefined ? undefined : { taken };
}

import { useEffect, useId, useRef } from 'react';
import { readPreference } from '../settings/preferences.js';
import type { Key } from '../words/words.js';

/**
 * A key of a screen: what it does in words, and what it runs. Keys move, open, claim and release.
 * None sends a ruling, a signature or anything else that stays on the record.
 */
export interface ScreenKey {
  readonly means: Key;
  readonly run: () => void;
}
/** The keys of a screen, by `KeyboardEvent.key`; two in a row are written `g q`. */
export type ScreenKeys = Readonly<Record<string, ScreenKey>>;

/** Whose keys they are. The finding beside a list has its keys before those of the list. */
const RANKS = ['list', 'screen'] as const;
type Rank = (typeof RANKS)[number];

interface Layer {
  readonly keys: ScreenKeys;
  readonly rank: Rank;
}

const layers = new Map<string, Layer>();
const SEQUENCE_MS_MAX = 1_000;
let first: { key: string; at: number } | undefined;

/**
 * Returns the keys that are active now, by the key that a person presses. Keys that were changed in
 * the settings are under their new name.
 */
export function activeKeys(): ReadonlyMap<string, ScreenKey> {
  const changed = readPreference('keyNames');
  const active = new Map<string, ScreenKey>();
  for (const each of RANKS)
    for (const { keys, rank } of layers.values())
      if (rank === each)
        for (const [key, does] of Object.entries(keys)) active.set(changed[key] ?? key, does);
  return active;
}

/**
 * Makes keys work while a component is shown. Of one rank, the component that was shown last wins.
 * No key works in a text field, where the focused control uses it, with a modifier, or if keys are
 * off.
 */
export function useKeys(keys: ScreenKeys, rank: Rank = 'screen'): void {
  const id = useId();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
    layers.set(id, { keys, rank });
  });
  useEffect(() => () => void layers.delete(id), [id]);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!readPreference('keys') || isTyping(event.target) || isUsedByControl(event)) return;
  const active = activeKeys();
  const now = performance.now();
  const pair =
    first && now - first.at < SEQUENCE_MS_MAX ? active.get(`${first.key} ${event.key}`) : undefined;
  const does = pair ?? active.get(event.key);
  const begins = [...active.keys()].some((key) => key.startsWith(`${event.key} `));
  first = !pair && begins ? { key: event.key, at: now } : undefined;
  if (!does) return;
  event.preventDefault();
  does.run();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=combobox]'));

/** Enter and Space belong to the button or link that has the focus. */
const isUsedByControl = ({ key, target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.closest('[role=dialog], [role=menu], [role=listbox]') !== null
    ? key !== '?'
    : (key === ' ' || key === 'Enter') && target.matches('button, a, summary, [role=button]'));

addEventListener('keydown', onKeyDown);

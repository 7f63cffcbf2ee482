import { useSyncExternalStore } from 'react';
import { api, dataOf } from '../api/client.js';
import { knownAccount } from '../app/session/account.js';
import { isLanguage, type Language } from '../words/languages.js';

/** The themes. `before-paint.js` has the same names. */
export const THEMES = ['light', 'dark', 'surveillance', 'high-contrast'] as const;
/** A theme of the console. */
type Theme = (typeof THEMES)[number];

/** What a person has chosen. The server keeps it for the account, and this browser for its start. */
export interface Preferences {
  /** `browser` follows the language that was chosen for this browser, or its own. */
  readonly language: Language | 'browser';
  /** `system` follows the browser. */
  readonly theme: Theme | 'system';
  readonly deck: 'two-color' | 'four-color';
  /** Whether derived roads are plotted by shape instead of color alone. */
  readonly shapes: boolean;
  /** Whether single keys work. */
  readonly keys: boolean;
  /** Keys that were changed: the key of the console, and the one that the person presses. */
  readonly keyNames: Readonly<Record<string, string>>;
  /** Whether arrivals in the queue are paused. */
  readonly paused: boolean;
  /** Whether times are shown in UTC instead of the house's zone. */
  readonly utc: boolean;
}

const DEFAULTS: Preferences = {
  language: 'browser',
  theme: 'system',
  deck: 'four-color',
  shapes: false,
  keys: true,
  keyNames: {},
  paused: false,
  utc: false,
};

const KEPT = 'shoeprint.preferences.';
const THEME = 'shoeprint.theme';
const listeners = new Set<() => void>();
let current = keptHere();
/** The last change on its way to the server: the next one follows it. */
let saving: Promise<unknown> = Promise.resolve();

/** Returns a preference now. In components use `usePreferences`. */
export const readPreference = <Name extends keyof Preferences>(name: Name): Preferences[Name] =>
  current[name];

/** Returns the preferences, and follows them. */
export const usePreferences = (): Preferences =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );

/** Shows changed preferences at once and saves them for the account. Rejects if that fails. */
export function savePreferences(changed: Partial<Preferences>): Promise<void> {
  showPreferences(changed);
  const saved = saving.then(() => save(changed));
  saving = saved.catch(() => undefined);
  return saved;
}

/** Changes what the account keeps, and leaves there what another browser has changed meanwhile. */
async function save(changed: Partial<Preferences>): Promise<void> {
  const kept = await dataOf(api.GET('/v1/me/preferences'));
  await dataOf(api.PUT('/v1/me/preferences', { body: { ...current, ...kept, ...changed } }));
}

/** Shows changed preferences at once, on this browser alone. */
export const showPreferences = (changed: Partial<Preferences>): void =>
  show({ ...current, ...changed });

/**
 * Loads the preferences of the account that has signed in. Until they are there, and where the
 * server has none, those count that this browser keeps for the account. What the person changes
 * meanwhile is newer than what is loaded, and stays.
 */
export async function loadPreferences(): Promise<void> {
  show(keptHere());
  const before = current;
  await saving; // or the answer would be without the change that is on its way
  const kept = await dataOf(api.GET('/v1/me/preferences'));
  if (Object.keys(kept).length > 0) show({ ...sound(kept), ...changedSince(before) });
}

/** Returns the preferences that are others now. */
const changedSince = (before: Preferences): Partial<Preferences> =>
  Object.fromEntries(
    Object.entries(current).filter(([name, value]) => value !== before[name as keyof Preferences]),
  );

function show(next: Preferences): void {
  localStorage.setItem(placeHere(), JSON.stringify(next));
  apply(next);
}

function apply(next: Preferences): void {
  current = next;
  paint(next.theme);
  for (const listener of listeners) listener();
}

/** Where this browser keeps the preferences of the account that has signed in. */
function placeHere(): string {
  return KEPT + (knownAccount() ?? '');
}

function keptHere(): Preferences {
  return fromText(localStorage.getItem(placeHere()));
}

/** What another window of this browser changed is shown here too. */
addEventListener('storage', ({ key }) => {
  if (key === placeHere()) apply(keptHere());
});

function paint(theme: Preferences['theme']): void {
  if (theme === 'system') localStorage.removeItem(THEME);
  else localStorage.setItem(THEME, theme);
  const shown = theme === 'system' ? systemTheme() : theme;
  document.documentElement.dataset['theme'] = shown;
  document
    .querySelector('meta[name=color-scheme]')
    ?.setAttribute('content', shown === 'light' ? 'light' : 'dark');
}

/** Who follows the system follows it when it changes, for example in the evening. */
for (const query of ['(prefers-contrast: more)', '(prefers-color-scheme: dark)'])
  matchMedia(query).addEventListener('change', () => paint(current.theme));

const prefers = (query: string): boolean => matchMedia(query).matches;

function systemTheme(): Theme {
  if (prefers('(prefers-contrast: more)')) return 'high-contrast';
  return prefers('(prefers-color-scheme: dark)') ? 'dark' : 'light';
}

function fromText(text: string | null): Preferences {
  if (text === null) return DEFAULTS;
  try {
    return sound(JSON.parse(text) as object);
  } catch {
    return DEFAULTS; // another program of this address wrote there
  }
}

/** Takes each preference that has the right type. An older or newer console may have saved others. */
function sound(kept: object): Preferences {
  const entries = Object.entries(DEFAULTS).map(([name, fallback]) => {
    const value = (kept as Record<string, unknown>)[name];
    const isSound = typeof value === typeof fallback && value !== null;
    return [name, isSound ? value : (fallback as unknown)] as const;
  });
  const found = Object.fromEntries(entries) as unknown as Preferences;
  const theme = [...THEMES, 'system' as const].find((each) => each === found.theme);
  const language = isLanguage(found.language) ? found.language : 'browser';
  return { ...found, theme: theme ?? 'system', language };
}

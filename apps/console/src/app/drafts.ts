import { useState } from 'react';
import { knownAccount } from './session/account.js';

const PREFIX = 'shoeprint.draft.';
const keyOf = (account: string, place: string): string => `${PREFIX}${account}.${place}`;

/**
 * Returns a text that is kept as it is typed, by account and place (for example `rule/<finding>`),
 * and the functions that set and clear it. It survives a reload and the end of a session. Clear it
 * once the server has taken it.
 */
export function useDraft(place: string): readonly [string, (text: string) => void, () => void] {
  const key = keyOf(knownAccount() ?? '', place);
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const text = drafts[key] ?? localStorage.getItem(key) ?? '';
  const set = (next: string): void => {
    if (next === '') localStorage.removeItem(key);
    else localStorage.setItem(key, next);
    setDrafts({ ...drafts, [key]: next });
  };
  return [text, set, () => set('')];
}

/** Removes every draft of an account from this browser. */
export function clearDraftsOf(account: string): void {
  const mine = keyOf(account, '');
  for (const key of Object.keys(localStorage))
    if (key.startsWith(mine)) localStorage.removeItem(key);
}

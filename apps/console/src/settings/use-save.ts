import { useMay } from '../app/session/me.js';
import { sentenceOf } from '../app/failures.js';
import { notify } from '../controls/notices.js';
import { useWords } from '../words/words.js';
import { type Preferences, savePreferences, showPreferences } from './preferences.js';

/**
 * Returns how to change preferences. They apply at once. If the account cannot keep them, such as
 * that of a wall display, this browser does; if saving fails, a notice says so.
 */
export function useSave(): (changed: Partial<Preferences>) => void {
  const words = useWords();
  const mayKeep = useMay('arrange-screens');
  return (changed) => {
    if (!mayKeep) return showPreferences(changed);
    savePreferences(changed).catch((error: unknown) =>
      notify({ text: words('settings.notSaved', { why: sentenceOf(error, words) }) }),
    );
  };
}

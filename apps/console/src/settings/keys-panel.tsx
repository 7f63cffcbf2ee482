import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button.js';
import { Check } from '../controls/check.js';
import { Field } from '../controls/field.js';
import { CHANGEABLE, CONSOLE_KEYS, type ConsoleKey, keyRefusal } from '../keys/console-keys.js';
import { useWords, type Words } from '../words/words.js';
import { usePreferences } from './preferences.js';
import { useSave } from './use-save.js';

/** Turns single keys off, or gives a function another key. */
export function KeysPanel(): ReactNode {
  const words = useWords();
  const save = useSave();
  const { keys, keyNames } = usePreferences();
  return (
    <section className="panel settings-panel" aria-labelledby="settings-keys">
      <h2 id="settings-keys">{words('settings.keys')}</h2>
      <Check isSelected={keys} onChange={(next) => save({ keys: next })}>
        {words('settings.keysOn')}
      </Check>
      <p className="muted">{words('settings.keysHow')}</p>
      <div className="settings-keys">
        {CHANGEABLE.map((key) => (
          <KeyField key={key} of={key} />
        ))}
      </div>
      {Object.keys(keyNames).length > 0 && (
        <Button onPress={() => save({ keyNames: {} })}>{words('settings.keysReset')}</Button>
      )}
    </section>
  );
}

/** The key of one function. Typing another one replaces it. */
function KeyField({ of }: { readonly of: ConsoleKey }): ReactNode {
  const words = useWords();
  const save = useSave();
  const { keyNames } = usePreferences();
  const [error, setError] = useState<string>();
  const change = (text: string): void => {
    const wanted = text === '' ? of : text.slice(-1);
    const refusal = keyRefusal(of, wanted, keyNames);
    setError(refusal && sentence(words, wanted, refusal));
    if (refusal) return;
    const { [of]: _, ...others } = keyNames;
    save({ keyNames: wanted === of ? others : { ...others, [of]: wanted } });
  };
  return (
    <Field
      label={words(CONSOLE_KEYS[of])}
      value={keyNames[of] ?? of}
      onChange={change}
      onFocus={({ target }) => {
        if (target instanceof HTMLInputElement) target.select();
      }}
      error={error}
      exact
    />
  );
}

function sentence(
  words: Words,
  wanted: string,
  refusal: NonNullable<ReturnType<typeof keyRefusal>>,
): string {
  return refusal === 'reserved'
    ? words('settings.keyReserved', { key: wanted })
    : words('settings.keyTaken', { key: wanted, does: words(CONSOLE_KEYS[refusal.taken]) });
}

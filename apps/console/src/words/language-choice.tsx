import { type ReactNode, useId } from 'react';
import { isLanguage, type Language, LANGUAGES } from './languages.js';
import { useSpoken } from './words.js';

interface Props {
  /** Keeps the language that was chosen. */
  readonly keep: (language: Language) => void;
}

/** Lets the person choose a language. Names each in its own language, and marks drafts. */
export function LanguageChoice({ keep }: Props): ReactNode {
  const { words, language, choose } = useSpoken();
  const id = useId();
  return (
    <p className="field">
      <label htmlFor={id}>{words('signIn.language')}</label>
      <select
        id={id}
        value={language}
        onChange={({ target }) => {
          if (isLanguage(target.value)) choose(target.value, keep);
        }}
      >
        {Object.entries(LANGUAGES).map(([each, { name }]) => (
          <option key={each} value={each} lang={each}>
            {each === 'en' ? name : `${name} (${words('shell.draft')})`}
          </option>
        ))}
      </select>
    </p>
  );
}

import { IntlMessageFormat, type PrimitiveType } from 'intl-messageformat';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { loadPart } from '../app/session/outdated.js';
import { Button } from '../controls/button.js';
import { notify } from '../controls/notices.js';
import { usePreferences } from '../settings/preferences.js';
import type english from './en/index.js';
import { type Language, languageOfBrowser, LANGUAGES } from './languages.js';
import { shown } from './shown.js';

/** The key of a text. The English catalogue is the list of all. */
export type Key = keyof typeof english;
type Catalogue = Readonly<Record<Key, string>>;

type Values = Readonly<Record<string, PrimitiveType>>;

/** Returns the text of a key. `values` fill its placeholders (ICU MessageFormat). */
export interface Words {
  (key: Key, values?: Values): string;
  /** Returns the text of what a later server or rule document may name, or undefined. */
  readonly find: (key: string, values?: Values) => string | undefined;
}

/** The words of a language, its tag for numbers and dates, and how to change it. */
export interface Spoken {
  readonly language: Language;
  readonly locale: string;
  readonly words: Words;
  /** Shows a language, and keeps it as `keep` does. If it cannot be loaded, the old one is kept. */
  readonly choose: (language: Language, keep: (language: Language) => void) => void;
}

const SpokenContext = createContext<Spoken | undefined>(undefined);

/** Returns the words of the chosen language, its tag for numbers and dates, and how to change it. */
export function useSpoken(): Spoken {
  const spoken = useContext(SpokenContext);
  if (!spoken) throw new Error('no language is loaded');
  return spoken;
}

/** Returns the words of the chosen language. */
export const useWords = (): Words => useSpoken().words;

interface Loaded {
  readonly language: Language;
  readonly words: Words;
}

async function loaded(language: Language): Promise<Loaded> {
  const { default: catalogue } = await loadPart(LANGUAGES[language].load);
  return { language, words: wordsOf(catalogue, language) };
}

/**
 * Loads the language that the account has chosen, or else that of the browser, sets `lang` of the
 * page, and shows nothing before that. If another language that is chosen cannot be loaded, a
 * notice says so in this one.
 */
export function WordsProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [now, setNow] = useState<Loaded>();
  const [isFailed, setFailed] = useState(false);
  const wanted = useRef<Language>(undefined);
  const { language: preferred } = usePreferences();
  const load = useCallback(async (language: Language): Promise<void> => {
    wanted.current = language;
    const next = await loaded(language);
    if (wanted.current === language) setNow(next);
  }, []);
  useEffect(() => {
    load(preferred === 'browser' ? languageOfBrowser() : preferred).catch(() => setFailed(true));
  }, [load, preferred]);
  useEffect(() => {
    if (now) document.documentElement.lang = now.language;
  }, [now]);
  if (!now) return isFailed ? <NoWords /> : null;
  const { language, words } = now;
  const choose: Spoken['choose'] = (next, keep) => {
    keep(next); // at once, for a newer build reloads the page
    load(next).catch(() => {
      if (wanted.current === next) keep(language);
      notify({ text: words('shell.unreachable') });
    });
  };
  const { locale } = LANGUAGES[language];
  return <SpokenContext value={{ language, locale, words, choose }}>{children}</SpokenContext>;
}

/** The page without a catalogue. It is in English, because no other words are there. */
const NoWords = (): ReactNode => (
  <main className="sign-in panel">
    <h1>Shoeprint</h1>
    <p role="alert">The console could not be loaded.</p>
    <Button main onPress={() => location.reload()}>
      Try again
    </Button>
  </main>
);

/** Returns the values with their texts as a person may read them: many come from the record. */
const readable = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? shown(value) : value,
    ]),
  );

function wordsOf(catalogue: Catalogue, language: Language): Words {
  const formats = new Map<Key, IntlMessageFormat>();
  const words = (key: Key, values?: Values): string => {
    const text = catalogue[key];
    if (values === undefined && !/[{}'#]/.test(text)) return text;
    let format = formats.get(key);
    if (!format) {
      format = new IntlMessageFormat(text, LANGUAGES[language].locale);
      formats.set(key, format);
    }
    return String(format.format(values && readable(values)));
  };
  const find: Words['find'] = (key, values) =>
    Object.hasOwn(catalogue, key) ? words(key as Key, values) : undefined;
  return Object.assign(words, { find });
}

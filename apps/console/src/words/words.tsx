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
import { loadPart } from '../app/outdated.js';
import { Button } from '../controls/button.js';
import { notify } from '../controls/notices.js';
import type english from './en/index.js';

/** The key of a text. The English catalogue is the list of all. */
export type Key = keyof typeof english;
type Catalogue = Readonly<Record<Key, string>>;

/** The languages of the console, each with its name in itself, its tag and its catalogue. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-US', load: () => import('./en/index.js') },
  vi: { name: 'Tiếng Việt', locale: 'vi-VN', load: () => import('./vi/index.js') },
  'zh-Hant': { name: '繁體中文', locale: 'zh-TW', load: () => import('./zh-Hant/index.js') },
  'zh-Hans': { name: '简体中文', locale: 'zh-CN', load: () => import('./zh-Hans/index.js') },
  pt: { name: 'Português', locale: 'pt-BR', load: () => import('./pt/index.js') },
} as const;
/** A language of the console. */
export type Language = keyof typeof LANGUAGES;

const CHOSEN = 'shoeprint.language';

/** Returns whether a text names a language of the console. */
export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(LANGUAGES, text);

/** Returns the language chosen on this browser, or the first of the browser's that we have. */
function chosenLanguage(): Language {
  const chosen = localStorage.getItem(CHOSEN);
  if (isLanguage(chosen)) return chosen;
  for (const tag of navigator.languages) {
    const { language, script, region } = new Intl.Locale(tag.replace(/@.*$/, '')).maximize();
    if (language === 'zh') return script === 'Hant' || region === 'TW' ? 'zh-Hant' : 'zh-Hans';
    if (isLanguage(language)) return language;
  }
  return 'en';
}

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
  readonly choose: (language: Language) => void;
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
 * Loads the chosen language, sets `lang` of the page, and shows nothing before that. If another
 * language that is chosen cannot be loaded, a notice says so in this one.
 */
export function WordsProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [now, setNow] = useState<Loaded>();
  const [isFailed, setFailed] = useState(false);
  const wanted = useRef<Language>(undefined);
  const load = useCallback(async (language: Language): Promise<void> => {
    wanted.current = language;
    const next = await loaded(language);
    if (wanted.current === language) setNow(next);
  }, []);
  useEffect(() => {
    load(chosenLanguage()).catch(() => setFailed(true));
  }, [load]);
  useEffect(() => {
    if (now) document.documentElement.lang = now.language;
  }, [now]);
  if (!now) return isFailed ? <NoWords /> : null;
  const { language, words } = now;
  const choose = (next: Language): void => {
    localStorage.setItem(CHOSEN, next); // at once, for a newer build reloads the page
    load(next).catch(() => {
      if (wanted.current === next) localStorage.setItem(CHOSEN, language);
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
    return String(format.format(values));
  };
  const find: Words['find'] = (key, values) =>
    Object.hasOwn(catalogue, key) ? words(key as Key, values) : undefined;
  return Object.assign(words, { find });
}

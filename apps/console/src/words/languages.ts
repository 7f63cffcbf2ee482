/** The languages of the console, each with its name in itself, its tag and its catalogue. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-US', load: () => import('./en/index.js') },
  vi: { name: 'Tiếng Việt', locale: 'vi-VN', load: () => import('./vi/index.js') },
  'zh-Hant': { name: '繁體中文', locale: 'zh-TW', load: () => import('./zh-Hant/index.js') },
  'zh-Hans': { name: '简体中文', locale: 'zh-CN', load: () => import('./zh-Hans/index.js') },
  pt: { name: 'Português', locale: 'pt-PT', load: () => import('./pt/index.js') },
} as const;
/** A language of the console. */
export type Language = keyof typeof LANGUAGES;

const CHOSEN = 'shoeprint.language';

/** Returns whether a text names a language of the console. */
export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(LANGUAGES, text);

/** Keeps a language for the sign-in page of this browser, and for accounts that have chosen none. */
export const keepLanguageOfBrowser = (language: Language): void =>
  localStorage.setItem(CHOSEN, language);

/** Returns the language kept for this browser, or the first of the browser's own that we have. */
export function languageOfBrowser(): Language {
  const chosen = localStorage.getItem(CHOSEN);
  if (isLanguage(chosen)) return chosen;
  for (const tag of navigator.languages) {
    const { language, script, region } = new Intl.Locale(tag.replace(/@.*$/, '')).maximize();
    if (language === 'zh') return script === 'Hant' || region === 'TW' ? 'zh-Hant' : 'zh-Hans';
    if (isLanguage(language)) return language;
  }
  return 'en';
}

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { queries } from '../api/queries.js';
import { Notices } from '../controls/notices.js';
import { useSpoken, WordsProvider } from '../words/words.js';
import { router } from './router.js';

/** The console: its words, what it has read, and its screens. */
export function App(): ReactNode {
  return (
    <WordsProvider>
      <QueryClientProvider client={queries}>
        <Spoken />
      </QueryClientProvider>
    </WordsProvider>
  );
}

/** React Aria asks the browser for its language, and fails on some, so it is given ours. */
function Spoken(): ReactNode {
  const { locale } = useSpoken();
  return (
    <I18nProvider locale={locale}>
      <RouterProvider router={router} />
      <Notices />
    </I18nProvider>
  );
}

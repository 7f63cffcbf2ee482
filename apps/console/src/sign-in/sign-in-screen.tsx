import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Search } from '../app/address.js';
import { lazyPart } from '../app/lazy-part.js';
import { useTitle } from '../app/title.js';
import { LanguageChoice } from '../words/language-choice.js';
import { keepLanguageOfBrowser } from '../words/languages.js';
import { useWords } from '../words/words.js';
import { SignInForm } from './sign-in-form.js';
import './sign-in.css';

const ResetForm = lazyPart(async () => (await import('./reset-form.js')).ResetForm);

/** The page of those who are not signed in. Afterwards it leads where they wanted to go. */
export function SignInScreen(): ReactNode {
  const words = useWords();
  const { to, reset }: Search = useSearch({ strict: false });
  const { history, navigate } = useRouter();
  const [renewed, setRenewed] = useState<{ name: string; password: string }>();
  const isReset = reset !== undefined && !renewed;
  useTitle(words(isReset ? 'signIn.reset' : 'signIn.title'));
  return (
    <main className="sign-in panel">
      <h1>Shoeprint</h1>
      {renewed && <p role="status">{words('signIn.renewed')}</p>}
      {isReset ? (
        <ResetForm
          onReset={(credentials) => {
            setRenewed(credentials);
            void navigate({
              to: '/sign-in',
              search: to === undefined ? {} : { to },
              replace: true,
            });
          }}
        />
      ) : (
        <SignInForm
          key={renewed?.name ?? ''}
          start={renewed ?? {}}
          onSignedIn={() => history.replace(ownPath(to))}
        />
      )}
      <p className="sign-in-other">
        <Link
          to="/sign-in"
          search={{ ...(to !== undefined && { to }), ...(!isReset && { reset: 'code' }) }}
        >
          {words(isReset ? 'signIn.toSignIn' : 'signIn.reset')}
        </Link>
      </p>
      <LanguageChoice keep={keepLanguageOfBrowser} />
    </main>
  );
}

/** Returns the address to go to: always one of this console, whatever the text is. */
const ownPath = (to = '/'): string => {
  const { pathname, search } = new URL(`.${to.startsWith('/') ? '' : '/'}${to}`, document.baseURI);
  return pathname + search;
};

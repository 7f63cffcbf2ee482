import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { sentenceOf } from '../app/failures.js';
import { lazyPart } from '../app/lazy-part.js';
import { meQuery, useMe } from '../app/session/me.js';
import { signOut } from '../app/session/session.js';
import { useTitle } from '../app/title.js';
import { Button } from '../controls/button.js';
import { notify } from '../controls/notices.js';
import { useWords } from '../words/words.js';
import './sign-in.css';

const PasswordForm = lazyPart(async () => (await import('./password-form.js')).PasswordForm);
const FactorEnrollment = lazyPart(
  async () => (await import('./factor-enrollment.js')).FactorEnrollment,
);

/**
 * Shows what a person must do before everything else, and the screens once it is done: a password
 * of their own, or a second factor. Its recovery codes stay until the person has kept them, also
 * where the account is read again meanwhile.
 */
export function MustDo({ children }: { readonly children: ReactNode }): ReactNode {
  const { mustDo } = useMe();
  const [hasCodes, setHasCodes] = useState(false);
  if (mustDo === null && !hasCodes) return children;
  return <Duty isPassword={mustDo === 'password-change'} onCodes={setHasCodes} />;
}

interface DutyProps {
  readonly isPassword: boolean;
  /** Called with whether recovery codes are shown. */
  readonly onCodes: (areShown: boolean) => void;
}

function Duty({ isPassword, onCodes }: DutyProps): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  const title = words(isPassword ? 'password.mustTitle' : 'factor.mustTitle');
  useTitle(title);
  const done = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    onCodes(false);
  };
  const leave = (): void =>
    void signOut().catch((error: unknown) => notify({ text: sentenceOf(error, words) }));
  return (
    <main className="sign-in panel">
      <h1>{title}</h1>
      <p>{words(isPassword ? 'password.mustWhy' : 'factor.mustWhy')}</p>
      {isPassword ? (
        <PasswordForm onChanged={() => void done()} />
      ) : (
        <FactorEnrollment onCodes={() => onCodes(true)} onEnrolled={() => void done()} />
      )}
      <Button onPress={leave}>{words('shell.signOut')}</Button>
    </main>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { meQuery, useMe } from '../app/me.js';
import { signOut } from '../app/session.js';
import { useTitle } from '../app/title.js';
import { Button } from '../controls/button.js';
import { notify } from '../controls/notices.js';
import { useWords } from '../words/words.js';
import { FactorEnrollment } from './factor-enrollment.js';
import { PasswordForm } from './password-form.js';
import './sign-in.css';

/** What a person must do before everything else: a password of their own, or a second factor. */
export function MustDo(): ReactNode {
  const words = useWords();
  const { mustDo } = useMe();
  const client = useQueryClient();
  const isPassword = mustDo === 'password-change';
  const title = words(isPassword ? 'password.mustTitle' : 'factor.mustTitle');
  useTitle(title);
  const done = (): void => void client.invalidateQueries({ queryKey: meQuery.queryKey });
  const leave = (): void =>
    void signOut().catch(() => notify({ text: words('shell.unreachable') }));
  return (
    <main className="sign-in panel">
      <h1>{title}</h1>
      <p>{words(isPassword ? 'password.mustWhy' : 'factor.mustWhy')}</p>
      {isPassword ? <PasswordForm onChanged={done} /> : <FactorEnrollment onEnrolled={done} />}
      <Button onPress={leave}>{words('shell.signOut')}</Button>
    </main>
  );
}

import { type ReactNode, useState } from 'react';
import { api, dataOf, Refused } from '../api/client.js';
import { knownAccount } from '../app/session/account.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Field } from '../controls/field.js';
import { useSpoken } from '../words/words.js';
import { NewPasswordField } from './new-password-field.js';
import { refusalOf } from './refusals.js';

interface Props {
  readonly onChanged: () => void;
}

/** Changes the own password, with the present one. Every other session of the account ends. */
export function PasswordForm({ onChanged }: Props): ReactNode {
  const spoken = useSpoken();
  const { words } = spoken;
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    await dataOf(api.POST('/v1/me/password', { body: { password, newPassword } }));
    setPassword('');
    setNewPassword('');
    onChanged();
  });
  const weak = error instanceof Refused ? error.faultAt('/newPassword') : undefined;
  const isWrong = error instanceof Refused && error.is === 'wrong-password';
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      {/* Password managers want to know whose password it is. */}
      <input
        className="only-spoken"
        name="username"
        autoComplete="username"
        value={knownAccount() ?? ''}
        readOnly
        tabIndex={-1}
        aria-hidden
      />
      <Field
        label={words('password.present')}
        error={isWrong ? words('password.wrong') : undefined}
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <NewPasswordField value={newPassword} onChange={setNewPassword} error={weak} />
      {error !== undefined && weak === undefined && !isWrong && (
        <p role="alert" className="sign-in-error">
          {refusalOf(error, spoken)}
        </p>
      )}
      <Button type="submit" main isPending={isBusy}>
        {words('password.go')}
      </Button>
    </form>
  );
}

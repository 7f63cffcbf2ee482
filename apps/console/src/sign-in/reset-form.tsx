import { type ReactNode, useState } from 'react';
import { api, dataOf, Refused } from '../api/client.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Field } from '../controls/field.js';
import { useSpoken } from '../words/words.js';
import { NewPasswordField } from './new-password-field.js';
import { refusalOf } from './refusals.js';

interface Props {
  /** Called with what is needed to sign in now. */
  readonly onReset: (credentials: { readonly name: string; readonly password: string }) => void;
}

/** Sets a new password with the one-time code that an administrator has issued. */
export function ResetForm({ onReset }: Props): ReactNode {
  const spoken = useSpoken();
  const { words } = spoken;
  const [name, setName] = useState('');
  const [code, setCode] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    await dataOf(
      api.POST('/v1/password-reset', { body: { name, code: code.trim(), newPassword } }),
    );
    onReset({ name, password: newPassword });
  });
  const weak = error instanceof Refused ? error.faultAt('/newPassword') : undefined;
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      <p>{words('signIn.resetHow')}</p>
      <Field
        label={words('signIn.name')}
        name="username"
        autoComplete="username"
        exact
        value={name}
        onChange={setName}
        isRequired
        autoFocus
      />
      <Field
        label={words('signIn.resetCode')}
        name="code"
        autoComplete="one-time-code"
        exact
        value={code}
        onChange={setCode}
        isRequired
      />
      <NewPasswordField value={newPassword} onChange={setNewPassword} error={weak} />
      {error !== undefined && weak === undefined && (
        <p role="alert" className="sign-in-error">
          {refusalOf(error, spoken)}
        </p>
      )}
      <Button type="submit" main isPending={isBusy}>
        {words('signIn.resetGo')}
      </Button>
    </form>
  );
}

import { type ReactNode, useState } from 'react';
import { Refused } from '../api/client.js';
import { signIn } from '../app/session/session.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Field } from '../controls/field.js';
import { useSpoken } from '../words/words.js';
import { refusalOf } from './refusals.js';

interface Props {
  /** What is already known. */
  readonly start?: { readonly name?: string; readonly password?: string };
  /** Whether only the account of `start` may sign in. */
  readonly isFixed?: boolean;
  readonly onSignedIn: () => void;
}

/** Asks for name and password, and for the one-time code of those who have a second factor. */
export function SignInForm({ start = {}, isFixed = false, onSignedIn }: Props): ReactNode {
  const spoken = useSpoken();
  const { words } = spoken;
  const [name, setName] = useState(start.name ?? '');
  const [password, setPassword] = useState(start.password ?? '');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    try {
      await signIn({ name, password, ...(code !== '' && { code: code.trim() }) });
    } catch (cause) {
      setAsksCode(asksCode || (cause instanceof Refused && cause.is === 'second-factor-required'));
      throw cause;
    }
    onSignedIn();
  });
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      <Field
        label={words('signIn.name')}
        name="username"
        autoComplete="username"
        exact
        value={name}
        onChange={setName}
        isReadOnly={isFixed}
        isRequired
        autoFocus={start.name === undefined}
      />
      <Field
        label={words('signIn.password')}
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
        autoFocus={start.name !== undefined}
      />
      {asksCode && (
        <Field
          label={words('signIn.code')}
          name="code"
          autoComplete="one-time-code"
          inputMode="text"
          value={code}
          onChange={setCode}
          autoFocus
        />
      )}
      {error !== undefined && (
        <p role="alert" className="sign-in-error">
          {refusalOf(error, spoken)}
        </p>
      )}
      <Button type="submit" main isPending={isBusy}>
        {words('signIn.go')}
      </Button>
    </form>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client.js';
import { meQuery, useMe } from '../app/me.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Field } from '../controls/field.js';
import { notify } from '../controls/notices.js';
import { FactorEnrollment } from '../sign-in/factor-enrollment.js';
import { refusalOf } from '../sign-in/refusals.js';
import { useSpoken, useWords } from '../words/words.js';

/** Enrolls or removes the own second factor. */
export function FactorPanel(): ReactNode {
  const words = useWords();
  const { secondFactor } = useMe();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const done = (): void => {
    setOpen(false);
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return (
    <section className="panel settings-panel" aria-labelledby="settings-factor">
      <h2 id="settings-factor">{words('factor.title')}</h2>
      <p>{words(secondFactor ? 'factor.on' : 'factor.off')}</p>
      {isOpen &&
        (secondFactor ? <Removal onRemoved={done} /> : <FactorEnrollment onEnrolled={done} />)}
      {!isOpen && (
        <Button onPress={() => setOpen(true)}>
          {words(secondFactor ? 'factor.remove' : 'factor.add')}
        </Button>
      )}
    </section>
  );
}

function Removal({ onRemoved }: { readonly onRemoved: () => void }): ReactNode {
  const spoken = useSpoken();
  const { words } = spoken;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    const body = { password, code: code.trim() };
    await dataOf(api.POST('/v1/me/second-factor/remove', { body }));
    notify({ text: words('factor.removed') });
    onRemoved();
  });
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      <Field
        label={words('password.present')}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <Field
        label={words('signIn.code')}
        name="code"
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        isRequired
      />
      {error !== undefined && (
        <p role="alert" className="sign-in-error">
          {refusalOf(error, spoken)}
        </p>
      )}
      <Button type="submit" isPending={isBusy}>
        {words('factor.remove')}
      </Button>
    </form>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client.js';
import { meQuery, useMe } from '../app/session/me.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Field } from '../controls/field.js';
import { notify } from '../controls/notices.js';
import { FactorEnrollment } from '../sign-in/factor-enrollment.js';
import { ownRefusalOf } from '../sign-in/refusals.js';
import { useSpoken, useWords } from '../words/words.js';

/** Enrolls or removes the own second factor. */
export function FactorPanel(): ReactNode {
  const words = useWords();
  const { secondFactor } = useMe();
  const client = useQueryClient();
  // decided on opening: while recovery codes are shown, the account has a second factor already
  const [open, setOpen] = useState<'adding' | 'removing'>();
  const done = (): void => {
    setOpen(undefined);
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return (
    <section className="panel settings-panel" aria-labelledby="settings-factor">
      <h2 id="settings-factor">{words('factor.title')}</h2>
      <p>{words(secondFactor ? 'factor.on' : 'factor.off')}</p>
      {open === 'adding' && <FactorEnrollment onEnrolled={done} />}
      {open === 'removing' && <Removal onRemoved={done} />}
      {open === undefined && (
        <Button onPress={() => setOpen(secondFactor ? 'removing' : 'adding')}>
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
          {ownRefusalOf(error, spoken)}
        </p>
      )}
      <Button type="submit" isPending={isBusy}>
        {words('factor.remove')}
      </Button>
    </form>
  );
}

import { type ReactNode, type SubmitEvent, useState } from 'react';
import { api, dataOf, Refused } from '../../api/client.js';
import { Button } from '../../controls/button.js';
import { Field } from '../../controls/field.js';
import { Sheet } from '../../controls/sheet.js';
import { useWords } from '../../words/words.js';
import { refusalIn } from '../refusals.js';

interface Props {
  readonly onDone: (isConfirmed: boolean) => void;
}

/** Asks for the password before a signature, if the last sign-in is more than 15 minutes ago. */
export function ConfirmSheet({ onDone }: Props): ReactNode {
  const words = useWords();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { confirm, asksCode, error, isBusy } = useConfirmation(onDone);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void confirm({ password, ...(code !== '' && { code }) });
  };
  return (
    <Sheet title={words('review.confirmTitle')} isOpen onClose={() => onDone(false)}>
      <form className="sheet-form" onSubmit={submit}>
        <p>{words('review.confirmWhy')}</p>
        <Field
          label={words('signIn.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          {...{ error, value: password, onChange: setPassword }}
          autoFocus
        />
        {asksCode && (
          <Field
            label={words('signIn.code')}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            {...{ value: code, onChange: setCode }}
          />
        )}
        <p className="actions">
          <Button onPress={() => onDone(false)}>{words('shell.cancel')}</Button>
          <Button type="submit" main isPending={isBusy}>
            {words('review.confirmGo')}
          </Button>
        </p>
      </form>
    </Sheet>
  );
}

const CODE_REFUSALS: readonly string[] = ['second-factor-required', 'wrong-code'];

function useConfirmation(onDone: Props['onDone']) {
  const words = useWords();
  const [asksCode, setAsksCode] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const confirm = async (body: { password: string; code?: string }): Promise<void> => {
    setBusy(true);
    try {
      await dataOf(api.POST('/v1/me/confirm', { body }));
      onDone(true);
    } catch (cause) {
      setAsksCode(asksCode || (cause instanceof Refused && CODE_REFUSALS.includes(cause.is)));
      setError(refusalIn(cause, words));
    } finally {
      setBusy(false);
    }
  };
  return { confirm, asksCode, error, isBusy };
}

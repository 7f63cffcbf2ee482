import { type ReactNode, useState } from 'react';
import { type Answers, api, dataOf } from '../../api/client.js';
import { useSubmit } from '../../app/submit.js';
import { Button } from '../../controls/button.js';
import { Check } from '../../controls/check.js';
import { Copied } from '../../controls/copied.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { FormError } from '../form-error.js';

interface Props {
  readonly name: string;
  readonly hasFactor: boolean;
}

/** Issues a one-time code with which the person sets a new password. It is shown once. */
export function AccountPassword({ name, hasFactor }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const [removesFactor, setRemovesFactor] = useState(false);
  const [issued, setIssued] = useState<Answers['ResetAnswer']>();
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    const options = {
      params: { path: { name } },
      body: { removeSecondFactor: removesFactor },
    };
    setIssued(await dataOf(api.POST('/v1/accounts/{name}/password-reset', options)));
  });
  return (
    <form className="people-form" onSubmit={onSubmit}>
      <h3>{words('people.reset')}</h3>
      <p>{words('people.resetHow')}</p>
      {hasFactor && (
        <Check isSelected={removesFactor} onChange={setRemovesFactor}>
          {words('people.resetFactor')}
        </Check>
      )}
      {issued && (
        <div role="status">
          <Copied
            label={words('people.resetCode', { time: formats.dateTime(issued.expiresAt) })}
            text={issued.code}
          />
        </div>
      )}
      <FormError error={error} />
      <p className="actions">
        <Button type="submit" isPending={isBusy}>
          {words('people.resetGo')}
        </Button>
      </p>
    </form>
  );
}

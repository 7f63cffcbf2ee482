import { type ReactNode, useState } from 'react';
import { knownAccount } from '../app/session/account.js';
import { Button } from '../controls/button.js';
import { Sheet } from '../controls/sheet.js';
import { useWords } from '../words/words.js';
import { SignInForm } from './sign-in-form.js';
import './sign-in.css';

interface Props {
  /** Closes the sheet where the session has not ended yet. Otherwise it cannot be closed. */
  readonly onClose?: () => void;
}

/**
 * Lies over a screen whose session has ended, so that nothing half written is lost. Another person
 * may sign in too, and begins at the start without anything of the one before.
 */
export function SignInSheet({ onClose }: Props): ReactNode {
  const words = useWords();
  const [known] = useState(() => knownAccount() ?? undefined);
  const [isOther, setOther] = useState(known === undefined);
  const start = isOther || known === undefined ? {} : { name: known };
  return (
    <Sheet title={words('signIn.title')} isOpen {...(onClose && { onClose })}>
      <p>
        {known === undefined || !isOther
          ? words(onClose ? 'signIn.again' : 'signIn.kept', { name: known ?? '' })
          : words('signIn.otherStarts', { name: known })}
      </p>
      <SignInForm
        key={isOther ? 'other' : 'known'}
        start={start}
        isFixed={!isOther}
        onSignedIn={() => onClose?.()}
      />
      {known !== undefined && (
        <p className="sign-in-other">
          <Button onPress={() => setOther(!isOther)}>
            {isOther ? words('signIn.same', { name: known }) : words('signIn.other')}
          </Button>
        </p>
      )}
    </Sheet>
  );
}

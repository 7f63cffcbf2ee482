import { type ReactNode, useState } from 'react';
import { Button } from '../../controls/button.js';
import { useWords } from '../../words/words.js';

/** What a person has looked at before they send something about it. */
interface LookedAt<Thing> {
  readonly seen: Thing;
  /** Whether it is another now. Nothing is sent then, until the person has looked again. */
  readonly hasChanged: boolean;
  readonly look: () => void;
}

/** Returns what a person saw when the sheet opened, or when they looked again. */
export function useLookedAt<Thing>(now: Thing): LookedAt<Thing> {
  const [seen, setSeen] = useState(now);
  return {
    seen,
    hasChanged: JSON.stringify(seen) !== JSON.stringify(now),
    look: () => setSeen(now),
  };
}

/** Says that what is shown is no longer what the person saw, and asks them to look at it. */
export function LookAgain({ onLooked }: { readonly onLooked: () => void }): ReactNode {
  const words = useWords();
  return (
    <p role="alert" className="conflict">
      {words('review.changedHere')}{' '}
      <Button onPress={onLooked}>{words('review.lookedAgain')}</Button>
    </p>
  );
}

import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button.js';
import { Sheet } from '../controls/sheet.js';
import { useWords } from '../words/words.js';
import { activeKeys, useKeys } from './keys.js';
import './keys.css';

/** Lists the keys of the screen when `?` is pressed. */
export function KeysDialog(): ReactNode {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  useKeys({ '?': { means: 'keys.title', run: () => setOpen(true) } });
  return (
    <Sheet title={words('keys.title')} isOpen={isOpen} onClose={() => setOpen(false)}>
      <dl className="keys">
        {isOpen &&
          [...activeKeys()].map(([key, { means }]) => (
            <div key={key}>
              <dt>
                <kbd>{key === ' ' ? words('keys.space') : key}</kbd>
              </dt>
              <dd>{words(means)}</dd>
            </div>
          ))}
      </dl>
      <Button onPress={() => setOpen(false)}>{words('shell.close')}</Button>
    </Sheet>
  );
}

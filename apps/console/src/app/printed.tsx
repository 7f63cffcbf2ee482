import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { useMe } from './session/me.js';

/** Who prints the page and when, by the clock of this machine. */
export function Printed(): ReactNode {
  const words = useWords();
  const { dateTime, zone } = useFormats();
  const { person, id } = useMe();
  const name = person ?? id.replace(/^[^/]*\//, '');
  const time = dateTime(usePrintedAt());
  return <bdi>{words('shell.printed', { name, time, zone })}</bdi>;
}

/** Returns when the page is printed. The time is there before the browser prints. */
function usePrintedAt(): string {
  const [at, setAt] = useState(() => new Date().toISOString());
  useEffect(() => {
    const note = (): void => flushSync(() => setAt(new Date().toISOString()));
    addEventListener('beforeprint', note);
    return () => removeEventListener('beforeprint', note);
  }, []);
  return at;
}

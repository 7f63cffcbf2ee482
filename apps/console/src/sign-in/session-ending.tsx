import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { type Ending, ending } from '../app/session/idle.js';
import { meQuery } from '../app/session/me.js';
import { Button } from '../controls/button.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { SignInSheet } from './sign-in-sheet.js';

const WARNS_MS = 120_000;
const LOOKS_MS = 5_000;

/** Warns two minutes before the session ends, and lets the person stay signed in. */
export function SessionEnding(): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const client = useQueryClient();
  const [isSigningIn, setSigningIn] = useState(false);
  const ends = useEnding();
  if (!ends) return null;
  const stay = (): void => {
    if (!ends.isIdle) return setSigningIn(true);
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return (
    <>
      <p className="strip" data-grave>
        {words(ends.isIdle ? 'signIn.idle' : 'signIn.expires', { time: formats.time(ends.at) })}{' '}
        <Button onPress={stay}>{words(ends.isIdle ? 'signIn.stay' : 'signIn.againGo')}</Button>
      </p>
      {isSigningIn && <SignInSheet onClose={() => setSigningIn(false)} />}
    </>
  );
}

/** Returns how the session is about to end, or undefined while there is time. */
function useEnding(): Ending | undefined {
  const [ends, setEnds] = useState<Ending>();
  useEffect(() => {
    const look = (): void => {
      const next = ending();
      setEnds(next && next.at - Date.now() <= WARNS_MS ? next : undefined);
    };
    const timer = setInterval(look, LOOKS_MS);
    return () => clearInterval(timer);
  }, []);
  return ends;
}

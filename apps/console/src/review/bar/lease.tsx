import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../controls/button.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';

interface Props {
  /** When the claim ends, as the answer has it. */
  readonly until: string;
  /** How long a claim lasts, in seconds. */
  readonly lease: number;
  readonly clockAheadMs: number;
  /** Claims again because the person says so. Resolves with undefined if it took no effect. */
  readonly keep: () => Promise<unknown>;
  /** Claims again unasked, beside the commands of the person. Resolves as `keep` does. */
  readonly renew: () => Promise<unknown>;
  /** Whether a claim can be sent now. */
  readonly canKeep: boolean;
}

const SECOND_MS = 1_000;
const WARNING_MS = 60_000;

/**
 * Counts down the person's own claim by the clock of the server. Renews it at half time if there
 * was input since it began, and warns a minute before its end.
 */
export function Lease({ until, lease, clockAheadMs, canKeep, ...claims }: Props): ReactNode {
  const words = useWords();
  const { clock } = useFormats();
  const now = useNow() + clockAheadMs;
  const end = Date.parse(until);
  const left = end - now;
  const lastInput = useLastInput();
  const renewed = useRef('');
  const kept = useRef('');
  const before = useRef(Promise.resolve());
  // a finger on the button is input too, so both may want to: only one claims
  const claimOnce = (claim: () => Promise<unknown>): void => {
    before.current = before.current.then(async () => {
      if (kept.current !== until && (await claim()) !== undefined) kept.current = until;
    });
  };
  const isHalfOver = left > 0 && left <= (lease * SECOND_MS) / 2;
  useEffect(() => {
    const began = end - lease * SECOND_MS - clockAheadMs;
    if (!isHalfOver || !canKeep || renewed.current === until || lastInput.current <= began) return;
    renewed.current = until;
    claimOnce(claims.renew);
  });
  if (left <= 0) return <p className="lease">{words('review.leaseOver')}</p>;
  return (
    <div className="lease">
      <span role="timer">
        {words('review.yours')} · {words('review.left', { clock: clock(left) })}
      </span>
      <span role="status">
        {left <= WARNING_MS && (
          <>
            <strong>{words('review.leaseEnds')}</strong>{' '}
            {canKeep && (
              <Button onPress={() => claimOnce(claims.keep)}>{words('review.keep')}</Button>
            )}
          </>
        )}
      </span>
    </div>
  );
}

/** Returns the time of this machine, each second. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Returns when a key or a finger was last used, in ms since 1970. */
function useLastInput() {
  const last = useRef(0);
  useEffect(() => {
    const note = (): void => void (last.current = Date.now());
    // buttons keep these events to themselves, so they are heard on the way down
    addEventListener('keydown', note, true);
    addEventListener('pointerdown', note, true);
    return () => {
      removeEventListener('keydown', note, true);
      removeEventListener('pointerdown', note, true);
    };
  }, []);
  return last;
}

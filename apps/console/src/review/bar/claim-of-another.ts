import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useMe } from '../../app/session/me.js';
import type { Whole } from '../../finding/coup/whole.js';

/** How often a finding is read at most when a claim ends, and how long after another. */
const READS = { most: 5, pauseMs: 1_000 };

/**
 * Returns the claim of another person until it ends by the clock of the server, or null. No event
 * says that a claim has run out, so the finding is read again then. It is read a few times more if
 * the server still says that the claim runs.
 */
export function useClaimOfAnother({ finding, review, clockAheadMs }: Whole) {
  const client = useQueryClient();
  const { person } = useMe();
  const { claim, may } = review;
  const [ended, setEnded] = useState<string>();
  const latest = useRef({ clockAheadMs, isRefused: false });
  useEffect(() => {
    latest.current = { clockAheadMs, isRefused: may?.claim === 'claimed-by-another' };
  });
  const { id } = finding;
  const until = claim === null || claim.by === person ? undefined : claim.until;
  useEffect(() => {
    if (until === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reads = 0;
    const end = async (): Promise<void> => {
      setEnded(until);
      if (!latest.current.isRefused || reads === READS.most) return;
      reads += 1;
      await client.invalidateQueries({ queryKey: ['finding', id] });
      if (timer !== undefined) callIn(READS.pauseMs);
    };
    const callIn = (ms: number): void => void (timer = setTimeout(() => void end(), ms));
    callIn(Math.max(Date.parse(until) - Date.now() - latest.current.clockAheadMs, 0));
    return () => {
      clearTimeout(timer);
      timer = undefined;
    };
  }, [client, id, until]);
  return until === undefined || until === ended ? null : claim;
}

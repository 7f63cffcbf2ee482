import { useEffect, useRef, useState } from 'react';
import { refusalIn } from '../review/refusals.js';
import { notify } from '../controls/notices.js';
import { NotDecided, takeNext, type Waiting } from '../review/bar/take-next.js';
import { useWords } from '../words/words.js';
import { type QueueFilter, takeQuery } from './filter/filter.js';

interface TakeNext {
  /** What the person waits for, if anything. */
  readonly waiting: Waiting | undefined;
  /** Takes the next finding of the filter. While one is being taken, it does nothing. */
  readonly take: () => void;
}

/** Takes the next finding and opens it. Leaving the screen ends the waiting, not the claim. */
export function useTakeNext(filter: QueueFilter, onTaken: (id: string) => void): TakeNext {
  const words = useWords();
  const [waiting, setWaiting] = useState<Waiting>();
  const left = useRef<AbortController>(undefined);
  useEffect(() => () => left.current?.abort(), []);
  const take = async (): Promise<void> => {
    if (waiting !== undefined) return;
    const { signal } = (left.current = new AbortController());
    try {
      const id = await takeNext(takeQuery(filter), setWaiting, signal);
      if (signal.aborted) return;
      if (id === null) notify({ text: words('queue.nothingLeft') });
      else onTaken(id);
    } catch (error) {
      if (signal.aborted) return;
      const isLate = error instanceof NotDecided;
      notify({ text: isLate ? words('queue.notDecided') : refusalIn(error, words) });
    } finally {
      if (!signal.aborted) setWaiting(undefined);
    }
  };
  return { waiting, take: () => void take() };
}

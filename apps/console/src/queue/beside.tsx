import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Search } from '../app/address.js';
import { lazyPart } from '../app/lazy-part.js';
import { useWords } from '../words/words.js';

const FindingPane = lazyPart(
  async () => (await import('../finding/finding-screen.js')).FindingPane,
);

/** From this width on there is room for the list and the finding beside it. */
const WIDE = matchMedia('(min-width: 100rem)');

/** Returns whether a finding is shown beside the list, and follows the width of the window. */
export const useBeside = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      WIDE.addEventListener('change', changed);
      return () => WIDE.removeEventListener('change', changed);
    },
    () => WIDE.matches,
  );

/**
 * The finding that the address names, beside the list. Where there is no room for both, it is
 * opened on a page of its own, from where the way back leads to the list.
 */
export function Beside({ search }: { readonly search: Search }): ReactNode {
  const words = useWords();
  const isBeside = useBeside();
  const { finding: id } = search;
  useAlone(search, isBeside);
  if (!isBeside) return null;
  return (
    <section className="queue-beside" aria-label={words('queue.finding')}>
      {id === undefined ? (
        <p className="queue-empty">{words('queue.chooseOne')}</p>
      ) : (
        <FindingPane id={id} />
      )}
    </section>
  );
}

function useAlone(search: Search, isBeside: boolean): void {
  const navigate = useNavigate();
  const openAlone = useEffectEvent(async (id: string) => {
    const { step = '' } = search;
    await navigate({
      to: '/queue',
      search: { ...search, finding: '', step: '' },
      replace: true,
    });
    await navigate({ to: '/findings/$id', params: { id }, search: { step } });
  });
  const { finding } = search;
  useEffect(() => {
    if (!isBeside && finding !== undefined && finding !== '') void openAlone(finding);
  }, [isBeside, finding]);
}

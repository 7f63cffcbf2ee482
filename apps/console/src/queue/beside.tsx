import { type ReactNode, useSyncExternalStore } from 'react';
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

/** The finding beside the list, if there is room. */
export function Beside({ id }: { readonly id: string | undefined }): ReactNode {
  const words = useWords();
  if (!useBeside()) return null;
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

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { newKey } from '../../api/client.js';
import { notify } from '../../controls/notices.js';
import { dispositionIn } from '../../finding/history.js';
import { useWords } from '../../words/words.js';
import { act, type Taken } from '../act.js';
import { refusalIn } from '../refusals.js';
import { wantSheet } from '../sheets/wanted-sheet.js';

const OFFERED_MS = 10_000;

/**
 * Returns what says that a proposal was made, and offers for ten seconds to take it back, or to
 * reopen what it ruled. Both work on any screen: the person may have left the finding.
 */
export function useOffer(finding: string): (made: Taken, disposition: string) => void {
  const words = useWords();
  const client = useQueryClient();
  const navigate = useNavigate();
  const takeBack = async (proposal: string): Promise<void> => {
    try {
      await act({ command: 'take-back', finding, body: { proposal }, key: newKey() });
      notify({ text: words('review.taken', { act: words('act.take-back') }) });
    } catch (error) {
      notify({ text: refusalIn(error, words) });
    }
    await client.invalidateQueries({ queryKey: ['finding', finding] });
  };
  const reopen = (): void => {
    if (!wantSheet(finding, 'reopen'))
      void navigate({ to: '/findings/$id', params: { id: finding } });
  };
  return ({ review, ref }, disposition) => {
    const isRuled = review.state === 'ruled';
    const said = { disposition: dispositionIn(words, disposition) };
    notify({
      text: words(isRuled ? 'review.ruled' : 'review.proposed', said),
      ms: OFFERED_MS,
      action: isRuled
        ? { label: words('review.reopenNow'), run: reopen }
        : { label: words('review.takeBackNow'), run: () => void takeBack(ref) },
    });
  };
}

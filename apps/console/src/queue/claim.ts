import { newKey } from '../api/client.js';
import { useMe } from '../app/session/me.js';
import { notify } from '../controls/notices.js';
import { act } from '../review/act.js';
import { usePolicy } from '../review/policy.js';
import { refusalIn } from '../review/refusals.js';
import { useWords } from '../words/words.js';
import type { Row } from './list/rows.js';

/** Returns how to claim a finding of the list, or release it if this person holds it. */
export function useClaim(): (row: Row) => void {
  const words = useWords();
  const { person } = useMe();
  const policy = usePolicy();
  return ({ id, review }) => {
    if (!policy) {
      notify({ text: words('shell.unreachable') });
      return;
    }
    const key = newKey();
    const isMine = review.claim !== null && review.claim.by === person;
    const sent = isMine
      ? act({ command: 'release', finding: id, key, body: {} })
      : act({ command: 'claim', finding: id, key, body: { lease: policy.lease } });
    sent.then(
      () => notify({ text: words(isMine ? 'queue.released' : 'queue.claimed') }),
      (error: unknown) => notify({ text: refusalIn(error, words) }),
    );
  };
}

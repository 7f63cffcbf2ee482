import type { ReactNode } from 'react';
import { type Problem, Refused } from '../api/client.js';
import { ActData, dispositionIn } from '../finding/history.js';
import { Said } from '../finding/said.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { refusalIn } from './refusals.js';
import type { Failed } from './use-acts.js';

interface Props {
  readonly failed: Failed;
  /** The currency of the shoe, in which an amount was typed. */
  readonly currency: string | null;
}

/** Why a command took no effect: what is there now beside what was tried. */
export function Conflict({ failed, currency }: Props): ReactNode {
  const words = useWords();
  const { command, body, error } = failed;
  const review = error instanceof Refused ? error.problem.review : undefined;
  return (
    <div className="conflict" role="alert">
      <p>
        <strong>{refusalIn(error, words)}</strong> {words('review.draftKept')}
      </p>
      {review && (
        <div className="conflict-sides">
          <div>
            <h3>{words('review.now')}</h3>
            <Standing review={review} />
          </div>
          <div>
            <h3>{words('review.tried')}</h3>
            <p>{words(`act.${command}`)}</p>
            <ActData data={body} currency={currency ?? undefined} />
          </div>
        </div>
      )}
    </div>
  );
}

/** Where a review stands: the claim, the proposal and the ruling, in sentences. */
export function Standing({
  review,
}: {
  readonly review: NonNullable<Problem['review']>;
}): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { claim, proposal, ruling } = review;
  const lines = [
    claim && words('review.claimedBy', { person: claim.by, time: formats.time(claim.until) }),
    proposal &&
      words('review.proposedBy', {
        person: proposal.by,
        disposition: dispositionIn(words, proposal.disposition),
      }),
    ruling &&
      words(ruling.signedBy === null ? 'review.ruledAlone' : 'review.ruledBy', {
        disposition: dispositionIn(words, ruling.disposition),
        proposer: ruling.proposedBy,
        signer: ruling.signedBy,
      }),
  ].filter((line) => typeof line === 'string');
  if (lines.length === 0) return <p>{words('review.nothingThere')}</p>;
  return lines.map((line) => (
    <p key={line}>
      <Said>{line}</Said>
    </p>
  ));
}

import type { Card } from '#baccarat';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client.js';
import { useMay } from '../app/session/me.js';
import { PlayingCard } from '../game/card.js';
import { useWords } from '../words/words.js';
import type { Row } from './list/rows.js';

const HANDS = ['player', 'banker'] as const;
/** Coups of rows that are out of sight are let go soon. */
const KEPT_MS = 20_000;
const CARD_WIDTH = 24;

interface Props {
  readonly row: Row;
  /** Whether the list rests: while it scrolls, no coup is asked for. */
  readonly isAtRest: boolean;
}

/** The hands with the cards that a finding names, small. The card that is wrong has a bracket. */
export function CardsInQuestion({ row, isAtRest }: Props): ReactNode {
  const may = useMay('read-coups');
  const [hasRested, setHasRested] = useState(isAtRest);
  if (isAtRest && !hasRested) setHasRested(true);
  const { coupRef, impact } = row;
  return may && hasRested && coupRef !== null && !impact && <Hands row={row} coupRef={coupRef} />;
}

interface HandsProps {
  readonly row: Row;
  readonly coupRef: string;
}

function Hands({ row, coupRef }: HandsProps): ReactNode {
  const words = useWords();
  const { steps, wrong } = useCoup(row, coupRef) ?? { steps: [] };
  const named = steps.filter(({ findings }) => findings?.includes(row.id));
  return HANDS.filter((hand) => named.some(({ to }) => to === hand)).map((hand) => (
    <span key={hand} role="group" aria-label={words(`side.${hand}`)}>
      {steps
        .filter(({ to }) => to === hand)
        .map((step, at) => (
          <PlayingCard
            key={at}
            card={step.card as Card | null}
            width={CARD_WIDTH}
            faulty={step.ref === wrong}
          />
        ))}
    </span>
  ));
}

/** Returns the cards of the coup and which is wrong, once they have been read. */
function useCoup({ id, table }: Row, coupRef: string) {
  const { data } = useQuery({
    queryKey: ['queue', 'cards', table, coupRef],
    queryFn: async ({ signal }) => {
      const coup = await dataOf(
        api.GET('/v1/coups/{id}', {
          params: { path: { id: coupRef }, query: { table } },
          signal,
        }),
      );
      const steps = coup.steps.map(({ ref, card, to, findings }) => ({ ref, card, to, findings }));
      return { steps, faults: coup.raised?.map((found) => ({ id: found.id, at: found.fault })) };
    },
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
    retry: false, // the row is whole without them
  });
  const at = data?.faults?.find((fault) => fault.id === id)?.at;
  return data && { steps: data.steps, wrong: at?.is === 'card' ? at.ref : undefined };
}

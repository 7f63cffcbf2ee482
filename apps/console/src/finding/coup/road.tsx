import type { ReactNode } from 'react';
import type { RoadCoup } from '../../game/road-coups.js';
import { BigRoad } from '../../game/roads.js';
import { useWords } from '../../words/words.js';

interface Props {
  /** The coups of the shoe, in order. */
  readonly coups: readonly RoadCoup[];
  readonly marked: string | undefined;
}

/** The big road of the shoe, with its flags. Each cell leads to its coup. */
export function Road({ coups, marked }: Props): ReactNode {
  const words = useWords();
  if (coups.length === 0) return null;
  return (
    <section className="panel no-print">
      <h2>{words('finding.road')}</h2>
      <BigRoad
        coups={coups}
        marked={marked}
        linkOf={({ ref, table }) => ({ to: '/coups/$ref', params: { ref }, search: { table } })}
      />
      <p className="muted">{words('road.record')}</p>
    </section>
  );
}

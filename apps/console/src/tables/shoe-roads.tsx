import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../app/session/me.js';
import { notify } from '../controls/notices.js';
import type { RoadCoup } from '../game/road-coups.js';
import { BeadPlate, BigRoad, DERIVED_ROADS, DerivedRoad } from '../game/roads.js';
import { savePreferences, usePreferences } from '../settings/preferences.js';
import { useWords } from '../words/words.js';

interface Props {
  /** In the order dealt. */
  readonly coups: readonly RoadCoup[];
  /** The reference of the coup that the address names. */
  readonly marked: string | undefined;
}

/** Returns the link to a coup. */
export const coupLink = ({ ref, table }: Pick<RoadCoup, 'ref' | 'table'>): LinkProps => ({
  to: '/coups/$ref',
  params: { ref },
  search: { table },
});

/** The five roads of a shoe. Each cell leads to its coup. */
export function ShoeRoads({ coups, marked }: Props): ReactNode {
  const words = useWords();
  const props = { coups, marked, linkOf: coupLink };
  return (
    <section className="tables-roads" aria-label={words('shoe.roads')}>
      <figure className="tables-big-road">
        <figcaption>{words('road.bigRoad')}</figcaption>
        <BigRoad {...props} />
      </figure>
      <figure className="tables-bead-plate">
        <figcaption>{words('road.beadPlate')}</figcaption>
        <BeadPlate {...props} />
      </figure>
      {DERIVED_ROADS.map((road) => (
        <figure key={road} className="tables-derived">
          <figcaption>{words(`road.${road}`)}</figcaption>
          <DerivedRoad road={road} {...props} />
        </figure>
      ))}
      <p className="tables-roads-foot">
        <span className="muted">{words('road.record')}</span>
        <Shapes />
      </p>
    </section>
  );
}

/** Chooses whether the marks of the derived roads differ in shape, and not in color alone. */
function Shapes(): ReactNode {
  const words = useWords();
  const { shapes } = usePreferences();
  const may = useMay('arrange-screens');
  const onChange = (chosen: boolean): void => {
    savePreferences({ shapes: chosen }).catch(() => notify({ text: words('shell.unreachable') }));
  };
  if (!may) return null;
  return (
    <label className="tables-check no-print">
      <input type="checkbox" checked={shapes} onChange={({ target }) => onChange(target.checked)} />
      {words('shoe.shapes')}
    </label>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ScreenFailed } from '../app/failures.js';
import { useMay } from '../app/session/me.js';
import { useTitle } from '../app/title.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { AsOf } from './as-of.js';
import { Flag } from './flag.js';
import { OpenHands } from './hands.js';
import { type Table, tablesQuery, waitingQuery } from './reads.js';
import { useReread } from '../live/reread.js';
import { shown } from '../words/shown.js';
import './tables.css';

const CARD_WIDTH = 40;
/** The server shares a count of findings for a second. */
const COUNTS_SHARED_MS = 1_100;

/** Every table as it stands: the cards on it, what is due, who deals, and what waits for a ruling. */
export function TablesScreen(): ReactNode {
  const words = useWords();
  const seesFindings = useMay('read-findings');
  const tables = useQuery(tablesQuery);
  const { data: waiting } = useQuery({ ...waitingQuery, enabled: seesFindings });
  useTitle(words('tables.title'));
  useReread([tablesQuery.queryKey], () => true);
  useReread([waitingQuery.queryKey], ({ is }) => is === 'finding', COUNTS_SHARED_MS);
  if (tables.error && !tables.data)
    return <ScreenFailed error={tables.error} reset={() => void tables.refetch()} />;
  return (
    <>
      <header className="tables-head">
        <h1>{words('tables.title')}</h1>
        <AsOf read={tables} />
      </header>
      {!tables.data && <p role="status">{words('shell.loading')}</p>}
      {tables.data?.length === 0 && <p>{words('tables.none')}</p>}
      <ul className="tables-tiles" role="list">
        {tables.data?.map((table) => (
          <Tile key={table.table} table={table} waiting={waiting?.get(table.table) ?? 0} />
        ))}
      </ul>
    </>
  );
}

interface TileProps {
  readonly table: Table;
  /** How many of its findings wait for a ruling. */
  readonly waiting: number;
}

function Tile({ table: { table, shoe, coup, ...rest }, waiting }: TileProps): ReactNode {
  const words = useWords();
  return (
    <li className="tables-tile panel" data-table={table}>
      <div className="tables-tile-head">
        <h2>
          <Link to="/tables/$table" params={{ table }}>
            {shown(table)}
          </Link>
        </h2>
        {coup && <span>{words('tables.coup', { coup: coup.coup })}</span>}
        {shoe?.worst && <Flag severity={shoe.worst} />}
        {waiting > 0 && (
          <Link to="/queue" search={{ table }} className="tables-waiting">
            {words('tables.waiting', { count: waiting })}
          </Link>
        )}
      </div>
      {shoe && coup ? (
        <OpenHands cards={coup.cards} rules={shoe.rules} width={CARD_WIDTH} />
      ) : (
        <p className="tables-idle">{words(shoe ? 'tables.between' : 'tables.noShoe')}</p>
      )}
      <TileFoot shoe={shoe} {...rest} />
    </li>
  );
}

type TileFootProps = Pick<Table, 'shoe' | 'dealer' | 'lastReceived' | 'parked'>;

function TileFoot({ shoe, dealer, lastReceived, parked }: TileFootProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  return (
    <>
      <p className="tables-foot muted">
        {shoe && <span>{words('tables.shoe', { shoe: shoe.shoe })}</span>}
        <span>
          {dealer === null ? words('tables.noDealer') : words('tables.dealer', { dealer })}
        </span>
        {lastReceived !== null && (
          <span>{words('tables.lastEvent', { time: formats.dateTime(lastReceived) })}</span>
        )}
      </p>
      {parked && <Parked reason={parked.reason} />}
    </>
  );
}

/** Says that a table is not judged further, and why, as the server wrote it. */
export function Parked({ reason }: { readonly reason: string }): ReactNode {
  const words = useWords();
  return (
    <p className="tables-parked">
      <strong>{words('tables.parked')}</strong> <span lang="en">{reason}</span>
    </p>
  );
}

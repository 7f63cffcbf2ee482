import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/address.js';
import { Failure, ScreenFailed } from '../app/failures.js';
import { useTitle } from '../app/title.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { AsOf } from './as-of.js';
import { Flag } from './flag.js';
import { OpenHands } from './hands.js';
import { type ShoeLine, shoesQuery, type Table, tableQuery } from './reads.js';
import { tableOf, useReread } from '../live/reread.js';
import { ShoeView } from './shoe-view.js';
import { Parked } from './tables-screen.js';
import { shown } from '../words/shown.js';
import './tables.css';

const CARD_WIDTH = 60;

/** A table: the cards on it, and its present shoe, or the last one. */
export function TableScreen(): ReactNode {
  const words = useWords();
  const { table = '' }: Search = useParams({ strict: false });
  const read = useQuery(tableQuery(table));
  const shoes = useQuery(shoesQuery(table));
  useTitle(words('tables.of', { table }));
  useReread([tableQuery(table).queryKey], (change) => tableOf(change) === table);
  useReread([shoesQuery(table).queryKey], (c) => c.is === 'shoe' && c.shoe.table === table);
  const error = read.error ?? shoes.error;
  if (error && !(read.data && shoes.data))
    return (
      <ScreenFailed
        error={error}
        reset={() => void Promise.all([read.refetch(), shoes.refetch()])}
      />
    );
  if (read.data === null) return <Failure title={words('tables.unknown', { table })} />;
  if (!read.data || !shoes.data) return <p role="status">{words('shell.loading')}</p>;
  const current = read.data.shoe ?? shoes.data[0];
  return (
    <>
      <header className="tables-head">
        <h1>{words('tables.of', { table })}</h1>
        <AsOf read={read} />
      </header>
      <Now table={read.data} />
      {current ? (
        <ShoeView table={table} shoeRef={current.ref} level={2} />
      ) : (
        <p>{words('tables.noShoes')}</p>
      )}
      <Shoes shoes={shoes.data} />
    </>
  );
}

function Now({ table: { shoe, coup, dealer, lastReceived, parked } }: { readonly table: Table }) {
  const words = useWords();
  const formats = useFormats();
  return (
    <section className="tables-now" aria-label={words('tables.now')}>
      {parked && <Parked reason={parked.reason} />}
      <p className="tables-foot">
        {coup && <strong>{words('tables.coup', { coup: coup.coup })}</strong>}
        <span>
          {dealer === null ? words('tables.noDealer') : words('tables.dealer', { dealer })}
        </span>
        {lastReceived !== null && (
          <span className="muted">
            {words('tables.lastEvent', { time: formats.dateTime(lastReceived) })}
          </span>
        )}
      </p>
      {shoe && coup ? (
        <OpenHands cards={coup.cards} rules={shoe.rules} width={CARD_WIDTH} />
      ) : (
        <p className="tables-idle">{words(shoe ? 'tables.between' : 'tables.noShoe')}</p>
      )}
    </section>
  );
}

/** The latest shoes of a table, each a way to its page. */
function Shoes({ shoes }: { readonly shoes: readonly ShoeLine[] }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  if (shoes.length === 0) return null;
  return (
    <section>
      <h2>{words('tables.shoes')}</h2>
      <ul className="tables-shoes" role="list">
        {shoes.map(({ ref, table, shoe, coups, openedAt, worst }) => (
          <li key={ref}>
            <Link to="/tables/$table/shoes/$ref" params={{ table, ref }} className="panel">
              <span className="tables-shoe-name">
                {shown(shoe)} {worst && <Flag severity={worst} />}
              </span>
              <span className="muted">
                {formats.dateTime(openedAt)} · {words('tables.coups', { count: coups })}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

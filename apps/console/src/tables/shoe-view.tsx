import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/address.js';
import { Refused } from '../api/client.js';
import { Failure, ScreenFailed } from '../app/failures.js';
import { useMay } from '../app/session/me.js';
import { useWords } from '../words/words.js';
import { AsOf } from './as-of.js';
import { besideQuery, type Shoe, shoeQuery } from './reads.js';
import { useReread } from '../live/reread.js';
import { ShoeCoups } from './shoe-coups.js';
import { ShoeFacts } from './shoe-facts.js';
import { ShoeFindings } from './shoe-findings.js';
import { ShoeRoads } from './shoe-roads.js';
import { shown } from '../words/shown.js';

interface Props {
  readonly table: string;
  /** The reference of the shoe's opening. */
  readonly shoeRef: string;
  /** The level of its heading: 1 on its own page. */
  readonly level: 1 | 2;
}

/** A shoe as it stands. An open one is read again while changes of it arrive. */
export function ShoeView({ table, shoeRef, level }: Props): ReactNode {
  const words = useWords();
  const query = shoeQuery(table, shoeRef);
  const read = useQuery(query);
  useReread([query.queryKey], (change) => {
    if (change.is === 'shoe') return change.shoe.ref === shoeRef && change.shoe.table === table;
    if (change.is === 'coup') return change.coup.shoeRef === shoeRef && change.coup.table === table;
    return change.is === 'finding' && change.finding.shoeRef === shoeRef;
  });
  if (read.data)
    return (
      <article className="tables-shoe">
        <Head shoe={read.data} level={level} />
        {level === 1 && <AsOf read={read} />}
        <Body shoe={read.data} />
      </article>
    );
  if (read.error instanceof Refused && read.error.status === 404)
    return <Failure title={words('shoe.unknown', { table })} why={shoeRef} />;
  if (read.error) return <ScreenFailed error={read.error} reset={() => void read.refetch()} />;
  return <p role="status">{words('shell.loading')}</p>;
}

function Body({ shoe }: { readonly shoe: Shoe }): ReactNode {
  const words = useWords();
  const search: Search = useSearch({ strict: false });
  const marked = shoe.coupLines.find(({ coup }) => String(coup) === search['coup']);
  return (
    <>
      {search['coup'] !== undefined && !marked && (
        <p role="status">{words('shoe.noSuchCoup', { coup: search['coup'] })}</p>
      )}
      {shoe.coupLines.length === 0 ? (
        <p>{words('shoe.noCoups')}</p>
      ) : (
        <ShoeRoads coups={shoe.coupLines} marked={marked?.ref} />
      )}
      <ShoeFacts shoe={shoe} />
      <ShoeFindings shoe={shoe} />
      {shoe.coupLines.length > 0 && <ShoeCoups shoe={shoe} marked={marked?.ref} />}
    </>
  );
}

function Head({ shoe, level }: { readonly shoe: Shoe; readonly level: 1 | 2 }): ReactNode {
  const words = useWords();
  const Heading = level === 1 ? 'h1' : 'h2';
  const { table, closed, closeReason } = shoe;
  const state = closed
    ? (words.find(`shoe.closed.${closeReason ?? 'none'}`) ?? closeReason)
    : words('shoe.open');
  return (
    <header className="tables-head">
      <Heading>
        {level === 1 && (
          <>
            <Link to="/tables/$table" params={{ table }}>
              {shown(table)}
            </Link>{' '}
            ·{' '}
          </>
        )}
        {words('tables.shoe', { shoe: shoe.shoe })}
      </Heading>
      <span>{state}</span>
      <Link to="/rules/$ref" params={{ ref: shoe.rules }}>
        {shoe.rules}
      </Link>
      <Beside shoe={shoe} />
    </header>
  );
}

/** The ways to the shoes before and after. */
function Beside({ shoe }: { readonly shoe: Shoe }): ReactNode {
  const words = useWords();
  const mayExport = useMay('export-evidence');
  const query = besideQuery(shoe);
  const { data } = useQuery(query);
  const { table } = shoe;
  useReread([query.queryKey], (change) => {
    if (change.is !== 'shoe' || data?.after) return false;
    return change.shoe.table === table && change.shoe.ref !== shoe.ref;
  });
  return (
    <nav className="tables-beside no-print" aria-label={words('shoe.beside')}>
      {mayExport && (
        <Link to="/evidence" search={{ new: 'shoe', table, shoe: shoe.ref }} className="button">
          {words('evidence.ofThis')}
        </Link>
      )}
      {data?.before && (
        <Link
          to="/tables/$table/shoes/$ref"
          params={{ table, ref: data.before.ref }}
          className="button"
          rel="prev"
        >
          ‹ {words('shoe.previous')}
        </Link>
      )}
      {data?.after && (
        <Link
          to="/tables/$table/shoes/$ref"
          params={{ table, ref: data.after.ref }}
          className="button"
          rel="next"
        >
          {words('shoe.next')} ›
        </Link>
      )}
    </nav>
  );
}

import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/address.js';
import type { Answers } from '../api/client.js';
import { useMay } from '../app/session/me.js';
import { type Key, useWords } from '../words/words.js';
import { Hand } from './hands.js';
import type { Shoe } from './reads.js';
import { FindingLink } from './shoe-findings.js';
import { coupLink } from './shoe-roads.js';

type Coup = Answers['CoupAnswer'];
type Finding = Answers['FindingAnswer'];

/** A shoe's page has at most this many coups. */
const COUPS_MAX = 1_000;
const CARD_WIDTH = 24;

interface Props {
  readonly shoe: Shoe;
  /** The reference of the coup that the address names. */
  readonly marked: string | undefined;
}

/** The coups of a shoe, the latest first: those with findings, or all. */
export function ShoeCoups({ shoe, marked }: Props): ReactNode {
  const words = useWords();
  const seesFindings = useMay('read-findings');
  const search: Search = useSearch({ strict: false });
  const { coupLines, raised = [] } = shoe;
  const flagged = coupLines.filter(({ worst }) => worst);
  const showsAll = !seesFindings || search['coups'] === 'all';
  const shown = showsAll ? coupLines : flagged;
  return (
    <section>
      <div className="tables-head">
        <h2>{words('shoe.coups')}</h2>
        {seesFindings && (
          <Choice flagged={flagged.length} all={coupLines.length} showsAll={showsAll} />
        )}
      </div>
      {shown.length === 0 && <p>{words('shoe.noFindings')}</p>}
      <ol className="tables-coups" role="list">
        {shown.toReversed().map((coup) => (
          <CoupRow
            key={coup.ref}
            coup={coup}
            findings={raised.filter(
              ({ coupRef, status }) => coupRef === coup.ref && status === 'standing',
            )}
            isMarked={coup.ref === marked}
          />
        ))}
      </ol>
      {coupLines.length === COUPS_MAX && <p>{words('shoe.cut', { count: COUPS_MAX })}</p>}
    </section>
  );
}

interface ChoiceProps {
  readonly flagged: number;
  readonly all: number;
  readonly showsAll: boolean;
}

function Choice({ flagged, all, showsAll }: ChoiceProps): ReactNode {
  const words = useWords();
  return (
    <nav className="tables-choice no-print" aria-label={words('shoe.shown')}>
      {([false, true] as const).map((isAll) => (
        <Link
          key={String(isAll)}
          to="."
          search={(search: Search) => ({ ...search, coups: isAll ? 'all' : '' })}
          replace
          resetScroll={false}
          className="button"
          activeOptions={{ exact: true }}
          aria-current={showsAll === isAll ? 'true' : undefined}
        >
          {words(isAll ? 'shoe.all' : 'shoe.flagged', { count: isAll ? all : flagged })}
        </Link>
      ))}
    </nav>
  );
}

interface RowProps {
  readonly coup: Coup;
  readonly findings: readonly Finding[];
  readonly isMarked: boolean;
}

function CoupRow({ coup, findings, isMarked }: RowProps): ReactNode {
  const words = useWords();
  return (
    <li className="tables-coup" aria-current={isMarked ? 'true' : undefined}>
      <Link {...coupLink(coup)} className="tables-coup-number">
        {words('tables.coup', { coup: coup.coup })}
      </Link>
      <Hand side="player" cards={coup.player.map((card) => ({ card }))} width={CARD_WIDTH} />
      <Hand side="banker" cards={coup.banker.map((card) => ({ card }))} width={CARD_WIDTH} />
      <span className="tables-outcome" data-side={coup.outcome ?? undefined}>
        {words(stateOf(coup))}
      </span>
      <span className="tables-coup-findings">
        {findings.map((finding) => (
          <FindingLink key={finding.id} finding={finding} />
        ))}
      </span>
    </li>
  );
}

/** Returns what became of a coup: its outcome, or why it has none that counts. */
function stateOf({ kind, state, outcome }: Coup): Key {
  if (state === 'void') return 'shoe.void';
  if (kind !== 'normal') return `shoe.kind.${kind}`;
  if (outcome === null) return state === 'open' ? 'shoe.coupOpen' : 'shoe.noOutcome';
  return `side.${outcome}`;
}

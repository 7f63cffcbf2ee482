import { useQuery } from '@tanstack/react-query';
import {
  Link,
  type LinkProps,
  useNavigate,
  useParams,
  useRouter,
  useSearch,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/address.js';
import { Failure, sentenceOf } from '../app/failures.js';
import { useTitle } from '../app/title.js';
import { Refused } from '../api/client.js';
import { Button } from '../controls/button.js';
import { useKeys } from '../keys/keys.js';
import { type Desk, RulingBar, useDesk } from '../review/bar/ruling-bar.js';
import { useWords } from '../words/words.js';
import { CoupView } from './coup/coup-view.js';
import { Facts, People } from './facts.js';
import { CodeSign, FindingHead, Location } from './head.js';
import { History } from './history.js';
import { PrintFoot } from './print-foot.js';
import { Record } from './record.js';
import { Road } from './coup/road.js';
import { Said } from './said.js';
import { Video } from './video.js';
import { type Coup, coupsQuery, useCoup, useFinding, type Whole } from './coup/whole.js';
import './finding.css';

/** One finding with its coup. The address says how many of its cards lie on the table. */
export function FindingScreen(): ReactNode {
  const { id = '' }: Search = useParams({ strict: false });
  const search: Search = useSearch({ strict: false });
  const words = useWords();
  const [step, onStep] = useStepOf(search);
  const asked = useFinding(id);
  useTitle(asked.data ? `${asked.data.finding.code} · ${asked.data.finding.table}` : id);
  const { error, refetch, data } = asked;
  if (!data) return <NotThere missing="finding" {...{ error, refetch }} />;
  return (
    <FindingView
      key={id}
      whole={data}
      back={<Back label={words('shell.queue')} link={{ to: '/queue' }} />}
      step={step}
      onStep={onStep}
    />
  );
}

/** A finding beside the queue. The address of the queue has its step too. */
export function FindingPane({ id }: { readonly id: string }): ReactNode {
  return <Pane key={id} id={id} />;
}

function Pane({ id }: { readonly id: string }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const [step, onStep] = useStepOf(search);
  const { data, error, refetch } = useFinding(id);
  if (!data) return <NotThere missing="finding" {...{ error, refetch }} />;
  return <FindingView whole={data} {...{ step, onStep }} />;
}

interface MissingProps {
  readonly missing: 'finding' | 'coup';
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** What is shown while there is nothing else: loading, unknown, or why it cannot be shown. */
function NotThere({ missing, error, refetch }: MissingProps): ReactNode {
  const words = useWords();
  if (!error) return <p role="status">{words('shell.loading')}</p>;
  if (error instanceof Refused && error.status === 404)
    return (
      <Failure title={words(`finding.missing.${missing}`)} why={words('finding.unknownWhy')} />
    );
  return (
    <Failure
      title={words('shell.failed')}
      why={sentenceOf(error, words)}
      again={() => void refetch()}
    />
  );
}

interface BackProps {
  readonly label: string;
  /** Where it leads if the page was opened by its address. */
  readonly link: LinkProps;
}

/** The way back, which Escape takes too. */
function Back({ label, link }: BackProps): ReactNode {
  const { history } = useRouter();
  const navigate = useNavigate();
  const back = (): void => {
    if (history.canGoBack()) history.back();
    else void navigate(link);
  };
  useKeys({ Escape: { means: 'shell.back', run: back } });
  return (
    <Link
      {...link}
      className="button no-print"
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // opens another window
        event.preventDefault();
        back();
      }}
    >
      ← {label}
    </Link>
  );
}

/** Returns the step that the address names, and a function that changes it there. */
function useStepOf(search: Search): readonly [number | undefined, (step: number) => void] {
  const navigate = useNavigate();
  const named = Number.parseInt(search['step'] ?? '', 10);
  const onStep = (step: number): void =>
    void navigate({
      to: '.',
      search: { ...search, step: String(step) },
      replace: true,
      resetScroll: false,
    });
  return [Number.isNaN(named) ? undefined : named, onStep];
}

/** Returns the part of an address that says how many cards lie on the table. */
const searchOf = (step: number | undefined): Search =>
  step === undefined ? {} : { step: String(step) };

interface ViewProps {
  readonly whole: Whole;
  /** The way back, if the finding has a page of its own. */
  readonly back?: ReactNode;
  readonly step: number | undefined;
  readonly onStep: (step: number) => void;
}

function FindingView({ whole, back, step, onStep }: ViewProps): ReactNode {
  const words = useWords();
  const { finding, coup, neighbors } = whole;
  const desk = useDesk(whole);
  const link = { to: '/findings/$id', params: { id: finding.id }, search: searchOf(step) };
  useNeighborKeys(finding.table, neighbors);
  const beside = <Beside {...{ whole, desk }} />;
  return (
    <article className="finding">
      <Location {...neighbors} {...finding} {...{ coup, back, link }} />
      <FindingHead whole={whole} />
      {coup ? (
        <CoupView {...{ coup, finding, step, onStep }}>{beside}</CoupView>
      ) : (
        <div className="finding-columns">
          <div className="finding-column">
            <p className="panel">{words('finding.noCoup')}</p>
          </div>
          <div className="finding-column">{beside}</div>
        </div>
      )}
      <Road coups={whole.coups} marked={coup?.ref} />
      <PrintFoot positions={whole.positions} evidence={whole.review.evidence} />
      <RulingBar {...{ whole, desk }} />
    </article>
  );
}

/** What stands beside the cards: facts, video, history and the record. */
function Beside({ whole, desk }: { readonly whole: Whole; readonly desk: Desk }): ReactNode {
  const words = useWords();
  return (
    <>
      <Facts whole={whole} />
      <Video video={whole.video}>
        {(['hold', 'held'] as const).map((command) => (
          <Button
            key={command}
            className="ruling-button"
            refused={desk.refusedWhy(command)}
            onPress={() => desk.setOpen(command)}
          >
            {words(`act.${command}`)}
          </Button>
        ))}
      </Video>
      <History whole={whole} />
      <Record whole={whole} />
    </>
  );
}

/** A coup by itself: `coups/<reference>?table=`. */
export function CoupScreen(): ReactNode {
  const { ref = '' }: Search = useParams({ strict: false });
  const search: Search = useSearch({ strict: false });
  const words = useWords();
  const [step, onStep] = useStepOf(search);
  const { data: coup, error, refetch } = useCoup(ref, search['table']);
  useTitle(coup ? `${coup.table} · ${words('finding.coupNumber', { coup: coup.coup })}` : ref);
  if (!coup) return <NotThere missing="coup" {...{ error, refetch }} />;
  return <CoupOnly key={ref} {...{ coup, step, onStep }} />;
}

interface CoupProps extends Omit<ViewProps, 'whole' | 'back'> {
  readonly coup: Coup & { readonly positions: string };
}

function CoupOnly({ coup, step, onStep }: CoupProps): ReactNode {
  const words = useWords();
  const { data: coups = [] } = useQuery(coupsQuery(coup.shoeRef, coup.table));
  const at = coups.findIndex(({ ref }) => ref === coup.ref);
  const neighbors = {
    before: coups[at - 1]?.ref ?? null,
    after: at === -1 ? null : (coups[at + 1]?.ref ?? null),
  };
  useNeighborKeys(coup.table, neighbors);
  const { table, shoeRef } = coup;
  const shoe = { to: '/tables/$table/shoes/$ref', params: { table, ref: shoeRef } };
  const link = {
    to: '/coups/$ref',
    params: { ref: coup.ref },
    search: { table, ...searchOf(step) },
  };
  return (
    <article className="finding">
      <Location
        {...neighbors}
        {...{ ...coup, coup, link }}
        at={coup.openedAt}
        back={<Back label={words('shell.back')} link={shoe} />}
      />
      <h1>{words('finding.coupOf', { coup: coup.coup, table: coup.table })}</h1>
      <CoupView {...{ coup, step, onStep }}>
        <Raised coup={coup} />
        <section className="panel">
          <h2>{words('finding.facts')}</h2>
          <dl className="finding-facts">
            <People dealer={coup.dealer} callers={coup.callers} />
          </dl>
        </section>
      </CoupView>
      <Road coups={coups} marked={coup.ref} />
      <PrintFoot positions={coup.positions} evidence={null} />
    </article>
  );
}

/** The findings about a coup, for those who may read them. */
function Raised({ coup: { raised } }: { readonly coup: Coup }): ReactNode {
  const words = useWords();
  if (!raised) return null;
  return (
    <section className="panel">
      <h2>{words('finding.raised')}</h2>
      {raised.length === 0 && <p className="muted">{words('finding.noneRaised')}</p>}
      <ul className="finding-raised">
        {raised.map(({ id, code, severity, message, status }) => (
          <li key={id}>
            <Link to="/findings/$id" params={{ id }}>
              <CodeSign {...{ severity, code }} />
            </Link>{' '}
            {status === 'withdrawn' && <strong>{words('finding.withdrawn')} </strong>}
            <span lang="en">
              <Said>{message}</Said>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useNeighborKeys(table: string, { before, after }: Whole['neighbors']): void {
  const navigate = useNavigate();
  const go = (ref: string | null): void => {
    if (ref !== null) void navigate({ to: '/coups/$ref', params: { ref }, search: { table } });
  };
  useKeys({
    '[': { means: 'finding.before', run: () => go(before) },
    ']': { means: 'finding.after', run: () => go(after) },
  });
}

import { Link, type LinkProps, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../controls/button.js';
import { copyText } from '../controls/copied.js';
import { notify } from '../controls/notices.js';
import { useFormats } from '../words/formats.js';
import { type Key, useWords } from '../words/words.js';
import { Said } from './said.js';
import type { Coup, Whole } from './coup/whole.js';
import { SEVERITY_SHAPES } from '../game/severity.js';

/** The severity by shape, number and color, and the code of a finding. */
export function CodeSign({
  severity,
  code,
}: Pick<Whole['finding'], 'severity' | 'code'>): ReactNode {
  const words = useWords();
  return (
    <span className="code-sign" data-severity={severity}>
      <span aria-hidden="true">{SEVERITY_SHAPES[severity]}</span>
      <span className="only-spoken">{words('finding.severity')} </span>
      {severity} {code}
    </span>
  );
}

interface LocationProps {
  readonly coup: Pick<Coup, 'coup' | 'openedAt' | 'kind' | 'state' | 'rules'> | null;
  readonly table: string;
  readonly shoe: string;
  readonly shoeRef: string | null;
  readonly rules: string;
  readonly at: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly back?: ReactNode;
  /** Leads to what is shown, with its step. */
  readonly link: LinkProps;
}

/** Where and when it was, and the way to the coups before and after. */
export function Location(props: LocationProps): ReactNode {
  const { coup, table, shoe, shoeRef, rules, at, back } = props;
  const words = useWords();
  const formats = useFormats();
  return (
    <div className="finding-location">
      {back}
      <p>
        <Link to="/tables/$table" params={{ table }}>
          <Said>{table}</Said>
        </Link>
        {shoe !== '' && (
          <>
            {' · '}
            <Shoe {...{ table, shoe, shoeRef }} />
          </>
        )}
        {coup && <> · {words('finding.coupNumber', { coup: coup.coup })}</>}
        {' · '}
        <time dateTime={at}>{formats.dateTime(at)}</time>
        {rules !== '' && (
          <>
            {' · '}
            <Link to="/rules/$ref" params={{ ref: rules }}>
              {rules}
            </Link>
          </>
        )}
        {coup && coup.kind !== 'normal' && <strong> · {words(`finding.kind.${coup.kind}`)}</strong>}
        {coup && coup.state !== 'over' && (
          <strong> · {words(`finding.state.${coup.state}`)}</strong>
        )}
      </p>
      <Neighbors {...props} />
    </div>
  );
}

function Shoe({ table, shoe, shoeRef }: Pick<LocationProps, 'table' | 'shoe' | 'shoeRef'>) {
  if (shoeRef === null) return <Said>{shoe}</Said>;
  return (
    <Link to="/tables/$table/shoes/$ref" params={{ table, ref: shoeRef }}>
      <Said>{shoe}</Said>
    </Link>
  );
}

function Neighbors({ table, before, after, coup, link: self }: LocationProps): ReactNode {
  const words = useWords();
  const link = (ref: string | null, key: Key, sign: string): ReactNode =>
    ref === null ? (
      <span className="button" aria-disabled="true" role="link" aria-label={words(key)}>
        {sign}
      </span>
    ) : (
      <Link
        to="/coups/$ref"
        params={{ ref }}
        search={{ table }}
        className="button"
        aria-label={words(key)}
      >
        {sign}
      </Link>
    );
  return (
    <div className="finding-neighbors no-print">
      {coup && link(before, 'finding.before', '‹')}
      {coup && link(after, 'finding.after', '›')}
      <CopyLink link={self} />
      <Button onPress={() => print()}>{words('finding.print')}</Button>
    </div>
  );
}

/** A notice with an address stays until the address can have been written down. */
const ADDRESS_MS = 60_000;

/** Copies the address of what is shown. Where nothing may be copied, it shows the address. */
function CopyLink({ link }: Pick<LocationProps, 'link'>): ReactNode {
  const words = useWords();
  const router = useRouter();
  const copy = async (): Promise<void> => {
    const address = new URL(router.buildLocation(link).href, location.origin).href;
    if (await copyText(address)) notify({ text: words('shell.copied') });
    else notify({ text: words('finding.copyYourself', { address }), ms: ADDRESS_MS });
  };
  return <Button onPress={() => void copy()}>{words('finding.copyLink')}</Button>;
}

/** What was found: code, title and explanation, what the record says of it, and its marks. */
export function FindingHead({ whole }: { readonly whole: Whole }): ReactNode {
  const words = useWords();
  const { finding } = whole;
  return (
    <header className="finding-head">
      <div className="finding-title">
        <h1>
          <CodeSign severity={finding.severity} code={finding.code} />{' '}
          {words(`${finding.code}.title`)}
        </h1>
        <Flags whole={whole} />
      </div>
      <p>{words(`${finding.code}.text`)}</p>
      <p lang="en">
        <Said>{finding.message}</Said>
      </p>
      <Found finding={finding} />
    </header>
  );
}

/** What was due and what was seen, what it cost, and what the rules prescribe. */
function Found({ finding }: Pick<Whole, 'finding'>): ReactNode {
  const words = useWords();
  const { money } = useFormats();
  const { impact, disposition } = finding;
  return (
    <dl className="finding-found">
      <div>
        <dt>{words('finding.expected')}</dt>
        <dd lang="en">
          <Said>{finding.expected}</Said>
        </dd>
      </div>
      <div>
        <dt>{words('finding.observed')}</dt>
        <dd lang="en">
          <Said>{finding.observed}</Said>
        </dd>
      </div>
      {impact && (
        <div>
          <dt>{words('finding.impact')}</dt>
          <dd>
            <strong>{money(impact.amount, impact.currency)}</strong>{' '}
            {words('finding.inFavor', { who: words(`favours.${impact.favours}`) })}
            {finding.explainedBy && <> · {words(`finding.slip.${finding.explainedBy}`)}</>}
          </dd>
        </div>
      )}
      {disposition && (
        <div>
          <dt>{words('finding.prescribed')}</dt>
          <dd>
            {disposition.do.map((action) => words.find(`rules.do.${action}`) ?? action).join(' → ')}{' '}
            <span lang="en">
              (<Said>{`${disposition.source}, ${disposition.section}`}</Said>)
            </span>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Flags({ whole: { finding, review } }: { readonly whole: Whole }): ReactNode {
  const words = useWords();
  const flags = [
    words(`review.state.${review.state}`),
    review.two && review.state !== 'ruled' && words('review.flag.two'),
    finding.status === 'withdrawn' && words('finding.withdrawn'),
    finding.remedied && words('finding.remedied'),
    finding.void && words('finding.void'),
    review.escalated && words('review.flag.escalated', { role: words(`role.${review.escalated}`) }),
    ...(['stale', 'regressed', 'touched', 'lapsed'] as const).map(
      (flag) => review[flag] && words(`review.flag.${flag}`),
    ),
  ].filter((flag) => typeof flag === 'string');
  return (
    <ul className="finding-flags" data-state={review.state}>
      {flags.map((flag) => (
        <li key={flag}>{flag}</li>
      ))}
    </ul>
  );
}

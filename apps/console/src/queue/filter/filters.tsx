import type { ReactNode } from 'react';
import { ToggleButton } from 'react-aria-components';
import type { Answers } from '../../api/client.js';
import { NONE } from '../../app/address.js';
import { Button } from '../../controls/button.js';
import { usePolicy } from '../../review/policy.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { Choices } from './choices.js';
import { type FilterName, type QueueFilter, toggled, valuesOf } from './filter.js';
import { Severity } from './severity.js';
import { shown } from '../../words/shown.js';

type Facets = Answers['FindingFacetsAnswer'];

interface Props {
  readonly filter: QueueFilter;
  readonly facets: Facets | undefined;
  readonly onFilter: (filter: QueueFilter) => void;
}

/** The filters of the queue with their counts. */
export function Filters({ filter, facets, onFilter }: Props): ReactNode {
  const words = useWords();
  return (
    <div className="queue-filters" role="group" aria-label={words('queue.filters')}>
      <Chips filter={filter} facets={facets} onFilter={onFilter} />
      <Menus filter={filter} facets={facets} onFilter={onFilter} />
      <Tokens filter={filter} onFilter={onFilter} />
    </div>
  );
}

const SEVERITIES = [1, 2, 3, 4] as const;
const STATES = ['open', 'proposed', 'ruled'] as const;

function Chips({ filter, facets, onFilter }: Props): ReactNode {
  const words = useWords();
  const countOf = (name: 'severity' | 'state', of: string): number | undefined =>
    facets && (facets[name].find(({ value }) => String(value) === of)?.findings ?? 0);
  const toggle = (name: FilterName, value: string) => () => onFilter(toggled(filter, name, value));
  return (
    <>
      <div className="queue-chips" role="group" aria-label={words('queue.severities')}>
        {SEVERITIES.map((severity) => (
          <Chip
            key={severity}
            isSelected={valuesOf(filter, 'severity').includes(String(severity))}
            onChange={toggle('severity', String(severity))}
            count={countOf('severity', String(severity))}
          >
            <Severity of={severity} />
          </Chip>
        ))}
      </div>
      <div className="queue-chips" role="group" aria-label={words('queue.states')}>
        {STATES.map((state) => (
          <Chip
            key={state}
            isSelected={valuesOf(filter, 'review').includes(state)}
            onChange={toggle('review', state)}
            count={countOf('state', state)}
          >
            {words(`review.state.${state}`)}
          </Chip>
        ))}
        <Chip
          isSelected={filter.regressed === 'true'}
          onChange={() =>
            onFilter({ ...filter, regressed: filter.regressed === 'true' ? '' : 'true' })
          }
          count={facets && (facets.regressed.find(({ value }) => value)?.findings ?? 0)}
        >
          {words('review.flag.regressed')}
        </Chip>
      </div>
    </>
  );
}

function Chip({
  count,
  children,
  ...props
}: {
  readonly isSelected: boolean;
  readonly onChange: () => void;
  readonly count: number | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const formats = useFormats();
  return (
    <ToggleButton {...props} className="queue-chip">
      {children} {count !== undefined && formats.number(count)}
    </ToggleButton>
  );
}

function Menus({ filter, facets, onFilter }: Props): ReactNode {
  const words = useWords();
  const one = (name: FilterName, values: readonly string[]): void =>
    onFilter({ ...filter, [name]: values.join(',') });
  const dealerName = (value: string): string => (value === NONE ? words('tables.noDealer') : value);
  return (
    <>
      <Choices
        label={words('queue.table')}
        chosen={filter.table === undefined ? [] : [filter.table]}
        choices={(facets?.table ?? []).map(({ value, findings }) => ({
          ...{ value, name: value, count: findings },
        }))}
        onChoose={(values) => one('table', values)}
      />
      <Choices
        label={words('queue.code')}
        several
        chosen={valuesOf(filter, 'code')}
        choices={(facets?.code ?? []).map(({ value, findings }) => ({
          ...{ value, name: `${value} ${words(`${value}.title`)}`, count: findings },
        }))}
        onChoose={(values) => one('code', values)}
      />
      <Choices
        label={words('queue.dealer')}
        chosen={filter.dealer === undefined ? [] : [filter.dealer]}
        choices={(facets?.dealer ?? []).map(({ value, findings }) => ({
          ...{ value: value ?? NONE, name: dealerName(value ?? NONE), count: findings },
        }))}
        nameOf={dealerName}
        onChoose={(values) => one('dealer', values)}
      />
      <More filter={filter} onFilter={onFilter} />
    </>
  );
}

const FLAGS = ['escalated', 'overdue', 'lapsed'] as const;
const isAsked = (flag: string | undefined): boolean => flag !== undefined && flag !== 'false';
const ORDERS = ['queue', 'newest', 'worst'] as const;

function More({ filter, onFilter }: Omit<Props, 'facets'>): ReactNode {
  const words = useWords();
  const dispositions = usePolicy()?.dispositions ?? [];
  const onFlags = (values: readonly string[]): void => {
    const pressed = FLAGS.filter((flag) => values.includes(flag) !== isAsked(filter[flag]));
    const flags = pressed.map((flag) => [flag, values.includes(flag) ? 'true' : '']);
    onFilter({ ...filter, ...(Object.fromEntries(flags) as QueueFilter) });
  };
  return (
    <>
      <Choices
        label={words('queue.only')}
        several
        chosen={FLAGS.filter((flag) => isAsked(filter[flag]))}
        choices={FLAGS.map((flag) => ({ value: flag, name: words(`queue.only.${flag}`) }))}
        onChoose={onFlags}
      />
      <Choices
        label={words('queue.disposition')}
        several
        chosen={valuesOf(filter, 'disposition')}
        choices={dispositions.map(({ code }) => ({
          value: code,
          name: words(`disposition.${code}`),
        }))}
        onChoose={(values) => onFilter({ ...filter, disposition: values.join(',') })}
      />
    </>
  );
}

/** In which order the findings are listed. */
export function Order({ filter, onFilter }: Omit<Props, 'facets'>): ReactNode {
  const words = useWords();
  return (
    <Choices
      label={words('queue.order')}
      isUsual={filter.order === undefined}
      chosen={[filter.order ?? 'queue']}
      choices={ORDERS.map((order) => ({ value: order, name: words(`queue.order.${order}`) }))}
      onChoose={([order = 'queue']) =>
        onFilter({ ...filter, order: order === 'queue' ? '' : order })
      }
    />
  );
}

/** Filters that only an address sets, such as a link from a report. Each can be taken away. */
const TOKENS = ['videoHours', 'from', 'to', 'status', 'shoeRef', 'coupRef'] as const;
/** Filters that an address can turn around. */
const TURNED = ['mine', 'overdue', 'lapsed', 'regressed'] as const;

function Tokens({ filter, onFilter }: Omit<Props, 'facets'>): ReactNode {
  const words = useWords();
  const tokens: [FilterName, ReactNode][] = [
    ...TOKENS.filter((name) => filter[name] !== undefined).map((name): [FilterName, ReactNode] => [
      name,
      <>
        {words(`queue.token.${name}`)}{' '}
        <bdi className="queue-chosen">{shown(filter[name] ?? '')}</bdi>
      </>,
    ]),
    ...TURNED.filter((name) => filter[name] === 'false').map((name): [FilterName, ReactNode] => [
      name,
      words(`queue.not.${name}`),
    ]),
  ];
  if (isAsked(filter.mine)) tokens.push(['mine', words('queue.mine')]);
  return tokens.map(([name, text]) => (
    <Button
      key={name}
      className="queue-choice"
      data-chosen
      onPress={() => onFilter({ ...filter, [name]: '' })}
    >
      {text}
      <span className="only-spoken">{words('queue.takeAway')}</span>
      <span aria-hidden>×</span>
    </Button>
  ));
}

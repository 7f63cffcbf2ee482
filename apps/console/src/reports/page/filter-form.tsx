import { Link, useNavigate } from '@tanstack/react-router';
import { type SyntheticEvent, type ReactNode, useId, useState } from 'react';
import type { Search } from '../../app/address.js';
import { Button } from '../../controls/button.js';
import { Field } from '../../controls/field.js';
import { type Key, useWords, type Words } from '../../words/words.js';
import { type FormField, type ReportName, reportOf } from '../report-list.js';
import { NONE } from '../../app/address.js';
import { withFilter } from './report-query.js';

/** What a line of the commission report is about. */
const GROUPS = ['seat', 'shoe', 'table', 'dealer', 'day'] as const;

const NAMED: Readonly<Record<string, Key>> = {
  from: 'reports.from',
  to: 'reports.to',
  table: 'reports.table',
  dealer: 'reports.dealer',
  source: 'reports.device',
  by: 'reports.by',
  counted: 'reports.counted',
  counts: 'reports.counted',
  code: 'reports.code',
  severity: 'reports.severity',
  shoeRef: 'reports.shoe',
  seat: 'reports.seat',
  currency: 'reports.currency',
  bet: 'reports.bet',
  rules: 'reports.rules',
  report: 'reports.report',
  explainedBy: 'reports.explainedBy',
  favours: 'reports.favours',
};

/** Returns the name of a filter in words, or as the address has it. */
export const filterName = (name: string, words: Words): string =>
  NAMED[name] === undefined ? name : words(NAMED[name]);

/** Returns the value of a filter in words. */
export function filterValue(name: string, value: string, words: Words): string {
  if (value === NONE) return words('reports.none');
  if (name === 'by') return words.find(`reports.by.${value}`) ?? value;
  if (name === 'counted' || name === 'counts')
    return words(value === 'true' ? 'reports.yes' : 'reports.no');
  if (name === 'favours') return words.find(`reports.favours.${value}`) ?? value;
  return value;
}

interface Props {
  readonly name: ReportName;
  readonly filter: Search;
}

/** The filter of a report. It is applied by its button, and is then the address. */
export function FilterForm({ name, filter }: Props): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const [changed, setChanged] = useState<Search>({});
  const { fields } = reportOf(name);
  const show = (event: SyntheticEvent): void => {
    event.preventDefault();
    setChanged({});
    void navigate({
      to: '/reports/$report',
      params: { report: name },
      search: withFilter(filter, changed),
    });
  };
  return (
    <form className="report-filter no-print" onSubmit={show}>
      {fields.map((field) => (
        <FilterField
          key={field}
          field={field}
          value={changed[field] ?? filter[field] ?? ''}
          onChange={(value) => setChanged({ ...changed, [field]: value })}
        />
      ))}
      <Button type="submit">{words('reports.show')}</Button>
      <OtherFilters name={name} filter={filter} />
    </form>
  );
}

function isDayOrNone(text: string): boolean {
  if (text === '') return true;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${text}T`);
}

interface FieldProps {
  readonly field: FormField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FilterField({ field, value, onChange }: FieldProps): ReactNode {
  const words = useWords();
  const id = useId();
  const label = filterName(field, words);
  if (field === 'by')
    return (
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <select id={id} value={value || 'seat'} onChange={(event) => onChange(event.target.value)}>
          {GROUPS.map((group) => (
            <option key={group} value={group}>
              {words(`reports.by.${group}`)}
            </option>
          ))}
        </select>
      </div>
    );
  if (field === 'counted')
    return (
      <label className="report-check">
        <input
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => onChange(event.target.checked ? 'true' : '')}
        />
        {label}
      </label>
    );
  // A browser complains about a day that there is not. As text it can be read and mended.
  const type = (field === 'from' || field === 'to') && isDayOrNone(value) ? 'date' : 'text';
  return <Field label={label} type={type} value={value} onChange={onChange} />;
}

/** What a figure added to the filter, each with a way to take it away. */
function OtherFilters({ name, filter }: Props): ReactNode {
  const words = useWords();
  const { fields } = reportOf(name);
  const others = Object.entries(filter).filter(
    ([field]) => !fields.some((known) => known === field),
  );
  return others.map(([field, value]) => {
    const text = `${filterName(field, words)}: ${filterValue(field, value, words)}`;
    return (
      <Link
        key={field}
        to="/reports/$report"
        params={{ report: name }}
        search={withFilter(filter, { [field]: '' })}
        className="button report-chip"
        aria-label={words('reports.without', { filter: text })}
      >
        {text} ✕
      </Link>
    );
  });
}

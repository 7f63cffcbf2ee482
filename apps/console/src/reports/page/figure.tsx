import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../../app/address.js';
import { useMe } from '../../app/session/me.js';
import { useFormats } from '../../words/formats.js';
import { type ReportName, reportOf } from '../report-list.js';

/** Where a figure leads: a report, and the filter that selects what the figure counts. */
export interface Under {
  readonly report: ReportName;
  readonly filter: Search;
}

interface Props {
  readonly value: number;
  /** The currency of an amount in minor units. Without it the value is a count. */
  readonly currency?: string;
  /** What the figure counts. Nothing is under a zero. */
  readonly under?: Under | undefined;
}

/** A figure of a report. It leads to what it counts, if the person may read that. */
export function Figure({ value, currency, under }: Props): ReactNode {
  const formats = useFormats();
  const { permissions } = useMe();
  const text = currency === undefined ? formats.number(value) : formats.money(value, currency);
  const figure = <data value={value}>{text}</data>;
  if (!under || value === 0 || !permissions.includes(reportOf(under.report).needs)) return figure;
  return (
    <Link to="/reports/$report" params={{ report: under.report }} search={under.filter}>
      {figure}
    </Link>
  );
}

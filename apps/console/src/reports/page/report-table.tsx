import { type ColumnDef, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useId, useRef } from 'react';
import { useInSight } from './in-sight.js';
import { shown } from '../../words/shown.js';

const features = tableFeatures({});
type Features = typeof features;

/** A column of a report: its heading, and what a line and a total have in it. */
export interface ReportColumn<Line, Total = Line> {
  readonly id: string;
  readonly title: string;
  /** Numbers stand at the right, under each other. */
  readonly isNumeric?: boolean;
  /** What it says is short, and stays on one line. */
  readonly isShort?: boolean;
  /** Why its figures, or its total, open nothing. Without it they open what they count. */
  readonly note?: string | undefined;
  readonly cell: (line: Line) => ReactNode;
  readonly total?: (total: Total) => ReactNode;
}

interface Props<Line, Total> {
  readonly caption: string;
  readonly columns: readonly ReportColumn<Line, Total>[];
  readonly lines: readonly Line[];
  /** One for each currency. Money of two currencies is never added. */
  readonly totals?: readonly Total[];
  readonly nothing: string;
}

/** Returns what a cell has. A text of a line often comes from the record. */
const readable = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? shown(content) : content;

/** A table of a report, with its totals under it. It scrolls sideways where it does not fit. */
export function ReportTable<Line, Total = Line>(props: Props<Line, Total>): ReactNode {
  const { caption, columns, lines, totals = [], nothing } = props;
  const table = useRows(columns, lines);
  const { rows } = table.getRowModel();
  const element = useRef<HTMLTableElement>(null);
  const inSight = useInSight(element, rows.length);
  const classes = new Map(columns.map((each) => [each.id, classOf(each)]));
  const notes = new Map(columns.map(({ id, note }) => [id, note]));
  const hasNotes = columns.some(({ note }) => note !== undefined);
  const notesId = useId();
  // Called, not rendered as a component: a new function at each rendering would be a new component,
  // and a link that is replaced between press and release is never clicked.
  const contents = new Map(columns.map(({ id, cell }) => [id, cell]));
  return (
    <>
      <div className="scroll report-scroll" tabIndex={0} role="group" aria-label={caption}>
        <table
          ref={element}
          className="report-table"
          aria-describedby={hasNotes ? notesId : undefined}
          aria-rowcount={1 + lines.length + totals.length}
        >
          <caption className="only-spoken">{caption}</caption>
          <thead>
            {table.getHeaderGroups().map(({ id, headers }) => (
              <tr key={id} aria-rowindex={1}>
                {headers.map((header) => (
                  <th key={header.id} scope="col" className={classes.get(header.column.id)}>
                    <table.FlexRender header={header} />
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {inSight.lines.flatMap(({ place, gapPx }) => [
              <Gap key={`gap ${place}`} px={gapPx} />,
              <tr
                key={rows[place]?.id}
                ref={inSight.measure}
                data-index={place}
                aria-rowindex={place + 2}
              >
                {rows[place]?.getAllCells().map(({ id, column, row }) => (
                  <td key={id} className={classes.get(column.id)} title={notes.get(column.id)}>
                    {readable(contents.get(column.id)?.(row.original))}
                  </td>
                ))}
              </tr>,
            ])}
            <Gap px={inSight.afterPx} />
            {lines.length === 0 && <Nothing columns={columns.length} says={nothing} />}
          </tbody>
          {lines.length > 0 && <Totals {...{ columns, totals }} from={lines.length + 2} />}
        </table>
      </div>
      {hasNotes && (
        <div id={notesId}>
          <Notes columns={columns} />
        </div>
      )}
    </>
  );
}

/** Says under the table which figures open nothing, and why. */
function Notes<Line, Total>({ columns }: Pick<Props<Line, Total>, 'columns'>): ReactNode {
  const notes = new Set(columns.flatMap(({ note }) => note ?? []));
  const titlesOf = (note: string): string =>
    columns.flatMap((each) => (each.note === note ? each.title : [])).join(', ');
  return [...notes].map((note) => (
    <p key={note} className="muted report-note">
      {titlesOf(note)}: {note}
    </p>
  ));
}

/** The room of lines that are not in the page. */
const Gap = ({ px }: { readonly px: number }): ReactNode =>
  px > 0 && (
    <tr aria-hidden className="report-gap">
      <td style={{ height: px }} />
    </tr>
  );

function classOf({
  isNumeric,
  isShort,
}: Pick<ReportColumn<unknown>, 'isNumeric' | 'isShort'>): string | undefined {
  if (isNumeric) return 'numeric';
  return isShort ? 'report-short' : undefined;
}

function useRows<Line, Total>(
  columns: readonly ReportColumn<Line, Total>[],
  lines: readonly Line[],
) {
  const helper = createColumnHelper<Features, Line & object>();
  const defined: ColumnDef<Features, Line & object>[] = columns.map(({ id, title }) =>
    helper.display({ id, header: title }),
  );
  return useTable({ features, columns: defined, data: lines as readonly (Line & object)[] });
}

const Nothing = ({ columns, says }: { readonly columns: number; readonly says: string }) => (
  <tr>
    <td colSpan={columns} className="muted">
      {says}
    </td>
  </tr>
);

interface TotalsProps<Line, Total> {
  readonly columns: readonly ReportColumn<Line, Total>[];
  readonly totals: readonly Total[];
  /** The number of the first row. */
  readonly from: number;
}

const Totals = <Line, Total>({ columns, totals, from }: TotalsProps<Line, Total>): ReactNode => (
  <tfoot>
    {totals.map((total, at) => (
      <tr key={at} aria-rowindex={from + at}>
        {columns.map(({ id, isNumeric, note, total: cell }) => (
          <td key={id} className={isNumeric ? 'numeric' : undefined} title={note}>
            {cell?.(total)}
          </td>
        ))}
      </tr>
    ))}
  </tfoot>
);

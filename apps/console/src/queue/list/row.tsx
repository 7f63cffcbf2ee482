import { memo, type MouseEvent, type ReactNode } from 'react';
import type { Policy } from '../../review/policy.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { CardsInQuestion } from '../cards-in-question.js';
import { Marks } from './marks.js';
import type { Row } from './rows.js';
import { Severity } from '../filter/severity.js';
import { shown } from '../../words/shown.js';

interface CellProps {
  readonly row: Row;
  readonly isSelected: boolean;
  readonly isAtRest: boolean;
  /** The present time, to half a minute, in ms since 1970. */
  readonly now: number;
  /** The review policy in force, once it has been read. */
  readonly policy: Policy | undefined;
  readonly onSelect: (row: Row) => void;
}

interface Props extends CellProps {
  /** Its place in the list, from 0. */
  readonly place: number;
  readonly top: number;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onOpen: (row: Row) => void;
}

/**
 * A finding of the queue. It may change where it is, and is dimmed once it needs nothing more. It is
 * rendered again when something of it changes, and not because a list that had rested scrolls on.
 */
export const QueueRow = memo(RenderedRow, isSame);

function isSame(before: Props, after: Props): boolean {
  return (Object.keys(after) as (keyof Props)[]).every(
    (name) => Object.is(before[name], after[name]) || (name === 'isAtRest' && before.isAtRest),
  );
}

function RenderedRow(props: Props): ReactNode {
  const { row, place, top, isCurrent, isSelected, isOpen, isAtRest, now } = props;
  const { policy, onOpen, onSelect } = props;
  const isDone = row.review.state === 'ruled' || row.status === 'withdrawn' || row.review.lapsed;
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onOpen(row);
  };
  return (
    <div
      role="row"
      aria-rowindex={place + 1}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      className="queue-row"
      data-id={row.id}
      data-done={isDone || undefined}
      data-open={isOpen || undefined}
      style={{ transform: `translateY(${top}px)` }}
      onClick={open}
    >
      <Cells {...{ row, isSelected, isAtRest, now, policy, onSelect }} />
    </div>
  );
}

/** What a row shows. It stays as it is while the focus goes from row to row. */
const Cells = memo(function Cells(props: CellProps): ReactNode {
  const { row, isSelected, isAtRest, now, policy, onSelect } = props;
  return (
    <>
      <Check row={row} isSelected={isSelected} onSelect={onSelect} />
      <span role="gridcell" className="queue-cell-severity">
        <Severity of={row.severity} />
      </span>
      <What row={row} />
      <span role="gridcell" className="queue-cell-cards">
        <Impact impact={row.impact} />
        <CardsInQuestion row={row} isAtRest={isAtRest} />
      </span>
      <Ages row={row} now={now} />
      <span role="gridcell" className="queue-cell-marks">
        <Marks row={row} now={now} policy={policy} />
      </span>
    </>
  );
});

function Check({
  row,
  isSelected,
  onSelect,
}: {
  readonly row: Row;
  readonly isSelected: boolean;
  readonly onSelect: (row: Row) => void;
}): ReactNode {
  const words = useWords();
  return (
    <span role="gridcell" className="queue-cell-check">
      <button
        type="button"
        tabIndex={-1}
        className="queue-check"
        aria-pressed={isSelected}
        aria-label={words('queue.select', { code: row.code, table: row.table })}
        onClick={(event) => {
          event.stopPropagation();
          onSelect(row);
        }}
      >
        <span aria-hidden>{isSelected ? '☑' : '☐'}</span>
      </button>
    </span>
  );
}

function What({ row }: { readonly row: Row }): ReactNode {
  const words = useWords();
  return (
    <span role="gridcell" className="queue-cell-what">
      <a className="queue-what" href={`findings/${row.id}`} tabIndex={-1}>
        <strong>{row.code}</strong> {words(`${row.code}.title`)}
      </a>
      <Where row={row} />
    </span>
  );
}

function Where({ row }: { readonly row: Row }): ReactNode {
  const words = useWords();
  const { table, shoe, coup, dealer } = row;
  return (
    <span className="queue-where muted">
      <bdi>{shown(table)}</bdi>
      {shoe !== '' && (
        <>
          <span aria-hidden> · </span>
          <bdi>{shown(shoe)}</bdi>
        </>
      )}
      {coup !== undefined && <> · {words('queue.coup', { coup })}</>}
      {dealer !== null && (
        <>
          <span aria-hidden> · </span>
          <bdi>{shown(dealer)}</bdi>
        </>
      )}
    </span>
  );
}

function Impact({ impact }: { readonly impact: Row['impact'] | undefined }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  if (!impact) return null;
  return (
    <span className="queue-impact">
      <span>{formats.money(impact.amount, impact.currency)}</span>
      <span className="muted">{words(`queue.favored.${impact.favours}`)}</span>
    </span>
  );
}

function Ages({ row, now }: { readonly row: Row; readonly now: number }): ReactNode {
  const formats = useFormats();
  const { at, raisedAt } = row;
  return (
    <span role="gridcell" className="queue-cell-age">
      <time dateTime={raisedAt ?? at} title={formats.dateTime(raisedAt ?? at)}>
        {formats.ago(raisedAt ?? at, now)}
      </time>
    </span>
  );
}

import type { ReactNode } from 'react';
import { Button } from '../../controls/button.js';
import type { Waiting } from '../../review/bar/take-next.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';

interface Props {
  /** How many findings the filter has, once they are counted. */
  readonly total: number | undefined;
  /** The place of the current row, from 0, or -1. */
  readonly place: number;
  readonly selected: number;
  readonly waiting: Waiting | undefined;
  /** Why commands cannot be used now. */
  readonly refused: string | undefined;
  /** Why take next cannot be used now. */
  readonly takeRefused: string | undefined;
  readonly onTake: () => void;
  readonly onRule: () => void;
  readonly onClear: () => void;
}

/** The bar under the list, where the thumb is: take next, and what is selected. */
export function Foot(props: Props): ReactNode {
  const { total, place, selected, waiting, onTake, onRule, onClear } = props;
  const { refused, takeRefused } = props;
  const words = useWords();
  const formats = useFormats();
  return (
    <div className="queue-foot" role="group" aria-label={words('queue.actions')}>
      <Button main refused={takeRefused} onPress={onTake} isPending={waiting !== undefined}>
        {words('queue.takeNext')}
      </Button>
      <span role="status" className="queue-waiting">
        {waiting !== undefined && words(`queue.waiting.${waiting}`)}
      </span>
      {selected > 0 && (
        <>
          <Button refused={refused} onPress={onRule}>
            {words('queue.ruleSelected', { count: selected })}
          </Button>
          <Button onPress={onClear}>{words('queue.clear')}</Button>
        </>
      )}
      {total !== undefined && (
        <span className="queue-sum muted">
          {words('queue.total', { count: total })}
          {place >= 0 &&
            ` · ${words('queue.place', { place: formats.number(place + 1), total: formats.number(total) })}`}
        </span>
      )}
    </div>
  );
}

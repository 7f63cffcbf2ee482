import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useState } from 'react';
import type { Search } from '../../app/address.js';
import { lazyPart } from '../../app/lazy-part.js';
import { useMay } from '../../app/session/me.js';
import { readOpened } from '../../finding/finding-query.js';
import { useKeys } from '../../keys/keys.js';
import { useLiveness } from '../../live/live.js';
import { BULK_MAX } from '../../review/bulk.js';
import { notify } from '../../controls/notices.js';
import { useWords } from '../../words/words.js';
import { Banner, usePause } from '../banner.js';
import { useBeside } from '../beside.js';
import { useClaim } from '../claim.js';
import { type Current, useCurrent } from './current.js';
import { hasNothingToTake, type QueueFilter } from '../filter/filter.js';
import { Foot } from './foot.js';
import { End, QueueGrid } from './grid.js';
import type { QueueRows, Row } from './rows.js';
import { readAgain, useRows } from './use-queue.js';
import { useTakeNext } from '../use-take-next.js';

interface Props {
  readonly rows: QueueRows;
  readonly filter: QueueFilter;
  readonly search: Search;
  /** How many findings the filter has, once they are counted. */
  readonly total: number | undefined;
  readonly ref: Ref<{ focus: () => void }>;
  readonly onSearch: () => void;
}

/** The list of the queue with its banner, its keys and the bar under it. */
export function QueueList({ rows, filter, search, total, ref, onSearch }: Props): ReactNode {
  const words = useWords();
  useRows(rows);
  const current = useCurrent(rows);
  const { selected, toggle, clear } = useSelected();
  const pause = usePause();
  const refused = useRefused();
  const takeRefused = refused ?? (hasNothingToTake(filter) ? words('queue.notToTake') : undefined);
  const open = useOpen(current, search);
  const { waiting, take } = useTakeNext(filter, open);
  useImperativeHandle(ref, () => ({ focus: () => current.takeFocus() }));
  const { rule, sheet } = useRuling({ rows, selected, clear, refused });
  useListKeys({ current, refused, takeRefused, take, open, toggle, clear, rule, pause, onSearch });
  return (
    <>
      <Banner rows={rows} onShow={() => void show(rows, current)} />
      {rows.length === 0 ? (
        <p className="queue-empty">
          {words(Object.keys(filter).length === 0 ? 'queue.nothing' : 'queue.empty')}
        </p>
      ) : (
        <QueueGrid
          {...{ rows, total, current, selected }}
          open={search['finding']}
          onOpen={({ id }) => open(id)}
          onSelect={toggle}
        />
      )}
      <End rows={rows} />
      <Foot
        {...{ total, waiting, refused, takeRefused }}
        place={current.place}
        selected={selected.size}
        onTake={take}
        onRule={rule}
        onClear={clear}
      />
      {sheet}
    </>
  );
}

const BulkSheet = lazyPart(async () => (await import('../bulk/bulk-sheet.js')).BulkSheet);

interface Ruling extends Pick<Selected, 'selected' | 'clear'> {
  readonly rows: QueueRows;
  readonly refused: string | undefined;
}

/** Opens the sheet that rules on what is selected. Once it was sent, nothing is selected. */
function useRuling({ rows, selected, clear, refused }: Ruling) {
  const [isRuling, setRuling] = useState(false);
  const isNext = selected.size > 0;
  useEffect(() => {
    if (isNext) void BulkSheet.preload();
  }, [isNext]);
  const onClose = (isDone: boolean): void => {
    setRuling(false);
    if (isDone) clear();
  };
  const chosen = [...selected.values()].map((row) => rows.at(rows.placeOf(row.id)) ?? row);
  return {
    rule: () => setRuling(isNext),
    sheet: isRuling && <BulkSheet rows={chosen} {...{ refused, onClose }} />,
  };
}

/**
 * Reads the rows again. The focus goes to the row that it was on, unless the person has moved it
 * meanwhile.
 */
async function show(rows: QueueRows, current: Current): Promise<void> {
  const focused = document.activeElement;
  await readAgain(rows);
  current.takeFocus(focused);
}

/** Returns why commands cannot be used now, if they cannot. */
function useRefused(): string | undefined {
  const words = useWords();
  const may = useMay('review-findings');
  const { is } = useLiveness();
  if (!may) return words('queue.notForRole');
  return is === 'lost' ? words('queue.notLive') : undefined;
}

/** Opens a finding beside the list or alone. It is the current row when the person comes back. */
function useOpen(current: Current, search: Search): (id: string) => void {
  const navigate = useNavigate();
  const isBeside = useBeside();
  return (id) => {
    readOpened(id);
    current.choose(id);
    if (isBeside) void navigate({ to: '/queue', search: { ...search, finding: id, step: '' } });
    else void navigate({ to: '/findings/$id', params: { id } });
  };
}

interface Selected {
  readonly selected: ReadonlyMap<string, Row>;
  readonly toggle: (row: Row) => void;
  readonly clear: () => void;
}

/** What is selected, by id: it stays so wherever the rows move, and if they leave the list. */
function useSelected(): Selected {
  const words = useWords();
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  return {
    selected,
    clear: () => setSelected(new Map()),
    toggle: (row) => {
      const next = new Map(selected);
      if (!next.delete(row.id)) {
        if (next.size === BULK_MAX)
          return notify({ text: words('queue.tooMany', { max: BULK_MAX }) });
        next.set(row.id, row);
      }
      setSelected(next);
    },
  };
}

interface ListKeys {
  readonly current: Current;
  readonly refused: string | undefined;
  readonly takeRefused: string | undefined;
  readonly take: () => void;
  readonly open: (id: string) => void;
  readonly toggle: (row: Row) => void;
  readonly clear: () => void;
  readonly rule: () => void;
  readonly pause: () => void;
  readonly onSearch: () => void;
}

/** The keys of the list. Those of a finding beside it come first. */
function useListKeys(keys: ListKeys): void {
  const { current, refused, takeRefused, take, open, toggle, clear, rule, pause, onSearch } = keys;
  const claim = useClaim();
  const { row } = current;
  const unless = (why: string | undefined, run: () => void): void =>
    why === undefined ? run() : notify({ text: why });
  useKeys(
    {
      j: { means: 'queue.keyNext', run: () => current.move(1) },
      k: { means: 'queue.keyBefore', run: () => current.move(-1) },
      Enter: { means: 'queue.keyOpen', run: () => row && open(row.id) },
      ' ': { means: 'queue.keySelect', run: () => row && toggle(row) },
      n: { means: 'queue.takeNext', run: () => unless(takeRefused, take) },
      c: { means: 'queue.keyClaim', run: () => row && unless(refused, () => claim(row)) },
      r: { means: 'queue.keyRule', run: () => unless(refused, rule) },
      p: { means: 'queue.keyPause', run: pause },
      '/': { means: 'queue.search', run: onSearch },
      Escape: { means: 'queue.clear', run: clear },
    },
    'list',
  );
}

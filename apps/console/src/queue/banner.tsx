import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../controls/button.js';
import { usePreferences } from '../settings/preferences.js';
import { useSave } from '../settings/use-save.js';
import { useWords } from '../words/words.js';
import type { QueueRows } from './list/rows.js';
import { useRows } from './list/use-queue.js';

/** The banner says something new once in this time at most. */
const SAID_MS_MIN = 5_000;

interface Props {
  readonly rows: QueueRows;
  readonly onShow: () => void;
}

/** Counts what has come since the rows were read. No row moves until somebody asks for it. */
export function Banner({ rows, onShow }: Props): ReactNode {
  const words = useWords();
  const { paused } = usePreferences();
  const pause = usePause();
  useRows(rows);
  const first = rows.at(0)?.severity ?? Infinity;
  const { arrivals } = rows;
  const graver = arrivals.filter((severity) => severity < first).length;
  const text =
    arrivals.length === 0 ? '' : words('queue.arrived', { count: arrivals.length, graver });
  const said = useSlowly(text);
  return (
    <div className="queue-banner" data-news={(!paused && said !== '') || undefined}>
      <p role="status">{paused ? words('queue.paused') : said}</p>
      {!paused && said === '' && <p className="muted">{words('queue.nothingNew')}</p>}
      {!paused && said !== '' && (
        <Button main onPress={onShow}>
          {words('queue.show')}
        </Button>
      )}
      <Button aria-pressed={paused} onPress={pause}>
        <span aria-hidden>{paused ? '▶' : '❚❚'}</span>{' '}
        {words(paused ? 'queue.resume' : 'queue.pause')}
      </Button>
    </div>
  );
}

/** Returns how to turn arrivals off or on for the account. */
export function usePause(): () => void {
  const { paused } = usePreferences();
  const save = useSave();
  return () => save({ paused: !paused });
}

/** Returns a text that follows another, at once and then every five seconds at most. */
function useSlowly(text: string): string {
  const [said, setSaid] = useState(text);
  const last = useRef(-Infinity);
  useEffect(() => {
    if (said === text) return undefined;
    const say = (): void => {
      last.current = performance.now();
      setSaid(text);
    };
    const left = text === '' ? 0 : SAID_MS_MIN - (performance.now() - last.current);
    const timer = setTimeout(say, Math.max(0, left));
    return () => clearTimeout(timer);
  }, [text, said]);
  return said;
}

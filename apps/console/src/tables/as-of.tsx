import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMay } from '../app/session/me.js';
import { Button } from '../controls/button.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';

interface Props {
  readonly read: Pick<UseQueryResult, 'dataUpdatedAt' | 'refetch' | 'error'>;
}

/** Says when a page was read, for people whose roles get no live changes, and after a failed read. */
export function AsOf({ read }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const isLive = useMay('follow-stream');
  if (read.dataUpdatedAt === 0 || (isLive && !read.error)) return null;
  return (
    <p className="tables-as-of no-print">
      <span className="muted">
        {words('tables.asOf', { time: formats.time(read.dataUpdatedAt) })}
      </span>
      <Button onPress={() => void read.refetch()}>{words('tables.readAgain')}</Button>
    </p>
  );
}

import type { ReactNode } from 'react';
import { sentenceOf } from '../../app/failures.js';
import { Button } from '../../controls/button.js';
import { notify } from '../../controls/notices.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import type { Pages } from './report-query.js';

interface Props {
  readonly pages: Pages;
  readonly isReading: boolean;
}

/** Says how many lines are shown, and reads more where there are more. */
export function LinesRead({ pages, isReading }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const count = formats.number(pages.count);
  if (pages.isWhole) return <p className="muted">{words('reports.allLines', { count })}</p>;
  const busy = isReading ? words('shell.loading') : undefined;
  const readAll = (): void =>
    void pages.readAll().catch((error: unknown) => notify({ text: sentenceOf(error, words) }));
  return (
    <p className="actions report-more">
      <span>{words('reports.firstLines', { count })}</span>
      <Button className="no-print" onPress={pages.readMore} refused={busy}>
        {words('reports.more')}
      </Button>
      <Button className="no-print" onPress={readAll} refused={busy}>
        {words('reports.all')}
      </Button>
    </p>
  );
}

import { type ReactNode, useState } from 'react';
import { newKey, Refused } from '../../api/client.js';
import { refusalIn } from '../../review/refusals.js';
import { Button } from '../../controls/button.js';
import { Sheet } from '../../controls/sheet.js';
import { type BulkAnswer, previewBulk, ruleInBulk } from '../../review/bulk.js';
import { useWords } from '../../words/words.js';
import { BulkFields, useBulkRuling } from './bulk-fields.js';
import { BulkItems } from './bulk-items.js';
import type { Row } from '../list/rows.js';

interface Props {
  /** The findings that were selected. */
  readonly rows: readonly Row[];
  /** Why nothing can be sent now. */
  readonly refused: string | undefined;
  /** Called when the person closes the sheet; `isDone` is whether the ruling was sent. */
  readonly onClose: (isDone: boolean) => void;
}

/** The key belongs to the preview: sent again after no answer, the ruling counts once. */
type Step =
  | { readonly is: 'choosing' }
  | { readonly is: 'previewed'; readonly answer: BulkAnswer; readonly key: string }
  | { readonly is: 'done'; readonly answer: BulkAnswer };

/** Rules on several findings at once: choose, see what would happen to each, then send. */
export function BulkSheet({ rows, refused, onClose }: Props): ReactNode {
  const words = useWords();
  const { draft, step, isSending, error, back, preview, send } = useBulk(rows);
  const close = (): void => onClose(step.is === 'done');
  return (
    <Sheet title={words('queue.bulkTitle', { count: rows.length })} isOpen onClose={close}>
      <div className="queue-form">
        {step.is === 'choosing' ? (
          <BulkFields draft={draft} />
        ) : (
          <BulkItems rows={rows} items={step.answer.items} isDone={step.is === 'done'} />
        )}
        <Problem text={error} />
        <p className="actions">
          {step.is === 'choosing' && (
            <Button main onPress={preview} isPending={isSending} refused={refused}>
              {words('queue.preview')}
            </Button>
          )}
          {step.is === 'previewed' && (
            <Previewed
              answer={step.answer}
              {...{ isSending, refused }}
              onSend={() => send(step.answer, step.key)}
              onBack={back}
            />
          )}
          <Button onPress={close}>{words('shell.close')}</Button>
        </p>
      </div>
    </Sheet>
  );
}

function Problem({ text }: { readonly text: string }): ReactNode {
  return (
    <p role="alert" className="queue-error">
      {text}
    </p>
  );
}

interface PreviewedProps extends Pick<Props, 'refused'> {
  readonly answer: BulkAnswer;
  readonly isSending: boolean;
  readonly onSend: () => void;
  readonly onBack: () => void;
}

function Previewed({ answer, isSending, refused, onSend, onBack }: PreviewedProps): ReactNode {
  const words = useWords();
  const fits = answer.items.filter(({ outcome }) => outcome === 'taken').length;
  return (
    <>
      <Button
        main
        isPending={isSending}
        refused={refused ?? (fits === 0 ? words('queue.nothingFits') : undefined)}
        onPress={onSend}
      >
        {words('queue.ruleOn', { count: fits })}
      </Button>
      <Button onPress={onBack}>{words('shell.back')}</Button>
    </>
  );
}

/** The steps from choosing a ruling to what became of it. */
function useBulk(rows: readonly Row[]) {
  const draft = useBulkRuling(rows);
  const [step, setStep] = useState<Step>({ is: 'choosing' });
  const { isSending, error, run } = useSending();
  const preview = async (): Promise<void> =>
    setStep({ is: 'previewed', answer: await previewBulk(draft.ruling), key: newKey() });
  const send = async ({ preview: seen }: BulkAnswer, key: string): Promise<void> => {
    const answer = await ruleInBulk(draft.ruling, seen, key);
    draft.clear();
    setStep({ is: 'done', answer });
  };
  return {
    ...{ draft, step, isSending, error },
    back: () => setStep({ is: 'choosing' }),
    preview: () => run(preview),
    send: (answer: BulkAnswer, key: string) => run(() => send(answer, key)),
  };
}

/** Runs one command at a time, and says what was wrong with the last. */
function useSending() {
  const words = useWords();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState('');
  const run = (work: () => Promise<void>): void => {
    setSending(true);
    setError('');
    work()
      .catch((problem: unknown) =>
        setError(
          problem instanceof Refused && problem.is === 'preview-changed'
            ? words('queue.previewChanged')
            : refusalIn(problem, words),
        ),
      )
      .finally(() => setSending(false));
  };
  return { isSending, error, run };
}

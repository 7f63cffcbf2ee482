import type { ReactNode } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';
import { useDraft } from '../../app/drafts.js';
import { useMe } from '../../app/session/me.js';
import { Field } from '../../controls/field.js';
import type { BulkRuling } from '../../review/bulk.js';
import { usePolicy } from '../../review/policy.js';
import { useWords } from '../../words/words.js';
import type { Row } from '../list/rows.js';

const TEXT_LENGTH_MAX = 4_000;

interface Draft {
  readonly ruling: BulkRuling;
  readonly choose: (disposition: BulkRuling['disposition']) => void;
  readonly setNote: (note: string) => void;
  readonly setVideo: (video: string) => void;
  /** Forgets all of it, once the server has taken it. */
  readonly clear: () => void;
}

/** Returns the ruling that a person prepares for several findings. It is kept as they go. */
export function useBulkRuling(rows: readonly Row[]): Draft {
  const { house } = useMe();
  const [chosen, choose, clearChosen] = useDraft('rule-in-bulk/disposition');
  const [note, setNote, clearNote] = useDraft('rule-in-bulk/note');
  const [video, setVideo, clearVideo] = useDraft('rule-in-bulk/video');
  const disposition = (chosen === '' ? 'duplicate' : chosen) as BulkRuling['disposition'];
  const clear = (): void => {
    for (const clearOne of [clearChosen, clearNote, clearVideo]) clearOne();
  };
  const ruling = {
    ids: rows.map(({ id }) => id),
    disposition,
    policy: house.policy,
    ...(note.trim() !== '' && { note }),
    ...(video.trim() !== '' && { video }),
  };
  return { ruling, choose, setNote, setVideo, clear };
}

/** The disposition for all of them, and what it needs. */
export function BulkFields({ draft }: { readonly draft: Draft }): ReactNode {
  const words = useWords();
  const { ruling, setNote, setVideo } = draft;
  const dispositions = usePolicy()?.dispositions ?? [];
  const needs = dispositions.find(({ code }) => code === ruling.disposition)?.needs ?? [];
  return (
    <>
      <Dispositions draft={draft} />
      <Field
        label={words('field.note')}
        rows={3}
        value={ruling.note ?? ''}
        onChange={setNote}
        maxLength={TEXT_LENGTH_MAX}
        isRequired={needs.includes('note')}
      />
      {needs.includes('video') && (
        <Field
          label={words('field.video')}
          value={ruling.video ?? ''}
          onChange={setVideo}
          maxLength={TEXT_LENGTH_MAX}
          isRequired
        />
      )}
    </>
  );
}

function Dispositions({ draft: { ruling, choose } }: { readonly draft: Draft }): ReactNode {
  const words = useWords();
  const dispositions = usePolicy()?.dispositions ?? [];
  return (
    <RadioGroup
      className="queue-dispositions"
      value={ruling.disposition}
      onChange={(code) => choose(code as BulkRuling['disposition'])}
    >
      <Label>{words('queue.disposition')}</Label>
      {dispositions.map(({ code, needs }) => (
        // an amount is of one coup
        <RadioField key={code} value={code} isDisabled={needs.includes('amount')}>
          <RadioButton className="queue-radio">
            <span>
              {words(`disposition.${code}`)}
              {needs.includes('amount') && (
                <span className="muted"> {words('queue.needsOwnAmount')}</span>
              )}
            </span>
          </RadioButton>
        </RadioField>
      ))}
    </RadioGroup>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf, newKey } from '../api/client.js';
import type { Search } from '../app/address.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Check } from '../controls/check.js';
import { Field } from '../controls/field.js';
import { notify } from '../controls/notices.js';
import { Sheet } from '../controls/sheet.js';
import { faultAt, FormError } from '../people/form-error.js';
import { useWords } from '../words/words.js';
import { exportsQuery } from './export-queries.js';
import { type Format, Reports } from './report-formats.js';
import { type Kind, KINDS, SCOPES, scopeOf } from './scope.js';
import { ScopeFields } from './scope-fields.js';

interface Props {
  /** What the address asks for: `new` is the kind, and the rest are its fields. */
  readonly asked: Search;
  readonly onClose: () => void;
}

/** Asks for an evidence package. */
export function NewPackageSheet({ asked, onClose }: Props): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  const [kind, setKind] = useState<Kind>(KINDS.find((each) => each === asked['new']) ?? 'table');
  const [typed, setTyped] = useState<Search>(asked);
  const [purpose, setPurpose] = useState('');
  const [recipient, setRecipient] = useState('');
  const [formats, setFormats] = useState<readonly Format[]>([]);
  const [asItIs, setAsItIs] = useState(false);
  const [key] = useState(newKey); // pressed twice or sent again, it is one export
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    const body = {
      ...{ scope: scopeOf(kind, typed), purpose, recipient },
      ...{ formats: [...formats], asItIs },
    };
    const header = { 'Idempotency-Key': key };
    await dataOf(api.POST('/v1/exports', { params: { header }, body }));
    notify({ text: words('evidence.isAsked') });
    await client.invalidateQueries({ queryKey: exportsQuery.queryKey });
    onClose();
  });
  return (
    <Sheet title={words('evidence.new')} isOpen onClose={onClose}>
      <form className="people-form" onSubmit={onSubmit}>
        <ScopeFields kind={kind} onKind={setKind} typed={typed} onTyped={setTyped} error={error} />
        <Field
          label={words('evidence.recipient')}
          hint={words('evidence.recipientHint')}
          error={faultAt(error, '/recipient')}
          value={recipient}
          onChange={setRecipient}
          isRequired
        />
        <Field
          label={words('evidence.purpose')}
          hint={words('evidence.purposeHint')}
          error={faultAt(error, '/purpose')}
          value={purpose}
          onChange={setPurpose}
          isRequired
        />
        <Reports formats={formats} onChange={setFormats} />
        <Check isSelected={asItIs} onChange={setAsItIs}>
          {words('evidence.asItIs')}
        </Check>
        <FormError error={error} shown={shownBy(kind)} />
        <p className="actions">
          <Button onPress={onClose}>{words('shell.cancel')}</Button>
          <Button type="submit" main isPending={isBusy}>
            {words('evidence.ask')}
          </Button>
        </p>
      </form>
    </Sheet>
  );
}

const shownBy = (kind: Kind): string[] => [
  ...SCOPES[kind].flatMap((field) => [`/scope/${field}`, `/${field}`]),
  ...['/recipient', '/purpose'],
];

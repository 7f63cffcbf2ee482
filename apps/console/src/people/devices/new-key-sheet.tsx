import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answers, api, dataOf } from '../../api/client.js';
import { useSubmit } from '../../app/submit.js';
import { Button } from '../../controls/button.js';
import { Copied } from '../../controls/copied.js';
import { Field } from '../../controls/field.js';
import { Sheet } from '../../controls/sheet.js';
import { useWords } from '../../words/words.js';
import { faultAt, FormError } from '../form-error.js';
import { keysQuery } from './key-queries.js';
import { listOf } from '../names-list.js';

type NewKey = Answers['NewKey'];

interface Props {
  readonly onClose: () => void;
}

/** Creates a device key, and shows its token once. */
export function NewKeySheet({ onClose }: Props): ReactNode {
  const words = useWords();
  const [made, setMade] = useState<Answers['NewKeyAnswer']>();
  return (
    <Sheet title={words('devices.new')} isOpen {...(!made && { onClose })}>
      {made ? (
        <div className="people-form">
          <p role="status">{words('devices.made', { name: made.name })}</p>
          <Copied label={words('devices.token')} text={made.token} />
          <p className="actions">
            <Button main onPress={onClose}>
              {words('devices.kept')}
            </Button>
          </p>
        </div>
      ) : (
        <NewKeyForm onMade={setMade} onCancel={onClose} />
      )}
    </Sheet>
  );
}

const LISTS = [
  { of: 'sources', label: 'devices.sources', hint: 'devices.sourcesHint' },
  { of: 'tables', label: 'devices.tables', hint: 'devices.tablesHint' },
  { of: 'types', label: 'devices.types', hint: 'devices.typesHint' },
] as const;
const EMPTY = { name: '', sources: '', tables: '', types: '*' };

interface FormProps {
  readonly onMade: (made: Answers['NewKeyAnswer']) => void;
  readonly onCancel: () => void;
}

function NewKeyForm({ onMade, onCancel }: FormProps): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  const [key, setKey] = useState(EMPTY);
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    const body = {
      name: key.name,
      sources: listOf(key.sources),
      tables: listOf(key.tables),
      types: listOf(key.types) as NewKey['types'], // the server refuses what is not a type
    };
    const made = await dataOf(api.POST('/v1/keys', { body }));
    onMade(made); // the token is shown once, whatever becomes of the list
    void client.invalidateQueries({ queryKey: keysQuery.queryKey });
  });
  return (
    <form className="people-form" onSubmit={onSubmit}>
      <Field
        exact
        label={words('devices.name')}
        hint={words('devices.nameHint')}
        error={faultAt(error, '/name')}
        value={key.name}
        onChange={(name) => setKey({ ...key, name })}
        isRequired
        autoFocus
      />
      {LISTS.map(({ of, label, hint }) => (
        <Field
          exact
          key={of}
          label={words(label)}
          hint={words(hint)}
          error={faultAt(error, `/${of}`)}
          value={key[of]}
          onChange={(text) => setKey({ ...key, [of]: text })}
          isRequired
        />
      ))}
      <FormError error={error} shown={['/name', '/sources', '/tables', '/types']} />
      <p className="actions">
        <Button onPress={onCancel}>{words('shell.cancel')}</Button>
        <Button type="submit" main isPending={isBusy}>
          {words('devices.create')}
        </Button>
      </p>
    </form>
  );
}

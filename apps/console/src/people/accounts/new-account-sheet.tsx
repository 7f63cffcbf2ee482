import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answers, api, dataOf } from '../../api/client.js';
import { useSubmit } from '../../app/submit.js';
import { Button } from '../../controls/button.js';
import { Copied } from '../../controls/copied.js';
import { Field } from '../../controls/field.js';
import { Sheet } from '../../controls/sheet.js';
import { useWords } from '../../words/words.js';
import { AccountFields, type Rights } from './account-fields.js';
import { accountsKey, grantsKey } from './account-queries.js';
import { faultAt, FormError } from '../form-error.js';
import { newPassword } from './new-password.js';
import { listOf } from '../names-list.js';

interface Props {
  readonly onClose: () => void;
}
interface Made {
  readonly name: string;
  readonly password: string;
  readonly waits: boolean;
}

/** Creates an account, and shows its first password once. */
export function NewAccountSheet({ onClose }: Props): ReactNode {
  const words = useWords();
  const [made, setMade] = useState<Made>();
  return (
    <Sheet title={words('people.new')} isOpen {...(!made && { onClose })}>
      {made ? (
        <HandOver {...made} onDone={onClose} />
      ) : (
        <NewAccount onMade={setMade} onCancel={onClose} />
      )}
    </Sheet>
  );
}

interface NewProps {
  readonly onMade: (made: Made) => void;
  readonly onCancel: () => void;
}

interface Entered {
  readonly name: string;
  readonly person: string;
  readonly password: string;
  readonly rights: Rights;
}

/** Creates an account, and returns whether it waits for a second administrator. */
async function create({ name, person, password, rights }: Entered): Promise<boolean> {
  const { roles, tables, wallDisplay } = rights;
  const body = {
    name,
    password,
    roles: [...roles],
    tables: listOf(tables),
    wallDisplay,
    ...(person !== '' && { person }),
  };
  const answer = await dataOf<Answers['AccountAnswer'] | Answers['PendingAccountAnswer']>(
    api.POST('/v1/accounts', { body }),
  );
  return 'grant' in answer;
}

const FIELDS = ['/name', '/person', '/password', '/roles', '/tables'];

function NewAccount({ onMade, onCancel }: NewProps): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [person, setPerson] = useState('');
  const [password, setPassword] = useState(newPassword);
  const [rights, setRights] = useState<Rights>({ roles: [], tables: '', wallDisplay: false });
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    const waits = await create({ name, person, password, rights });
    // the password is shown once, whatever becomes of the lists
    onMade({ name, password, waits });
    for (const queryKey of [accountsKey, grantsKey]) void client.invalidateQueries({ queryKey });
  });
  return (
    <form className="people-form" onSubmit={onSubmit}>
      <Field
        label={words('people.name')}
        hint={words('people.nameHint')}
        error={faultAt(error, '/name')}
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        exact
      />
      <Field
        label={words('people.person')}
        hint={words('people.personHint')}
        error={faultAt(error, '/person')}
        value={person}
        onChange={setPerson}
        exact
      />
      <AccountFields
        rights={rights}
        onChange={setRights}
        rolesError={faultAt(error, '/roles')}
        tablesError={faultAt(error, '/tables')}
      />
      <Field
        label={words('people.firstPassword')}
        hint={words('people.firstPasswordHint')}
        error={faultAt(error, '/password')}
        value={password}
        onChange={setPassword}
        isRequired
        exact
      />
      <FormError error={error} shown={FIELDS} />
      <p className="actions">
        <Button onPress={onCancel}>{words('shell.cancel')}</Button>
        <Button type="submit" main isPending={isBusy}>
          {words('people.create')}
        </Button>
      </p>
    </form>
  );
}

function HandOver({ name, password, waits, onDone }: Made & { onDone: () => void }): ReactNode {
  const words = useWords();
  return (
    <div className="people-form">
      <p role="status">{words('people.made', { name })}</p>
      {waits && <p>{words('people.waits')}</p>}
      <Copied label={words('people.firstPassword')} text={password} />
      <p className="actions">
        <Button main onPress={onDone}>
          {words('people.handedOver')}
        </Button>
      </p>
    </div>
  );
}

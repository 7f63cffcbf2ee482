import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answers, api, dataOf } from '../../api/client.js';
import { useSubmit } from '../../app/submit.js';
import { Button } from '../../controls/button.js';
import { Field } from '../../controls/field.js';
import { notify } from '../../controls/notices.js';
import { Sheet } from '../../controls/sheet.js';
import { useWords } from '../../words/words.js';
import { AccountFields, type Rights } from './account-fields.js';
import { AccountPassword } from './account-password.js';
import { accountsKey, grantsKey } from './account-queries.js';
import { AccountSessions } from './account-sessions.js';
import { faultAt, FormError } from '../form-error.js';
import { listOf, textOf } from '../names-list.js';

type Account = Answers['AccountAnswer'];
type Patch = Answers['AccountPatch'];

interface Props {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Changes an account: its rights, its state, its password and its sessions. */
export function AccountSheet({ account, onClose }: Props): ReactNode {
  const words = useWords();
  return (
    <Sheet title={words('people.account', { name: account.name })} isOpen onClose={onClose}>
      <div className="people-account">
        <RightsForm key={rightsOf(account)} account={account} />
        <State account={account} />
        <AccountPassword name={account.name} hasFactor={account.secondFactor} />
        <AccountSessions name={account.name} />
        <p className="actions">
          <Button onPress={onClose}>{words('shell.close')}</Button>
        </p>
      </div>
    </Sheet>
  );
}

/** Returns a text for what the form of the rights edits. Another text begins the form again. */
const rightsOf = ({ person, roles, tables, wallDisplay }: Account): string =>
  JSON.stringify([person, roles, tables, wallDisplay]);

/** Returns how to change an account. Says if the change waits for another administrator. */
function useChange(name: string): (body: Patch) => Promise<void> {
  const words = useWords();
  const client = useQueryClient();
  return async (body) => {
    const answer = await dataOf<Account | Answers['PendingAccountAnswer']>(
      api.PATCH('/v1/accounts/{name}', { params: { path: { name } }, body }),
    );
    notify({ text: words('grant' in answer ? 'people.waits' : 'people.changed', { name }) });
    await client.invalidateQueries({ queryKey: accountsKey });
    await client.invalidateQueries({ queryKey: grantsKey });
  };
}

function RightsForm({ account }: { readonly account: Account }): ReactNode {
  const words = useWords();
  const change = useChange(account.name);
  const hasOwnPerson = account.person !== account.name;
  const [person, setPerson] = useState(hasOwnPerson ? account.person : '');
  const [rights, setRights] = useState<Rights>({
    roles: account.roles,
    tables: textOf(account.tables),
    wallDisplay: account.wallDisplay,
  });
  const { error, isBusy, onSubmit } = useSubmit(() =>
    change({
      roles: [...rights.roles],
      tables: listOf(rights.tables),
      wallDisplay: rights.wallDisplay,
      ...(!hasOwnPerson && person !== '' && { person }),
    }),
  );
  return (
    <form className="people-form" onSubmit={onSubmit}>
      <Field
        label={words('people.person')}
        hint={words(hasOwnPerson ? 'people.personSet' : 'people.personHint')}
        error={faultAt(error, '/person')}
        value={person}
        onChange={setPerson}
        isReadOnly={hasOwnPerson}
        exact
      />
      <AccountFields
        rights={rights}
        onChange={setRights}
        rolesError={faultAt(error, '/roles')}
        tablesError={faultAt(error, '/tables')}
      />
      <FormError error={error} shown={['/person', '/roles', '/tables']} />
      <p className="actions">
        <Button type="submit" main isPending={isBusy}>
          {words('people.save')}
        </Button>
      </p>
    </form>
  );
}

function State({ account: { name, disabled } }: { readonly account: Account }): ReactNode {
  const words = useWords();
  const change = useChange(name);
  const { error, isBusy, onSubmit } = useSubmit(() => change({ disabled: !disabled }));
  return (
    <form className="people-form" onSubmit={onSubmit}>
      <h3>{words('people.state')}</h3>
      <p>{words(disabled ? 'people.isDisabled' : 'people.isEnabled')}</p>
      <FormError error={error} />
      <p className="actions">
        <Button type="submit" isPending={isBusy}>
          {words(disabled ? 'people.enable' : 'people.disable')}
        </Button>
      </p>
    </form>
  );
}

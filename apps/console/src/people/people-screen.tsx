import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Answers } from '../api/client.js';
import type { Search } from '../app/address.js';
import { rolesIn, ScreenFailed } from '../app/failures.js';
import { useTitle } from '../app/title.js';
import { Button } from '../controls/button.js';
import { Field } from '../controls/field.js';
import { useWords } from '../words/words.js';
import { accountsQuery } from './accounts/account-queries.js';
import { AccountSheet } from './accounts/account-sheet.js';
import { AccountsTable } from './accounts/accounts-table.js';
import { GrantsPanel } from './accounts/grants-panel.js';
import { NewAccountSheet } from './accounts/new-account-sheet.js';
import './people.css';

/** The accounts of the house: who they are, what they may do and see, and when they were seen. */
export function PeopleScreen(): ReactNode {
  const words = useWords();
  const { q = '', account }: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const { data, error, refetch } = useQuery(accountsQuery);
  useTitle(words('shell.people'));
  const show = (search: { readonly q?: string; readonly account?: string }): void =>
    void navigate({ to: '/people', search, replace: true });
  if (error && !data) return <ScreenFailed error={error} reset={() => void refetch()} />;
  if (!data) return <p role="status">{words('shell.loading')}</p>;
  const found = data.items.filter((each) => fits(each, q, rolesIn(words, each.roles)));
  const open = data.items.find(({ name }) => name === account);
  return (
    <>
      <div className="people-head">
        <h1>{words('shell.people')}</h1>
        <Field
          label={words('people.find')}
          type="search"
          value={q}
          onChange={(next) => show({ q: next })}
        />
        <Button main onPress={() => setNew(true)}>
          {words('people.new')}
        </Button>
      </div>
      <GrantsPanel />
      {account !== undefined && !open && (
        <p role="alert">
          {words('people.noAccount', { name: account })}{' '}
          <Button onPress={() => show({ q })}>{words('people.showAll')}</Button>
        </p>
      )}
      <p className="muted" role="status">
        {words('people.count', { shown: found.length, all: data.items.length })}
      </p>
      <AccountsTable accounts={found} onOpen={(name) => show({ q, account: name })} />
      {isNew && <NewAccountSheet onClose={() => setNew(false)} />}
      {open && <AccountSheet account={open} onClose={() => show({ q })} />}
    </>
  );
}

/** Returns whether every word of a search is in the name, person, roles or tables. */
function fits(account: Answers['AccountAnswer'], q: string, roles: string): boolean {
  const text = [account.name, account.person, roles, ...account.tables].join(' ').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

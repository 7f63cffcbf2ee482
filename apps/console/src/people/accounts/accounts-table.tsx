import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Answers } from '../../api/client.js';
import { rolesIn } from '../../app/failures.js';
import { Button } from '../../controls/button.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { sessionsOf } from './account-queries.js';
import { textOf } from '../names-list.js';

/** How many accounts are shown at first, and more at each step. Each asks for its sessions. */
const STEP = 25;

interface Props {
  readonly accounts: readonly Answers['AccountAnswer'][];
  readonly onOpen: (name: string) => void;
}

/** The accounts as a table, the first of them until more are asked for. */
export function AccountsTable({ accounts, onOpen }: Props): ReactNode {
  const words = useWords();
  const [most, setMost] = useState(STEP);
  return (
    <>
      <div
        className="scroll people-scroll"
        tabIndex={0}
        role="region"
        aria-label={words('shell.people')}
      >
        <table className="people-table">
          <thead>
            <tr>
              <th scope="col">{words('people.name')}</th>
              <th scope="col">{words('people.person')}</th>
              <th scope="col">{words('people.roles')}</th>
              <th scope="col">{words('people.tables')}</th>
              <th scope="col">{words('people.state')}</th>
              <th scope="col">{words('people.lastSeen')}</th>
              <th>
                <span className="only-spoken">{words('people.edit')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {accounts.slice(0, most).map((account) => (
              <AccountRow key={account.name} account={account} onOpen={onOpen} />
            ))}
          </tbody>
        </table>
      </div>
      {accounts.length > most && (
        <Button onPress={() => setMost(most + STEP)}>
          {words('people.more', { count: accounts.length - most })}
        </Button>
      )}
    </>
  );
}

interface RowProps {
  readonly account: Answers['AccountAnswer'];
  readonly onOpen: (name: string) => void;
}

function AccountRow({ account, onOpen }: RowProps): ReactNode {
  const words = useWords();
  const { name, person, roles, tables, disabled } = account;
  return (
    <tr data-disabled={disabled || undefined}>
      <th scope="row">{name}</th>
      <td>{person}</td>
      <td className="long">{rolesIn(words, roles)}</td>
      <td>{tables.join() === '*' ? words('people.allTables') : textOf(tables)}</td>
      <td>
        <StateOf account={account} />
      </td>
      <td>
        <LastSeen name={name} />
      </td>
      <td>
        <Button aria-label={words('people.editOf', { name })} onPress={() => onOpen(name)}>
          {words('people.edit')}
        </Button>
      </td>
    </tr>
  );
}

function StateOf({ account }: { readonly account: Answers['AccountAnswer'] }): ReactNode {
  const words = useWords();
  const states = [
    account.disabled && words('people.disabled'),
    account.mustChangePassword && words('people.mustChange'),
    account.secondFactor && words('people.hasFactor'),
    account.wallDisplay && words('people.isWall'),
  ].filter((state) => state !== false);
  return states.length === 0 ? (
    <span className="muted">{words('people.active')}</span>
  ) : (
    states.join(', ')
  );
}

function LastSeen({ name }: { readonly name: string }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { data } = useQuery(sessionsOf(name));
  if (!data) return null;
  const last = data.items
    .map(({ lastUsedAt }) => lastUsedAt)
    .sort()
    .at(-1);
  if (last === undefined) return <span className="muted">{words('people.notSignedIn')}</span>;
  return <time dateTime={last}>{formats.ago(last)}</time>;
}

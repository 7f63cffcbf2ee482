import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Answers } from '../../api/client.js';
import { Button } from '../../controls/button.js';
import { Check } from '../../controls/check.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { FormError } from '../form-error.js';
import { keysQuery } from './key-queries.js';
import { textOf } from '../names-list.js';
import { NewKeySheet } from './new-key-sheet.js';
import { RevokeSheet } from './revoke-sheet.js';

type Key = Answers['KeyAnswer'];

/** The device keys: what each may write, and when it was used. */
export function KeysTable(): ReactNode {
  const words = useWords();
  const { data, error } = useQuery(keysQuery);
  const [isNew, setNew] = useState(false);
  const [showsRevoked, setShowsRevoked] = useState(false);
  const [revoking, setRevoking] = useState<Key>();
  const keys = data?.items.filter(({ revokedAt }) => showsRevoked || revokedAt === null);
  return (
    <section aria-labelledby="device-keys">
      <div className="people-head people-section">
        <h2 id="device-keys">{words('devices.keys')}</h2>
        <Check isSelected={showsRevoked} onChange={setShowsRevoked}>
          {words('devices.showRevoked')}
        </Check>
        <Button main onPress={() => setNew(true)}>
          {words('devices.new')}
        </Button>
      </div>
      {!data && !error && <p role="status">{words('shell.loading')}</p>}
      <FormError error={error ?? undefined} />
      {keys?.length === 0 && <p>{words('devices.none')}</p>}
      {keys && keys.length > 0 && <Table keys={keys} onRevoke={setRevoking} />}
      {isNew && <NewKeySheet onClose={() => setNew(false)} />}
      {revoking && <RevokeSheet device={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  );
}

const HEADS = [
  'devices.name',
  'devices.sources',
  'devices.tables',
  'devices.types',
  'devices.created',
  'devices.used',
] as const;

interface TableProps {
  readonly keys: readonly Key[];
  readonly onRevoke: (key: Key) => void;
}

function Table({ keys, onRevoke }: TableProps): ReactNode {
  const words = useWords();
  return (
    <div
      className="scroll people-scroll"
      tabIndex={0}
      role="region"
      aria-label={words('devices.keys')}
    >
      <table className="people-table">
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {words(head)}
              </th>
            ))}
            <th>
              <span className="only-spoken">{words('devices.revoke')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} device={key} onRevoke={onRevoke} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly device: Key;
  readonly onRevoke: (key: Key) => void;
}

function KeyRow({ device, onRevoke }: RowProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { name, sources, tables, types, createdAt, createdBy, lastUsedAt, revokedAt } = device;
  return (
    <tr data-disabled={revokedAt !== null || undefined}>
      <th scope="row">{name}</th>
      <td>{textOf(sources)}</td>
      <td>{textOf(tables)}</td>
      <td>{types.join() === '*' ? words('devices.allTypes') : textOf(types)}</td>
      <td>
        {formats.dateTime(createdAt)}
        <span className="muted"> {createdBy.replace(/^[^/]*\//, '')}</span>
      </td>
      <td>{lastUsedAt === null ? words('devices.never') : formats.ago(lastUsedAt)}</td>
      <td>
        {revokedAt === null ? (
          <Button aria-label={words('devices.revokeOf', { name })} onPress={() => onRevoke(device)}>
            {words('devices.revoke')}
          </Button>
        ) : (
          words('devices.revoked', { time: formats.dateTime(revokedAt) })
        )}
      </td>
    </tr>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Answers, api, dataOf } from '../../api/client.js';
import { useSubmit } from '../../app/submit.js';
import { Button } from '../../controls/button.js';
import { notify } from '../../controls/notices.js';
import { Sheet } from '../../controls/sheet.js';
import { useWords } from '../../words/words.js';
import { FormError } from '../form-error.js';
import { keysQuery } from './key-queries.js';

interface Props {
  readonly device: Answers['KeyAnswer'];
  readonly onClose: () => void;
}

/** Asks once more before a key is revoked, because that cannot be undone. */
export function RevokeSheet({ device: { id, name }, onClose }: Props): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    await dataOf(api.DELETE('/v1/keys/{id}', { params: { path: { id } } }));
    notify({ text: words('devices.isRevoked', { name }) });
    await client.invalidateQueries({ queryKey: keysQuery.queryKey });
    onClose();
  });
  return (
    <Sheet title={words('devices.revokeOf', { name })} isOpen onClose={onClose}>
      <form className="people-form" onSubmit={onSubmit}>
        <p>{words('devices.revokeWhy')}</p>
        <FormError error={error} />
        <p className="actions">
          <Button onPress={onClose}>{words('shell.cancel')}</Button>
          <Button type="submit" main isPending={isBusy}>
            {words('devices.revoke')}
          </Button>
        </p>
      </form>
    </Sheet>
  );
}

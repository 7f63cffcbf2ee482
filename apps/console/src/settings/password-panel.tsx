import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { notify } from '../controls/notices.js';
import { PasswordForm } from '../sign-in/password-form.js';
import { useWords } from '../words/words.js';
import { sessionsKey } from './sessions-panel.js';

/** Changes the own password. */
export function PasswordPanel(): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  return (
    <section className="panel settings-panel" aria-labelledby="settings-password">
      <h2 id="settings-password">{words('password.title')}</h2>
      <PasswordForm
        onChanged={() => {
          notify({ text: words('password.changed') });
          void client.invalidateQueries({ queryKey: sessionsKey });
        }}
      />
    </section>
  );
}

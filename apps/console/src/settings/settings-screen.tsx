import type { ReactNode } from 'react';
import { useTitle } from '../app/title.js';
import { useMay, useMe } from '../app/session/me.js';
import { useWords } from '../words/words.js';
import { AppearancePanel } from './appearance-panel.js';
import { FactorPanel } from './factor-panel.js';
import { KeysPanel } from './keys-panel.js';
import { PasswordPanel } from './password-panel.js';
import { SessionsPanel } from './sessions-panel.js';
import './settings.css';

/** What a person arranges for themselves: how it looks, keys, sessions, password, second factor. */
export function SettingsScreen(): ReactNode {
  const words = useWords();
  const { wallDisplay } = useMe();
  const mayChangePassword = useMay('own-password');
  const mayEnroll = useMay('own-factor');
  useTitle(words('shell.settings'));
  return (
    <>
      <h1>{words('shell.settings')}</h1>
      {wallDisplay && <p className="muted">{words('settings.wall')}</p>}
      <div className="settings">
        <AppearancePanel />
        <KeysPanel />
        <SessionsPanel />
        {mayChangePassword && <PasswordPanel />}
        {mayEnroll && <FactorPanel />}
      </div>
    </>
  );
}

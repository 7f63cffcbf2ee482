import { Module } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller.js';
import {
  ChangeAccountHandler,
  CreateAccountHandler,
  ListAccountsHandler,
} from './accounts/accounts.js';
import { GrantsController } from './accounts/grants.controller.js';
import { ConfirmGrantHandler, ListGrantsHandler, RefuseGrantHandler } from './accounts/grants.js';
import { IssueResetHandler, UseResetHandler } from './accounts/password-resets.js';
import { Gate } from './gate.js';
import { Identities } from './identities.js';
import { CreateKeyHandler, ListKeysHandler, RevokeKeyHandler } from './keys/device-keys.js';
import { KeyCopy } from './keys/key-copy.js';
import { KeyTables } from './keys/key-tables.js';
import { KeysController } from './keys/keys.controller.js';
import { ChangePasswordHandler } from './me/change-password.js';
import { ConfirmSessionHandler } from './me/confirm-session.js';
import { MeController } from './me/me.controller.js';
import { BeginFactorHandler, ConfirmFactorHandler, RemoveFactorHandler } from './me/own-factor.js';
import { AskPreferencesHandler, SavePreferencesHandler } from './me/preferences.js';
import {
  AskViewHandler,
  DeleteViewHandler,
  ListViewsHandler,
  SaveViewHandler,
} from './me/saved-views.js';
import { ScreensController } from './me/screens.controller.js';
import { Attempts } from './sessions/attempts.js';
import { FollowedSessions } from './sessions/followed-sessions.js';
import { KnownAddresses } from './sessions/known-addresses.js';
import { SessionController } from './sessions/session.controller.js';
import { EndSessionHandler, ListSessionsHandler } from './sessions/sessions.js';
import { SignInHandler, SignOutHandler } from './sessions/sign-in.js';

const HANDLERS = [
  SignInHandler,
  SignOutHandler,
  ListSessionsHandler,
  EndSessionHandler,
  ChangePasswordHandler,
  ConfirmSessionHandler,
  BeginFactorHandler,
  ConfirmFactorHandler,
  RemoveFactorHandler,
  ListViewsHandler,
  AskViewHandler,
  SaveViewHandler,
  DeleteViewHandler,
  AskPreferencesHandler,
  SavePreferencesHandler,
  CreateAccountHandler,
  ChangeAccountHandler,
  ListAccountsHandler,
  IssueResetHandler,
  UseResetHandler,
  ListGrantsHandler,
  ConfirmGrantHandler,
  RefuseGrantHandler,
  CreateKeyHandler,
  RevokeKeyHandler,
  ListKeysHandler,
];

/** Accounts, device keys and sessions, and the gate that every request passes. */
@Module({
  controllers: [
    SessionController,
    MeController,
    ScreensController,
    AccountsController,
    GrantsController,
    KeysController,
  ],
  providers: [
    Identities,
    Gate,
    KeyCopy,
    KeyTables,
    KnownAddresses,
    Attempts,
    FollowedSessions,
    ...HANDLERS,
  ],
  exports: [Identities, KeyCopy, KeyTables, FollowedSessions],
})
export class IdentityModule {}

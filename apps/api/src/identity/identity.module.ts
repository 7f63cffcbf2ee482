import { Module } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller.js';
import {
  ChangeAccountHandler,
  CreateAccountHandler,
  ListAccountsHandler,
} from './accounts/accounts.js';
import { Gate } from './gate.js';
import { Identities } from './identities.js';
import { CreateKeyHandler, ListKeysHandler, RevokeKeyHandler } from './keys/device-keys.js';
import { KeysController } from './keys/keys.controller.js';
import { Attempts } from './sessions/attempts.js';
import { KnownAddresses } from './sessions/known-addresses.js';
import { SessionController } from './sessions/session.controller.js';
import { SignInHandler, SignOutHandler } from './sessions/sign-in.js';

/** Accounts, device keys and sessions, and the gate that every request passes. */
@Module({
  controllers: [SessionController, AccountsController, KeysController],
  providers: [
    Identities,
    Gate,
    KnownAddresses,
    Attempts,
    SignInHandler,
    SignOutHandler,
    CreateAccountHandler,
    ChangeAccountHandler,
    ListAccountsHandler,
    CreateKeyHandler,
    RevokeKeyHandler,
    ListKeysHandler,
  ],
  exports: [Identities],
})
export class IdentityModule {}

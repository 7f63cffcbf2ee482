import { Module } from '@nestjs/common';
import { AccountsController } from './accounts.controller.js';
import { ChangeAccountHandler, CreateAccountHandler, ListAccountsHandler } from './accounts.js';
import { CreateKeyHandler, ListKeysHandler, RevokeKeyHandler } from './device-keys.js';
import { Gate } from './gate.js';
import { Identities } from './identities.js';
import { KeysController } from './keys.controller.js';
import { SessionController } from './session.controller.js';
import { SignInHandler, SignOutHandler } from './sign-in.js';

/** Accounts, device keys and sessions, and the gate that every request passes. */
@Module({
  controllers: [SessionController, AccountsController, KeysController],
  providers: [
    Identities,
    Gate,
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

import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import type { Role } from '../permissions.js';
import { MayBeAbsent } from '../../http/optional.js';
import { TextParam } from '../../http/parameters.js';
import { Requires, Sender } from '../requires.js';
import {
  type AccountChanged,
  type AccountShown,
  ChangeAccount,
  CreateAccount,
  ListAccounts,
} from './accounts.js';
import { ChangeAnswer } from './change-answer.interceptor.js';
import { Refuses } from '../../problems/refuses.js';
import {
  AccountAnswer,
  AccountsAnswer,
  PendingAccountAnswer,
  ResetAnswer,
  SessionsAnswer,
} from '../identity.answers.js';
import type { Identity } from '../identity.js';
import { NameField, PasswordField, RolesField, TablesSeenField } from '../scope-fields.js';
import { EndSession, ListSessions, type SessionShown } from '../sessions/sessions.js';
import { IssueReset, type ResetIssued } from './password-resets.js';

const PERSON = {
  required: false,
  description:
    'The id of the human in the record, person/<id>; by default the name. Accounts of one human share it',
};
const WALL_DISPLAY = {
  example: false,
  description: 'Shows a screen on a wall: reads only, and its sessions have no idle limit',
};
const PENDING = {
  type: PendingAccountAnswer,
  description: 'The account as it is now, and what another admin must confirm',
};

class NewAccountBody {
  @NameField({ example: 'mei.chan', description: 'Never changes' })
  name!: string;

  @PasswordField({
    example: 'correct horse battery',
    description: 'The first sign-in leads only to changing it',
  })
  password!: string;

  @RolesField({ example: ['pit-boss'] })
  roles!: Role[];

  @TablesSeenField({ example: ['B07', 'B08'] })
  tables!: string[];

  @NameField({ ...PERSON, example: 'mei.chan' })
  person?: string;

  @ApiPropertyOptional(WALL_DISPLAY)
  @MayBeAbsent()
  @IsBoolean()
  wallDisplay?: boolean;
}

class AccountPatch {
  @RolesField({ required: false })
  roles?: Role[];

  @TablesSeenField({ required: false })
  tables?: string[];

  @NameField({ ...PERSON, description: `${PERSON.description}. Can be set once` })
  person?: string;

  @ApiPropertyOptional(WALL_DISPLAY)
  @MayBeAbsent()
  @IsBoolean()
  wallDisplay?: boolean;

  @ApiPropertyOptional({ example: true })
  @MayBeAbsent()
  @IsBoolean()
  disabled?: boolean;
}

class NewReset {
  @ApiPropertyOptional({
    example: false,
    description: 'Whether using the code also removes the second factor',
  })
  @MayBeAbsent()
  @IsBoolean()
  removeSecondFactor?: boolean;
}

/** The routes to create, change and list accounts, to reset passwords and to end sessions. */
@ApiTags('accounts')
@Controller('v1/accounts')
export class AccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'Create an account, whose owner changes the password at the first use' })
  @ApiCreatedResponse({ type: AccountAnswer, description: 'The account' })
  @ApiAcceptedResponse(PENDING)
  @Refuses('conflict')
  @UseInterceptors(ChangeAnswer)
  createAccount(@Body() account: NewAccountBody, @Sender() by: Identity): Promise<AccountChanged> {
    return this.commands.execute(new CreateAccount(by, account));
  }

  @Patch(':name')
  @Requires('manage-accounts')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Change the roles, tables or kind of an account, or disable or enable it',
  })
  @TextParam('name')
  @ApiOkResponse({ type: AccountAnswer, description: 'The account as changed' })
  @ApiAcceptedResponse(PENDING)
  @Refuses('conflict')
  @UseInterceptors(ChangeAnswer)
  changeAccount(
    @Param('name') name: string,
    @Body() changes: AccountPatch,
    @Sender() by: Identity,
  ): Promise<AccountChanged> {
    return this.commands.execute(new ChangeAccount(by, name, changes));
  }

  @Get()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'List the accounts whose every table you may see' })
  @ApiOkResponse({ type: AccountsAnswer, description: 'By name' })
  async listAccounts(@Sender() by: Identity): Promise<{ items: readonly AccountShown[] }> {
    return { items: await this.queries.execute(new ListAccounts(by)) };
  }

  @Post(':name/password-reset')
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'Issue a one-time code that lets the person set a new password' })
  @TextParam('name')
  @ApiCreatedResponse({ type: ResetAnswer, description: 'The code, shown once' })
  issueReset(
    @Param('name') name: string,
    @Body() { removeSecondFactor = false }: NewReset,
    @Sender() by: Identity,
  ): Promise<ResetIssued> {
    return this.commands.execute(new IssueReset(by, name, removeSecondFactor));
  }

  @Get(':name/sessions')
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'List the sessions of an account' })
  @TextParam('name')
  @ApiOkResponse({ type: SessionsAnswer, description: 'The newest first' })
  async listSessions(
    @Param('name') name: string,
    @Sender() by: Identity,
  ): Promise<{ items: readonly SessionShown[] }> {
    return { items: await this.queries.execute(new ListSessions(by, name)) };
  }

  @Delete(':name/sessions/:id')
  @Requires('manage-accounts')
  @HttpCode(204)
  @ApiOperation({ summary: 'End a session of an account' })
  @TextParam('name')
  @TextParam('id')
  @ApiNoContentResponse({ description: 'Its token is no longer valid' })
  async endSession(
    @Param('name') name: string,
    @Param('id') id: string,
    @Sender() by: Identity,
  ): Promise<void> {
    await this.commands.execute(new EndSession(by, name, id));
  }
}

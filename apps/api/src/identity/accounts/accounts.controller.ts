import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
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
import { ChangeAccount, CreateAccount, ListAccounts, type AccountShown } from './accounts.js';
import { Refuses } from '../../problems/refuses.js';
import { AccountAnswer, AccountsAnswer } from '../identity.answers.js';
import type { Identity } from '../identity.js';
import { NameField, PasswordField, RolesField, TablesSeenField } from '../scope-fields.js';

class NewAccount {
  @NameField({ example: 'mei.chan', description: 'Becomes person/mei.chan in the record' })
  name!: string;

  @PasswordField({ example: 'correct horse battery' })
  password!: string;

  @RolesField({ example: ['pit-boss'] })
  roles!: Role[];

  @TablesSeenField({ example: ['B07', 'B08'] })
  tables!: string[];
}

class AccountPatch {
  @PasswordField({ required: false })
  password?: string;

  @RolesField({ required: false })
  roles?: Role[];

  @TablesSeenField({ required: false })
  tables?: string[];

  @ApiPropertyOptional({ example: true })
  @MayBeAbsent()
  @IsBoolean()
  disabled?: boolean;
}

/** The routes to create, change and list accounts. */
@ApiTags('accounts')
@Controller('v1/accounts')
export class AccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'Create an account' })
  @ApiCreatedResponse({ type: AccountAnswer, description: 'The account' })
  @Refuses('conflict')
  createAccount(@Body() account: NewAccount, @Sender() { id }: Identity): Promise<AccountShown> {
    return this.commands.execute(new CreateAccount(id, account));
  }

  @Patch(':name')
  @Requires('manage-accounts')
  @ApiOperation({
    summary: 'Change the password, roles or tables of an account, disable it or enable it again',
  })
  @TextParam('name')
  @ApiOkResponse({ type: AccountAnswer, description: 'The account as changed' })
  @Refuses('conflict')
  changeAccount(
    @Param('name') name: string,
    @Body() changes: AccountPatch,
    @Sender() { id }: Identity,
  ): Promise<AccountShown> {
    return this.commands.execute(new ChangeAccount(id, name, changes));
  }

  @Get()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'List accounts' })
  @ApiOkResponse({ type: AccountsAnswer, description: 'By name' })
  async listAccounts(): Promise<{ items: readonly AccountShown[] }> {
    return { items: await this.queries.execute(new ListAccounts()) };
  }
}

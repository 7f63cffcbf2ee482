import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsString,
  Length,
} from 'class-validator';
import { ROLES, type Role } from './permissions.js';
import { MayBeAbsent } from '../http/optional.js';
import { Requires, Sender } from './requires.js';
import { ChangeAccount, CreateAccount, ListAccounts, type AccountShown } from './accounts.js';
import { Refuses } from '../problems/refuses.js';
import { AccountAnswer, AccountsAnswer } from './identity.answers.js';
import type { Identity } from './identity.js';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './passwords.js';
import { IsName, IsScopeEntry, IsTables, SCOPE_MAX } from './scope-fields.js';

const TABLES_WORDS = 'Table ids, or "*" alone for all';

class NewAccount {
  @ApiProperty({ example: 'mei.chan', description: 'Becomes person/mei.chan in the record' })
  @IsName()
  name!: string;

  @ApiProperty({
    minLength: PASSWORD_LENGTH_MIN,
    maxLength: PASSWORD_LENGTH_MAX,
    example: 'correct horse battery',
  })
  @IsString()
  @Length(PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX)
  password!: string;

  @ApiProperty({ enum: ROLES, isArray: true, example: ['pit-boss'] })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayUnique()
  @IsIn(ROLES, { each: true })
  roles!: Role[];

  @ApiProperty({ type: [String], example: ['B07', 'B08'], description: TABLES_WORDS })
  @IsArray()
  @ArrayMaxSize(SCOPE_MAX)
  @IsString({ each: true })
  @IsScopeEntry()
  @IsTables()
  tables!: string[];
}

class AccountPatch {
  @ApiPropertyOptional({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX })
  @MayBeAbsent()
  @IsString()
  @Length(PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX)
  password?: string;

  @ApiPropertyOptional({ enum: ROLES, isArray: true })
  @MayBeAbsent()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayUnique()
  @IsIn(ROLES, { each: true })
  roles?: Role[];

  @ApiPropertyOptional({ type: [String], description: TABLES_WORDS })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(SCOPE_MAX)
  @IsString({ each: true })
  @IsScopeEntry()
  @IsTables()
  tables?: string[];

  @ApiPropertyOptional({ example: true })
  @MayBeAbsent()
  @IsBoolean()
  disabled?: boolean;
}

@ApiTags('accounts')
@Controller('v1/accounts')
export class AccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'Make an account' })
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
  @ApiParam({ name: 'name', schema: { type: 'string', minLength: 1 } })
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
  @ApiOperation({ summary: 'All accounts' })
  @ApiOkResponse({ type: AccountsAnswer, description: 'By name' })
  async listAccounts(): Promise<{ items: readonly AccountShown[] }> {
    return { items: await this.queries.execute(new ListAccounts()) };
  }
}

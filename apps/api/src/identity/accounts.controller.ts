import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
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
import { checkedBody } from '../http/validation.pipe.js';
import { Requires, Sender } from './requires.js';
import { ChangeAccount, CreateAccount, ListAccounts, type AccountShown } from './accounts.js';
import type { Identity } from './identity.js';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './passwords.js';
import { IsName, IsScopeEntry, IsTables, MayBeAbsent, SCOPE_MAX } from './scope-fields.js';

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

const ACCOUNT = {
  name: 'mei.chan',
  roles: ['pit-boss'],
  tables: ['B07', 'B08'],
  disabled: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  createdBy: 'person/admin',
};

@ApiTags('accounts and keys')
@Controller('v1/accounts')
export class AccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'Make an account' })
  @ApiResponse({ status: 201, schema: { example: ACCOUNT } })
  create(
    @Body(checkedBody()) account: NewAccount,
    @Sender() { id }: Identity,
  ): Promise<AccountShown> {
    return this.commands.execute(new CreateAccount(id, account));
  }

  @Patch(':name')
  @Requires('manage-accounts')
  @ApiOperation({
    summary: 'Change the password, roles or tables of an account, disable it or enable it again',
  })
  @ApiResponse({ status: 200, schema: { example: { ...ACCOUNT, disabled: true } } })
  change(
    @Param('name') name: string,
    @Body(checkedBody()) changes: AccountPatch,
    @Sender() { id }: Identity,
  ): Promise<AccountShown> {
    return this.commands.execute(new ChangeAccount(id, name, changes));
  }

  @Get()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'All accounts' })
  @ApiResponse({ status: 200, schema: { example: { items: [ACCOUNT] } } })
  async list(): Promise<{ items: readonly AccountShown[] }> {
    return { items: await this.queries.execute(new ListAccounts()) };
  }
}

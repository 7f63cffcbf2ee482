import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsString } from 'class-validator';
import { checkedBody } from '../http/validation.pipe.js';
import { Requires, Sender } from './requires.js';
import { CreateKey, type KeyShown, ListKeys, RevokeKey } from './device-keys.js';
import type { Identity } from './identity.js';
import { IsName, IsScopeEntry, IsSource, SCOPE_MAX, TYPE_ENTRIES } from './scope-fields.js';

class NewKey {
  @ApiProperty({
    example: 'B07-gateway',
    description: 'Becomes device/B07-gateway in the record; never given twice',
  })
  @IsName()
  name!: string;

  @ApiProperty({
    type: [String],
    example: ['device/B07-*'],
    description: 'Sources that it may write, "*" for any text',
  })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(SCOPE_MAX)
  @IsString({ each: true })
  @IsScopeEntry()
  @IsSource()
  sources!: string[];

  @ApiProperty({
    type: [String],
    example: ['B07'],
    description: 'Tables that it may write about, "*" for any text',
  })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(SCOPE_MAX)
  @IsString({ each: true })
  @IsScopeEntry()
  tables!: string[];

  @ApiProperty({
    enum: TYPE_ENTRIES,
    isArray: true,
    example: ['*'],
    description: 'Event types that it may write, by short name, or "*"',
  })
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(TYPE_ENTRIES, { each: true })
  types!: string[];
}

const KEY = {
  id: '0f1e2d3c4b5a6978',
  name: 'B07-gateway',
  sources: ['device/B07-*'],
  tables: ['B07'],
  types: ['*'],
  createdAt: '2026-11-20T12:00:00.000Z',
  createdBy: 'person/admin',
  revokedAt: null,
  lastUsedAt: '2026-11-20T12:01:00.000Z',
};

@ApiTags('accounts and keys')
@Controller('v1/keys')
export class KeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Requires('manage-keys')
  @ApiOperation({ summary: 'Make a device key; its token is answered once and kept nowhere' })
  @ApiResponse({
    status: 201,
    schema: { example: { ...KEY, lastUsedAt: null, token: 'spk_0f1e2d3c4b5a6978_...' } },
  })
  create(
    @Body(checkedBody()) key: NewKey,
    @Sender() by: Identity,
  ): Promise<KeyShown & { readonly token: string }> {
    return this.commands.execute(new CreateKey(by, key));
  }

  @Get()
  @Requires('manage-keys')
  @ApiOperation({ summary: 'All device keys, the revoked ones too' })
  @ApiResponse({ status: 200, schema: { example: { items: [KEY] } } })
  async list(@Sender() by: Identity): Promise<{ items: readonly KeyShown[] }> {
    return { items: await this.queries.execute(new ListKeys(by)) };
  }

  @Delete(':id')
  @Requires('manage-keys')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke a device key; acts on every instance within a second' })
  @ApiResponse({ status: 204, description: 'Revoked' })
  async revoke(@Param('id') id: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new RevokeKey(by, id));
  }
}

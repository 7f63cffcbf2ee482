import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { TextParam } from '../../http/parameters.js';
import { Requires, Sender } from '../requires.js';
import { CreateKey, type KeyShown, ListKeys, RevokeKey } from './device-keys.js';
import { Refuses } from '../../problems/refuses.js';
import { KeysAnswer, NewKeyAnswer } from '../identity.answers.js';
import type { Identity } from '../identity.js';
import { NameField, SourcePatternsField, TablePatternsField, TypesField } from '../scope-fields.js';

class NewKey {
  @NameField({
    example: 'B07-gateway',
    description: 'Becomes device/B07-gateway in the record; never reused',
  })
  name!: string;

  @SourcePatternsField({
    example: ['device/B07-*'],
    description:
      'Sources that it may write, "*" for any text after the kind. `person/` only if an admin creates the key',
  })
  sources!: string[];

  @TablePatternsField({
    example: ['B07'],
    description: 'Tables that it may write about, "*" for any text',
  })
  tables!: string[];

  @TypesField({
    example: ['*'],
    description: 'Event types that it may write, by short name, or "*"',
  })
  types!: string[];
}

/** The routes to create, list and revoke device keys. */
@ApiTags('keys')
@Controller('v1/keys')
export class KeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Requires('manage-keys')
  @ApiOperation({ summary: 'Create a device key; its token is returned once and never stored' })
  @ApiCreatedResponse({ type: NewKeyAnswer, description: 'The key and its token' })
  @Refuses('conflict')
  createKey(
    @Body() key: NewKey,
    @Sender() by: Identity,
  ): Promise<KeyShown & { readonly token: string }> {
    return this.commands.execute(new CreateKey(by, key));
  }

  @Get()
  @Requires('manage-keys')
  @ApiOperation({ summary: 'List device keys, including revoked ones' })
  @ApiOkResponse({ type: KeysAnswer, description: 'By name' })
  async listKeys(@Sender() by: Identity): Promise<{ items: readonly KeyShown[] }> {
    return { items: await this.queries.execute(new ListKeys(by)) };
  }

  @Delete(':id')
  @Requires('manage-keys')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke a device key; takes effect on every instance within a second' })
  @TextParam('id')
  @ApiNoContentResponse({ description: 'Revoked' })
  async revokeKey(@Param('id') id: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new RevokeKey(by, id));
  }
}

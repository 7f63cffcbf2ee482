import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TextParam } from '../../http/parameters.js';
import { Refuses } from '../../problems/refuses.js';
import { AccountAnswer, GrantsAnswer } from '../identity.answers.js';
import type { Identity } from '../identity.js';
import { Requires, Sender } from '../requires.js';
import type { AccountShown } from './accounts.js';
import { ConfirmGrant, ListGrants, RefuseGrant } from './grants.js';
import type { GrantShown } from './pending-grants.js';

/** The routes to confirm or refuse what another admin asked for. */
@ApiTags('accounts')
@Controller('v1/grants')
export class GrantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Requires('manage-accounts')
  @ApiOperation({ summary: 'List roles and tables that wait for another admin, for 24 hours' })
  @ApiOkResponse({ type: GrantsAnswer, description: 'Oldest first' })
  async listGrants(@Sender() by: Identity): Promise<{ items: readonly GrantShown[] }> {
    return { items: await this.queries.execute(new ListGrants(by)) };
  }

  @Post(':id/confirm')
  @Requires('manage-accounts')
  @HttpCode(200)
  @ApiOperation({ summary: 'Confirm what another admin asked for' })
  @TextParam('id')
  @ApiOkResponse({ type: AccountAnswer, description: 'The account as changed' })
  @Refuses('conflict')
  confirmGrant(@Param('id') id: string, @Sender() by: Identity): Promise<AccountShown> {
    return this.commands.execute(new ConfirmGrant(by, id));
  }

  @Post(':id/refuse')
  @Requires('manage-accounts')
  @HttpCode(204)
  @ApiOperation({ summary: 'Refuse what another admin asked for, or withdraw it' })
  @TextParam('id')
  @ApiNoContentResponse({ description: 'The account keeps what it has' })
  async refuseGrant(@Param('id') id: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new RefuseGrant(by, id));
  }
}

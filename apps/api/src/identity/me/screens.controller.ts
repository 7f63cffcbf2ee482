import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Put,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { UNSEEN } from '#process';
import { Refuses } from '../../problems/refuses.js';
import { ViewsAnswer } from '../identity.answers.js';
import type { Person } from '../identity.js';
import { Requires, SenderPerson } from '../requires.js';
import type { KeptObject } from './kept-object.js';
import { AskPreferences, SavePreferences } from './preferences.js';
import {
  AskView,
  DeleteView,
  ListViews,
  SaveView,
  VIEW_NAME_LENGTH_MAX,
  type ViewShown,
} from './saved-views.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;
const VIEW = { ...OBJECT, example: { severity: [1, 2], table: ['B07'], order: 'queue' } };
const PREFERENCES = { ...OBJECT, example: { theme: 'surveillance', deck: 'four-colour' } };
/** What the validator of bodies lets pass. */
const BOUNDS =
  'Values may be nested four deep. An object may have 64 members, and a list 2,000 items.';

/** Documents the name of a view in the path. */
const ViewName = (): MethodDecorator =>
  ApiParam({
    name: 'name',
    schema: {
      type: 'string',
      pattern: `^[^${UNSEEN}]+$`,
      minLength: 1,
      maxLength: VIEW_NAME_LENGTH_MAX,
    },
  });

/** Documents a route that replaces a JSON object. */
const Replaces = (schema: typeof VIEW | typeof PREFERENCES, bounds: string): MethodDecorator =>
  applyDecorators(
    HttpCode(204),
    ApiBody({ schema, description: `${bounds}. ${BOUNDS}` }),
    ApiNoContentResponse({ description: 'Saved' }),
  );

/** The routes of what a person's pages keep for an account: saved views and preferences. */
@ApiTags('session')
@Controller('v1/me')
export class ScreensController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('views')
  @Requires('own-screens')
  @ApiOperation({ summary: 'List your saved views' })
  @ApiOkResponse({ type: ViewsAnswer, description: 'By name; at most 50' })
  async listViews(@SenderPerson() { account }: Person): Promise<{ items: readonly ViewShown[] }> {
    return { items: await this.queries.execute(new ListViews(account)) };
  }

  @Get('views/:name')
  @Requires('own-screens')
  @ApiOperation({ summary: 'Show one of your saved views' })
  @ViewName()
  @ApiOkResponse({ schema: VIEW, description: 'The view as it was saved' })
  getView(@Param('name') name: string, @SenderPerson() { account }: Person): Promise<KeptObject> {
    return this.queries.execute(new AskView(account, name));
  }

  @Put('views/:name')
  @Requires('arrange-screens')
  @ApiOperation({ summary: 'Save a view under a name, replacing any view of that name' })
  @ViewName()
  @Replaces(VIEW, 'At most 4 KiB of JSON')
  @Refuses('invalid-request', 'conflict')
  async saveView(
    @Param('name') name: string,
    @Body() view: KeptObject,
    @SenderPerson() { account }: Person,
  ): Promise<void> {
    await this.commands.execute(new SaveView(account, name, view));
  }

  @Delete('views/:name')
  @Requires('arrange-screens')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete one of your saved views' })
  @ViewName()
  @ApiNoContentResponse({ description: 'Deleted' })
  async deleteView(
    @Param('name') name: string,
    @SenderPerson() { account }: Person,
  ): Promise<void> {
    await this.commands.execute(new DeleteView(account, name));
  }

  @Get('preferences')
  @Requires('own-screens')
  @ApiOperation({ summary: 'Show your preferences' })
  @ApiOkResponse({ schema: PREFERENCES, description: 'As saved; empty until then' })
  getPreferences(@SenderPerson() { account }: Person): Promise<KeptObject> {
    return this.queries.execute(new AskPreferences(account));
  }

  @Put('preferences')
  @Requires('arrange-screens')
  @ApiOperation({ summary: 'Replace your preferences' })
  @Replaces(PREFERENCES, 'At most 16 KiB of JSON')
  async savePreferences(
    @Body() preferences: KeptObject,
    @SenderPerson() { account }: Person,
  ): Promise<void> {
    await this.commands.execute(new SavePreferences(account, preferences));
  }
}

import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../../http/optional.js';
import { TextParam } from '../../http/parameters.js';
import { Refuses } from '../../problems/refuses.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { InstalledRules } from '../../settings/tokens.js';
import { CODE_LENGTH_MAX } from '../credentials/one-time-code.js';
import {
  ConfirmedAnswer,
  FactorBegunAnswer,
  MeAnswer,
  RecoveryCodesAnswer,
  SessionsAnswer,
} from '../identity.answers.js';
import type { Identity, Person } from '../identity.js';
import { Requires, Sender, SenderPerson } from '../requires.js';
import { PasswordField } from '../scope-fields.js';
import { GIVEN_PASSWORD_LENGTH_MAX } from '../sessions/session.controller.js';
import { EndSession, ListSessions, type SessionShown } from '../sessions/sessions.js';
import { ChangePassword } from './change-password.js';
import { type Confirmed, ConfirmSession } from './confirm-session.js';
import { BeginFactor, ConfirmFactor, type FactorBegun, RemoveFactor } from './own-factor.js';
import { type Me, shownIdentity } from './shown-identity.js';

class WithPassword {
  @ApiProperty({ maxLength: GIVEN_PASSWORD_LENGTH_MAX, example: 'correct horse battery' })
  @IsString()
  @MaxLength(GIVEN_PASSWORD_LENGTH_MAX)
  password!: string;
}
class PasswordChangeBody extends WithPassword {
  @PasswordField({ example: 'a staple of batteries' })
  newPassword!: string;
}
class ConfirmBody extends WithPassword {
  @ApiPropertyOptional({
    maxLength: CODE_LENGTH_MAX,
    example: '123456',
    description: 'Six digits of the authenticator app, or a recovery code, if one is enrolled',
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(CODE_LENGTH_MAX)
  code?: string;
}
class FactorCode {
  @ApiProperty({ maxLength: CODE_LENGTH_MAX, example: '123456' })
  @IsString()
  @MaxLength(CODE_LENGTH_MAX)
  code!: string;
}
class FactorRemoval extends WithPassword {
  @ApiProperty({
    maxLength: CODE_LENGTH_MAX,
    example: '123456',
    description: 'Six digits of the authenticator app, or a recovery code',
  })
  @IsString()
  @MaxLength(CODE_LENGTH_MAX)
  code!: string;
}

/** The routes about the identity of a token, and a person's own password, factor and sessions. */
@ApiTags('session')
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly settings: ApiSettings,
    private readonly installed: InstalledRules,
  ) {}

  @Get()
  @Requires('own-session')
  @ApiOperation({ summary: 'Show the identity of the token, what it may do, and what is in force' })
  @ApiOkResponse({ type: MeAnswer, description: 'The identity of the token' })
  getMe(@Sender() identity: Identity): Me {
    return shownIdentity(identity, this.settings, this.installed.book);
  }

  @Post('password')
  @Requires('own-password')
  @HttpCode(204)
  @ApiOperation({ summary: 'Change your password, with the old one' })
  @ApiNoContentResponse({ description: 'Changed; every other session of the account has ended' })
  @Refuses('wrong-password', 'too-many-attempts')
  async changePassword(
    @Body() change: PasswordChangeBody,
    @SenderPerson() by: Person,
    @Ip() ip: string,
  ): Promise<void> {
    await this.commands.execute(new ChangePassword(by, change, ip));
  }

  @Post('confirm')
  @Requires('own-sessions')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Confirm your session, for requests that need a recent sign-in',
    description:
      'Lasts 15 minutes, like a sign-in. An account with a second factor also needs `code`. Wrong attempts count as failed sign-ins.',
  })
  @ApiOkResponse({ type: ConfirmedAnswer, description: 'Confirmed' })
  @Refuses(
    'wrong-password',
    'second-factor-required',
    'wrong-code',
    'too-many-attempts',
    'too-many-sign-ins',
  )
  confirmSession(
    @Body() proof: ConfirmBody,
    @SenderPerson() by: Person,
    @Ip() ip: string,
  ): Promise<Confirmed> {
    return this.commands.execute(new ConfirmSession(by, proof, ip));
  }

  @Get('sessions')
  @Requires('own-sessions')
  @ApiOperation({ summary: 'List your sessions' })
  @ApiOkResponse({ type: SessionsAnswer, description: 'The newest first' })
  async listOwnSessions(
    @Sender() by: Identity,
    @SenderPerson() { account }: Person,
  ): Promise<{ items: readonly SessionShown[] }> {
    return { items: await this.queries.execute(new ListSessions(by, account)) };
  }

  @Delete('sessions/:id')
  @Requires('own-sessions')
  @HttpCode(204)
  @ApiOperation({ summary: 'End one of your sessions' })
  @TextParam('id')
  @ApiNoContentResponse({ description: 'Its token is no longer valid' })
  async endOwnSession(
    @Param('id') id: string,
    @Sender() by: Identity,
    @SenderPerson() { account }: Person,
  ): Promise<void> {
    await this.commands.execute(new EndSession(by, account, id));
  }

  @Post('second-factor')
  @Requires('own-factor')
  @ApiOperation({ summary: 'Begin to enroll an authenticator app as second factor' })
  @ApiCreatedResponse({ type: FactorBegunAnswer, description: 'The secret, until it is confirmed' })
  @Refuses('wrong-password', 'too-many-attempts', 'conflict')
  beginFactor(
    @Body() { password }: WithPassword,
    @SenderPerson() by: Person,
    @Ip() ip: string,
  ): Promise<FactorBegun> {
    return this.commands.execute(new BeginFactor(by, password, ip));
  }

  @Post('second-factor/confirm')
  @Requires('own-factor')
  @HttpCode(200)
  @ApiOperation({ summary: 'Enroll the authenticator app, with a code from it' })
  @ApiOkResponse({
    type: RecoveryCodesAnswer,
    description: 'Enrolled; every other session of the account has ended',
  })
  @Refuses('wrong-code', 'too-many-attempts', 'conflict')
  async confirmFactor(
    @Body() { code }: FactorCode,
    @SenderPerson() by: Person,
    @Ip() ip: string,
  ): Promise<{ recoveryCodes: readonly string[] }> {
    return { recoveryCodes: await this.commands.execute(new ConfirmFactor(by, code, ip)) };
  }

  @Post('second-factor/remove')
  @Requires('own-factor')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove the second factor, with the password and a code' })
  @ApiNoContentResponse({ description: 'Removed, with its recovery codes' })
  @Refuses('wrong-password', 'wrong-code', 'too-many-attempts')
  async removeFactor(
    @Body() proof: FactorRemoval,
    @SenderPerson() by: Person,
    @Ip() ip: string,
  ): Promise<void> {
    await this.commands.execute(new RemoveFactor(by, proof, ip));
  }
}

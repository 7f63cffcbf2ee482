import { Body, Controller, Headers, HttpCode, Ip, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../../http/optional.js';
import { Open, Requires } from '../requires.js';
import { Refuses } from '../../problems/refuses.js';
import { UseReset } from '../accounts/password-resets.js';
import { CODE_LENGTH_MAX } from '../credentials/one-time-code.js';
import { SignedInAnswer } from '../identity.answers.js';
import { PasswordField } from '../scope-fields.js';
import type { SignedIn } from './open-session.js';
import { SignIn, SignOut } from './sign-in.js';

/** Longer names are refused before they are looked up. */
const NAME_LENGTH_MAX = 200;

/** Older passwords may be longer than new ones. */
export const GIVEN_PASSWORD_LENGTH_MAX = 256;

class Credentials {
  @ApiProperty({ maxLength: NAME_LENGTH_MAX, example: 'mei.chan' })
  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  name!: string;

  @ApiProperty({ maxLength: GIVEN_PASSWORD_LENGTH_MAX, example: 'correct horse battery' })
  @IsString()
  @MaxLength(GIVEN_PASSWORD_LENGTH_MAX)
  password!: string;

  @ApiPropertyOptional({
    maxLength: CODE_LENGTH_MAX,
    example: '123456',
    description: 'Six digits of the authenticator app, or a recovery code',
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(CODE_LENGTH_MAX)
  code?: string;
}

class ResetBody {
  @ApiProperty({ maxLength: NAME_LENGTH_MAX, example: 'mei.chan' })
  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  name!: string;

  @ApiProperty({ maxLength: CODE_LENGTH_MAX, example: 'K7QF-9M2X-P4WN-T6HB-R3JD' })
  @IsString()
  @MaxLength(CODE_LENGTH_MAX)
  code!: string;

  @PasswordField({ example: 'a staple of batteries' })
  newPassword!: string;
}

/** The routes to sign in and out, and to set a new password with a one-time code. */
@ApiTags('session')
@Controller('v1')
export class SessionController {
  constructor(private readonly commands: CommandBus) {}

  @Post('sign-in')
  @Open()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sign in with name and password; the token goes into the header Authorization',
  })
  @ApiOkResponse({ type: SignedInAnswer, description: 'Signed in' })
  @Refuses(
    'wrong-password',
    'second-factor-required',
    'wrong-code',
    'too-many-attempts',
    'too-many-sign-ins',
    'not-ready',
  )
  signIn(@Body() who: Credentials, @Ip() ip: string): Promise<SignedIn> {
    return this.commands.execute(new SignIn(who, ip));
  }

  @Post('password-reset')
  @Open()
  @HttpCode(204)
  @ApiOperation({ summary: 'Set a new password with the one-time code that an admin issued' })
  @ApiNoContentResponse({ description: 'Set; every session of the account has ended' })
  @Refuses('wrong-code', 'too-many-attempts', 'too-many-sign-ins', 'not-ready')
  async useReset(@Body() use: ResetBody, @Ip() ip: string): Promise<void> {
    await this.commands.execute(new UseReset(use, ip));
  }

  @Post('sign-out')
  @Requires('own-session')
  @HttpCode(204)
  @ApiOperation({ summary: 'Sign out' })
  @ApiNoContentResponse({ description: 'The token is no longer valid' })
  @Refuses('invalid-request')
  async signOut(@Headers('authorization') authorization: string): Promise<void> {
    await this.commands.execute(new SignOut(authorization));
  }
}

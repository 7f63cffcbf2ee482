import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsBoolean, IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../../http/optional.js';
import { Instance, Open, Requires } from '../requires.js';
import { Refuses } from '../../problems/refuses.js';
import { UseReset } from '../accounts/password-resets.js';
import { CODE_LENGTH_MAX } from '../credentials/one-time-code.js';
import { Cookie, SessionCookie } from '../credentials/session-cookie.js';
import { SignedInAnswer } from '../identity.answers.js';
import { PasswordField } from '../scope-fields.js';
import { whoTries } from './attempts.js';
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

  @ApiPropertyOptional({
    example: false,
    description:
      'Whether the session is a cookie, for a page of this server. The answer then has no token',
  })
  @MayBeAbsent()
  @IsBoolean()
  cookie?: boolean;
}

/** The header that sets the session cookie or removes it. */
const setCookie = (description: string) => ({
  'Set-Cookie': { description, schema: { type: 'string' } },
});

class ResetBody {
  @ApiProperty({ maxLength: NAME_LENGTH_MAX, example: 'mei.chan' })
  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  name!: string;

  @ApiProperty({ maxLength: CODE_LENGTH_MAX, example: 'K7QF-9M2X-P4WN-T6HB-R3JD-V8CZ-5YGE' })
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
    summary: 'Sign in with name and password',
    description:
      'The token goes into the header `Authorization`. With `cookie` there is none, and a browser sends the session by itself. That is for pages of this server: such a sign-in, and every request with the cookie that may change something, needs `Sec-Fetch-Site: same-origin` or, without that header, an `Origin` equal to the host.',
  })
  @ApiOkResponse({
    type: SignedInAnswer,
    description: 'Signed in',
    headers: setCookie('The session, if `cookie` is true'),
  })
  @Refuses(
    'wrong-password',
    'cross-site',
    'second-factor-required',
    'wrong-code',
    'too-many-attempts',
    'too-many-sign-ins',
    'not-ready',
  )
  async signIn(
    @Body() { cookie = false, ...who }: Credentials,
    @Ip() ip: string,
    @Instance() instance: string,
    @Cookie() session: SessionCookie,
  ): Promise<SignedIn | Omit<SignedIn, 'token'>> {
    if (!cookie) return this.commands.execute(new SignIn(who, ip, instance));
    session.requireOwnPage(whoTries(who.name));
    const { token, ...shown } = await this.commands.execute(new SignIn(who, ip, instance));
    // Nobody has the token of the cookie that this one replaces.
    if (session.kept) await this.commands.execute(new SignOut(session.kept));
    session.keep(token);
    return shown;
  }

  @Post('password-reset')
  @Open()
  @HttpCode(204)
  @ApiOperation({ summary: 'Set a new password with the one-time code that an admin issued' })
  @ApiNoContentResponse({ description: 'Set; every session of the account has ended' })
  @Refuses('wrong-code', 'too-many-attempts', 'too-many-sign-ins', 'not-ready')
  async useReset(
    @Body() use: ResetBody,
    @Ip() ip: string,
    @Instance() instance: string,
  ): Promise<void> {
    await this.commands.execute(new UseReset(use, ip, instance));
  }

  @Post('sign-out')
  @Requires('own-session')
  @HttpCode(204)
  @ApiOperation({ summary: 'Sign out' })
  @ApiNoContentResponse({
    description: 'The session has ended',
    headers: setCookie('Removes the cookie, if the session was one'),
  })
  @Refuses('invalid-request')
  async signOut(@Cookie() session: SessionCookie): Promise<void> {
    await this.commands.execute(new SignOut(session.shown));
    session.removeIfShown();
  }
}

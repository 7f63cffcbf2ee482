import { Body, Controller, Get, Headers, HttpCode, Ip, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { PERMISSIONS, type Permission, permitted, type Role } from '../permissions.js';
import { Open, Requires, Sender } from '../requires.js';
import { Refuses } from '../../problems/refuses.js';
import { MeAnswer, SignedInAnswer } from '../identity.answers.js';
import type { Identity } from '../identity.js';
import { PASSWORD_LENGTH_MAX } from '../credentials/passwords.js';
import { SignIn, type SignedIn, SignOut } from './sign-in.js';

/** Longer names are refused before they are looked up. */
const NAME_LENGTH_MAX = 200;

class Credentials {
  @ApiProperty({ maxLength: NAME_LENGTH_MAX, example: 'mei.chan' })
  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  name!: string;

  @ApiProperty({ maxLength: PASSWORD_LENGTH_MAX, example: 'correct horse battery' })
  @IsString()
  @MaxLength(PASSWORD_LENGTH_MAX)
  password!: string;
}

/** The answer of `GET /v1/me`. */
export interface Me {
  readonly id: string;
  readonly roles: readonly (Role | 'device')[];
  readonly tables: readonly string[];
  readonly permissions: readonly Permission[];
}

/** The routes to sign in, to sign out, and to show the identity of a token. */
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
  @Refuses('wrong-password', 'too-many-attempts', 'too-many-sign-ins', 'not-ready')
  signIn(@Body() { name, password }: Credentials, @Ip() ip: string): Promise<SignedIn> {
    return this.commands.execute(new SignIn(name, password, ip));
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

  @Get('me')
  @Requires('own-session')
  @ApiOperation({ summary: 'Show the identity of the token and what it may do' })
  @ApiOkResponse({ type: MeAnswer, description: 'The identity of the token' })
  getMe(@Sender() { id, roles, tables }: Identity): Me {
    const permissions = (Object.keys(PERMISSIONS) as Permission[]).filter((permission) =>
      permitted(permission, roles),
    );
    return { id, roles, tables: tables === 'all' ? ['*'] : tables, permissions };
  }
}

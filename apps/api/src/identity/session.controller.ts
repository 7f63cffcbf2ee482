import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { PERMISSIONS, type Permission, permitted, type Role } from './permissions.js';
import { checkedBody } from '../http/validation.pipe.js';
import { Open, Requires, Sender } from './requires.js';
import type { Identity } from './identity.js';
import { PASSWORD_LENGTH_MAX } from './passwords.js';
import { SignIn, type SignedIn, SignOut } from './sign-in.js';

class Credentials {
  @ApiProperty({ example: 'mei.chan' })
  @IsString()
  @MaxLength(200)
  name!: string;

  @ApiProperty({ example: 'correct horse battery' })
  @IsString()
  @MaxLength(PASSWORD_LENGTH_MAX)
  password!: string;
}

/** What `GET /v1/me` tells. */
export interface Me {
  readonly id: string;
  readonly roles: readonly (Role | 'device')[];
  readonly tables: readonly string[];
  readonly permissions: readonly Permission[];
}

@ApiTags('sign-in')
@Controller('v1')
export class SessionController {
  constructor(private readonly commands: CommandBus) {}

  @Post('sign-in')
  @Open()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sign in with name and password; the token goes into the header Authorization',
  })
  @ApiResponse({
    status: 200,
    schema: {
      example: { token: 'sps_0f1e2d3c4b5a6978_...', expiresAt: '2026-11-21T00:00:00.000Z' },
    },
  })
  signIn(
    @Body(checkedBody()) { name, password }: Credentials,
    @Req() { ip }: FastifyRequest,
  ): Promise<SignedIn> {
    return this.commands.execute(new SignIn(name, password, ip));
  }

  @Post('sign-out')
  @Requires('own-session')
  @HttpCode(204)
  @ApiOperation({ summary: 'End this session' })
  @ApiResponse({ status: 204, description: 'The token is good for nothing any more' })
  async signOut(@Req() { headers }: FastifyRequest): Promise<void> {
    await this.commands.execute(new SignOut(headers.authorization));
  }

  @Get('me')
  @Requires('own-session')
  @ApiOperation({ summary: 'Who this token is, and what it may do' })
  @ApiResponse({
    status: 200,
    schema: {
      example: {
        id: 'person/mei.chan',
        roles: ['pit-boss'],
        tables: ['B07', 'B08'],
        permissions: ['read-tables', 'read-findings'],
      },
    },
  })
  me(@Sender() { id, roles, tables }: Identity): Me {
    const permissions = (Object.keys(PERMISSIONS) as Permission[]).filter((permission) =>
      permitted(permission, roles),
    );
    return { id, roles, tables: tables === 'all' ? ['*'] : tables, permissions };
  }
}

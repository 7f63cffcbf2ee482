import { Injectable } from '@nestjs/common';
import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { asError } from '#process';
import { hasMetricsToken } from '#server';
import { ApiSettings } from '../settings/api-settings.js';
import { Problem } from '../problems/problems.js';
import { isHarmless } from './credentials/same-origin.js';
import { isByCookie, tokenOf } from './credentials/session-cookie.js';
import type { RouteNeeds } from './requires.js';
import { Identities } from './identities.js';
import { type Identity, may } from './identity.js';

/**
 * Guards every route, Nest's and others, before the body is read, so that no stranger makes the
 * server read 16 MiB. A route that declares nothing refuses everybody.
 */
@Injectable()
export class Gate {
  constructor(
    private readonly identities: Identities,
    private readonly settings: ApiSettings,
  ) {}

  /** A Fastify `onRequest` hook. Sets `request.identity`, and ends the request with a problem if it may not pass. */
  readonly check = (
    request: FastifyRequest,
    _reply: unknown,
    done: HookHandlerDoneFunction,
  ): void => {
    if (request.is404) return done();
    const { needs, openBy } = request.routeOptions.config as Partial<RouteNeeds>;
    if (needs === 'nothing' || (openBy && this.settings[openBy])) return done();
    if (needs === 'read-metrics' && hasMetricsToken(this.settings, request.headers.authorization))
      return done();
    const token = tokenOf(request);
    if (token && isByCookie(request) && !isHarmless(request))
      return done(new Problem('cross-site'));
    const identity = this.identities.of(token);
    if (!(identity instanceof Promise)) return done(admit(request, needs, identity));
    identity.then(
      (found) => done(admit(request, needs, found)),
      (error: unknown) => done(asError(error)),
    );
  };
}

function admit(
  request: FastifyRequest,
  needs: RouteNeeds['needs'] | undefined,
  identity: Identity | undefined,
): Problem | undefined {
  if (!identity) return new Problem('not-signed-in');
  request.identity = identity;
  switch (needs === undefined || needs === 'nothing' ? 'no' : may(identity, needs)) {
    case 'no':
      return new Problem('not-permitted', needs && `this requires the permission ${needs}`);
    case 'password-change':
      return new Problem('password-change-required');
    case 'second-factor':
      return new Problem('second-factor-enrollment-required');
    case 'yes':
      return undefined;
  }
}

import { Injectable } from '@nestjs/common';
import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { permitted } from './permissions.js';
import { CHALLENGE, Problem } from '../problems/problems.js';
import type { RouteNeeds } from './requires.js';
import { Identities } from './identities.js';
import type { Identity } from './identity.js';

/**
 * Guards every route, Nest's and others, before the body is read, so that no stranger makes the
 * server read 16 MiB. A route that declares nothing refuses everybody.
 */
@Injectable()
export class Gate {
  constructor(private readonly identities: Identities) {}

  /** A Fastify `onRequest` hook. Sets `request.identity`, and ends the request with a problem if it may not pass. */
  readonly check = (
    request: FastifyRequest,
    _reply: unknown,
    done: HookHandlerDoneFunction,
  ): void => {
    if (request.is404) return done();
    const { needs } = request.routeOptions.config as Partial<RouteNeeds>;
    if (needs === 'nothing') return done();
    const identity = this.identities.of(request.headers.authorization);
    if (!(identity instanceof Promise)) return done(admit(request, needs, identity));
    identity.then(
      (found) => done(admit(request, needs, found)),
      (error: unknown) => done(error as Error),
    );
  };
}

function admit(
  request: FastifyRequest,
  needs: RouteNeeds['needs'] | undefined,
  identity: Identity | undefined,
): Problem | undefined {
  if (!identity) return new Problem('not-signed-in', undefined, { headers: CHALLENGE });
  request.identity = identity;
  if (needs === undefined || needs === 'nothing' || !permitted(needs, identity.roles))
    return new Problem('not-permitted', needs && `this asks for the permission ${needs}`);
  return undefined;
}

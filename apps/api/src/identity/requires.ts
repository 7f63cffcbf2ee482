import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiCookieAuth, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Identity, Person } from './identity.js';
import { instanceOf } from '../problems/refusal-log.js';
import { Refuses } from '../problems/refuses.js';
import type { Permission } from './permissions.js';

/** The name of the session cookie among the security schemes of the document. */
export const COOKIE_SCHEME = 'cookieAuth';

/** The settings that open routes to everybody: pages for operators and developers, the site log. */
type OpeningSetting = 'openPages' | 'publicSiteLog';

/** What a route declares for the gate in its Fastify config. */
export interface RouteNeeds {
  readonly needs: Permission | 'nothing';
  /** The setting that opens it to everybody, signed in or not. */
  readonly openBy?: OpeningSetting;
  /** Whether its method takes the query. If not, a query is refused. */
  readonly takesQuery?: boolean;
}

/**
 * Declares the permission that a route needs. Every route has exactly one of `Requires` and `Open`.
 * A route with neither refuses everybody. The declaration is in Fastify's route config, so the gate
 * refuses before the body is read, and a query where the method has no parameter for one.
 * `takesQuery` says that a decorator of its own reads the query, and refuses what it does not know.
 */
export const Requires = (
  permission: Permission,
  { takesQuery }: Pick<RouteNeeds, 'takesQuery'> = {},
): MethodDecorator => applyDecorators(needsAndQuery(permission, takesQuery), identified());

/** Documents that a route is for those whom the server knows. */
const identified = (): MethodDecorator =>
  applyDecorators(
    ApiBearerAuth(),
    ApiCookieAuth(COOKIE_SCHEME),
    Refuses(
      'not-signed-in',
      'not-permitted',
      'password-change-required',
      'second-factor-enrollment-required',
      'not-ready',
    ),
  );

const needsAndQuery =
  (needs: Permission, declared?: boolean): MethodDecorator =>
  (controller, method, descriptor) => {
    const parameters: unknown = Reflect.getMetadata(
      ROUTE_ARGS_METADATA,
      controller.constructor,
      method,
    );
    const takesQuery =
      declared ??
      Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
    RouteConfig({ needs, takesQuery } satisfies RouteNeeds)(controller, method, descriptor);
    if (!takesQuery) Refuses('invalid-request')(controller, method, descriptor);
  };

/**
 * Declares the permission that a route needs where the settings do not open it to everybody: the
 * pages for operators, by default. Like a file of a web server, such a page ignores a query.
 */
export const RequiresUnlessOpen = (
  permission: Permission,
  openBy: OpeningSetting = 'openPages',
): MethodDecorator =>
  applyDecorators(
    identified(),
    ApiSecurity({}), // pages are open on the loopback interface, by default
    RouteConfig({ needs: permission, openBy } satisfies RouteNeeds),
  );

/** Declares that a route is for everybody, signed in or not. */
export const Open = (): MethodDecorator => RouteConfig({ needs: 'nothing' } satisfies RouteNeeds);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate on every route that requires a permission. */
    identity?: Identity;
  }
}

/**
 * Returns the identity of a request that passed the gate. Throws on an open route, where requests
 * have no identity.
 */
export function identityOf(request: FastifyRequest): Identity {
  if (!request.identity)
    throw new Error(
      `${request.method} ${request.routeOptions.url ?? ''} is open and has no identity`,
    );
  return { instance: instanceOf(request), ...request.identity };
}

/** Returns the person of an identity. Throws for a device. */
export function personIn({ id, person }: Identity): Person {
  if (!person) throw new Error(`${id} is not a person`);
  return person;
}

/** Injects the person who sent the request. Only for routes that no device may use. */
export const SenderPerson = createParamDecorator(
  (_: unknown, context: ExecutionContext): Person => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return { ...personIn(identityOf(request)), instance: instanceOf(request) };
  },
);

/** Injects the identity that sent the request into a controller method. */
export const Sender = createParamDecorator((_: unknown, context: ExecutionContext): Identity =>
  identityOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Injects the id of the request, as its answer and lines of the log have it. */
export const Instance = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  instanceOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

import type { RouteOptions } from 'fastify';
import type { RouteNeeds } from '../identity/requires.js';

/** A route as it is registered: its template, a method, and what it asks for; undefined where nobody declared it, which refuses everybody. */
export interface RegisteredRoute {
  readonly method: string;
  readonly url: string;
  readonly needs: RouteNeeds['needs'] | undefined;
}

/** Every route that the server has, as Fastify registers them: for `Allow`, and for the test that walks them all. */
export class RoutePaths {
  private readonly routes: (RegisteredRoute & { readonly pattern: RegExp })[] = [];

  add({ method, url, config }: RouteOptions): void {
    const { needs } = (config ?? {}) as Partial<RouteNeeds>;
    for (const each of Array.isArray(method) ? method : [method])
      this.routes.push({ method: each, url, needs, pattern: patternOf(url) });
  }

  get all(): readonly RegisteredRoute[] {
    return this.routes;
  }

  /** The methods that a path takes; none where it leads nowhere. `url` may have a query. */
  methodsOf(url: string): string[] {
    const path = url.replace(/[?#].*$/s, '');
    return [
      ...new Set(
        this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method),
      ),
    ].sort();
  }
}

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) =>
        part.startsWith(':')
          ? '[^/]+'
          : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*'),
      )
      .join('/')}/?$`,
  );

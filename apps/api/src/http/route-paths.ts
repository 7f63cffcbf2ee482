import type { RouteOptions } from 'fastify';
import type { RouteNeeds } from '../identity/requires.js';

/**
 * A registered route: its template, a method, and what it needs. `needs` is undefined if the route
 * declares nothing. Such a route refuses everybody.
 */
export interface RegisteredRoute {
  readonly method: string;
  readonly url: string;
  readonly needs: RouteNeeds['needs'] | undefined;
}

/**
 * Keeps every route that Fastify registers, for the header `Allow` and for the test of all routes.
 */
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

  /**
   * Returns the methods that a path takes, or an empty list if no route matches it. A path that is
   * a route word for word has the methods of that route, and not those of a parameter in its place.
   * `url` may have a query.
   */
  methodsOf(url: string): string[] {
    const path = url.replace(/[?#].*$/s, '');
    const fitting = this.routes.filter(({ pattern }) => pattern.test(path));
    const exact = fitting.filter((route) => route.url === path.replace(/\/$/, ''));
    const routes = exact.length > 0 ? exact : fitting;
    return [...new Set(routes.map(({ method }) => method))].sort();
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

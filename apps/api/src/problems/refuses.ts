import type { ProblemName } from './problems.js';

const REFUSALS = new Map<string, Set<ProblemName>>();

/** Declares problems that a route may answer, in addition to those declared before. */
export const Refuses =
  (...names: readonly ProblemName[]): MethodDecorator =>
  (_controller, method) => {
    const operation = String(method);
    REFUSALS.set(operation, new Set([...refusalsOf(operation), ...names]));
  };

/**
 * Returns the problems that a route declares. A route is named by its method, which is also its
 * operation id.
 */
export const refusalsOf = (operation: string): ReadonlySet<ProblemName> =>
  REFUSALS.get(operation) ?? new Set();

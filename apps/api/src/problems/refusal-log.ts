import { Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { tokenOf } from '../identity/credentials/session-cookie.js';
import { addressShown } from '../identity/sessions/client-address.js';
import type { Problem } from './problems.js';

/** The most lines in a second. A flood of requests must not become a flood of lines. */
const LINES_MAX = 20;
const SECOND_MS = 1_000;
/** The refusals that are about who asks. */
const STATUSES: readonly number[] = [401, 403, 429];

/**
 * Logs who was refused, from where and what. Logs at most 20 lines a second, then one that has the
 * number of those left out.
 */
export class RefusalLog {
  private readonly logger = new Logger('refusals');
  private lines = 0;
  private leftOut = 0;
  private second: NodeJS.Timeout | undefined;

  /** Logs a refusal with status 401, 403 or 429. Ignores any other problem. */
  add(problem: Problem, request: FastifyRequest): void {
    if (!STATUSES.includes(problem.status)) return;
    this.second ??= setTimeout(() => this.endSecond(), SECOND_MS).unref();
    if (this.lines >= LINES_MAX) {
      this.leftOut += 1;
      return;
    }
    this.lines += 1;
    this.logger.warn({
      message: 'request refused',
      instance: instanceOf(request),
      problem: problem.problem,
      who: whoAsks(problem, request),
      from: addressShown(request.ip),
      method: request.method,
      route: request.routeOptions.url,
    });
  }

  /** Logs how many lines were left out since the last call, if any. */
  endSecond(): void {
    clearTimeout(this.second);
    this.second = undefined;
    if (this.leftOut > 0)
      this.logger.warn({ message: 'refused requests omitted from the log', count: this.leftOut });
    this.lines = 0;
    this.leftOut = 0;
  }
}

/** Returns the id of a request, as answers and log lines have it. */
export const instanceOf = ({ id }: FastifyRequest): string => `urn:uuid:${id}`;

/** Returns the identity, the name that was tried, or the public part of an unknown token. */
function whoAsks({ extras }: Problem, request: FastifyRequest): string {
  const token = tokenOf(request);
  return request.identity?.id ?? extras.who ?? (token ? `${token.kind}_${token.id}` : '(nobody)');
}

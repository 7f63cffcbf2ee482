import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { visible } from '#process';
import { isDatabaseAway } from '#read-model';
import {
  CHALLENGE,
  documentOf,
  Problem,
  PROBLEM_MEDIA_TYPE,
  type ProblemName,
} from './problems.js';
import { instanceOf, type RefusalLog } from './refusal-log.js';
import { RoutePaths } from '../http/route-paths.js';

/**
 * Answers whatever a request throws as a problem document. An unforeseen error is a 500 with an id,
 * under which the log has the stack.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter<unknown> {
  private readonly logger = new Logger('api');

  constructor(
    private readonly paths: RoutePaths,
    private readonly refusals: RefusalLog,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = this.problemOf(thrown, request);
    if (problem.problem === 'internal-fault') this.log(problem, request);
    this.refusals.add(problem, request);
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    sendProblem(reply, problem);
  }

  private problemOf(thrown: unknown, request: FastifyRequest): Problem {
    if (thrown instanceof Problem) return thrown;
    if (thrown instanceof HttpException && thrown.getStatus() < 500)
      return this.ofStatus(thrown, request);
    if (isDatabaseAway(thrown))
      return new Problem('not-ready', 'the database does not answer', {
        headers: { 'Retry-After': '1' },
        cause: thrown,
      });
    return new Problem('internal-fault', undefined, {
      instance: instanceOf(request),
      cause: thrown,
    });
  }

  private ofStatus(thrown: HttpException, request: FastifyRequest): Problem {
    const status = thrown.getStatus();
    if (status === 404) return this.nowhere(request);
    const code = (thrown.cause as { readonly code?: string } | undefined)?.code;
    return new Problem(
      BY_STATUS[status] ?? 'malformed-request',
      code === undefined ? thrown.message : WORDS[code],
      { cause: thrown },
    );
  }

  private nowhere(request: FastifyRequest): Problem {
    const methods = this.paths.methodsOf(request.url);
    if (methods.length === 0 || methods.includes(request.method)) return new Problem('not-found');
    return new Problem(
      'method-not-allowed',
      `the method must be ${methods.join(' or ')}, not ${request.method}`,
      {
        headers: { Allow: methods.join(', ') },
      },
    );
  }

  private log(problem: Problem, request: FastifyRequest): void {
    const { cause } = problem;
    const what = {
      message: 'request failed with an internal error',
      instance: problem.extras.instance,
      method: request.method,
      route: request.routeOptions?.url,
      error: cause instanceof Error ? cause.message : String(cause),
    };
    this.logger.error(what, cause instanceof Error ? cause.stack : undefined);
  }
}

/**
 * Sends a problem as the answer. It sends bytes, because Fastify adds a charset to the media type
 * of a text, and JSON takes no charset.
 */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { headers } = problem.extras;
  for (const name of OF_THE_ANSWER) void reply.removeHeader(name);
  if (headers) reply.headers(headers);
  if (problem.status === 401) reply.headers(CHALLENGE);
  void reply
    .code(problem.status)
    .header('Content-Type', PROBLEM_MEDIA_TYPE)
    .header('Cache-Control', 'no-store')
    .send(Buffer.from(visible(JSON.stringify(documentOf(problem)))));
}

/** What a route may have said about its answer before it was refused. */
const OF_THE_ANSWER = [
  'ETag',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Accept-Ranges',
];

const BY_STATUS: Readonly<Record<number, ProblemName>> = {
  401: 'not-signed-in',
  403: 'not-permitted',
  405: 'method-not-allowed',
  406: 'not-acceptable',
  408: 'too-slow',
  409: 'conflict',
  412: 'precondition-failed',
  413: 'too-large',
  415: 'media-type-not-taken',
  429: 'too-many-attempts',
};

/** Our words for the errors of the parser, whose own may quote the body. */
const WORDS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body is empty where JSON was announced',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is not JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as Content-Length says',
  FST_ERR_BAD_URL: 'the path is not well encoded',
};

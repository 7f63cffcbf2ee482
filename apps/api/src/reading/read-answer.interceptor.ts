import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { ReadAt } from '#read-model';
import { acceptsJson, formatAsked } from './formats.js';
import { identityOf } from '../identity/requires.js';
import { LOG_POSITION } from './positions.js';
import { seesFindings, shownTo } from './view.js';

/**
 * The CSV form of an answer: the name that a browser gives the file, and its text, with or without
 * columns of findings.
 */
export interface CsvFile<Answer = never> {
  readonly name: string;
  readonly of: (answer: Answer, seesFindings: boolean) => string;
}

/** Declares that a route answers CSV as well as JSON. */
export const InCsv = Reflector.createDecorator<CsvFile>();

/**
 * Turns what was read into an answer: JSON or CSV, with its positions and ETag, or 304 if the
 * reader has it already.
 */
@Injectable()
export class ReadAnswer implements NestInterceptor<ReadAt<object>, string | undefined> {
  constructor(private readonly reflector: Reflector) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler<ReadAt<object>>,
  ): Observable<string | undefined> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const csv = this.reflector.get(InCsv, context.getHandler()) as CsvFile<object> | undefined;
    const identity = identityOf(request);
    if (!csv) acceptsJson(request);
    return next.handle().pipe(
      map(({ positions, result }) => {
        void reply.header(LOG_POSITION, positions).header('Vary', 'Accept, Authorization');
        const shown = shownTo(identity, result);
        const { format, bom } = request.query as { format?: unknown; bom?: unknown };
        return csv && formatAsked(request, format) === 'csv'
          ? inCsv(
              request,
              reply,
              csv.name,
              `${bom === 'true' ? '\uFEFF' : ''}${csv.of(shown, seesFindings(identity))}`,
            )
          : unlessKnown(request, reply, JSON.stringify({ positions, ...shown }), JSON_TYPE);
      }),
    );
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

function inCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  text: string,
): string | undefined {
  const body = unlessKnown(request, reply, text, 'text/csv; charset=utf-8');
  if (body !== undefined)
    void reply.header('Content-Disposition', `attachment; filename="${name}.csv"`);
  return body;
}

/** Returns the body, or undefined with status 304 if `If-None-Match` names its ETag. */
function unlessKnown(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  body: string,
  type: string,
): string | undefined {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  void reply.header('ETag', tag);
  const known = (headers['if-none-match'] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  if (known.includes(tag) || known.includes('*')) {
    void reply.code(304);
    return undefined;
  }
  void reply.header('Content-Type', type);
  return body;
}

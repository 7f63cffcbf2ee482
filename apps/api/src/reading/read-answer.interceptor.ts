import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
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
import { identityOf } from '../identity/requires.js';
import { Export } from './export.js';
import { acceptsJson, type Mark } from './formats.js';
import { unlessKnown } from './known-answer.js';
import { LOG_POSITION } from './positions.js';
import { shownTo } from './view.js';

/** Declares that a route answers CSV as well as JSON. */
export const InCsv = Reflector.createDecorator<true>();

/**
 * Turns what was read into an answer: JSON with its positions and ETag, or 304 if the reader has it
 * already; or a file that is sent as it is read, and so has no ETag.
 */
@Injectable()
export class ReadAnswer implements NestInterceptor<ReadAt<object> | Export, Answer> {
  constructor(private readonly reflector: Reflector) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler<ReadAt<object> | Export>,
  ): Observable<Answer> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const isFile = this.reflector.get(InCsv, context.getHandler()) as true | undefined;
    if (!isFile) acceptsJson(request);
    return next.handle().pipe(
      map((read) => {
        void reply.header(LOG_POSITION, read.positions).header('Vary', 'Accept, Authorization');
        if (read instanceof Export) return fileOf(request, reply, read);
        const shown = shownTo(identityOf(request), read.result);
        const body = JSON.stringify({ positions: read.positions, ...shown });
        const tag = createHash('sha256').update(body).digest('base64url').slice(0, 27);
        return unlessKnown(request, reply, { tag, body });
      }),
    );
  }
}

type Answer = string | Readable | undefined;

/** Returns a file, empty for a request that asks for its headers alone. */
function fileOf({ method, query }: FastifyRequest, reply: FastifyReply, file: Export): Readable {
  void reply
    .header('Content-Type', 'text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${file.name}.csv"`);
  if (method !== 'HEAD') return file.send((query as { bom?: Mark }).bom === 'true' ? '\uFEFF' : '');
  void file.close();
  return Readable.from([]);
}

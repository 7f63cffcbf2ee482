import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { ReadAt } from '#read-model';
import { identityOf } from '../identity/requires.js';
import { Export } from './files/export.js';
import { formatAsked } from './files/formats.js';
import { unlessKnown } from './known-answer.js';
import { offeredBy } from './files/offers.js';
import { LOG_POSITION, PASSED_RECORDS } from './positions.js';
import { shownTo } from './view.js';

/**
 * Turns what was read into an answer: JSON with its positions and ETag, or 304 if the reader has it
 * already; or a file that is sent as it is read, and so has no ETag.
 */
@Injectable()
export class ReadAnswer implements NestInterceptor<ReadAt<object> | Export, Answer> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<ReadAt<object> | Export>,
  ): Observable<Answer> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    formatAsked(request, offeredBy(context), (request.query as { format?: unknown }).format);
    return next.handle().pipe(
      map((read) => {
        void reply.header('Vary', 'Accept, Authorization');
        if (read instanceof Export) return fileOf(request, reply, read);
        void reply.header(LOG_POSITION, read.positions);
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
function fileOf({ method }: FastifyRequest, reply: FastifyReply, file: Export): Readable {
  const { name, mediaType, positions, passed = [] } = file.head;
  void reply
    .header(LOG_POSITION, positions)
    .header('Content-Type', mediaType)
    .header('Content-Disposition', `attachment; filename="${name}"`);
  if (passed.length > 0)
    void reply.header(
      PASSED_RECORDS,
      passed.map(({ partition, offset }) => `${partition}:${offset}`).join(','),
    );
  if (method !== 'HEAD') return file.send();
  void file.close();
  return Readable.from([]);
}

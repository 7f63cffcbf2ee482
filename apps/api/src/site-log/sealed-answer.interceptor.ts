import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { unlessKnown } from '../reading/known-answer.js';
import type { SealedFile } from './site-log.js';

const YEAR_S = 31_536_000;

/**
 * Sends a file of the site log, or 304 if the reader has it. What never changes may be kept for a
 * year, by caches on the way only if nobody had to sign in for it.
 */
@Injectable()
export class SealedAnswer implements NestInterceptor<SealedFile, Uint8Array | string | undefined> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<SealedFile>,
  ): Observable<Uint8Array | string | undefined> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map(({ type, body, stays }) => {
        const kept = `${request.identity ? 'private' : 'public'}, max-age=${YEAR_S}, immutable`;
        void reply.header('Cache-Control', stays ? kept : 'no-cache');
        const tag = createHash('sha256').update(body).digest('base64url');
        return unlessKnown(request, reply, { tag, body, type });
      }),
    );
  }
}

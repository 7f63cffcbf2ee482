import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { Policy } from '#audit';
import type { Rules } from '#baccarat';
import { formatAsked } from '../reading/files/formats.js';
import { unlessKnown } from '../reading/known-answer.js';

/** Sends a document byte for byte as it was published, or 304 if the reader has it already. */
@Injectable()
export class PublishedAnswer implements NestInterceptor<Rules | Policy, string | undefined> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<Rules | Policy>,
  ): Observable<string | undefined> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    formatAsked(request, ['json']);
    return next
      .handle()
      .pipe(map(({ hash, text }) => unlessKnown(request, reply, { tag: hash, body: text })));
  }
}

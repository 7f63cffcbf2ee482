import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { positionsText } from '#read-model';
import { identityOf, personIn } from '../identity/requires.js';
import { LOG_POSITION } from '../reading/positions.js';
import type { BulkDone } from './bulk.js';
import { bulkAnswer } from './bulk-request.js';

/** Answers a ruling for many findings with what became of each, and the position it reached. */
@Injectable()
export class BulkAnswered implements NestInterceptor<BulkDone, object> {
  intercept(context: ExecutionContext, next: CallHandler<BulkDone>): Observable<object> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((done) => {
        if (done.written.size > 0) void reply.header(LOG_POSITION, positionsText(done.written));
        return bulkAnswer(done, personIn(identityOf(request)).id);
      }),
    );
  }
}

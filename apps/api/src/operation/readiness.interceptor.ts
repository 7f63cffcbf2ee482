import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';
import type { Readiness } from './readiness.js';

/** Answers 503 while the server is not ready, with the same body. */
@Injectable()
export class ReadinessStatus implements NestInterceptor<Readiness, Readiness> {
  intercept(context: ExecutionContext, next: CallHandler<Readiness>): Observable<Readiness> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(tap(({ ready }) => void reply.code(ready ? 200 : 503)));
  }
}

import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

/** Turns what a controller method returns into an answer. A subclass says which. */
export abstract class AnswerInterceptor<Result, Answer> implements NestInterceptor<Result, Answer> {
  /** Returns the body of the answer, and sets its status and headers. */
  protected abstract answer(result: Result, reply: FastifyReply): Answer;

  intercept(context: ExecutionContext, next: CallHandler<Result>): Observable<Answer> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(map((result) => this.answer(result, reply)));
  }
}

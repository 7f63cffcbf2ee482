import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { AccountChanged, AccountShown } from './accounts.js';

/** Answers with the account, or with 202 and its pending grant where another admin must confirm. */
@Injectable()
export class ChangeAnswer implements NestInterceptor<
  AccountChanged,
  AccountShown | AccountChanged
> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<AccountChanged>,
  ): Observable<AccountShown | AccountChanged> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((changed) => {
        if (!changed.grant) return changed.account;
        void reply.code(202);
        return changed;
      }),
    );
  }
}

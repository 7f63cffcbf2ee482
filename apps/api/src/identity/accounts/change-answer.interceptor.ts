import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInterceptor } from '../../http/answer.interceptor.js';
import type { AccountChanged, AccountShown } from './accounts.js';

/** Answers with the account, or with 202 and its pending grant where another admin must confirm. */
@Injectable()
export class ChangeAnswer extends AnswerInterceptor<AccountChanged, AccountShown | AccountChanged> {
  protected answer(changed: AccountChanged, reply: FastifyReply): AccountShown | AccountChanged {
    if (!changed.grant) return changed.account;
    void reply.code(202);
    return changed;
  }
}

import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { positionsText } from '#read-model';
import { AnswerInterceptor } from '../../http/answer.interceptor.js';
import { identityOf, personIn } from '../../identity/requires.js';
import { LOG_POSITION } from '../../reading/positions.js';
import type { BulkDone } from './bulk.js';
import { bulkAnswer } from './bulk-request.js';

/** Answers a ruling for many findings with what became of each, and the position it reached. */
@Injectable()
export class BulkAnswered extends AnswerInterceptor<BulkDone, object> {
  protected answer(done: BulkDone, reply: FastifyReply): object {
    if (done.written.size > 0) void reply.header(LOG_POSITION, positionsText(done.written));
    return bulkAnswer(done, personIn(identityOf(reply.request)).id);
  }
}

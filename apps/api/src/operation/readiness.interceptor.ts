import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInterceptor } from '../http/answer.interceptor.js';
import type { Readiness } from './readiness.js';

/** Answers 503 while the server is not ready, with the same body. */
@Injectable()
export class ReadinessStatus extends AnswerInterceptor<Readiness, Readiness> {
  protected answer(readiness: Readiness, reply: FastifyReply): Readiness {
    void reply.code(readiness.ready ? 200 : 503);
    return readiness;
  }
}

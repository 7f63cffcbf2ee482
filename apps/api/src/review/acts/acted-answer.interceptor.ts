import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInterceptor } from '../../http/answer.interceptor.js';
import { identityOf, personIn } from '../../identity/requires.js';
import { LOG_POSITION } from '../../reading/positions.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { actAnswer } from './act.answers.js';
import { type Acted, isTaken, actPosition } from './acts.js';

/**
 * Answers commands on findings: 200 with what became of them, 202 with where to ask, or 204 if
 * there was no finding.
 */
@Injectable()
export class ActedAnswer extends AnswerInterceptor<Acted | undefined, object | undefined> {
  constructor(private readonly settings: ApiSettings) {
    super();
  }

  protected answer(acted: Acted | undefined, reply: FastifyReply): object | undefined {
    if (!acted) {
      void reply.code(204);
      return undefined;
    }
    if (isTaken(acted)) {
      void reply.header(LOG_POSITION, actPosition(acted.act));
      return actAnswer(acted, personIn(identityOf(reply.request)).id);
    }
    const { ref, table, finding, at } = acted;
    const path = `/v1/review-events/${encodeURIComponent(ref)}?table=${encodeURIComponent(table)}`;
    void reply
      .code(202)
      .header(LOG_POSITION, at)
      .header('Location', `${this.settings.basePath}${path}`);
    return { ref, table, finding };
  }
}

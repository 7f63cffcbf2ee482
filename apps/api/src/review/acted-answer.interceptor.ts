import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { identityOf, personIn } from '../identity/requires.js';
import { LOG_POSITION } from '../reading/positions.js';
import { ApiSettings } from '../settings/api-settings.js';
import { actAnswer } from './act.answers.js';
import { type Acted, isTaken, actPosition } from './acts.js';

/**
 * Answers commands on findings: 200 with what became of them, 202 with where to ask, or 204 if
 * there was no finding.
 */
@Injectable()
export class ActedAnswer implements NestInterceptor<Acted | undefined, object | undefined> {
  constructor(private readonly settings: ApiSettings) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler<Acted | undefined>,
  ): Observable<object | undefined> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((acted) => {
        if (acted) return this.answer(reply, acted, personIn(identityOf(request)).id);
        void reply.code(204);
        return undefined;
      }),
    );
  }

  /** Sets the headers and the status, and returns the body. */
  private answer(reply: FastifyReply, acted: Acted, person: string): object {
    if (isTaken(acted)) {
      void reply.header(LOG_POSITION, actPosition(acted.act));
      return actAnswer(acted, person);
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

import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LOG_POSITION } from '../reading/positions.js';
import { ApiSettings } from '../settings/api-settings.js';
import { actAnswer } from './act.answers.js';
import { type Acted, isTaken, actPosition } from './acts.js';

/** Answers commands on findings: 200 with what became of them, or 202 with where to ask. */
@Injectable()
export class ActReplies {
  constructor(private readonly settings: ApiSettings) {}

  /** Sets the headers and the status, and returns the body. */
  answer(reply: FastifyReply, acted: Acted, person: string): object {
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

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pointerTo } from '#baccarat';
import type { Identity } from '../identity/identity.js';
import { identityOf } from '../identity/requires.js';
import { Problem } from '../problems/problems.js';
import { LOG_POSITION, logPosition } from '../reading/positions.js';
import type { Recorded } from './append-events.js';
import { formSent } from './body/event-body.js';
import type { EventForm } from './body/event-form.js';
import type { Checked } from './check/tables-apart.js';

/**
 * A request with events. It sends its answer itself: the status depends on what was asked, and an
 * interceptor would cost this route more than the rest of Nest together.
 */
export class EventsRequest {
  readonly sender: Identity;
  readonly form: EventForm;
  readonly body: Buffer;
  /** Whether to judge the events instead of recording them. */
  readonly isCheck: boolean;

  constructor(
    request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.sender = identityOf(request);
    this.form = formSent(request);
    this.body = request.body as Buffer;
    this.isCheck = isCheck(request.query as Readonly<Record<string, unknown>>);
  }

  /** Answers 202, with `Log-Position` unless the request had no event. */
  recorded({ events, positions }: Recorded): void {
    if (positions.length > 0) void this.reply.header(LOG_POSITION, logPosition(positions));
    void this.reply.code(202).send({ accepted: events });
  }

  /** Answers 200. */
  checked(verdict: Checked): void {
    void this.reply.code(200).send(verdict);
  }
}

/**
 * Returns whether a query asks for a check. Throws `invalid-request` for anything else in it: a
 * misspelled parameter must not record what was meant to be checked.
 */
function isCheck(query: Readonly<Record<string, unknown>>): boolean {
  const errors = Object.entries(query).flatMap(([name, value]) => {
    const reason =
      name !== 'check'
        ? 'is not a parameter of this route'
        : value === 'true' || value === 'false'
          ? undefined
          : 'must be true or false, once';
    return reason === undefined ? [] : [{ pointer: pointerTo('', name), reason }];
  });
  if (errors.length > 0) throw new Problem('invalid-request', undefined, { errors });
  return query.check === 'true';
}

/** Injects the request as an `EventsRequest` into a controller method. */
export const Sent = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new EventsRequest(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Appended } from '#event-log';
import type { Identity } from '../identity/identity.js';
import { identityOf } from '../identity/requires.js';
import { LOG_POSITION, logPosition } from '../reading/positions.js';
import { formSent } from './body/event-body.js';
import type { EventForm } from './body/event-form.js';

/**
 * A request with events. It sets the header of the answer itself, because an interceptor would cost
 * this route more than the rest of Nest together.
 */
export class EventsRequest {
  readonly sender: Identity;
  readonly form: EventForm;
  readonly body: Buffer;

  constructor(
    request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.sender = identityOf(request);
    this.form = formSent(request);
    this.body = request.body as Buffer;
  }

  /** Sets `Log-Position`, unless the request had no event. */
  recordedAt(positions: readonly Appended[]): void {
    if (positions.length > 0) void this.reply.header(LOG_POSITION, logPosition(positions));
  }
}

/** Injects the request as an `EventsRequest` into a controller method. */
export const Sent = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new EventsRequest(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Requires } from '../identity/requires.js';
import { AppendEvents } from './append-events.js';
import { CheckEvents } from './check/check-events.js';
import { EventsDocumented } from './ingest-docs.js';
import { LivePlay } from '../reading/live-play.js';
import { EventsRequest, Sent } from './events-request.js';

/** The route that records events, or checks them. */
@Controller('v1/events')
export class IngestController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly live: LivePlay,
  ) {}

  /** Takes the reply so that Nest leaves it to the request, which answers 202 or 200. */
  @Post()
  @HttpCode(202)
  @Requires('record-events', { takesQuery: true })
  @EventsDocumented()
  async appendEvents(@Sent() sent: EventsRequest, @Res() _reply: FastifyReply): Promise<void> {
    const { sender, form, body } = sent;
    if (sent.isCheck) {
      sent.checked(await this.queries.execute(new CheckEvents(sender, form, body)));
    } else {
      this.live.came();
      sent.recorded(await this.commands.execute(new AppendEvents(sender, form, body)));
    }
  }
}

import { Controller, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOG_POSITION, logPosition } from '../reading/positions.js';
import { identityOf, Requires } from '../identity/requires.js';
import { AppendEvents } from './append-events.js';
import { formSent } from './event-body.js';
import { EventsDocumented } from './ingest-docs.js';

/** Where events come in. */
@Controller('v1/events')
export class IngestController {
  constructor(private readonly commands: CommandBus) {}

  /** The answer is written here and not by Nest: on this route every microsecond is an event. */
  @Post()
  @Requires('record-events')
  @EventsDocumented()
  async append(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { events, positions } = await this.commands.execute(
      new AppendEvents(identityOf(request), formSent(request), request.body as Buffer),
    );
    void reply.code(202).header('content-type', 'application/json; charset=utf-8');
    if (positions.length > 0) void reply.header(LOG_POSITION, logPosition(positions));
    void reply.send(`{"accepted":${events}}`);
  }
}

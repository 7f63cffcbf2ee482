import { Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Requires } from '../identity/requires.js';
import { AppendEvents } from './append-events.js';
import { EventsDocumented } from './ingest-docs.js';
import { EventsRequest, Sent } from './events-request.js';

/** The route that records events. */
@Controller('v1/events')
export class IngestController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(202)
  @Requires('record-events')
  @EventsDocumented()
  async appendEvents(@Sent() sent: EventsRequest): Promise<{ readonly accepted: number }> {
    const { events, positions } = await this.commands.execute(
      new AppendEvents(sent.sender, sent.form, sent.body),
    );
    sent.recordedAt(positions);
    return { accepted: events };
  }
}

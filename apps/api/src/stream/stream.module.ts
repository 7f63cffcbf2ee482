import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { AskChangesHandler } from './ask-changes.js';
import { ChangeFeed } from './change-feed.js';
import { StreamController } from './stream.controller.js';

/** Server-sent events about what changes in the rows. */
@Module({
  imports: [IdentityModule, ReadingModule],
  controllers: [StreamController],
  providers: [ChangeFeed, AskChangesHandler],
})
export class StreamModule {}

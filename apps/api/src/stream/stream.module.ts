import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { AskChangesHandler, AskPositionsHandler } from './ask-changes.js';
import { PositionsWatch } from './positions-watch.js';
import { StreamController } from './stream.controller.js';

/** Server-sent events about what changes in the rows. */
@Module({
  imports: [IdentityModule, ReadingModule],
  controllers: [StreamController],
  providers: [PositionsWatch, AskChangesHandler, AskPositionsHandler],
})
export class StreamModule {}

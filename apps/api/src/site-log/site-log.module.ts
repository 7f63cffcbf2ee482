import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { nodeCryptography } from '#evidence/node';
import { SealReader } from '#seal-store';
import { DatabaseUrl } from '../settings/tokens.js';
import {
  SealedFiles,
  ShowCheckpointHandler,
  ShowHeadsHandler,
  ShowTileHandler,
} from './site-log.js';
import { SiteLogController } from './site-log.controller.js';

/** What is sealed, served as plain files that any web server can mirror. */
@Module({
  controllers: [SiteLogController],
  providers: [
    {
      provide: SealReader,
      inject: [DatabaseUrl],
      useFactory: ({ url }: DatabaseUrl) =>
        SealReader.open(url, nodeCryptography.sha256, 'shoeprint-site-log'),
    },
    {
      provide: SealedFiles,
      inject: [SealReader],
      useFactory: (seals: SealReader) => new SealedFiles(seals),
    },
    ShowCheckpointHandler,
    ShowTileHandler,
    ShowHeadsHandler,
  ],
  exports: [SealedFiles],
})
export class SiteLogModule implements OnModuleDestroy {
  constructor(@Inject(SealReader) private readonly seals: SealReader) {}

  async onModuleDestroy(): Promise<void> {
    await this.seals.close();
  }
}

import { Module } from '@nestjs/common';
import { ReadingModule } from '../reading/reading.module.js';
import { SiteLogModule } from '../site-log/site-log.module.js';
import { Exporting } from './making/exporting.js';
import { ExportJobs } from './making/export-jobs.js';
import { ExportRunner } from './making/export-runner.js';
import { ExportScopes } from './export-scopes.js';
import { ExportsController } from './exports.controller.js';
import { FetchPackageHandler } from './package-answer.js';
import { ListExportsHandler, RemoveExportHandler, ShowExportHandler } from './read-exports.js';
import { RequestExportHandler } from './request-export.js';

/** Evidence packages: asked for over HTTP, made by a job, fetched until they are removed. */
@Module({
  imports: [ReadingModule, SiteLogModule],
  controllers: [ExportsController],
  providers: [
    Exporting,
    ExportJobs,
    ExportRunner,
    ExportScopes,
    FetchPackageHandler,
    RequestExportHandler,
    ListExportsHandler,
    ShowExportHandler,
    RemoveExportHandler,
  ],
})
export class ExportsModule {}

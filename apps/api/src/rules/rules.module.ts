import { Module } from '@nestjs/common';
import { DiffDocumentsHandler, ListDocumentsHandler, ShowDocumentHandler } from './documents.js';
import { RulesController } from './rules.controller.js';

/** The rule documents and review policies that the house plays and reviews by. */
@Module({
  controllers: [RulesController],
  providers: [ListDocumentsHandler, ShowDocumentHandler, DiffDocumentsHandler],
})
export class RulesModule {}

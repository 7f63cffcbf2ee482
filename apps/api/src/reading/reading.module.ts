import { Module } from '@nestjs/common';
import { AskLinesHandler } from './ask-lines.js';
import { FileSlots } from './files/file-slots.js';
import { LivePlay } from './live-play.js';
import { PositionsLook } from './positions-look.js';
import { RowsReader } from './rows-reader.js';

/** Reads rows: one snapshot for each answer, never older than the reader asks for. */
@Module({
  providers: [FileSlots, LivePlay, PositionsLook, RowsReader, AskLinesHandler],
  exports: [FileSlots, LivePlay, PositionsLook, RowsReader],
})
export class ReadingModule {}

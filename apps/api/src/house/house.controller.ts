import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  everyHouseEvent,
  houseEvents,
  type HouseEventLine,
  type Page,
  type ReadAt,
} from '#read-model';
import type { EventType } from '#audit';
import { HOUSE_TYPES } from '#read-model';
import { Requires } from '../identity/requires.js';
import { Problem } from '../problems/problems.js';
import { AskLines } from '../reading/ask-lines.js';
import { type Column, fileOf, named } from '../reading/files/columns.js';
import { ReadLines } from '../reading/documented.js';
import type { Export } from '../reading/files/export.js';
import { ChoicesField, DaysFields, paged, TextField } from '../reading/filter-fields.js';
import { Reader, Reading } from '../reading/reading.js';
import { HouseEventsAnswer } from './house-event.answer.js';

class HouseEventsFields extends paged(DaysFields) {
  @ChoicesField(HOUSE_TYPES)
  type?: EventType[];

  @TextField({ description: 'Who did it', example: 'person/mei.chan' })
  by?: string;
}

const COLUMNS: readonly Column<HouseEventLine>[] = [
  ...named<HouseEventLine>('gamingDay', 'at', 'type', 'by'),
  { heading: 'data', value: ({ data }) => JSON.stringify(data) },
  ...named<HouseEventLine>('ref'),
];

const HOUSE_EVENTS = {
  page: houseEvents,
  every: everyHouseEvent,
  file: fileOf('house-events', COLUMNS),
};

/** The route of the record of the house. */
@ApiTags('house')
@Controller('v1')
export class HouseController {
  constructor(private readonly queries: QueryBus) {}

  @Get('house-events')
  @Requires('read-house-events')
  @ReadLines(
    'Who did what in the house: sign-ins, accounts, keys, exports; newest first',
    HouseEventsAnswer,
  )
  listHouseEvents(
    @Query() fields: HouseEventsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<HouseEventLine>> | Export> {
    if (by.scope)
      throw new Problem(
        'not-permitted',
        'the record of the house belongs to no table, and this account may see only some tables',
      );
    return this.queries.execute(new AskLines(HOUSE_EVENTS, by.asks(fields)));
  }
}

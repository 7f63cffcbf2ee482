import { ApiProperty } from '@nestjs/swagger';
import { HOUSE_EVENT, type HouseEventLine } from '#read-model';
import { ColumnOf, Ref } from '../docs/answer-fields.js';
import { pageAnswerOf } from '../docs/page.answer.js';

class HouseEventAnswer implements HouseEventLine {
  @Ref() ref!: string;
  @ColumnOf(HOUSE_EVENT) type!: HouseEventLine['type'];
  @ColumnOf(HOUSE_EVENT, {
    description: 'Who did it: `person/…`, or `system/api` if nobody known did',
  })
  by!: string;
  @ColumnOf(HOUSE_EVENT, { description: 'By the clock of the server' }) at!: string;
  @ColumnOf(HOUSE_EVENT) gamingDay!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What the contract lists for the type',
  })
  data!: HouseEventLine['data'];
}

/** A page of the record of the house. */
export class HouseEventsAnswer extends pageAnswerOf(HouseEventAnswer) {}

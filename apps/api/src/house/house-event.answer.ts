import { ApiProperty } from '@nestjs/swagger';
import { HOUSE_TYPES, type HouseEventLine } from '#read-model';
import { Day, OneOf, Ref, Text, Time } from '../docs/answer-fields.js';
import { pageAnswerOf } from '../docs/page.answer.js';

class HouseEventAnswer implements HouseEventLine {
  @Ref() ref!: string;
  @OneOf(HOUSE_TYPES) type!: HouseEventLine['type'];
  @Text({ description: 'Who did it: `person/…`, or `system/api` if nobody known did' })
  by!: string;
  @Time({ description: 'By the clock of the server' }) at!: string;
  @Day() gamingDay!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What the contract lists for the type',
  })
  data!: HouseEventLine['data'];
}

/** A page of the record of the house. */
export class HouseEventsAnswer extends pageAnswerOf(HouseEventAnswer) {}

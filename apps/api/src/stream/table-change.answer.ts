import type { TableChange } from '#read-model';
import { Text, Time } from '../docs/answer-fields.js';

/** What the stream says about a table where something was recorded. Its state must be read. */
export class TableChangeAnswer implements Required<TableChange> {
  @Text() table!: string;
  @Text({ nullable: true, description: "The reference of the open shoe's opening" })
  shoeRef!: string | null;
  @Text({ nullable: true, description: 'Who deals; null if nobody has signed on' })
  dealer!: string | null;
  @Time({ description: "The last event's time by its source's clock" })
  lastEventTime!: string;
  @Time({ nullable: true }) lastReceived!: string | null;
}

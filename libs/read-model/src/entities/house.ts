import { EVENT_TYPES, isOfHouse, type AnyEvent } from '#audit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Changed } from './changed.js';
import { DAY, JSON_TEXT, KEY, oneOf, TIME } from './kinds.js';
import { tableOf } from './table.js';

/** The types of the record of the house. */
export const HOUSE_TYPES = EVENT_TYPES.filter((type) => isOfHouse({ type }));

/** An act in the house: who did what, and when. */
@Entity('house_event')
@Index('house_event_day', ['gamingDay', 'at', 'ref'])
@Index('house_event_by', ['by', 'gamingDay', 'at', 'ref'])
export class HouseEventRow extends Changed {
  @PrimaryColumn(KEY) readonly ref!: string;
  @Column(oneOf(HOUSE_TYPES)) readonly type!: AnyEvent['type'];
  /** The source of the event: `person/…`, or `system/…` for what nobody did. */
  @Column(KEY) readonly by!: string;
  @Column(TIME) readonly at!: string;
  @Column(DAY) readonly gamingDay!: string;
  @Column(JSON_TEXT) readonly data!: AnyEvent['data'];
}
/** The table of acts in the house. */
export const HOUSE_EVENT = tableOf(HouseEventRow);

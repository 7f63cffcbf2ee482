import { Column } from 'typeorm';
import { COUNT, INTEGER } from './kinds.js';

/**
 * A row that says after which record of the log it last changed: a reader who waits for the position `partition:changed`
 * sees it.
 */
export abstract class Changed {
  @Column(INTEGER) readonly partition!: number;
  /** The offset after the record that changed it. */
  @Column(COUNT) readonly changed!: number;
}

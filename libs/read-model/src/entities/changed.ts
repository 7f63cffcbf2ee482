import { Column } from 'typeorm';
import { COUNT, INTEGER } from './kinds.js';

/**
 * A row with the record of the log that last changed it. A reader that waits for the position
 * `partition:changed` sees the change.
 */
export abstract class Changed {
  @Column(INTEGER) readonly partition!: number;
  /** The offset after the record that changed it. */
  @Column(COUNT) readonly changed!: number;
}

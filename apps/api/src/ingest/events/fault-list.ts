import type { Fault } from '#audit';
import { excerpt } from '#process';
import type { RequestFault } from '../../problems/problems.js';

/**
 * The most characters of each text of a fault, and of the whole list. Beyond it, each event lists
 * only its first fault, in shorter texts.
 */
const TEXT_MAX = 300;
const LIST_MAX = 256 * 1024;
const TEXT_MAX_BEYOND = 80;

/**
 * The faults of a request's events. Lists every malformed event, with all its faults while the
 * answer has room.
 */
export class FaultList {
  /** Events with at least one fault. */
  events = 0;
  private readonly listed: RequestFault[] = [];
  private room = LIST_MAX;
  private unlisted = 0;

  /**
   * Adds the faults of one event. `position` is its line or its position in a batch, from 1. It is
   * undefined for a single event.
   */
  add(position: number | undefined, faults: readonly Fault[]): void {
    this.events += 1;
    faults.forEach((fault, i) => {
      const shown = faultAt(position, fault, TEXT_MAX);
      this.room -= JSON.stringify(shown).length;
      if (this.room >= 0) this.listed.push(shown);
      else if (i === 0) this.listed.push(faultAt(position, fault, TEXT_MAX_BEYOND));
      else this.unlisted += 1;
    });
  }

  get errors(): readonly RequestFault[] {
    return this.listed;
  }

  /**
   * Returns the detail of the problem, such as `3 of 5 events are malformed; nothing was recorded.`
   */
  of(events: number, is: string): string {
    const more =
      this.unlisted === 0 ? '' : ` ${this.unlisted} more faults were found than are listed.`;
    return `${this.events} of ${events} ${events === 1 ? 'event' : 'events'} ${this.events === 1 ? 'is' : 'are'} ${is}; nothing was recorded.${more}`;
  }
}

const faultAt = (
  position: number | undefined,
  { pointer, reason }: Fault,
  most: number,
): RequestFault => ({
  pointer: excerpt(pointer, most),
  reason: excerpt(reason, most),
  ...(position !== undefined && { position }),
});

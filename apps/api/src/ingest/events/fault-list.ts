import type { Fault } from '#audit';
import type { RequestFault } from '../../problems/problems.js';

/** What one fault's texts may be long, and what all of them together; past that, of each event the first fault alone, in fewer words. */
const TEXT_MAX = 300;
const LIST_MAX = 256 * 1024;
const TEXT_MAX_BEYOND = 80;

/** The faults of a request's events: every malformed event is listed, with all its faults while an answer can bear them. */
export class FaultList {
  /** Events with at least one fault. */
  events = 0;
  private readonly listed: RequestFault[] = [];
  private room = LIST_MAX;
  private unlisted = 0;

  /** The faults of one event. `position` is its line or its place in a batch, from 1; `undefined` where it came alone. */
  add(position: number | undefined, faults: readonly Fault[]): void {
    this.events += 1;
    faults.forEach((fault, i) => {
      const told = faultAt(position, fault, TEXT_MAX);
      this.room -= JSON.stringify(told).length;
      if (this.room >= 0) this.listed.push(told);
      else if (i === 0) this.listed.push(faultAt(position, fault, TEXT_MAX_BEYOND));
      else this.unlisted += 1;
    });
  }

  get errors(): readonly RequestFault[] {
    return this.listed;
  }

  /** How many of how many, in a sentence's beginning: `3 of 5 events are`. */
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

/** Of a text, so much as an answer bears, never half a character. */
const excerpt = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;

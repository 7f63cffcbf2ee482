import type { Session } from '../admission/admission.js';

/**
 * Decides which events of a log that is read from its middle are fresh: in no record before the
 * start. A device can send any part of an old buffer again, and from the middle that looks like
 * play. But nothing names a shoe before it is opened. So an event that names a shoe opened since
 * the start is fresh, and with it every later number of its session.
 */
export class Fresh {
  /** The least number of each session from which its events are fresh. */
  private readonly from = new WeakMap<Session, number>();
  /** The sessions that named a shoe opened before the start. */
  private readonly old = new WeakSet<Session>();

  /** Takes the next number of a session that names a shoe: one opened since the start, or not. */
  take(session: Session, sequence: number, isOfNewShoe: boolean): void {
    if (this.from.has(session)) return;
    // a device names no shoe in its first messages: these are as fresh as the first that does
    if (isOfNewShoe) this.from.set(session, this.old.has(session) ? sequence : 0);
    else this.old.add(session);
  }

  /** Returns whether a number of a session is known to be fresh. Can become true later. */
  has(session: Session, sequence: number): boolean {
    return sequence >= (this.from.get(session) ?? Infinity);
  }
}

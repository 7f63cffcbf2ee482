import { Injectable } from '@nestjs/common';
import { Problem } from '../problems/problems.js';

/** The commands that a session may send in a second. */
const COMMANDS_MAX = 10;
const SECOND_MS = 1_000;

/** Bounds how many commands a session sends. It holds only sessions of the last second. */
@Injectable()
export class SessionPace {
  private readonly sessions = new Map<string, readonly number[]>();

  /** Counts a command. Throws `too-many-requests` if the session has sent 10 within a second. */
  take(session: string): void {
    const now = performance.now();
    for (const [each, times] of this.sessions) {
      if ((times.at(-1) ?? 0) > now - SECOND_MS) break;
      this.sessions.delete(each);
    }
    const recent = (this.sessions.get(session) ?? []).filter((at) => at > now - SECOND_MS);
    if (recent.length >= COMMANDS_MAX) throw tooManyCommands();
    this.sessions.delete(session);
    this.sessions.set(session, [...recent, now]);
  }
}

/** Returns the problem of a session that sends too many commands. */
export const tooManyCommands = (): Problem =>
  new Problem('too-many-requests', undefined, { headers: { 'Retry-After': '1' } });

import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiSettings } from '../../settings/api-settings.js';
import { Identities, SILENT_GOOD_MS } from '../identities.js';
import type { Identity } from '../identity.js';
import { personOf, validSessions } from './valid-sessions.js';

/** How often the followed sessions are looked up. One lookup serves all of them. */
const LOOK_MS = 1000;

interface Followed {
  readonly identity: Identity;
  readonly ended: AbortController;
  /** When it was last known to be valid, on the monotonic clock. */
  goodAt: number;
}

/**
 * Watches the sessions of long answers, such as streams. Watching a session does not count as a use
 * of it.
 */
@Injectable()
export class FollowedSessions implements OnModuleDestroy {
  private readonly followed = new Set<Followed>();
  private readonly leave: () => void;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
    identities: Identities,
  ) {
    this.leave = identities.onForget(() => void this.look());
  }

  /**
   * Returns a signal that aborts when the session of this person ends or no longer has the same
   * rights: at once for a change made in this process, and within about a second otherwise. While
   * the database is silent, nobody knows, and the signal aborts after a minute. `stop` ends the
   * watching.
   */
  follow(identity: Identity): { readonly signal: AbortSignal; readonly stop: () => void } {
    const each: Followed = { identity, ended: new AbortController(), goodAt: performance.now() };
    this.followed.add(each);
    this.later();
    return { signal: each.ended.signal, stop: () => void this.followed.delete(each) };
  }

  onModuleDestroy(): void {
    this.leave();
    this.followed.clear();
    clearTimeout(this.timer);
  }

  private later(): void {
    if (this.followed.size === 0) return;
    this.timer ??= setTimeout(() => {
      void this.look().finally(() => {
        this.timer = undefined;
        this.later();
      });
    }, LOOK_MS);
  }

  private async look(): Promise<void> {
    const asked = [...this.followed];
    if (asked.length === 0) return;
    const at = performance.now();
    const ids = asked.flatMap(({ identity }) => identity.person?.session ?? []);
    try {
      const sessions = await validSessions(this.source.manager, this.settings, {
        ids: [...new Set(ids)],
      });
      const valid = new Set(sessions.map((session) => rightsOf(personOf(session, this.settings))));
      for (const each of asked) if (valid.has(rightsOf(each.identity))) each.goodAt = at;
      this.end(asked.filter(({ identity }) => !valid.has(rightsOf(identity))));
    } catch {
      const until = performance.now() - SILENT_GOOD_MS;
      this.end(asked.filter(({ goodAt }) => goodAt < until));
    }
  }

  private end(those: readonly Followed[]): void {
    for (const each of those) {
      this.followed.delete(each);
      each.ended.abort();
    }
  }
}

const rightsOf = ({ roles, tables, person }: Identity): string =>
  JSON.stringify([person?.session, roles, tables, person?.mustDo]);

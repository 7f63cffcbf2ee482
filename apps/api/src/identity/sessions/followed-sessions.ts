import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiSettings } from '../../settings/api-settings.js';
import { Identities, SILENT_GOOD_MS } from '../identities.js';
import type { Identity } from '../identity.js';
import { accountTexts, rightsIn, type SessionRights } from './valid-sessions.js';

/** How often the followed sessions are looked up. */
const LOOK_MS = 1000;
/** How many are looked up at once: few enough to hold up nothing else. */
const AT_ONCE = 250;

interface Followed {
  readonly session: string;
  /** What its person may do, as text. */
  readonly rights: string;
  /** The last text of its account that gave these rights. */
  account: string | undefined;
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
    const each: Followed = {
      session: identity.person?.session ?? '',
      rights: textOf({ ...identity, mustDo: identity.person?.mustDo }),
      account: undefined,
      ended: new AbortController(),
      goodAt: performance.now(),
    };
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
    const all = [...this.followed];
    try {
      for (let n = 0; n < all.length; n += AT_ONCE) await this.lookAt(all.slice(n, n + AT_ONCE));
    } catch {
      const until = performance.now() - SILENT_GOOD_MS;
      this.end(all.filter(({ goodAt }) => goodAt < until));
    }
  }

  private async lookAt(asked: readonly Followed[]): Promise<void> {
    const at = performance.now();
    const ids = asked.map(({ session }) => session);
    const accounts = await accountTexts(this.source.manager, this.settings, ids);
    this.end(asked.filter((each) => !this.isGood(each, accounts.get(each.session), at)));
  }

  /** Returns whether a session still has its rights, by its account, and notes that it has. */
  private isGood(each: Followed, account: string | undefined, at: number): boolean {
    if (account === undefined) return false;
    const isSame = account === each.account;
    if (!isSame && textOf(rightsIn(account, this.settings)) !== each.rights) return false;
    each.account = account;
    each.goodAt = at;
    return true;
  }

  private end(those: readonly Followed[]): void {
    for (const each of those) {
      this.followed.delete(each);
      each.ended.abort();
    }
  }
}

const textOf = ({ roles, tables, mustDo }: SessionRights): string =>
  JSON.stringify([roles, tables, mustDo]);

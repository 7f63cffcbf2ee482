import { Injectable } from '@nestjs/common';
import { TimedOut, within } from '#process';
import { isDatabaseAway } from '#read-model';
import { DataSource, IsNull } from 'typeorm';
import { ApiSettings } from '../settings/api-settings.js';
import { tokenFits, tokenHash, type ShownToken } from './credentials/bearer-token.js';
import { DeviceKey, Session } from './database/access.entities.js';
import { type Identity, seenBy, WriteScope } from './identity.js';
import { KeyCopy } from './keys/key-copy.js';
import { personOf, validSessions } from './sessions/valid-sessions.js';

/** How long a lookup is cached. A revocation acts within this time. */
const BELIEVED_MS = 1000;
/**
 * The age from which a lookup is refreshed beside the request, so that a busy sender never waits
 * for the database.
 */
const REFRESHED_MS = 500;
/**
 * How long a lookup may take until the database counts as silent, and a request continues with what
 * was found before.
 */
const LATE_MS = 1000;
/**
 * How long the session of a person that was good stays good while the database is silent. A device
 * key stays good as long as the copy of all keys.
 */
export const SILENT_GOOD_MS = 60_000;
/** The most tokens in the cache. Beyond it, the oldest entry is dropped. */
const REMEMBERED_MAX = 10_000;
/** How exactly the last use of a key or session is kept. */
export const LAST_USED_STEP_MS = 60_000;

interface Remembered {
  /** When the lookup began, on the monotonic clock. */
  at: number;
  found: Found | undefined;
  refreshing: boolean;
}

/** A lookup under way, and when it began, on the monotonic clock. */
interface Asked {
  readonly at: number;
  readonly found: Promise<Found | undefined>;
}

/** What a token leads to. */
interface Found {
  readonly identity: Identity;
  readonly of: typeof DeviceKey | typeof Session;
  readonly id: string;
  lastUsedAt: number;
}

/**
 * Resolves bearer tokens to identities. Caches each lookup for one second, and uses a former one
 * for a while if the database is silent.
 */
@Injectable()
export class Identities {
  private readonly remembered = new Map<string, Remembered>();
  private readonly asking = new Map<string, Asked>();
  private readonly heard = new Set<() => void>();
  /** Raised by `forget`, so that a lookup that began before it is not cached after it. */
  private generation = 0;

  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
    private readonly copy: KeyCopy,
  ) {}

  /**
   * Returns the identity of a token, or undefined if there is none or it is not valid. Returns a
   * promise only if it asks the database. The promise rejects if the database does not answer and
   * the token was not found good shortly before.
   */
  of(token: ShownToken | undefined): Identity | undefined | Promise<Identity | undefined> {
    if (!token) return undefined;
    const key = tokenHash(token.text).toString('base64');
    const known = this.remembered.get(key);
    const age = known ? performance.now() - known.at : Infinity;
    if (!known || age >= BELIEVED_MS) return this.resolve(key, token, known);
    if (age >= REFRESHED_MS && !known.refreshing) this.refresh(key, token, known);
    this.touch(known.found)?.catch(() => undefined);
    return known.found?.identity;
  }

  /**
   * Drops what the cache has of an account or a key, so that a change made in this process acts at
   * once. Other processes follow within a second. What was found of others stays: it is needed if
   * the database goes silent.
   */
  forget(changed: { readonly account: string } | { readonly key: string }): void {
    this.generation += 1;
    if ('key' in changed) this.copy.drop(changed.key);
    for (const [token, { found }] of this.remembered)
      if (!found || isOf(found, changed)) this.remembered.delete(token);
    this.asking.clear();
    for (const listener of this.heard) listener();
  }

  /** Calls `listener` at each change made in this process, until the returned function is called. */
  onForget(listener: () => void): () => void {
    this.heard.add(listener);
    return () => void this.heard.delete(listener);
  }

  private async resolve(
    key: string,
    token: ShownToken,
    known: Remembered | undefined,
  ): Promise<Identity | undefined> {
    const asked = this.ask(key, token);
    const former = this.formerly(token, known);
    if (!former) return this.use(await asked.found);
    const left = Math.max(0, asked.at + LATE_MS - performance.now());
    try {
      return await this.use(await within(left, asked.found));
    } catch (error) {
      if (error instanceof TimedOut || isDatabaseAway(error)) return former.identity;
      throw error;
    }
  }

  /** Returns what a token led to, if that still holds while the database is silent. */
  private formerly(token: ShownToken, known: Remembered | undefined): Found | undefined {
    const age = known ? performance.now() - known.at : Infinity;
    if (token.kind === 'spk') {
      if (known?.found && age < this.copy.maxAgeMs) return known.found;
      const key = known && !known.found ? undefined : this.copy.find(token.id);
      return key && deviceOf(key, token);
    }
    const found = age < SILENT_GOOD_MS ? known?.found : undefined;
    const expiresAt = found?.identity.person?.expiresAt.getTime() ?? 0;
    return expiresAt > Date.now() ? found : undefined;
  }

  private async use(found: Found | undefined): Promise<Identity | undefined> {
    await this.touch(found);
    return found?.identity;
  }

  /** Notes a use of a key or session in the database, at most once a minute. */
  private touch(found: Found | undefined): Promise<unknown> | undefined {
    const now = Date.now();
    if (!found || now - found.lastUsedAt <= LAST_USED_STEP_MS) return undefined;
    found.lastUsedAt = now;
    return this.source.getRepository(found.of).update({ id: found.id }, { lastUsedAt: new Date() });
  }

  /**
   * Looks up beside a request. If that fails, the cached entry expires and the next lookup reports
   * the failure to the sender.
   */
  private refresh(key: string, token: ShownToken, known: Remembered): void {
    known.refreshing = true;
    this.ask(key, token).found.catch(() => undefined);
  }

  private ask(key: string, token: ShownToken): Asked {
    const asked = this.asking.get(key);
    if (asked) return asked;
    const found = this.lookUp(key, token).finally(() => {
      if (this.asking.get(key) === asking) this.asking.delete(key);
    });
    const asking = { at: performance.now(), found };
    this.asking.set(key, asking);
    return asking;
  }

  private async lookUp(key: string, token: ShownToken): Promise<Found | undefined> {
    const at = performance.now();
    const { generation } = this;
    const found =
      token.kind === 'spk'
        ? await this.deviceBy(token)
        : await sessionOf(this.source, this.settings, token);
    if (generation === this.generation) this.remember(key, { at, found, refreshing: false });
    return found;
  }

  private async deviceBy(token: ShownToken): Promise<Found | undefined> {
    const keys = this.source.getRepository(DeviceKey);
    const key = await keys.findOneBy({ id: token.id, revokedAt: IsNull() });
    if (!key) this.copy.drop(token.id);
    return key ? deviceOf(key, token) : undefined;
  }

  private remember(key: string, entry: Remembered): void {
    this.remembered.delete(key);
    this.remembered.set(key, entry);
    for (const oldest of this.remembered.keys()) {
      if (this.remembered.size <= REMEMBERED_MAX) break;
      this.remembered.delete(oldest);
    }
  }
}

const isOf = (
  { id, identity }: Found,
  changed: { readonly account: string } | { readonly key: string },
): boolean =>
  'key' in changed ? id === changed.key : identity.person?.account === changed.account;

function deviceOf(key: DeviceKey, token: ShownToken): Found | undefined {
  if (!tokenFits(token.text, key.tokenHash)) return undefined;
  const { id, sources, types, tables } = key;
  const identity: Identity = {
    kind: 'device',
    id: `device/${key.name}`,
    person: undefined,
    roles: ['device'],
    tables: seenBy(tables),
    writes: new WriteScope({ sources, types, tables }),
  };
  return { identity, of: DeviceKey, id, lastUsedAt: key.lastUsedAt?.getTime() ?? 0 };
}

async function sessionOf(
  source: DataSource,
  settings: ApiSettings,
  token: ShownToken,
): Promise<Found | undefined> {
  const [session] = await validSessions(source.manager, settings, { ids: [token.id] });
  if (!session || !tokenFits(token.text, session.tokenHash)) return undefined;
  const { id, lastUsedAt } = session;
  const identity = personOf(session, settings);
  return { identity, of: Session, id, lastUsedAt: lastUsedAt.getTime() };
}

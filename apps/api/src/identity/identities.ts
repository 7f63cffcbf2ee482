import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan } from 'typeorm';
import { bearerOf, tokenFits, tokenHash, type ShownToken } from './credentials/bearer-token.js';
import { Account, DeviceKey, Session } from './database/access.entities.js';
import { type Identity, WriteScope } from './identity.js';

/** How long a lookup is cached. A revocation acts within this time. */
const BELIEVED_MS = 1000;
/**
 * The age from which a lookup is refreshed beside the request, so that a busy sender never waits
 * for the database.
 */
const REFRESHED_MS = 500;
/** The most tokens in the cache. Beyond it, the oldest entry is dropped. */
const REMEMBERED_MAX = 10_000;
const LAST_USED_STEP_MS = 60_000;

interface Remembered {
  /** When the lookup began, on the monotonic clock. */
  at: number;
  identity: Identity | undefined;
  refreshing: boolean;
}

/** Resolves bearer tokens to identities. Caches each lookup for one second. */
@Injectable()
export class Identities {
  private readonly remembered = new Map<string, Remembered>();
  private readonly asking = new Map<string, Promise<Identity | undefined>>();
  /** Raised by `forget`, so that a lookup that began before it is not cached after it. */
  private generation = 0;

  constructor(private readonly source: DataSource) {}

  /**
   * Returns the identity of the token in an `Authorization` header, or undefined if the token is
   * not valid. Returns a promise only if it asks the database. The promise rejects if the database
   * does not answer.
   */
  of(header: string | undefined): Identity | undefined | Promise<Identity | undefined> {
    const token = bearerOf(header);
    if (!token) return undefined;
    const key = tokenHash(token.text).toString('base64');
    const known = this.remembered.get(key);
    const age = known ? performance.now() - known.at : Infinity;
    if (!known || age >= BELIEVED_MS) return this.ask(key, token);
    if (age >= REFRESHED_MS && !known.refreshing) this.refresh(key, token, known);
    return known.identity;
  }

  /**
   * Empties the cache, so that a change made in this process acts at once. Other processes follow
   * within a second.
   */
  forget(): void {
    this.generation += 1;
    this.remembered.clear();
    this.asking.clear();
  }

  /**
   * Looks up beside a request. If that fails, the cached entry expires and the next lookup reports
   * the failure to the sender.
   */
  private refresh(key: string, token: ShownToken, known: Remembered): void {
    known.refreshing = true;
    this.ask(key, token).catch(() => undefined);
  }

  private ask(key: string, token: ShownToken): Promise<Identity | undefined> {
    const asked = this.asking.get(key);
    if (asked) return asked;
    const asking = this.lookUp(key, token).finally(() => {
      if (this.asking.get(key) === asking) this.asking.delete(key);
    });
    this.asking.set(key, asking);
    return asking;
  }

  private async lookUp(key: string, token: ShownToken): Promise<Identity | undefined> {
    const at = performance.now();
    const { generation } = this;
    const identity =
      token.kind === 'spk'
        ? await deviceOf(this.source, token)
        : await personOf(this.source, token);
    if (generation === this.generation) this.remember(key, { at, identity, refreshing: false });
    return identity;
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

async function deviceOf(source: DataSource, token: ShownToken): Promise<Identity | undefined> {
  const keys = source.getRepository(DeviceKey);
  const key = await keys.findOneBy({ id: token.id, revokedAt: IsNull() });
  if (!key || !tokenFits(token.text, key.tokenHash)) return undefined;
  if (Date.now() - (key.lastUsedAt?.getTime() ?? 0) > LAST_USED_STEP_MS)
    await keys.update({ id: key.id }, { lastUsedAt: new Date() });
  const { sources, types, tables } = key;
  return {
    kind: 'device',
    id: `device/${key.name}`,
    roles: ['device'],
    tables: seen(tables),
    writes: new WriteScope({ sources, types, tables }),
  };
}

async function personOf(source: DataSource, token: ShownToken): Promise<Identity | undefined> {
  const session = await source.getRepository(Session).findOne({
    where: { id: token.id, expiresAt: MoreThan(new Date()), account: { disabled: false } },
    relations: { account: true },
  });
  if (!session || !tokenFits(token.text, session.tokenHash)) return undefined;
  return identityOfAccount(session.account);
}

/**
 * Returns the identity of an account. A person writes only under their own name, and only about the
 * tables of their account.
 */
function identityOfAccount({ name, roles, tables }: Account): Identity {
  const id = `person/${name}`;
  return {
    kind: 'person',
    id,
    roles,
    tables: seen(tables),
    writes: new WriteScope({ sources: [id], types: ['*'], tables }),
  };
}

const seen = (tables: readonly string[]): Identity['tables'] =>
  tables.includes('*') ? 'all' : tables;

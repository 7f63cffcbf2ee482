import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan } from 'typeorm';
import { bearerOf, tokenFits, tokenHash, type ShownToken } from './credentials/bearer-token.js';
import { Account, DeviceKey, Session } from './database/access.entities.js';
import { type Identity, WriteScope } from './identity.js';

/** A token's identity is believed for so long: a revocation acts within it. */
const BELIEVED_MS = 1000;
/** From this age on it is looked up again beside the request, so that a busy sender never waits for the database. */
const REFRESHED_MS = 500;
/** So many tokens are remembered at most. Beyond, the oldest is looked up anew. */
const REMEMBERED_MAX = 10_000;
const LAST_USED_STEP_MS = 60_000;

interface Remembered {
  /** When the look-up began, on the monotonic clock. */
  at: number;
  identity: Identity | undefined;
  refreshing: boolean;
}

/** Whose a token is. Believes what it looked up for at most a second. */
@Injectable()
export class Identities {
  private readonly remembered = new Map<string, Remembered>();
  private readonly asking = new Map<string, Promise<Identity | undefined>>();
  /** Turned by `forget`: what was asked before is not remembered after. */
  private generation = 0;

  constructor(private readonly source: DataSource) {}

  /** Whose token an `Authorization` header bears; undefined where nobody's. A promise only where the database is asked; it rejects where that does not answer. */
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

  /** Forgets everybody: what was just changed here acts at once. Other processes follow within a second. */
  forget(): void {
    this.generation += 1;
    this.remembered.clear();
    this.asking.clear();
  }

  /** Looks up beside a request. A failure leaves what is known to run out; the look-up after that tells it to the sender. */
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

/** A person may write as nobody else, about the tables of the account. */
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

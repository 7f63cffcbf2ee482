import { Logger } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { DataSource, IsNull } from 'typeorm';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { newToken } from '../credentials/bearer-token.js';
import { DeviceKey } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import { actorOf, asker, covers, type Identity } from '../identity.js';

/** A device key as answers show it, without its secret. */
export interface KeyShown {
  readonly id: string;
  readonly name: string;
  readonly sources: readonly string[];
  readonly tables: readonly string[];
  readonly types: readonly string[];
  readonly createdAt: string;
  readonly createdBy: string;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/**
 * What a key may write. In sources and tables, `*` matches any text. Types are short names, or `*`.
 */
export interface KeyScope {
  readonly name: string;
  readonly sources: readonly string[];
  readonly tables: readonly string[];
  readonly types: readonly string[];
}

/**
 * Creates a device key and returns its secret, which is never shown again. Throws `conflict` if a
 * key ever had the name, and `not-permitted` if the key would reach tables that the sender may not
 * see, or write as a person and the sender is not an admin.
 */
export class CreateKey extends Command<KeyShown & { readonly token: string }> {
  constructor(
    readonly by: Identity,
    readonly key: KeyScope,
  ) {
    super();
  }
}

/**
 * Revokes a key on every instance within a second. Throws `not-found` if no valid key that the
 * sender may see has the id.
 */
export class RevokeKey extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly id: string,
  ) {
    super();
  }
}

/** Asks for the keys that reach only tables of the sender, revoked ones included. */
export class ListKeys extends Query<readonly KeyShown[]> {
  constructor(readonly by: Identity) {
    super();
  }
}

/** Stores a key with the hash of its token, and logs who created it. */
@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  private readonly logger = new Logger('keys');

  constructor(private readonly record: HouseRecord) {}

  async execute({
    by,
    key: { name, sources, tables, types },
  }: CreateKey): Promise<KeyShown & { readonly token: string }> {
    if (!covers(by, tables))
      throw new Problem('not-permitted', 'the key may list only tables that your account may see');
    refusePeople(by, sources);
    const { id, text, hash } = newToken('spk');
    const scope = { sources: [...sources], tables: [...tables], types: [...types] };
    const made = await this.record.transaction(async (manager, note) => {
      const inserted = await manager
        .createQueryBuilder()
        .insert()
        .into(DeviceKey)
        .values({ id, name, tokenHash: hash, ...scope, createdBy: by.id })
        .orIgnore()
        .returning('id')
        .execute();
      if ((inserted.raw as readonly unknown[]).length === 0)
        throw new Problem(
          'conflict',
          `a key named ${name} already exists; names of keys are never reused, because the record contains them`,
        );
      await note({ type: 'key-created', by: actorOf(by), data: { key: name, values: scope } });
      return manager.findOneByOrFail(DeviceKey, { id });
    });
    this.logger.log({ message: 'key created', id, name, sources, tables, types, ...asker(by) });
    return { ...shown(made), token: text };
  }
}

/** Marks a key as revoked, logs who revoked it, and applies it to this process at once. */
@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  private readonly logger = new Logger('keys');

  constructor(
    private readonly record: HouseRecord,
    private readonly identities: Identities,
  ) {}

  async execute({ by, id }: RevokeKey): Promise<void> {
    const name = await this.record.transaction(async (manager, note) => {
      const key = /^[0-9a-f]{16}$/.test(id)
        ? await manager.findOne(DeviceKey, {
            where: { id, revokedAt: IsNull() },
            lock: { mode: 'pessimistic_write' },
          })
        : null;
      if (!key || !covers(by, key.tables))
        throw new Problem('not-found', 'no valid key has this id');
      await manager.update(DeviceKey, { id }, { revokedAt: new Date() });
      await note({ type: 'key-revoked', by: actorOf(by), data: { key: key.name } });
      return key.name;
    });
    this.identities.forget({ key: id });
    this.logger.log({ message: 'key revoked', id, name, ...asker(by) });
  }
}

/** Reads the keys that the sender may see, in order of name. */
@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(private readonly source: DataSource) {}

  async execute({ by }: ListKeys): Promise<readonly KeyShown[]> {
    const keys = await this.source.getRepository(DeviceKey).find({ order: { name: 'asc' } });
    return keys.filter(({ tables }) => covers(by, tables)).map(shown);
  }
}

/**
 * Throws `not-permitted` if a key would write as a person and the sender is not an admin. What a
 * person writes can void coups and correct the record.
 */
function refusePeople(by: Identity, sources: readonly string[]): void {
  if (by.roles.includes('admin')) return;
  const errors = sources.flatMap((source, i) =>
    source.startsWith('person/')
      ? [{ pointer: `/sources/${i}`, reason: 'only an admin may give a key a source of a person' }]
      : [],
  );
  if (errors.length > 0)
    throw new Problem('not-permitted', 'the key may list only device/ and virtual/ sources', {
      errors,
    });
}

const shown = ({
  id,
  name,
  sources,
  tables,
  types,
  createdAt,
  createdBy,
  revokedAt,
  lastUsedAt,
}: DeviceKey): KeyShown => ({
  id,
  name,
  sources,
  tables,
  types,
  createdAt: createdAt.toISOString(),
  createdBy,
  revokedAt: revokedAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

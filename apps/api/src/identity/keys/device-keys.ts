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
import { Problem } from '../../problems/problems.js';
import { newToken } from '../credentials/bearer-token.js';
import { DeviceKey } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import type { Identity } from '../identity.js';

/** A key as it is shown: never its secret. */
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

/** What a key may write: patterns with `*` for any text; types by short name or `*`. */
export interface KeyScope {
  readonly name: string;
  readonly sources: readonly string[];
  readonly tables: readonly string[];
  readonly types: readonly string[];
}

/** Makes a device key; answers the secret, which nobody can see again. `conflict` where the name was ever given, `not-permitted` where it would reach tables that the maker's account does not. */
export class CreateKey extends Command<KeyShown & { readonly token: string }> {
  constructor(
    readonly by: Identity,
    readonly key: KeyScope,
  ) {
    super();
  }
}

/** Revokes a key; acts on every instance within a second. `not-found` where there is none that is good. */
export class RevokeKey extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly id: string,
  ) {
    super();
  }
}

/** Every key that reaches only tables of the asker, the revoked ones too. */
export class ListKeys extends Query<readonly KeyShown[]> {
  constructor(readonly by: Identity) {
    super();
  }
}

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  private readonly logger = new Logger('keys');

  constructor(private readonly source: DataSource) {}

  async execute({
    by,
    key: { name, sources, tables, types },
  }: CreateKey): Promise<KeyShown & { readonly token: string }> {
    if (!covers(by, tables))
      throw new Problem('not-permitted', 'the key would reach tables that this account does not');
    const { id, text, hash } = newToken('spk');
    const inserted = await this.source
      .createQueryBuilder()
      .insert()
      .into(DeviceKey)
      .values({
        id,
        name,
        tokenHash: hash,
        sources: [...sources],
        tables: [...tables],
        types: [...types],
        createdBy: by.id,
      })
      .orIgnore()
      .returning('id')
      .execute();
    if ((inserted.raw as readonly unknown[]).length === 0)
      throw new Problem(
        'conflict',
        `the name ${name} was given to a key already; it stands in the record and is not given again`,
      );
    this.logger.log({ message: 'key created', id, name, sources, tables, types, by: by.id });
    return {
      ...shown(await this.source.getRepository(DeviceKey).findOneByOrFail({ id })),
      token: text,
    };
  }
}

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  private readonly logger = new Logger('keys');

  constructor(
    private readonly source: DataSource,
    private readonly identities: Identities,
  ) {}

  async execute({ by, id }: RevokeKey): Promise<void> {
    const keys = this.source.getRepository(DeviceKey);
    const key = /^[0-9a-f]{16}$/.test(id)
      ? await keys.findOneBy({ id, revokedAt: IsNull() })
      : null;
    if (!key || !covers(by, key.tables))
      throw new Problem('not-found', 'there is no good key of that id');
    await keys.update({ id, revokedAt: IsNull() }, { revokedAt: new Date() });
    this.identities.forget();
    this.logger.log({ message: 'key revoked', id, name: key.name, by: by.id });
  }
}

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(private readonly source: DataSource) {}

  async execute({ by }: ListKeys): Promise<readonly KeyShown[]> {
    const keys = await this.source.getRepository(DeviceKey).find({ order: { name: 'asc' } });
    return keys.filter(({ tables }) => covers(by, tables)).map(shown);
  }
}

/** Whether these entries reach no table besides the identity's own. A pattern is covered by `all` only. */
const covers = ({ tables }: Identity, entries: readonly string[]): boolean =>
  tables === 'all' || entries.every((entry) => tables.includes(entry));

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

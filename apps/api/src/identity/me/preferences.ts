import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { Preferences } from '../database/access.entities.js';
import { type KeptObject, requireKept } from './kept-object.js';

const BYTES_MAX = 16 * 1024;

/** Asks for the preferences of an account: an empty object until it has some. */
export class AskPreferences extends Query<KeptObject> {
  constructor(readonly account: string) {
    super();
  }
}

/** Replaces the preferences of an account. Throws what `requireKept` throws, beyond 16 KiB. */
export class SavePreferences extends Command<void> {
  constructor(
    readonly account: string,
    readonly preferences: KeptObject,
  ) {
    super();
  }
}

/** Reads the preferences of an account. */
@QueryHandler(AskPreferences)
export class AskPreferencesHandler implements IQueryHandler<AskPreferences> {
  constructor(private readonly source: DataSource) {}

  async execute({ account }: AskPreferences): Promise<KeptObject> {
    const kept = await this.source.getRepository(Preferences).findOneBy({ accountName: account });
    return kept?.preferences ?? {};
  }
}

/** Stores the preferences of an account. */
@CommandHandler(SavePreferences)
export class SavePreferencesHandler implements ICommandHandler<SavePreferences> {
  constructor(private readonly source: DataSource) {}

  async execute({ account, preferences }: SavePreferences): Promise<void> {
    requireKept(preferences, 'preferences', BYTES_MAX);
    await this.source
      .getRepository(Preferences)
      .upsert({ accountName: account, preferences }, ['accountName']);
  }
}

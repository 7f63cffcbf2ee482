import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { DataSource, Not } from 'typeorm';
import { UNSEEN } from '#process';
import { Problem } from '../../problems/problems.js';
import { lockedAccount } from '../accounts/locked-account.js';
import { SavedView } from '../database/access.entities.js';
import { type KeptObject, requireKept } from './kept-object.js';

/** The most views of an account, and the most bytes of one. */
const VIEWS_MAX = 50;
const BYTES_MAX = 4 * 1024;
/** The most characters of a name. */
export const VIEW_NAME_LENGTH_MAX = 80;
const NAME = new RegExp(`^[^${UNSEEN}\\p{Cs}]{1,${VIEW_NAME_LENGTH_MAX}}$`, 'u');

/** A view that an account has saved, such as the filter of a list. */
export interface ViewShown {
  readonly name: string;
  readonly view: KeptObject;
  readonly changedAt: string;
}

/** Asks for the views of an account, in order of name. */
export class ListViews extends Query<readonly ViewShown[]> {
  constructor(readonly account: string) {
    super();
  }
}

/** Asks for a view of an account. Throws `not-found` if it has none of this name. */
export class AskView extends Query<KeptObject> {
  constructor(
    readonly account: string,
    readonly name: string,
  ) {
    super();
  }
}

/**
 * Saves a view, also over one of the same name. Throws `invalid-request` for a name that is not 1
 * to 80 visible characters, `conflict` beyond 50 views, and what `requireKept` throws beyond 4 KiB.
 */
export class SaveView extends Command<void> {
  constructor(
    readonly account: string,
    readonly name: string,
    readonly view: KeptObject,
  ) {
    super();
  }
}

/** Deletes a view of an account. Throws as `AskView` does. */
export class DeleteView extends Command<void> {
  constructor(
    readonly account: string,
    readonly name: string,
  ) {
    super();
  }
}

/** Reads the views of an account. */
@QueryHandler(ListViews)
export class ListViewsHandler implements IQueryHandler<ListViews> {
  constructor(private readonly source: DataSource) {}

  async execute({ account }: ListViews): Promise<readonly ViewShown[]> {
    const views = await this.source
      .getRepository(SavedView)
      .find({ where: { accountName: account }, order: { name: 'asc' } });
    return views.map(({ name, view, changedAt }) => ({
      name,
      view,
      changedAt: changedAt.toISOString(),
    }));
  }
}

/** Reads a view of an account. */
@QueryHandler(AskView)
export class AskViewHandler implements IQueryHandler<AskView> {
  constructor(private readonly source: DataSource) {}

  async execute({ account, name }: AskView): Promise<KeptObject> {
    const found = NAME.test(name)
      ? await this.source.getRepository(SavedView).findOneBy({ accountName: account, name })
      : null;
    if (!found) throw noView();
    return found.view;
  }
}

/** Stores a view. Holds a lock on the account, so that many at once cannot pass the limit. */
@CommandHandler(SaveView)
export class SaveViewHandler implements ICommandHandler<SaveView> {
  constructor(private readonly source: DataSource) {}

  async execute({ account, name, view }: SaveView): Promise<void> {
    if (!NAME.test(name))
      throw new Problem('invalid-request', undefined, {
        errors: [
          {
            pointer: '/name',
            reason: `must be 1 to ${VIEW_NAME_LENGTH_MAX} characters, without control characters and marks that change the direction of text`,
          },
        ],
      });
    requireKept(view, 'a view', BYTES_MAX);
    await this.source.transaction(async (manager) => {
      await lockedAccount(manager, account);
      const others = { accountName: account, name: Not(name) };
      if ((await manager.countBy(SavedView, others)) >= VIEWS_MAX)
        throw new Problem('conflict', `an account has at most ${VIEWS_MAX} views: delete one`);
      const saved = { accountName: account, name, view, changedAt: new Date() };
      await manager.upsert(SavedView, saved, ['accountName', 'name']);
    });
  }
}

/** Deletes a view. */
@CommandHandler(DeleteView)
export class DeleteViewHandler implements ICommandHandler<DeleteView> {
  constructor(private readonly source: DataSource) {}

  async execute({ account, name }: DeleteView): Promise<void> {
    const { affected } = NAME.test(name)
      ? await this.source.getRepository(SavedView).delete({ accountName: account, name })
      : { affected: 0 };
    if (affected !== 1) throw noView();
  }
}

const noView = (): Problem => new Problem('not-found', 'the account has no view of this name');

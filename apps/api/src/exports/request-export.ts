import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { HouseRecord } from '../house/house-record.js';
import { actorOf, type Identity } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';
import { ExportJobs, type ExportJob, type ExportOrder } from './making/export-jobs.js';
import { ExportRunner } from './making/export-runner.js';
import { ExportScopes } from './export-scopes.js';

/** The most exports that wait or are made, in all and for each person. */
const UNFINISHED_MAX = { inAll: 100, each: 10 };

/**
 * Asks for a package. The same again under its key is answered as the first time. Throws
 * `not-found` for a table or finding that does not exist or that the sender may not see,
 * `not-permitted` for what belongs to all tables, `day-not-sealed`, `too-many-at-once`,
 * `idempotency-key-reused`, and `conflict` if this server makes no packages.
 */
export class RequestExport extends Command<ExportJob> {
  constructor(
    readonly by: Identity,
    readonly order: Omit<ExportOrder, 'askedBy'>,
  ) {
    super();
  }
}

/** Checks what is asked for and keeps it, in one transaction with its record. */
@CommandHandler(RequestExport)
export class RequestExportHandler implements ICommandHandler<RequestExport> {
  constructor(
    private readonly jobs: ExportJobs,
    private readonly record: HouseRecord,
    private readonly scopes: ExportScopes,
    private readonly runner: ExportRunner,
  ) {}

  async execute({ by, order }: RequestExport): Promise<ExportJob> {
    if (!this.runner.isOn)
      throw new Problem('conflict', 'this server has no folder for packages: SHOEPRINT_EXPORTS');
    const askedBy = actorOf(by);
    const before = await this.jobs.under({ askedBy, key: order.key });
    if (before && isSeenBy(by, before)) return same(before, order);
    const asked = { ...order.asked, scope: await this.scopes.seen(by, order.asked.scope) };
    if (before) throw new Problem('idempotency-key-reused');
    await this.requireRoom(askedBy);
    const kept: ExportOrder = { ...order, asked, askedBy };
    const id = await this.record.transaction(async (manager, note) => {
      const added = await this.jobs.add(manager, kept);
      if (added === undefined) return undefined;
      const { purpose, recipient } = kept;
      const { scope, ...options } = asked;
      const data = { export: added, scope: { ...scope }, purpose, recipient, options };
      await note({ type: 'export-requested', by: askedBy, data });
      return added;
    });
    this.runner.look();
    const job =
      id === undefined
        ? await this.jobs.under({ askedBy, key: order.key })
        : await this.jobs.find(id, undefined);
    if (!job) throw new Error('an export that was added is not there');
    return id === undefined ? same(job, order) : job;
  }

  private async requireRoom(askedBy: string): Promise<void> {
    const { all, own } = await this.jobs.unfinished(askedBy);
    if (all < UNFINISHED_MAX.inAll && own < UNFINISHED_MAX.each) return;
    throw new Problem(
      'too-many-at-once',
      `${own} exports of this account wait, and ${all} in all; at most ${UNFINISHED_MAX.each} and ${UNFINISHED_MAX.inAll} may`,
      { headers: { 'Retry-After': '10' } },
    );
  }
}

/**
 * Returns whether the account may see an export of its person, who may have asked for it by another
 * account or before the account lost a table.
 */
const isSeenBy = ({ tables }: Identity, { asked: { scope } }: ExportJob): boolean =>
  tables === 'all' || (scope.table !== undefined && tables.includes(scope.table));

/** Returns what was asked for before under a key. Throws `idempotency-key-reused` if it differs. */
function same(before: ExportJob, { asked, purpose, recipient }: Omit<ExportOrder, 'askedBy'>) {
  const { table = before.asked.scope.table } = asked.scope;
  const scope = table === undefined ? asked.scope : { ...asked.scope, table };
  const textOf = (of: Pick<ExportOrder, 'asked' | 'purpose' | 'recipient'>): string =>
    JSON.stringify([
      Object.entries(of.asked.scope).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ...[of.asked.since, of.asked.formats, of.asked.asItIs, of.purpose, of.recipient],
    ]);
  if (textOf(before) === textOf({ asked: { ...asked, scope }, purpose, recipient })) return before;
  throw new Problem('idempotency-key-reused');
}

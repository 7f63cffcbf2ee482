import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { HouseRecord } from '../house/house-record.js';
import { plainText } from '../http/parameters.js';
import { actorOf, type Identity } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';
import { Exporting } from './making/exporting.js';
import { ExportJobs, type ExportJob } from './making/export-jobs.js';

/** Asks for the latest exports that the sender may see. */
export class ListExports extends Query<readonly ExportJob[]> {
  constructor(readonly by: Identity) {
    super();
  }
}

/** Asks for an export. Throws `not-found` if there is none or the sender may not see it. */
export class ShowExport extends Query<ExportJob> {
  constructor(
    readonly by: Identity,
    readonly id: string,
  ) {
    super();
  }
}

/** Ends an export and removes its package. Throws as `ShowExport` does. */
export class RemoveExport extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly id: string,
  ) {
    super();
  }
}

const scopeOf = ({ tables }: Identity): readonly string[] | undefined =>
  tables === 'all' ? undefined : tables;

/** Reads the latest exports. */
@QueryHandler(ListExports)
export class ListExportsHandler implements IQueryHandler<ListExports> {
  constructor(private readonly jobs: ExportJobs) {}

  execute({ by }: ListExports): Promise<readonly ExportJob[]> {
    return this.jobs.list(scopeOf(by));
  }
}

/** Reads an export. */
@QueryHandler(ShowExport)
export class ShowExportHandler implements IQueryHandler<ShowExport> {
  constructor(private readonly jobs: ExportJobs) {}

  async execute({ by, id }: ShowExport): Promise<ExportJob> {
    const job = await this.jobs.find(plainText(id), scopeOf(by));
    if (job) return job;
    throw new Problem('not-found', 'no export has this id, or this identity may not see it');
  }
}

/** Removes a package, and records who did. The process that makes it ends within a second. */
@CommandHandler(RemoveExport)
export class RemoveExportHandler implements ICommandHandler<RemoveExport> {
  constructor(
    private readonly jobs: ExportJobs,
    private readonly show: ShowExportHandler,
    private readonly exporting: Exporting,
    private readonly record: HouseRecord,
  ) {}

  async execute({ by, id }: RemoveExport): Promise<void> {
    const job = await this.show.execute(new ShowExport(by, id));
    await this.record.transaction(async (manager, note) => {
      if (await this.jobs.remove(manager, job.id))
        await note({ type: 'export-removed', by: actorOf(by), data: { export: job.id } });
    });
    if (this.exporting.isOn) await this.exporting.packages.remove(job.id);
  }
}

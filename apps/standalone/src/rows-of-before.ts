import { rebuildRows, startAuditor, type RunningAuditor, type StartAuditor } from '#auditor';
import { Refusal } from '#process';
import { OtherFold } from '#read-model';

/**
 * Starts the auditor of a data folder. If an earlier fold version wrote the rows, rebuilds them
 * from the log first, as the `owner` of the database, and passes each difference to `say`. Throws
 * `Refusal` if a later version wrote them.
 */
export async function startOnAnyRows(
  parts: StartAuditor,
  { owner, say }: { readonly owner: string; readonly say: (line: string) => void },
): Promise<RunningAuditor> {
  try {
    return await startAuditor(parts);
  } catch (error) {
    if (!(error instanceof OtherFold)) throw error;
    if (error.found > error.wanted)
      throw new Refusal(
        `a later version of Shoeprint wrote this folder (fold version ${error.found}, this is ${error.wanted}): start that version`,
        { cause: error },
      );
    say(`the rows are of fold version ${error.found}; rebuilding them by version ${error.wanted}`);
    const { log, book, gamingDays, lanes } = parts;
    const { events, tables } = await rebuildRows({
      log,
      databaseUrl: owner,
      book,
      gamingDays,
      acceptDifferences: true,
      ...(lanes !== undefined && { lanes }),
    });
    for (const { table, live, rebuilt, equal, differing } of tables)
      if (!equal)
        say(`${table}: ${live} rows before, ${rebuilt} now; some differ: ${differing.join(', ')}`);
    say(`rebuilt the rows from ${events} events`);
    return startAuditor(parts);
  }
}

// Makes one package in a process of its own, below the priority of the server that started it: no
// card waits for an export, and a package that is too large for the memory ends this process alone.
import { ExportRefusal, type ExporterWord, type ExportTask } from '#export';
import { LogAway } from '#event-log';
import { asError, Refusal } from '#process';
import { isDatabaseAway } from '#read-model';
import { jsonLogger, runProgram } from '#server';
import { runExport } from './run-export.js';

/** A share of the work is said at most this often. */
const SAY_MS = 250;

const logger = jsonLogger('exporter');

await runProgram(logger, async () => {
  if (!process.send) throw new Refusal('only the server starts the exporter');
  if (!process.connected) return 0; // it has ended meanwhile
  const asked = new AbortController();
  process.once('disconnect', () =>
    asked.abort(new Error('the server that asked for it has ended, or ended it')),
  );
  const task = await new Promise<ExportTask>((resolve) => {
    process.once('message', (message) => resolve(message as ExportTask));
  });
  const outcome = await outcomeOf(task, asked.signal);
  if (outcome) await said(outcome);
  else logger.log({ message: 'export stopped', why: asError(asked.signal.reason).message });
  return 0;
});

/** Makes the package. Returns the last word about it, or null if the server asked to stop it. */
async function outcomeOf(task: ExportTask, signal: AbortSignal): Promise<ExporterWord | null> {
  let saidAt = 0;
  let last: string | undefined;
  const step: Parameters<typeof runExport>[1]['step'] = (name, share) => {
    const now = performance.now();
    if (name === last && now - saidAt < SAY_MS) return;
    [last, saidAt] = [name, now];
    void said({ is: 'step', step: name, share });
  };
  try {
    return { is: 'made', made: await runExport(task, { step, signal }) };
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof ExportRefusal)
      return { is: 'refused', code: error.code, message: error.message };
    if (error instanceof Refusal)
      return { is: 'refused', code: 'settings', message: error.message };
    if (error instanceof LogAway || isDatabaseAway(error))
      return { is: 'away', message: asError(error).message };
    throw error;
  }
}

function said(word: ExporterWord): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve();
    process.send?.(word, undefined, undefined, () => resolve());
  });
}

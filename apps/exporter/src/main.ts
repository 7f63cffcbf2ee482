// Makes one package in a process of its own, below the priority of the server that started it: no
// card waits for an export, and a package that is too large for the memory ends this process alone.
import { ExportRefusal, type ExportTask, type ExportWord } from '#export';
import { Refusal } from '#process';
import { jsonLogger, runProgram } from '#server';
import { runExport } from './run-export.js';

/** A share of the work is said at most this often. */
const SAY_MS = 250;

await runProgram(jsonLogger('exporter'), async () => {
  if (!process.send) throw new Refusal('only the server starts the exporter');
  if (!process.connected) return 0; // it has ended meanwhile
  const asked = new AbortController();
  process.once('disconnect', () => asked.abort(new Error('the server that asked has ended')));
  const task = await new Promise<ExportTask>((resolve) => {
    process.once('message', (message) => resolve(message as ExportTask));
  });
  await said(await outcomeOf(task, asked.signal));
  return 0;
});

async function outcomeOf(task: ExportTask, signal: AbortSignal): Promise<ExportWord> {
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
    if (error instanceof ExportRefusal)
      return { is: 'refused', code: error.code, message: error.message };
    if (error instanceof Refusal)
      return { is: 'refused', code: 'settings', message: error.message };
    throw error;
  }
}

function said(word: ExportWord): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve();
    process.send?.(word, undefined, undefined, () => resolve());
  });
}

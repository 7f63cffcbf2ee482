import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ExportWord } from '#export';
import { runApp } from '../server/run-app.js';
import type { Exported, PackageOrder } from './command.js';
import { isRefusal } from './refusals.js';
import type { ExportShown } from './shown.js';

/** Makes a package of a data folder, by the program that knows the folder. */
export async function exportFromFolder(
  { data, by }: { readonly data: string; readonly by: string | undefined },
  order: PackageOrder,
  shown: ExportShown,
): Promise<Exported> {
  let last: Exported | undefined;
  const hear = (word: ExportWord): void => {
    if (word.is === 'step') shown.at(word.step, word.share);
    else if (word.is === 'made') last = { made: word.made };
    else last = { isRefused: isRefusal(word.code), code: word.code, detail: word.message };
  };
  const words = ['export', JSON.stringify({ ...order, ...(by !== undefined && { by }) })];
  let code = 0;
  await runApp('standalone', words, { SHOEPRINT_DATA: data }, async (args, env) => {
    code = await said(args, env, hear);
    return code;
  });
  if (last) return last;
  // It has said why on standard error.
  return {
    isRefused: code === 2,
    code: 'ended',
    detail: `no package was made (exit code ${code})`,
  };
}

/**
 * Runs a program whose standard output is a word a line, and resolves with its exit code. What it
 * logs of faults goes to standard error.
 */
async function said(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  hear: (word: ExportWord) => void,
): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code ?? 1));
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('{"is":')) hear(JSON.parse(line) as ExportWord);
    else if (/"level":"(error|fatal)"/.test(line)) process.stderr.write(`${line}\n`);
  return ended;
}

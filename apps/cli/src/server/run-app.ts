import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder, runChild } from '#process';
import { Refusal } from '../refusal.js';

/**
 * Runs one of the programs in the foreground, once or as `run` does, and exits with its
 * exit code. Throws `Refusal` if the program is not built.
 */
export async function runApp(
  name: 'auditor' | 'gateway' | 'sealer' | 'standalone',
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  run: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number> = runChild,
): Promise<void> {
  const main = join(packageFolder(), 'dist', 'apps', name, 'src', 'main.js');
  if (!existsSync(main)) throw new Refusal(`${main} is missing: run "npm run build"`);
  process.exitCode = await run(['--enable-source-maps', main, ...args], {
    ...process.env,
    ...env,
  });
}

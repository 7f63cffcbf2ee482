import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { packageFolder } from '#process';
import { Refusal } from '../refusal.js';

/**
 * Runs one of the server's programs in the foreground, in a process of its own, and takes over its exit code; one that was
 * killed leaves 128 and the signal's number, as in a shell. Ctrl-C reaches it by itself; other requests to end are passed
 * on, and it notices where this process is killed. Refuses (`Refusal`) where it has not been built.
 */
export async function runApp(
  name: 'auditor' | 'standalone',
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const main = join(packageFolder(), 'dist', 'apps', name, 'src', 'main.js');
  if (!existsSync(main)) throw new Refusal(`${main} is not there; npm run build makes it`);
  // Nothing is said over the channel: it closes when this process ends, however it ends.
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  const wait = (): void => undefined;
  // They stay until this process ends: a late signal must not change the code that is taken over.
  process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', wait);
  const { code, signal } = await new Promise<{
    code: number | null;
    signal: NodeJS.Signals | null;
  }>((ended, failed) => {
    child
      .on('error', failed)
      .on('exit', (exitCode, exitSignal) => ended({ code: exitCode, signal: exitSignal }));
  });
  if (signal !== null) process.stderr.write(`shoeprint: ${name} was ended by ${signal}\n`);
  process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}

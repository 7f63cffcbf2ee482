import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version that docs/evidence.md names. */
const MODULE = 'github.com/transparency-dev/tessera/cmd/fsck@v1.0.4';
const INSTALL_MS = 300_000;
const RUN_MS = 60_000;
/** Kept between runs: it takes a minute to build. */
const folder = fileURLToPath(
  new URL('../../node_modules/.cache/shoeprint/fsck-v1.0.4', import.meta.url),
);

/**
 * Returns Tessera's `fsck`, a verifier of tlog-tiles that others wrote, or why it cannot be run
 * here. Builds it once if Go is on this machine.
 */
export function tesseraFsck(): { readonly program: string } | { readonly skipped: string } {
  const program = join(folder, 'fsck');
  if (existsSync(program)) return { program };
  const { error, status, stderr } = spawnSync('go', ['install', MODULE], {
    env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' },
    encoding: 'utf8',
    timeout: INSTALL_MS,
  });
  if (error) return { skipped: `Go cannot be run: ${error.message}` };
  if (status === 0) return { program };
  return { skipped: `Go cannot build ${MODULE}: ${stderr.trim().split('\n').at(-1)}` };
}

/** Runs it. Its exit code is 0 whatever it finds, so a caller reads its words. */
export const wordsOf = (program: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve) =>
    execFile(
      program,
      ['-ui=false', '-logtostderr', ...args],
      { timeout: RUN_MS },
      (_error, stdout, stderr) => resolve(`${stdout}${stderr}`),
    ),
  );

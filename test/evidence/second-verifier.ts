import type { PackageFault, PackageReport, Verdict } from '#evidence';
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PackageFiles } from './site-package.js';

/** Whether Python is installed. Without it the second verifier cannot be asked. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;

/** What the second verifier is asked to trust. */
export interface SecondTrust {
  readonly key?: string;
  readonly trusted?: readonly string[];
  readonly witnesses?: readonly string[];
  readonly quorum?: number;
}

/** What the second verifier says of a package. */
export interface SecondReport {
  readonly verdict: Verdict;
  readonly faults: readonly Pick<PackageFault, 'step' | 'kind' | 'file' | 'message'>[];
}

/** Longest time to wait for one answer. */
const ANSWER_MS = 30_000;

/** verify.py in one process that judges many packages. */
export class SecondVerifier {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: Interface;
  private readonly answers: AsyncIterator<string>;
  private readonly bases = new Map<PackageFiles, string>();
  private complaint = '';

  /** `program` is the path of judge_many.py, for a bundle that is elsewhere. */
  constructor(program = fileURLToPath(new URL('judge_many.py', import.meta.url))) {
    this.child = spawn('python3', [program], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    // A process that ended does not take a request. Its answer is missing then, and says why.
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.on('data', (text) => (this.complaint += String(text).slice(-4_000)));
    this.lines = createInterface({ input: this.child.stdout });
    this.answers = this.lines[Symbol.asyncIterator]();
  }

  /**
   * Returns the report on a package. `like` is a package that was asked about before: only the
   * files that differ from its files are sent.
   */
  async judge(files: PackageFiles, trust: SecondTrust, like?: PackageFiles): Promise<SecondReport> {
    const base = like && this.bases.get(like);
    const changed: Record<string, string | null> = {};
    for (const [path, bytes] of files)
      if (base === undefined || !isSame(like?.get(path), bytes))
        changed[path] = Buffer.from(bytes).toString('base64');
    if (base !== undefined)
      for (const path of like?.keys() ?? []) if (!files.has(path)) changed[path] = null;
    const name = String(this.bases.size);
    if (base === undefined) this.bases.set(files, name);
    const request = {
      ...trust,
      files: changed,
      ...(base === undefined ? { base: name } : { like: base }),
    };
    return this.asked(request);
  }

  /** Returns the report on a zip or a folder. */
  judgeFile(path: string, trust: SecondTrust): Promise<SecondReport> {
    return this.asked({ ...trust, path });
  }

  private async asked(request: object): Promise<SecondReport> {
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    return JSON.parse(await this.answer()) as SecondReport;
  }

  private async answer(): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`verify.py did not answer within ${ANSWER_MS} ms`));
      }, ANSWER_MS);
    });
    const { value, done } = await Promise.race([this.answers.next(), late]).finally(() => {
      clearTimeout(timer);
    });
    if (done === true) throw new Error(`verify.py ended: ${this.complaint}`);
    return value;
  }

  /** Ends the process. */
  close(): void {
    this.lines.close();
    this.child.kill();
  }
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a === b || (a !== undefined && Buffer.compare(a, b) === 0);

/** Returns the verdict of steps 1 to 6 of a report: of those that both verifiers have. */
export function verdictOfProof({ faults }: Pick<PackageReport, 'faults'>): Verdict {
  const kinds = new Set(faults.filter(({ step }) => step <= 6).map(({ kind }) => kind));
  if (kinds.has('unreadable')) return 'UNREADABLE';
  if (kinds.has('altered')) return 'ALTERED';
  return kinds.has('incomplete') ? 'INCOMPLETE' : 'INTACT';
}

import type { PackageReport } from '#evidence';
import { BlobReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { runVerifier } from '../../apps/cli/src/verify/run.js';
import { BadPackages, type BadPackage } from './bad-packages.js';
import { shortPackage } from './played-package.js';
import { numbersFrom } from './random-packages.js';
import { hasPython, SecondVerifier, verdictOfProof } from './second-verifier.js';

// Gives bad packages to the command of the one-file verifier, and prints what came of it as JSON:
//   node BUNDLE FOLDER VERIFIER COUNT SEED
// Every package goes to the command, one after the other in this process, and to verify.py. One of
// so many goes to a process of its own, which is VERIFIER. FOLDER is as BadPackages wants it. Runs
// in the folder of the project.

const [folder = '', verifier = '', count = '', seed = ''] = process.argv.slice(2);
const EXITS = ['INTACT', 'ALTERED', 'INCOMPLETE', 'UNREADABLE'];
/** One of so many goes to a process of its own too. */
const PROCESS_EVERY = 100;
const MOST_MS = 10_000;
/** How often it is said how far it is. */
const TOLD_EVERY = 1_000;
/** Complaints that are kept. */
const COMPLAINTS_MAX = 20;

/** What the page says that nobody but the holder of the exports key vouches for. */
const VOUCHED =
  /^(VERIFY\.txt|bagit\.txt|bag-info\.txt|receipt|(tag)?manifest-sha256\.txt|data\/package\.json|data\/reports\/.*|data\/tables\/\d+\/(records\.csv|context\.ndjson|later\.ndjson))$/;

/** What the log signs of the checkpoint: not the lines of signatures, of which others are unknown. */
const CHECKPOINT = 'data/site/checkpoint';
const hasSameText = (...notes: readonly [Uint8Array, Uint8Array]): boolean => {
  const [one, other] = notes.map((note) => Buffer.from(note).toString().split('\n\n')[0]);
  return one === other;
};

/** What came of the packages of one kind. */
interface Row {
  readonly exits: Record<string, number>;
  /** Packages that the command found intact because nothing of the evidence had changed. */
  unchanged: number;
}

const whole = await shortPackage();
const { exportsKey, logKey } = whole.site;
const key = logKey.vkey;
const packages = new BadPackages(
  folder,
  { id: whole.id, files: whole.files, exportsKey },
  numbersFrom(Number(seed)),
);
const second = hasPython ? new SecondVerifier('test/evidence/judge_many.py') : undefined;

const rows: Record<string, Row> = {};
const complaints: string[] = [];
const counts = { complaints: 0, processes: 0, python: 0 };
let slowest = 0;
let at = 0;

function complain(input: BadPackage, what: string): void {
  counts.complaints += 1;
  if (complaints.length < COMPLAINTS_MAX)
    complaints.push(`input ${at} of seed ${seed}, ${input.kind}: ${what}`);
}

process.on('unhandledRejection', (error) => {
  complaints.push(`input ${at} of seed ${seed}: unhandled ${String(error)}`);
  counts.complaints += 1;
});

/** What a run of the command printed, and its exit code. */
interface Outcome {
  readonly exit: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process. */
async function inProcess(path: string): Promise<Outcome> {
  const said = { stdout: '', stderr: '' };
  const undo = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const write = stream.write.bind(stream);
    stream.write = (text: string | Uint8Array) => {
      said[name] += String(text);
      return true;
    };
    return () => (stream.write = write);
  });
  process.exitCode = undefined;
  try {
    await runVerifier(['node', 'shoeprint-verify', path, '--key', key, '--json'], {});
    return { exit: process.exitCode, ...said };
  } finally {
    for (const each of undo) each();
    process.exitCode = 0;
  }
}

function ownProcess(path: string): Outcome {
  const args = [verifier, path, '--key', key];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: MOST_MS,
  });
  return { exit: signal ?? status, stdout, stderr };
}

/** Returns what is wrong with what a run printed, or undefined. */
function faultIn({ exit, stdout, stderr }: Outcome): string | undefined {
  if (typeof exit !== 'number' || !(exit in EXITS))
    return `it ended with ${String(exit)}: ${stderr}`;
  if (stderr !== '') return `it wrote ${JSON.stringify(stderr.slice(0, 500))}`;
  if (/^\s+at .+:\d+/m.test(stdout)) return `it printed a stack: ${stdout.slice(0, 500)}`;
  return undefined;
}

/** Returns the files of an input, read by another program than the verifier. */
async function contentOf({ path, files }: BadPackage): Promise<ReadonlyMap<string, Uint8Array>> {
  if (files) return files;
  const reader = new ZipReader(new BlobReader(new Blob([readFileSync(path)])), {
    useWebWorkers: false,
  });
  const found = new Map<string, Uint8Array>();
  for (const entry of await reader.getEntries())
    if (!entry.directory)
      found.set(
        entry.filename.replace(/^[^/]*\//, ''),
        await entry.getData(new Uint8ArrayWriter()),
      );
  await reader.close();
  return found;
}

/** Returns the files of an intact package that are other evidence than that of the whole one. */
async function changedIn(input: BadPackage): Promise<string[]> {
  const content = await contentOf(input);
  const paths = new Set([...whole.files.keys(), ...content.keys()]);
  return [...paths].filter((path) => {
    const [before, now] = [whole.files.get(path), content.get(path)];
    if (!before || !now) return true;
    const isFree = VOUCHED.test(path) || (path === CHECKPOINT && hasSameText(before, now));
    return Buffer.compare(before, now) !== 0 && !(input.isSigned && isFree);
  });
}

/** Returns what verify.py finds otherwise, or undefined. */
async function otherwiseIn(
  input: BadPackage,
  { exit, stdout }: Outcome,
): Promise<string | undefined> {
  if (!second) return undefined;
  counts.python += 1;
  const { verdict } = await second.judgeFile(input.path, { key });
  // A file that steps 7 and 8 read too is reported once, by one of them.
  const wanted = [
    EXITS[Number(exit)],
    verdictOfProof(JSON.parse(stdout) as Pick<PackageReport, 'faults'>),
  ];
  return wanted.includes(verdict)
    ? undefined
    : `verify.py says ${verdict}, not ${wanted.join(' or ')}`;
}

async function tried(input: BadPackage): Promise<void> {
  const start = performance.now();
  const outcome = await inProcess(input.path);
  const ms = performance.now() - start;
  slowest = Math.max(slowest, ms);
  const row = (rows[input.kind] ??= { exits: {}, unchanged: 0 });
  const exit = String(outcome.exit);
  row.exits[exit] = (row.exits[exit] ?? 0) + 1;
  const fault = faultIn(outcome);
  if (fault !== undefined) {
    complain(input, fault);
    return;
  }
  if (ms > MOST_MS) complain(input, `it took ${ms} ms`);
  if (outcome.exit === 0) {
    row.unchanged += 1;
    const changed = await changedIn(input);
    if (changed.length > 0) complain(input, `INTACT, although changed: ${changed.join(', ')}`);
  }
  const otherwise = await otherwiseIn(input, outcome);
  if (otherwise !== undefined) complain(input, otherwise);
  if (at % PROCESS_EVERY === 0) compareProcess(input, outcome);
}

/** Compares what a process of its own says with what was said here. */
function compareProcess(input: BadPackage, here: Outcome): void {
  counts.processes += 1;
  const outcome = ownProcess(input.path);
  const fault = faultIn(outcome);
  const word = outcome.stdout.split(' ')[0];
  if (fault !== undefined) complain(input, `in a process of its own ${fault}`);
  else if (outcome.exit !== here.exit || word !== EXITS[Number(here.exit)])
    complain(input, `${word}, exit ${String(outcome.exit)}, in a process of its own`);
}

for (; at < Number(count); at += 1) {
  const input = packages.next();
  try {
    await tried(input);
  } catch (error) {
    complain(input, error instanceof Error ? String(error.stack) : String(error));
  }
  const tries = at + 1;
  if (tries % TOLD_EVERY === 0)
    process.stderr.write(`${tries} of ${count}, ${counts.complaints} complaints\n`);
}
second?.close();
process.stdout.write(JSON.stringify({ rows, ...counts, list: complaints, slowest }));

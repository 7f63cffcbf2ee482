import { Command, InvalidArgumentError } from 'commander';
import type { Replay } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { gamingDays } from '#read-model/gaming-days';
import { packageReplay } from '#replay';
import { BufferedOutput } from '../terminal/page.js';
import { Refusal } from '../refusal.js';
import { exitOf, reportJson, reportLines } from './report-text.js';
import { trustOf, verifyFile, type TrustAsked } from './verify.js';

/** Hashes of the published rule documents by id, as rules/manifest.json has them. */
export type PublishedRules = Readonly<Record<string, string>>;

interface VerifyOptions extends TrustAsked {
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  shoeprint verify b03.zip --key site.vkey                whole, unaltered, signed by this key
  shoeprint verify b03.zip --trusted last.checkpoint      and its history only grew since then
  shoeprint verify b03 --key site.vkey --json             an unpacked package, for a program

Exit codes: 0 intact, 1 altered, 2 incomplete, 3 unreadable. The worst of all faults counts.`;

const judgesOf = (published: PublishedRules): Replay =>
  packageReplay({
    published,
    sha256: nodeCryptography.sha256,
    gamingDays,
    warnings: 'checked',
  });

/** Returns the command `shoeprint verify`, which verifies evidence packages without a network. */
export const verifyCommand = (published: () => PublishedRules): Command =>
  new Command('verify')
    .description('verify an evidence package: whole, unaltered, with nothing missing')
    .argument('<package>', 'the zip file, or the folder that it was unpacked into')
    .option('--key <vkey>', "the log's key, or a file that holds it")
    .option('--trusted <file>', 'a checkpoint that you hold; repeatable', added, [])
    .option('--witness <vkey>', 'a witness, or a file that holds its key; repeatable', added, [])
    .option('--quorum <n>', 'how many of the witnesses must have cosigned; default: all', quorumOf)
    .option('--json', 'print one JSON object for programs')
    .addHelpText('after', EXAMPLES)
    .action((path: string, options: VerifyOptions) =>
      runVerify(path, options, judgesOf(published())),
    );

const added = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function quorumOf(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 99.');
}

async function runVerify(path: string, options: VerifyOptions, judges: Replay): Promise<void> {
  const { witness, quorum } = options;
  if (quorum !== undefined && quorum > witness.length)
    throw new Refusal(`--quorum: ${quorum} of ${witness.length} witnesses can never cosign`);
  const report = await verifyFile(path, trustOf(options), judges);
  const page = new BufferedOutput();
  const hasKey = options.key !== undefined;
  if (options.json) await page.lines(reportJson(report));
  else await page.lines(...reportLines(report, { hasKey }));
  await page.flush();
  process.exitCode = exitOf(report);
}

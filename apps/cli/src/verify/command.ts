import { Command, InvalidArgumentError } from 'commander';
import type { Replay } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { keepHeapsSmall } from '#process';
import type { LaneSetting } from '#audit';
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
  readonly log?: true;
  readonly data?: string;
}

/** Verifies the log of a house instead of a package, where a server's programs are installed. */
type VerifyLog = (options: VerifyOptions) => Promise<void>;

const EXAMPLES = `
Examples:
  shoeprint verify b03.zip --key site.vkey                whole, unaltered, signed by this key
  shoeprint verify b03.zip --trusted last.checkpoint      and its history only grew since then
  shoeprint verify b03 --key site.vkey --json             an unpacked package, for a program

Exit codes: 0 intact, 1 altered, 2 incomplete, 3 unreadable. The worst of all faults counts.`;

/** What the command is given. */
export interface VerifyParts {
  readonly published: () => PublishedRules;
  /** How lines are folded. */
  readonly lanes: () => LaneSetting;
  /** Adds `--log`. */
  readonly verifyLog?: VerifyLog;
}

const judgesOf = ({ published, lanes }: VerifyParts): Replay =>
  packageReplay({
    published: published(),
    sha256: nodeCryptography.sha256,
    gamingDays,
    warnings: 'checked',
    lanes: lanes(),
  });

/**
 * Returns the command `shoeprint verify`, which verifies evidence packages without a network.
 */
export function verifyCommand(parts: VerifyParts): Command {
  const command = packageCommand(parts);
  if (!parts.verifyLog) return command;
  return command
    .option('--log', "verify the house's own log against its seals instead of a package")
    .option('--data <folder>', 'with --log: the data folder of a server on this machine');
}

const packageCommand = (parts: VerifyParts): Command =>
  new Command('verify')
    .description('verify an evidence package: whole, unaltered, with nothing missing')
    .argument('[package]', 'the zip file, or the folder that it was unpacked into')
    .option('--key <vkey>', "the log's key, or a file that holds it")
    .option('--trusted <file>', 'a checkpoint that you hold; repeatable', added, [])
    .option('--witness <vkey>', 'a witness, or a file that holds its key; repeatable', added, [])
    .option('--quorum <n>', 'how many of the witnesses must have cosigned; default: all', quorumOf)
    .option('--json', 'print one JSON object for programs')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string | undefined, options: VerifyOptions) => {
      if (options.log && parts.verifyLog) return parts.verifyLog(refusedWithLog(path, options));
      if (options.data !== undefined) throw new Refusal('--data: only together with --log');
      if (path === undefined)
        throw new Refusal('name the package to verify: a zip file or a folder');
      return runVerify(path, options, judgesOf(parts));
    });

/** Throws `Refusal` for options that only a package takes. */
function refusedWithLog(path: string | undefined, options: VerifyOptions): VerifyOptions {
  if (path !== undefined) throw new Refusal('--log: name no package, it verifies the log itself');
  if (options.witness.length > 0 || options.quorum !== undefined)
    throw new Refusal('--log: --witness and --quorum are for packages');
  return options;
}

const added = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function quorumOf(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 99.');
}

async function runVerify(path: string, options: VerifyOptions, judges: Replay): Promise<void> {
  keepHeapsSmall();
  const { witness, quorum } = options;
  if (quorum !== undefined && quorum > witness.length)
    throw new Refusal(`--quorum: ${quorum} of ${witness.length} witnesses can never cosign`);
  const trust = trustOf(options);
  const report = await verifyFile(path, trust, judges);
  const page = new BufferedOutput();
  const given = {
    hasKey: options.key !== undefined,
    sizes: trust.checkpoints.map(({ size }) => size),
  };
  if (options.json) await page.lines(reportJson(report));
  else await page.lines(...reportLines(report, given));
  await page.flush();
  process.exitCode = exitOf(report);
}

import {
  FormatFault,
  readVkey,
  signaturesOf,
  tableOfName,
  VERDICTS,
  vkeyText,
  type CheckpointBody,
  type PackageFault,
  type SignedCheckpoint,
  type Verdict,
  type VerifierKey,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { asError, errorCode, Refusal, visible } from '#process';
import { KeyRefused, signerIn } from '#seal-store';
import { LogComparison, type RecordDifference } from '../reading-again/log-comparison.js';
import {
  SignedSealsCheck,
  type HeldRoot,
  type SignedSeals,
} from '../reading-again/signed-seals.js';
import { StoredTreesCheck } from '../reading-again/stored-trees.js';
import { LastSigned } from '../signing/last-signed.js';
import { textOf, type CommandAsked, type OpenParts } from './asked.js';
import { checkpointOf } from './checkpoints.js';

const { sha256 } = nodeCryptography;
/** Most faults that a report lists. More of them are counted. */
const FAULTS_MAX = 1_000;
/** Differences of one partition after which the rest of it is not compared. */
const DIFFERENCES_MAX = 100;

/** What the reader of the report trusts. */
interface Trust {
  readonly keys: readonly VerifierKey[];
  readonly checkpoints: readonly SignedCheckpoint[];
  readonly held: readonly HeldRoot[];
}

/**
 * Verifies the log of the house against its seals: the signed checkpoint, the leaves of the site
 * log, the heads, then every record as it is in the log. Prints a report and returns the exit code
 * of `shoeprint verify`.
 */
export async function verifyLog(parts: OpenParts, asked: CommandAsked): Promise<number> {
  const report = new Report();
  let trust: Trust;
  try {
    trust = trustOf(parts, asked, report);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    report.add({ step: 1, kind: 'unreadable', message: error.message });
    return report.print(parts, asked.json);
  }
  const { reader, origin } = parts;
  const onFault = (fault: PackageFault): void => report.add(fault);
  const seals = await new SignedSealsCheck(reader, sha256, trust.held, onFault).run(origin);
  if (seals) {
    report.seals = seals;
    judgeTrust(report, seals, trust);
    if (!seals.last)
      report.add({
        step: 5,
        kind: 'incomplete',
        message: 'no seal made yet: no record is sealed',
      });
    const pace = (): Promise<void> => Promise.resolve();
    await new StoredTreesCheck({ reader, sha256, origin, onFault, pace }).run(seals);
    await compareLog(parts, report, seals);
  }
  return report.print(parts, asked.json);
}

/** Trusts what is named, and else the key of the house and its memory, where they lie here. */
function trustOf(
  { keyFiles, origin }: OpenParts,
  { key, trusted }: CommandAsked,
  report: Report,
): Trust {
  const checkpoints = trusted.map((file) => ({ file, checkpoint: checkpointOf(textOf(file)) }));
  const held: HeldRoot[] = checkpoints.map(({ file, checkpoint: { size, root } }) => {
    return { size, root, what: `the checkpoint in ${file}` };
  });
  const last = memoryOf(new LastSigned(`${keyFiles.log.path}.last`), report);
  if (last) held.push({ ...last, what: 'what the key remembers in its .last file' });
  const own = key === undefined ? ownKey(keyFiles.log, origin) : vkeyOf(key);
  return {
    keys: own === undefined ? [] : [readKey(own)],
    checkpoints: checkpoints.map(({ checkpoint }) => checkpoint),
    held,
  };
}

/**
 * Returns what the key remembers. A memory that was damaged is a fault: who edits a log wants
 * it gone. One that this user may not read is a warning.
 */
function memoryOf(file: LastSigned, report: Report): CheckpointBody | undefined {
  try {
    return file.read();
  } catch (error) {
    const { cause, message } = asError(error);
    if (cause instanceof FormatFault) {
      report.add({
        step: 3,
        kind: 'altered',
        message: `what the key remembers is damaged: ${message}`,
      });
      return undefined;
    }
    if (errorCode(cause) === undefined) throw error;
    report.warnings.push(`what the key remembers was not compared: ${message}`);
    return undefined;
  }
}

function ownKey(file: OpenParts['keyFiles']['log'], origin: string): string | undefined {
  try {
    return signerIn(file, origin)?.vkey;
  } catch (error) {
    if (error instanceof KeyRefused) return undefined;
    throw error;
  }
}

const vkeyOf = (key: string): string => (key.includes('+') ? key : textOf(key).trimEnd());

function readKey(vkey: string): VerifierKey {
  try {
    return readVkey(sha256, vkey);
  } catch (error) {
    if (error instanceof FormatFault) throw new Refusal(`--key: ${vkey}: ${error.message}`);
    throw error;
  }
}

function judgeTrust(report: Report, { ring, signers }: SignedSeals, trust: Trust): void {
  const signed = trust.checkpoints.flatMap((held) =>
    signaturesOf(nodeCryptography, held.note, ring.logKeysAt(held.size))
      .filter(({ good }) => good)
      .map(({ key }) => key),
  );
  const reached = new Set(ring.reachedFrom([...trust.keys, ...signed]).map(vkeyText));
  const known = signers.find((vkey) => reached.has(vkey));
  report.key = known ?? signers[0];
  report.isTrusted = known !== undefined;
  if (known !== undefined || signers.length === 0) return;
  const hasTrust = trust.keys.length + trust.checkpoints.length > 0;
  report.add({
    step: 3,
    kind: hasTrust ? 'altered' : 'incomplete',
    message: hasTrust
      ? `${report.key} signed it, which does not follow from the key of the house`
      : `there is no key here to compare with: name it with --key; it is signed by ${report.key}`,
  });
}

async function compareLog(
  { log, reader, store }: OpenParts,
  report: Report,
  { last }: SignedSeals,
): Promise<void> {
  if (!last) return;
  if (log.id !== last.log) {
    const message = `the log is ${log.id}, and what was sealed came from ${last.log}`;
    report.add({ step: 6, kind: 'altered', message });
    return;
  }
  const comparison = new LogComparison(log, reader, sha256);
  for (const { partition, next } of await store.positions()) {
    const to = Math.max(next, last.next[partition] ?? 0);
    let differing = 0;
    for await (const piece of comparison.compare({ partition, from: 0, to })) {
      for (const difference of piece.differences) report.add(faultOf(difference));
      report.partitions.set(partition, piece.next);
      differing += piece.differences.length;
      if (differing < DIFFERENCES_MAX || piece.next >= to) continue;
      const message = `partition ${partition} is not compared beyond offset ${piece.next}`;
      report.warnings.push(`${message}, after ${differing} differences`);
      break;
    }
  }
}

function faultOf(difference: RecordDifference): PackageFault {
  const { partition, offset, name, record, line, goneTo, sealed, found } = difference;
  const was = sealed ? `sealed ${sealed.toString('hex')}` : 'never sealed from there';
  const is = found ? `found ${Buffer.from(found).toString('hex')}` : 'nothing found';
  const what = found
    ? 'the record is not the one that was sealed'
    : goneTo !== undefined && goneTo > offset + 1
      ? `the log ends here, and was sealed to offset ${goneTo}`
      : 'the record cannot be read';
  return {
    ...{ step: 6, kind: 'altered', partition, offset },
    ...(name !== '' && { table: tableOfName(name) ?? name }),
    ...(record !== null && { record }),
    ...(line !== undefined && { line }),
    message: `${what} (${was}, ${is})`,
  };
}

/** What was found, and how it is printed. */
class Report {
  readonly warnings: string[] = [];
  /** By partition: the offset to which it was compared. */
  readonly partitions = new Map<number, number>();
  seals: SignedSeals | undefined;
  key: string | undefined;
  isTrusted = false;
  private readonly faults: PackageFault[] = [];
  private further = 0;

  add(fault: PackageFault): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push(fault);
    else this.further += 1;
  }

  print({ print, origin }: OpenParts, json: boolean): number {
    const lines = json ? [this.json()] : this.lines(origin);
    for (const line of lines) print(visible(line));
    return VERDICTS[this.verdict];
  }

  private get verdict(): Verdict {
    const kinds = new Set(this.faults.map(({ kind }) => kind));
    if (kinds.has('unreadable')) return 'UNREADABLE';
    if (kinds.has('altered')) return 'ALTERED';
    return kinds.has('incomplete') ? 'INCOMPLETE' : 'INTACT';
  }

  private get records(): number {
    return [...this.partitions.values()].reduce((sum, next) => sum + next, 0);
  }

  /** The report as one line of JSON, in the fields of the report of a package. */
  private json(): string {
    const { verdict, faults, further: furtherFaults, warnings, seals, records } = this;
    return JSON.stringify({
      verdict,
      faults: faults.map(({ step, kind, message, ...at }) => ({
        step,
        kind,
        ...AT,
        ...at,
        message,
      })),
      furtherFaults,
      warnings,
      counts: { seals: seals?.seals ?? 0, records },
      key: this.key ?? null,
      sealed: { after: null, to: seals?.last?.time ?? null },
    });
  }

  private lines(origin: string): string[] {
    const { seals, key, further, warnings } = this;
    const size = seals?.checkpoint.size ?? 0;
    const whose = this.isTrusted ? 'the key of the house' : 'unknown to you';
    return [
      `${this.verdict}  ${origin}: ${this.records} records in ${this.partitions.size} partitions, ${seals?.seals ?? 0} seals`,
      `  signed     ${key === undefined ? 'by nobody' : `${key} (${whose})`}, size ${size}`,
      `  sealed     from the first seal to ${seals?.last?.time ?? 'none'} by the house's clock`,
      ...this.faults.map((fault) => `  ${faultText(fault)}`),
      ...(further > 0 ? [`  and ${further} more faults`] : []),
      ...(warnings.length === 0
        ? ['  warnings   none']
        : warnings.map((warning) => `  warning    ${warning}`)),
    ];
  }
}

/** The positions of a fault that are not known. */
const AT = {
  ...{ file: null, table: null, record: null, partition: null, offset: null },
  ...{ line: null, seal: null },
};

function faultText({ step, kind, message, ...at }: PackageFault): string {
  const { table, record, partition, offset, line, seal } = at;
  const where = [
    table === undefined ? undefined : `table ${table}`,
    record === undefined ? undefined : `record ${record}`,
    partition === undefined ? undefined : `partition ${partition} offset ${offset ?? '?'}`,
    line === undefined ? undefined : `line ${line}`,
    seal === undefined ? undefined : `seal ${seal}`,
  ].filter((part) => part !== undefined);
  return `${kind}, step ${step}: ${[where.join(', '), message].filter((part) => part !== '').join(': ')}`;
}

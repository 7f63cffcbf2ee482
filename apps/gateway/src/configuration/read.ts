import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isRecord, type LintProblem } from '#baccarat';
import { asError, fileRefusal, Refusal } from '#process';
import { configurationProblems } from './check.js';
import type { DeviceConfiguration, GatewayConfiguration } from './configuration.js';

const FILE_BYTES_MAX = 262_144;
const KEY_BYTES_MAX = 4_096;
const CA_BYTES_MAX = 1_048_576;
/**
 * What nobody but the owner may do with a key file. The group may read it: systemd shows a
 * credential of a service like that.
 */
const OTHERS = 0o037;

/** Thrown for a configuration that a gateway does not start with. Lists every problem. */
export class ConfigurationRefused extends Refusal {
  override readonly name = 'ConfigurationRefused';

  constructor(
    file: string,
    /** By JSON pointer, with a reason in words. No problem contains a secret. */
    readonly problems: readonly LintProblem[],
  ) {
    const lines = problems.map(({ pointer, problem }) => `  ${pointer || '/'}: ${problem}`);
    super(`${file}: the gateway cannot start with it:\n${lines.join('\n')}`);
  }
}

/** A configuration, and what an operator should know about it. */
export interface ReadConfiguration {
  readonly configuration: GatewayConfiguration;
  /** What may go on unnoticed with this configuration. */
  readonly warnings: readonly LintProblem[];
}

/**
 * Reads the configuration of a gateway from a file, and looks at the files that it names. Throws
 * `ConfigurationRefused` with every problem, and `Refusal` if the file itself cannot be read.
 */
export function readConfiguration(file: string): ReadConfiguration {
  const json = jsonIn(file);
  const form = configurationProblems(json);
  const problems = [...form, ...fileProblems(json, form)];
  if (problems.length > 0) throw new ConfigurationRefused(file, problems);
  const configuration = json as GatewayConfiguration;
  const warnings = [...tableWarnings(file, configuration), ...warningsOf(configuration)];
  return { configuration, warnings };
}

/** Returns a warning for each other file of the folder that is a gateway of the same table. */
function tableWarnings(file: string, { table }: GatewayConfiguration): LintProblem[] {
  const folder = dirname(resolve(file));
  return namesIn(folder)
    .filter((name) => name.endsWith('.json') && name !== basename(file))
    .filter((name) => tableIn(join(folder, name)) === table)
    .map((name) => ({
      pointer: '/table',
      problem: `is the table of ${name} too: all devices of a table belong on one gateway, since only their gateway knows what came first`,
    }));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a user who may read the file need not see what else is there
  }
}

/** Returns the table of a file if it is the configuration of a gateway. */
function tableIn(path: string): unknown {
  try {
    const json: unknown = JSON.parse(contentOf(path, FILE_BYTES_MAX).toString('utf8'));
    const isGateway = isRecord(json) && Array.isArray(json.devices) && isRecord(json.spool);
    return isGateway ? json.table : undefined;
  } catch {
    return undefined; // it is not the file that was asked for
  }
}

function jsonIn(file: string): unknown {
  const text = contentOf(file, FILE_BYTES_MAX).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConfigurationRefused(file, [
      { pointer: '', problem: `is not JSON: ${asError(error).message}` },
    ]);
  }
}

/** Returns the content of a file. Throws `Refusal` if it cannot be read or is too long. */
function contentOf(file: string, most: number): Buffer {
  try {
    const { size } = statSync(file);
    if (size > most)
      throw new Refusal(`${file}: has ${size} bytes and should have at most ${most}`);
    return readFileSync(file);
  } catch (error) {
    throw error instanceof Refusal ? error : fileRefusal(file, error);
  }
}

/** Checks the file at a path. Returns what is wrong with it, or undefined. */
type FileCheck = (path: string) => string | undefined;

/** Returns the problems of the files that a configuration names in a field without a problem. */
function fileProblems(json: unknown, form: readonly LintProblem[]): LintProblem[] {
  const devices = valueAt(json, ['devices']);
  const ports = (Array.isArray(devices) ? devices : []).map(
    (_, i) => [['devices', `${i}`, 'port', 'serial'], serialFault] as const,
  );
  const files: readonly (readonly [readonly string[], FileCheck])[] = [
    [['api', 'keyFile'], keyFault],
    [['api', 'ca'], caFault],
    ...ports,
  ];
  return files.flatMap(([place, faultOf]) => {
    const pointer = `/${place.join('/')}`;
    const path = valueAt(json, place);
    if (typeof path !== 'string' || form.some((each) => each.pointer === pointer)) return [];
    const problem = faultOf(path);
    return problem === undefined ? [] : [{ pointer, problem }];
  });
}

const valueAt = (json: unknown, place: readonly string[]): unknown =>
  place.reduce(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    json,
  );

/** Returns why a file cannot be read, or undefined and passes its content to `check`. */
function faultIn(path: string, most: number, check: (content: Buffer) => string | undefined) {
  try {
    return check(contentOf(path, most));
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const keyFault: FileCheck = (path) =>
  faultIn(path, KEY_BYTES_MAX, (content) => {
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0)
      return `${path}: other users can read the key file (chmod 600 mends it)`;
    const key = content.toString('latin1').replace(/\r?\n$/, '');
    return /^[!-~]+$/.test(key)
      ? undefined
      : `${path}: the key file should contain the key alone, on one line`;
  });

const caFault: FileCheck = (path) =>
  faultIn(path, CA_BYTES_MAX, (content) => {
    try {
      new X509Certificate(content);
      return undefined;
    } catch {
      return `${path}: contains no certificate in PEM`;
    }
  });

/** A device file that is not there is fine: the device may be plugged in later. */
const serialFault: FileCheck = (path) => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return `${path}: is a folder, and a serial port is a device file`;
  if (found?.isFile()) return `${path}: is a file, and a serial port is a device file`;
  return undefined;
};

function warningsOf({ opens, devices }: GatewayConfiguration): LintProblem[] {
  const ofOpens =
    opens.when === 'first-card'
      ? [
          {
            pointer: '/opens/when',
            problem:
              'is "first-card": the gateway cannot tell a new shoe, so the cards of the next one count for the shoe that is open until something closes it',
          },
        ]
      : [];
  return [...ofOpens, ...devices.flatMap(deviceWarnings)];
}

function deviceWarnings(device: DeviceConfiguration, i: number): LintProblem[] {
  if (device.protocol !== 'angel-eye-ii-ex' || (device.sequence ?? 'unknown') !== 'unknown')
    return [];
  return [
    {
      pointer: `/devices/${i}/sequence`,
      problem: 'is "unknown": only the index of a card shows that a frame was lost',
    },
  ];
}

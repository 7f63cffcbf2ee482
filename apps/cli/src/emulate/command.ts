import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { EMULATED_PROTOCOLS, EMULATOR_FAULTS, type EmulatedProtocol } from '#devices';
import { Refusal } from '../refusal.js';
import { wrapped } from '../terminal/page.js';
import { readAddress, type Address } from './address.js';
import type { ControlAddress } from './control.js';
import type { EmulateAsked, PortAsked } from './emulate.js';

const SPEED_MIN = 0.1;
const SPEED_MAX = 1_000;
const BAUD_MAX = 4_000_000;
/** Bits per second, as the pages of the protocols say. */
const BAUD: Readonly<Record<EmulatedProtocol, number>> = {
  'angel-eye-ii-ex': 4_800,
  'line-1': 115_200,
};
/** The name of a device, as in the configuration of a gateway. */
const NAME = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/;

/** The options as they were written. */
interface EmulateOptions extends Pick<
  EmulateAsked,
  'events' | 'seed' | 'table' | 'rules' | 'shoes' | 'device'
> {
  readonly pty?: true;
  readonly listen?: Address;
  readonly connect?: Address;
  readonly port?: string;
  readonly baud?: number;
  readonly faults: readonly string[];
  readonly speed: number;
  readonly control?: ControlAddress;
  readonly expect?: string;
}

const EXAMPLES = `
Prints where the device is, such as /dev/pts/4, and begins once a gateway is there. The cards come
from a file of events of one table, or from a seed. Faults are words, separated by commas, each once
in every shoe, or as often as in lost=3. They are:
${wrapped(EMULATOR_FAULTS.join(', '), 100).join('\n')}.
docs/integrating/emulator.md describes each, the commands of --control, and the file of --expect.

Examples:
  shoeprint emulate angel-eye-ii-ex --seed 7 --pty --speed 20
  shoeprint emulate line-1 --events shoe.ndjson --connect 127.0.0.1:7301 --faults lost,cut
  shoeprint emulate line-1 --control 127.0.0.1:7400 --connect 127.0.0.1:7301

Exit codes: 0 everything was sent, and acknowledged if the protocol does that; 1 the gateway
acknowledged nothing for a minute; 2 refused; 130 interrupted.`;

/**
 * Returns the command `shoeprint emulate`: the device side of every protocol, which tests, pages
 * and trials use instead of a shoe.
 */
export const emulateCommand = (): Command =>
  new Command('emulate')
    .description('be a device: send a table as its shoe would, with faults')
    .addArgument(new Argument('<protocol>', 'what it speaks').choices(EMULATED_PROTOCOLS))
    .option('--events <file>', 'events of one table, one a line; - for standard input')
    .option('--seed <text>', 'deal shoes from a seed')
    .option('--table <id>', 'the table of the file, if it has several; the name of a seeded one')
    .option('--rules <document>', 'rule document of a seeded table, id@version; punto-banco@1')
    .option('--shoes <n>', 'shoes of a seeded table; 1', wholeFrom(1, 100_000))
    .option('--device <name>', 'the name of the device at its gateway; TABLE-shoe or TABLE-line')
    .option('--pty', 'be a serial line of software')
    .option('--listen <address>', 'wait for the gateway to connect; port 0 takes a free one', (a) =>
      readAddress(a, 0),
    )
    .option('--connect <address>', 'connect to the gateway', (a) => readAddress(a, 1))
    .option('--port <path>', 'send over a serial port of this machine')
    .option(
      '--baud <n>',
      'bits per second of --port; 4800, for line-1 115200',
      wholeFrom(300, BAUD_MAX),
    )
    .option(
      '--faults <words>',
      'what goes wrong',
      (text, before: readonly string[]) => [...before, ...text.split(',')],
      [],
    )
    .addOption(
      new Option('--speed <n>', 'times the speed of a table, 0.1 to 1000')
        .default(1)
        .argParser(speed),
    )
    .option('--control <address>', 'take commands: an address of this machine, or a path', control)
    .option('--expect <file>', 'write the events that a perfect gateway delivers')
    .addHelpText('after', EXAMPLES)
    .action(async (protocol: EmulatedProtocol, options: EmulateOptions) => {
      const asked = emulationAsked(protocol, options);
      const { emulate } = await import('./emulate.js');
      await emulate(asked);
    });

function wholeFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

function speed(text: string): number {
  const number = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (number >= SPEED_MIN && number <= SPEED_MAX) return number;
  throw new InvalidArgumentError(`It must be a number from ${SPEED_MIN} to ${SPEED_MAX}.`);
}

/** The commands have no secret, so only this machine can send them. */
function control(text: string): ControlAddress {
  if (text.includes('/')) return { path: text };
  const address = readAddress(text, 1);
  if (!/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address.host))
    throw new InvalidArgumentError(
      'It must be an address of this machine, such as 127.0.0.1:7400.',
    );
  return address;
}

/** Returns what was asked for. Throws `Refusal` for options that do not go together. */
function emulationAsked(protocol: EmulatedProtocol, options: EmulateOptions): EmulateAsked {
  const { events, seed, faults, device } = options;
  if (events !== undefined && seed !== undefined)
    throw new Refusal('--events and --seed: choose one of them');
  if (events === undefined && seed === undefined && options.control === undefined)
    throw new Refusal('nothing to play: pass --events, --seed or --control');
  for (const name of ['rules', 'shoes'] as const)
    if (options[name] !== undefined && seed === undefined)
      throw new Refusal(`--${name}: goes with --seed only`);
  if (device !== undefined && !NAME.test(device))
    throw new Refusal(
      `--device: "${device}" must be 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or a digit`,
    );
  if (options.expect !== undefined && options.control !== undefined)
    throw new Refusal(
      '--expect: cannot be combined with --control, whose commands are not known in advance',
    );
  return { ...options, protocol, faults, at: portAsked(protocol, options) };
}

function portAsked(protocol: EmulatedProtocol, options: EmulateOptions): PortAsked {
  const { pty, listen, connect, port, baud } = options;
  const chosen: PortAsked[] = [
    ...(pty ? [{ pty }] : []),
    ...(listen ? [{ listen }] : []),
    ...(connect ? [{ connect }] : []),
    ...(port === undefined ? [] : [{ port, baud: baud ?? BAUD[protocol] }]),
  ];
  const [one, ...others] = chosen;
  if (one === undefined || others.length > 0)
    throw new Refusal('choose one of --pty, --listen, --connect and --port');
  if (baud !== undefined && port === undefined) throw new Refusal('--baud: goes with --port only');
  return one;
}

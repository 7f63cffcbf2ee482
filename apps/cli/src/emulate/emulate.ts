import {
  emulatedDevice,
  EmulatorRefusal,
  expectedOf,
  readFaults,
  scheduleOf,
  type EmulatedProtocol,
  type Schedule,
} from '#devices';
import { appVersion, stopRequest } from '#process';
import { EXIT, Refusal } from '../refusal.js';
import { writeLines } from '../simulate/written-file.js';
import { counted } from '../terminal/page.js';
import type { Address } from './address.js';
import { takeCommands, type Command, type ControlAddress } from './control.js';
import { expectedLines } from './expected-file.js';
import { Player, Unacknowledged } from './player.js';
import type { DevicePort, PortEvents } from './ports/port.js';
import { recordAsked, type RecordAsked, type TableRecord } from './record.js';

/** Where the device is. */
export type PortAsked =
  | { readonly pty: true }
  | { readonly listen: Address }
  | { readonly connect: Address }
  | { readonly port: string; readonly baud: number };

/** A device that was asked for. */
export interface EmulateAsked extends RecordAsked {
  readonly protocol: EmulatedProtocol;
  readonly at: PortAsked;
  readonly device?: string;
  readonly faults: readonly string[];
  readonly speed: number;
  readonly control?: ControlAddress;
  readonly expect?: string;
}

const NOTHING: Schedule = { steps: [], leftOut: new Map(), repeats: false, shoes: 0 };

/**
 * Plays the device side of a protocol until everything is sent and acknowledged, until it is asked
 * to quit, or until the program is to stop. Sets the exit code. Throws `Refusal` if the device
 * cannot be emulated as asked.
 */
export async function emulate(asked: EmulateAsked): Promise<void> {
  const record = await recordAsked(asked);
  if (record === undefined) return;
  const { protocol, device = nameAt(record, protocol) } = asked;
  const schedule = refusing(() => scheduleAsked(asked, record));
  const boot = Math.floor(Date.now() / 1_000);
  const identity = { unit: `emulated-${device}`, firmware: appVersion(), boot };
  if (asked.expect !== undefined) {
    const names = { ...identity, source: `device/${device}` };
    const expected = refusing(() => expectedOf(protocol, schedule, names));
    await writeLines(asked.expect, expectedLines(expected, { ...record, device }));
  }
  sayLeftOut(protocol, schedule);
  const seed = asked.seed ?? record.table;
  await run(asked, schedule, (signal) => {
    const played = emulatedDevice(protocol, { ...identity, seed, repeats: schedule.repeats });
    return new Player(played, signal);
  });
}

const nameAt = ({ table }: TableRecord, protocol: EmulatedProtocol): string =>
  `${table}-${protocol === 'line-1' ? 'line' : 'shoe'}`;

function scheduleAsked(asked: EmulateAsked, { table, events }: TableRecord): Schedule {
  const faults = readFaults(asked.faults);
  if (events.length > 0)
    return scheduleOf({ protocol: asked.protocol, events, faults, seed: asked.seed ?? table });
  if (faults.length > 0) throw new Refusal('--faults: requires --events or --seed');
  return NOTHING;
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof EmulatorRefusal) throw new Refusal(`--${error.message}`);
    throw error;
  }
}

function sayLeftOut(protocol: EmulatedProtocol, { leftOut }: Schedule): void {
  if (leftOut.size === 0) return;
  const counts = [...leftOut].map(([what, count]) => `${count.toLocaleString('en')} ${what}`);
  process.stderr.write(`shoeprint: ${protocol} cannot say: ${counts.join(', ')}\n`);
}

/** Runs a player on its port until something ends it. */
async function run(
  { at, control, speed }: EmulateAsked,
  { steps }: Schedule,
  playerOf: (signal: AbortSignal) => Player,
): Promise<void> {
  const ending = new AbortController();
  const player = playerOf(ending.signal);
  const stopped = stopRequest().then(() => INTERRUPTED);
  let quit: () => void = () => undefined;
  const asked = new Promise<number>((resolve) => (quit = () => resolve(EXIT.clean)));
  let fail: (error: Error) => void = () => undefined;
  const broken = new Promise<never>((_resolve, reject) => (fail = reject));
  broken.catch(() => undefined); // it can break while it closes
  let port: DevicePort | undefined;
  let endControl: (() => void) | undefined;
  let played: Promise<number> | undefined;
  try {
    port = await openPort(at, { heard: (bytes) => player.heard(bytes), failed: fail });
    player.connect(port);
    if (steps.length === 0) player.start(); // commands may come at any time
    endControl = control && (await takeCommands(control, commands(player, quit)));
    process.stdout.write(`${port.address}\n`);
    played = play({ player, port, steps, speed }).then(() =>
      control === undefined ? EXIT.clean : asked,
    );
    process.exitCode = await Promise.race([played, stopped, asked, broken]);
  } catch (error) {
    if (!(error instanceof Unacknowledged)) throw error;
    process.stderr.write(`shoeprint: ${error.message}\n`);
    process.exitCode = EXIT.found;
  } finally {
    ending.abort();
    endControl?.();
    await port?.close();
    await played?.catch(() => undefined);
  }
}
/** As a shell says of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

interface Play {
  readonly player: Player;
  readonly port: DevicePort;
  readonly steps: Schedule['steps'];
  readonly speed: number;
}

/** Plays everything once the other side is there. */
async function play({ player, port, steps, speed }: Play): Promise<void> {
  await port.opened;
  if (steps.length > 0) player.start();
  await player.play(steps, speed);
  const reports = steps.filter(({ step }) => step.is === 'report').length;
  process.stdout.write(`${counted(reports, 'report')} played\n`);
}

const commands =
  (player: Player, quit: () => void) =>
  (command: Command): void => {
    if (command.is === 'quit') quit();
    else player.take(command);
  };

/** Opens the port. What it needs is loaded only then. */
async function openPort(at: PortAsked, events: PortEvents): Promise<DevicePort> {
  if ('pty' in at) return (await import('./ports/pty.js')).ptyPort(events);
  if ('port' in at) return (await import('./ports/serial.js')).serialPort(at.port, at.baud, events);
  const { ConnectingPort, listeningPort } = await import('./ports/tcp.js');
  return 'listen' in at ? listeningPort(at.listen, events) : new ConnectingPort(at.connect, events);
}

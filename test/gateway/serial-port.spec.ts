import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openPort, type Port, PortHeld } from '../../apps/gateway/src/ports/port.js';
import { eventually } from '../kit/eventually.js';
import { Heard } from './heard.js';
import { SerialLine, terminals } from './serial-line.js';

const pty = await terminals();
const RETRY = { first: 5, most: 20 };

let folder: string;
const ports: Port[] = [];
const lines: SerialLine[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shoeprint-serial-'));
});
afterEach(async () => {
  await Promise.all(ports.splice(0).map((port) => port.close()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(lines.splice(0).map((each) => each.unplug()));
  rmSync(folder, { recursive: true });
});

async function line(): Promise<SerialLine> {
  if (!pty) throw new Error('there are no terminals');
  const made = await SerialLine.open(pty);
  lines.push(made);
  return made;
}

async function open(serial: string, heard: Heard, writes = true): Promise<Port> {
  const port = await openPort({ serial, baud: 4_800 }, { writes, retryMs: RETRY }, heard);
  ports.push(port);
  return port;
}

/** A device that says far more than a line holds. A full terminal may block its process. */
const FAST_DEVICE = `
  import { writeSync } from 'node:fs';
  import { spawn } from '@lydell/node-pty';
  const terminal = spawn('sh', ['-c', 'stty raw -echo; tty; exec sleep 1000'], {});
  terminal.onData((path) => writeSync(1, path));
  process.stdin.once('data', async () => {
    for (let written = 512; written <= 262_144; written += 512) {
      terminal.write('x'.repeat(512));
      writeSync(1, written + '\\n');
      await new Promise((resolve) => setImmediate(resolve));
    }
  });`;

/** Starts a device in a process of its own. It speaks once something is written to it. */
async function fastDevice() {
  const device = spawn(process.execPath, ['--input-type=module', '-e', FAST_DEVICE], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(device);
  const said: string[] = [];
  createInterface({ input: device.stdout }).on('line', (text) => said.push(text));
  const path = await eventually('the name of the terminal', () => said[0]?.trim());
  return { device, path, written: () => Number(said.at(-1)) };
}

/** Names a device in the folder, as udev does in /dev/serial/by-id. Returns the name. */
function named({ path }: Pick<SerialLine, 'path'>): string {
  const name = join(folder, 'shoe');
  symlinkSync(path, `${name}.new`);
  renameSync(`${name}.new`, name);
  return name;
}

(pty ? describe : describe.skip)('a serial port', () => {
  it('has 8 data bits, no parity, 1 stop bit and the configured speed, without flow control', async () => {
    const { path } = await line();
    await open(path, new Heard());
    const settings = execFileSync('stty', ['-F', path, '-a'], { encoding: 'utf8' });
    expect(settings).toContain('speed 4800 baud');
    for (const word of ['cs8', '-parenb', '-cstopb', '-crtscts', '-ixon', '-ixoff', '-icanon'])
      expect(settings.split(/[\s;]+/)).toContain(word);
    expect(settings.split(/[\s;]+/)).toContain('-echo');
  });

  it('passes on what the device says with its time, and writes what it is asked to', async () => {
    const device = await line();
    const heard = new Heard();
    const port = await open(device.path, heard);
    await heard.until(1, /^opened null$/);
    const before = performance.now() / 1_000;
    device.say('$Q*CE6E8EEF\r\n\x01\x7f\x11\x13');
    await eventually('the bytes', () => heard.text === '$Q*CE6E8EEF\r\n\x01\x7f\x11\x13');
    expect(heard.up).toBeGreaterThanOrEqual(before);
    expect(heard.up).toBeLessThanOrEqual(performance.now() / 1_000);
    port.write('$A,17,0*07AC8DBC\r\n');
    await eventually('the answer', () => device.heard === '$A,17,0*07AC8DBC\r\n');
  });

  it('refuses a device that another process holds, until that closes it', async () => {
    const { path } = await line();
    const first = await open(path, new Heard());
    const refused = open(path, new Heard());
    await expect(refused).rejects.toThrow(PortHeld);
    await expect(refused).rejects.toThrow(`${path}: another process holds this serial port`);
    await first.close();
    const heard = new Heard();
    await open(path, heard);
    await heard.until(1, /^opened null$/);
  });

  it('waits for a device that is not plugged in, and says once that it is missing', async () => {
    const device = await line();
    const path = join(folder, 'shoe');
    const heard = new Heard();
    await open(path, heard);
    await heard.until(1, /^lost .*\/shoe: no such device$/);
    named(device);
    await heard.until(2, /^opened null$/);
    device.say('card');
    await eventually('the bytes', () => heard.text === 'card');
    expect(heard.changes).toHaveLength(2);
  });

  it('says that the device was unplugged, and hears it again by itself when it is back', async () => {
    const device = await line();
    const path = named(device);
    const heard = new Heard();
    await open(path, heard);
    await heard.until(1, /^opened null$/);
    await device.unplug();
    await heard.until(2, /^lost .*\/shoe: the device was unplugged \(/);
    const again = await line();
    named(again);
    await heard.until(3, /^opened null$/);
    again.say('card');
    await eventually('the bytes', () => heard.text === 'card');
  });

  it('notices that the device was unplugged while nothing waits for its bytes', async () => {
    const { device, path, written } = await fastDevice();
    const heard = new Heard();
    const port = await open(named({ path }), heard);
    await heard.until(1, /^opened null$/);
    port.pause();
    // 64 KiB are read ahead. After that, the binding asks for nothing more.
    device.stdin.write('go');
    let [looks, before] = [0, 0];
    await eventually('a line that is full', () => {
      looks = written() === before && before > 65_536 ? looks + 1 : 0;
      before = written();
      return looks > 20;
    });
    device.kill('SIGKILL');
    await heard.until(2, /^lost .*\/shoe: the device was unplugged \(its device file is gone\)$/);
    port.resume();
    named(await line());
    await heard.until(3, /^opened null$/);
  });

  it('changes to the device that its path leads to now', async () => {
    const former = await line();
    const heard = new Heard();
    await open(named(former), heard);
    await heard.until(1, /^opened null$/);
    const next = await line();
    named(next);
    await heard.until(3, /^opened null$/);
    former.say('former');
    next.say('next');
    await eventually('the bytes of the next device', () => heard.text === 'next');
  });

  it('says that the user may not open the device, and what mends it', async () => {
    const heard = new Heard();
    await open(folder, heard); // a folder cannot be opened for writing, by nobody
    await heard.until(1, /^lost .*: cannot be opened \(.*Is a directory/);
  });
});

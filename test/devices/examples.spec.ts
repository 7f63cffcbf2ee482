import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { asciiBytes, line1Gateway, type Line1GatewayTurn, type Observation } from '#devices';
import { seeded } from './chance.js';

const folder = fileURLToPath(new URL('../../examples/line-1/', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'shoeprint-line-1-'));
const children: ChildProcess[] = [];
const servers: Server[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) server.close();
  rmSync(work, { recursive: true, force: true });
});

const isThere = (tool: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
/** Returns `it`, or says loudly that a tool is missing and returns a test that is skipped. */
const itWith = (tool: string): typeof it | typeof it.skip => {
  if (isThere(tool)) return it;
  process.stderr.write(`\nNOT TESTED: examples/line-1 needs ${tool}, which is not installed\n\n`);
  return it.skip;
};

const CODES = ['SO,B07-1,8', ...Array.from({ length: 24 }, (_, at) => `CD,9S,${'PB'[at % 2]}`)];

/** The gateway's side on a line that damages one byte in two hundred, with a disk that is fast. */
class NoisyGateway {
  readonly observations: Observation[] = [];
  private readonly chance = seeded(2);
  private readonly protocol = line1Gateway({ listenOnly: false, freshDigits: () => '00000001' });
  private state = this.protocol.start([]);
  private wasBusy = false;
  private readonly timer;

  constructor(
    from: Readable,
    private readonly to: Writable,
  ) {
    to.on('error', () => undefined); // the sender ends once everything is acknowledged
    from.on('data', (bytes: Uint8Array) => {
      this.took(this.protocol.feed(this.state, this.damaged(bytes), this.up));
    });
    this.took(this.protocol.opened(this.state, this.up));
    this.timer = setInterval(() => {
      if (this.state.busy) this.took(this.protocol.busy(this.state, null, this.up));
      this.took(this.protocol.feed(this.state, new Uint8Array(), this.up));
    }, 50);
    from.on('close', () => clearInterval(this.timer));
  }

  private get up(): number {
    return performance.now() / 1000;
  }

  private took({ state, observations, write }: Line1GatewayTurn): void {
    this.state = state;
    this.observations.push(...observations);
    for (const line of write) this.to.write(this.damaged(asciiBytes(line)));
    for (const { kind, session = '', deviceNumber } of observations)
      if (kind === 'report' && typeof deviceNumber === 'number') {
        if (deviceNumber === 12 && !this.wasBusy) {
          this.wasBusy = true;
          this.took(this.protocol.busy(this.state, 'spool', this.up));
        }
        const upTo = { session, number: deviceNumber };
        this.took(this.protocol.stored(this.state, upTo, this.up));
      }
  }

  private damaged(bytes: Uint8Array): Uint8Array {
    return bytes.map((byte) =>
      this.chance.upTo(1) < 0.005 ? Math.floor(this.chance.upTo(256)) : byte,
    );
  }
}

/** Expects that the gateway took every event once and in order. */
function expectAll({ observations }: NoisyGateway): void {
  const taken = observations.filter(({ kind }) => kind === 'report');
  expect(taken.map(({ deviceNumber }) => deviceNumber)).toEqual(
    ['ON', ...CODES].map((_, at) => at + 1),
  );
  expect(taken[0]?.fields).toMatchObject({
    events: [{ type: 'device-online', data: { firmware: '1.0', missed: null, unit: 'SHOE-7' } }],
  });
  expect(taken.slice(2).map(({ fields }) => fields)).toEqual(
    CODES.slice(1).map((code) => ({
      events: [
        {
          type: 'card-drawn',
          data: { card: '9S', to: code.endsWith('P') ? 'player' : 'banker' },
        },
      ],
    })),
  );
  expect(observations.map(({ kind }) => kind)).toContain('damaged');
  expect(observations.map(({ kind }) => kind)).not.toContain('lost');
}

/** Runs a command to its end. Returns its status, and what it wrote about its errors. */
function started(command: string, args: readonly string[], stdio: 'pipe' | 'ignore') {
  const child = spawn(command, args, { stdio: [stdio, stdio, 'pipe'] });
  children.push(child);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, said })),
  );
  return { child, ended };
}

describe('the senders of line protocol 1', () => {
  const sender = join(work, 'sender');
  /** Compiles the sender in C, once. */
  const compiled = (): string => {
    if (existsSync(sender)) return sender;
    const flags = ['-std=c11', '-D_POSIX_C_SOURCE=200809L', '-Wall', '-Wextra', '-Werror', '-O2'];
    const { stderr, status } = spawnSync('cc', [...flags, '-o', sender, `${folder}sender.c`]);
    expect({ status, said: stderr.toString() }).toEqual({ status: 0, said: '' });
    return sender;
  };

  itWith('cc')('in C compiles without a warning, and has no heap', () => {
    const names = spawnSync('nm', ['-u', compiled()]).stdout.toString();
    expect(names).toContain('write');
    expect(names).not.toMatch(/\b(malloc|calloc|realloc)\b/);
  });

  itWith('cc')(
    'in C brings every event to the disk over a damaged line, also past a busy time',
    async () => {
      const { child, ended } = started(compiled(), ['SHOE-7', '3', ...CODES], 'pipe');
      const gateway = new NoisyGateway(child.stdout as Readable, child.stdin as Writable);
      expect(await ended).toEqual({ code: 0, said: '' });
      expectAll(gateway);
    },
  );

  itWith('cc')('in C refuses boot 0 and more events than it keeps, by name', async () => {
    const none = await started(compiled(), ['SHOE-7', '0'], 'ignore').ended;
    expect(none).toEqual({
      code: 2,
      said: 'usage: sender UNIT BOOT EVENT...   BOOT is 1 or more\n',
    });
    const many = Array.from({ length: 64 }, () => 'CC');
    const { code, said } = await started(compiled(), ['SHOE-7', '1', ...many], 'ignore').ended;
    expect({ code, said }).toEqual({
      code: 2,
      said: 'event 64 is too long, or more than 64 events wait\n',
    });
  });

  itWith('python3')(
    'in Python brings every event to the disk over a damaged line, also past a busy time',
    async () => {
      let gateway: NoisyGateway | undefined;
      const server = createServer((socket: Duplex) => {
        gateway = new NoisyGateway(socket, socket);
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const args = [`${folder}sender.py`, '127.0.0.1', `${port}`, 'SHOE-7', '3', ...CODES];
      expect(await started('python3', args, 'ignore').ended).toEqual({ code: 0, said: '' });
      expectAll(gateway as NoisyGateway);
    },
  );
});

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listSpool, openSpool, type Spool, SpoolDiskFault } from '#spool';
import { SpoolHeld, spoolStatus, verifySpool } from '#spool';
import { lockSpool, type SpoolLock } from '../../libs/spool/src/holding/lock.js';
import { built } from '../cli/shoeprint.js';
import { eventually } from '../kit/eventually.js';
import { Chance } from './chance.js';
import { CountingOwner, numbered } from './counting-owner.js';

const KILLS = 20;
const STATUS = { table: 'B07' };

let folder: string;
let mount: string | undefined;
const children: ChildProcess[] = [];
const spools: Spool[] = [];
beforeAll(() => built());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shoeprint-spool-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await ended(child, 'SIGKILL');
  for (const spool of spools.splice(0)) await spool.close();
  if (mount) execFileSync('umount', [mount]);
  mount = undefined;
  rmSync(folder, { recursive: true });
});

async function open(owner = new CountingOwner(), settings = {}): Promise<Spool> {
  const all = { retryMs: 1, ...settings };
  const spool = await openSpool({ folder, owner, status: () => STATUS, settings: all });
  spools.push(spool);
  return spool;
}

/** A gateway of its own process, and the lines that it has written so far. */
interface Gateway {
  readonly child: ChildProcess;
  readonly said: string[];
}

/** Starts a process that opens the spool, and does what `how` says. */
function gateway(how: 'hold' | 'append'): Gateway {
  const child = spawn(process.execPath, ['test/spool/gateway.mjs', how, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const said: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    said.push(line),
  );
  return { child, said };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** Mounts a small disk of its own at the folder. Returns whether this user may. */
function mounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', folder], { stdio: 'ignore' });
    mount = folder;
    return true;
  } catch {
    return false;
  }
}

describe('a spool in a folder', () => {
  it('keeps its files from other users, and is the same after a start', async () => {
    const inner = join(folder, 'new', 'spool');
    const options = { folder: inner, status: () => STATUS };
    const owner = new CountingOwner();
    const spool = await openSpool({ ...options, owner });
    for (let id = 1; id <= 5; id += 1) await spool.append([numbered(id)]);
    const modes = readdirSync(inner).map((name) => statSync(join(inner, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
    expect(statSync(inner).mode & 0o777).toBe(0o700);
    await spool.close();
    expect(readdirSync(inner)).toEqual(['000000000001.spool']);
    const again = new CountingOwner();
    await (await openSpool({ ...options, owner: again })).close();
    expect(again.ids).toEqual([1, 2, 3, 4, 5]);
  });

  it('is text that a person can read and other programs can check', async () => {
    const spool = await open();
    await spool.append([numbered(1)]);
    await spool.close();
    const [preamble = '', line = ''] = readFileSync(
      join(folder, '000000000001.spool'),
      'utf8',
    ).split('\n');
    const frame =
      '{"at":1700000000001,"up":0.1,"port":"shoe","raw":"6672616d652031","integrity":"ok",' +
      '"made":["{\\"id\\":1,\\"padding\\":\\"\\"}"]}';
    // CRC-32 by Python: '%08x' % zlib.crc32(text.encode())
    expect(line).toBe(`22abf025 {"n":1,"sent":0,"frames":[${frame}]}`);
    expect(preamble).toBe('b75c0a5b {"spool":1,"n":1,"sent":0,"owner":{"ids":[],"lines":[]}}');
  });

  it('refuses a folder that is a file, and a path that is too long for a socket', async () => {
    const owner = new CountingOwner();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(openSpool({ folder: file, owner, status: () => STATUS })).rejects.toThrow(
      `${file}: the spool cannot be used (EEXIST`,
    );
    const inFile = openSpool({ folder: join(file, 'spool'), owner, status: () => STATUS });
    await expect(inFile).rejects.not.toBeInstanceOf(SpoolDiskFault);
    const long = join(folder, 'x'.repeat(100));
    await expect(openSpool({ folder: long, owner, status: () => STATUS })).rejects.toThrow(
      `${long}: the path of a spool must be at most 72 bytes`,
    );
  });

  it('says that the disk refuses where no folder can be made', async () => {
    const unmounted = join(folder, 'unmounted');
    symlinkSync(join(folder, 'nowhere/spool'), unmounted);
    const owner = new CountingOwner();
    const refused = openSpool({ folder: unmounted, owner, status: () => STATUS });
    await expect(refused).rejects.toThrow(`${unmounted}: the spool cannot be used (ENOENT`);
    await expect(refused).rejects.toBeInstanceOf(SpoolDiskFault);
  });

  it('becomes full on a disk that is full, and takes frames again once there is room', async () => {
    if (!mounted()) return;
    const owner = new CountingOwner();
    const spool = await open(owner);
    await spool.append([numbered(1)]);
    const filler = join(folder, 'filler');
    for (let isFull = false; !isFull;)
      try {
        appendFileSync(filler, Buffer.alloc(4_096));
      } catch {
        isFull = true;
      }
    await expect(spool.append([numbered(2, 8_000)])).rejects.toThrow(/the disk refuses: .*ENOSPC/);
    expect(spool.figures.full).toMatch(/ENOSPC/);
    rmSync(filler);
    await eventually('room', () => owner.of('room').length === 1);
    await spool.append([numbered(3, 8_000)]);
    await spool.close();
    const again = new CountingOwner();
    await open(again);
    expect(again.ids).toEqual([1, 3]);
  });

  it('refuses to start on a disk that is read-only, and names the folder', async () => {
    if (!mounted()) return;
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    const refused = open();
    await expect(refused).rejects.toThrow(`${folder}: cannot hold a socket (Error: listen E`);
    await expect(refused).rejects.toBeInstanceOf(SpoolDiskFault);
  });
});

describe('the lock of a spool', () => {
  it('refuses a second gateway, names the first, and lets it in after a close', async () => {
    const spool = await open();
    const second = open();
    await expect(second).rejects.toThrow(SpoolHeld);
    await expect(second).rejects.toThrow(
      `${folder}: another gateway holds this spool (process ${process.pid})`,
    );
    await spool.close();
    await (await open()).close();
  });

  it('answers with the status of the gateway that holds it, and with nothing if none does', async () => {
    expect(await spoolStatus(folder)).toBeUndefined();
    const spool = await open();
    expect(await spoolStatus(folder)).toEqual(STATUS);
    await spool.close();
    expect(await spoolStatus(folder)).toBeUndefined();
    await expect(spoolStatus(join(folder, 'nowhere'))).rejects.toThrow(/no such file/);
  });

  it('says why the gateway has no status', async () => {
    const status = (): never => {
      throw new Error('a bug');
    };
    const spool = await openSpool({ folder, owner: new CountingOwner(), status });
    await expect(spoolStatus(folder)).rejects.toThrow('cannot answer (Error: a bug)');
    await spool.close();
  });

  it('lets exactly one of many in that start at once', async () => {
    for (let round = 0; round < 100; round += 1) {
      const starts = await Promise.allSettled(
        Array.from({ length: 6 }, () => lockSpool(folder, () => STATUS)),
      );
      const won = starts.filter((start) => start.status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const start of starts)
        if (start.status === 'rejected') expect(start.reason).toBeInstanceOf(SpoolHeld);
      await (won[0] as PromiseFulfilledResult<SpoolLock>).value.release();
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('lets exactly one of several processes in, and the next one as soon as that is killed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gateways = Array.from({ length: 4 }, () => gateway('hold'));
      await eventually('an answer of each', () => gateways.every(({ said }) => said.length > 0));
      const answers = gateways.map(({ said }) => said[0]).sort();
      expect(answers).toEqual(['held', 'held', 'held', 'open']);
      const winner = gateways.find(({ said }) => said[0] === 'open') as Gateway;
      await ended(winner.child, 'SIGKILL');
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
    await (await open()).close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is held by a process that is stopped and does not answer', async () => {
    const { child, said } = gateway('hold');
    await eventually('the spool is open', () => said[0] === 'open');
    child.kill('SIGSTOP');
    await expect(open()).rejects.toThrow(`${folder}: another gateway holds this spool`);
    await expect(spoolStatus(folder)).rejects.toThrow('(no answer within 2 seconds)');
  });

  it('removes old sockets of starts that were killed, and of nobody else', async () => {
    const [dead, young] = ['starting-0123456789abcdef.sock', 'starting-fedcba9876543210.sock'];
    for (const name of [dead, young]) writeFileSync(join(folder, name), '');
    execFileSync('touch', ['-d', '2 minutes ago', join(folder, dead)]);
    await (await open()).close();
    expect(readdirSync(folder)).toEqual([young]);
  });
});

describe('a gateway that is killed', () => {
  it(`${KILLS} times at any moment has kept what it acknowledged, once`, async () => {
    const seed = Number(process.env.SHOEPRINT_TEST_SEED ?? Math.floor(Math.random() * 1e9));
    process.stderr.write(`kills: SHOEPRINT_TEST_SEED=${seed}\n`);
    const chance = new Chance(seed);
    const acknowledged: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, said } = gateway('append');
      const most = 2 + chance.below(150);
      await eventually('more acknowledged frames', () => said.length >= most);
      await ended(child, 'SIGKILL');
      acknowledged.push(...said.slice(1).map(Number));
    }
    expect(acknowledged.length).toBeGreaterThan(KILLS);
    const owner = new CountingOwner();
    await (await open(owner)).close();
    const kept = new Set(owner.ids);
    expect(kept.size).toBe(owner.ids.length);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(owner.notices).toEqual([]);
    const { damage, contents, segments } = await verifySpool(folder);
    expect({ damage, contents }).toEqual({ damage: [], contents: owner.ids.length });
    expect(segments).toBeGreaterThan(1);
  }, 300_000);
});

describe('a look at a spool', () => {
  it('lists the segments, and counts what stands in them beside the gateway that writes', async () => {
    const owner = new CountingOwner();
    const spool = await open(owner, { segmentBytes: 1_000 });
    for (let id = 1; id <= 20; id += 1) await spool.append([numbered(id), numbered(id + 100)]);
    spool.delivered(7);
    await spool.append([{ ...numbered(21), made: [] }]);
    const segments = await listSpool(folder);
    expect(segments.map(({ firstN }) => firstN)[0]).toBe(1);
    expect(segments.map(({ name }) => name)).toEqual(
      readdirSync(folder).filter((name) => name.endsWith('.spool')),
    );
    expect(await verifySpool(folder)).toEqual({
      segments: segments.length,
      bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
      lines: 21,
      frames: 41,
      contents: 40,
      first: 1,
      last: 21,
      sent: 7,
      damage: [],
      damaged: 0,
      unfinishedBytes: 0,
    });
    await spool.close();
  });

  it('names damage and an unfinished line, and changes nothing', async () => {
    const spool = await open(undefined, { segmentBytes: 1_000 });
    for (let id = 1; id <= 12; id += 1) await spool.append([numbered(id)]);
    await spool.close();
    const [first = '', ...others] = (await listSpool(folder)).map(({ name }) => name);
    const path = join(folder, first);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":3', '"n":8'));
    const last = join(folder, others.at(-1) as string);
    writeFileSync(last, readFileSync(last).subarray(0, -1));
    const before = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const report = await verifySpool(folder);
    expect(report.damage).toMatchObject([{ segment: first, from: 3, to: 3 }]);
    expect(report.unfinishedBytes).toBeGreaterThan(100);
    expect(report).toMatchObject({ lines: 10, damaged: 1 });
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(
      before,
    );
  });

  it('refuses a folder that is not there', async () => {
    const nowhere = join(folder, 'nowhere');
    await expect(verifySpool(nowhere)).rejects.toThrow(`${nowhere}: no such file`);
    expect(existsSync(nowhere)).toBe(false);
  });
});

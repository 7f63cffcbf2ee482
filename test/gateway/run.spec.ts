import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { CoupLine, FindingLine } from '#read-model';
import { MemoryLog } from '#event-log';
import { encodeLine1, type AngelEyeReport } from '#devices';
import { around } from '../devices/bytes.js';
import { eventually } from '../kit/eventually.js';
import { freePort } from '../kit/processes.js';
import { startServer, type TestServer } from '../kit/server.js';
import { TcpProxy } from '../kit/tcp-proxy.js';
import { GatewayProcess, Line1OverTcp, ShoeOverTcp, type GatewayPorts } from './gateway-process.js';
import { coupOf } from './coups.js';

jest.setTimeout(120_000);

let server: TestServer;
let admin: string;
let reader: string;
beforeAll(async () => {
  server = await startServer(async () => new MemoryLog());
  admin = await server.api.person('admin', { name: 'ada' });
  reader = await server.api.person('regulator');
});
afterAll(() => server?.close());

const open: { close(): void | Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
function closing<T extends { close(): void | Promise<void> }>(each: T): T {
  open.unshift(each);
  return each;
}

/** The id of the key of each table. */
const keys = new Map<string, string>();

/** Returns the gateway of a new table, with a key of its own. */
async function gatewayOf(
  table: string,
  ports: GatewayPorts = {},
  url = server.url,
): Promise<GatewayProcess> {
  const created = await server.api.send('POST', '/v1/keys', admin, {
    ...{ name: `${table}-gateway`, sources: [`device/${table}-*`], tables: [table], types: ['*'] },
  });
  const { token, id } = created.json<{ token: string; id: string }>();
  keys.set(table, id);
  return closing(await GatewayProcess.of({ url, key: token }, table, ports));
}

async function list<T>(path: string): Promise<readonly T[]> {
  const { body } = await server.api.send('GET', path, reader);
  return (JSON.parse(body) as { lines: T[] }).lines;
}
const coupsOf = (table: string) => list<CoupLine>(`/v1/coups?table=${table}`);
const findingsOf = async (table: string): Promise<string[]> =>
  (await list<FindingLine>(`/v1/findings?table=${table}&status=all`)).map(({ code }) => code);

/** Waits until a table has so many coups. */
const coups = (table: string, count: number) =>
  eventually(`coup ${count} of ${table}`, async () => {
    await server.caughtUp();
    return (await coupsOf(table)).length >= count;
  });

/** Waits until a gateway has heard so many frames of its shoe and delivered what they say. */
const heard = (gateway: GatewayProcess, frames: number) =>
  eventually(`${frames} frames delivered`, async () => {
    const status = await gateway.status();
    return status.devices[0]?.frames.ok === frames && status.delivery.is === 'fresh' && status;
  });

describe('a gateway beside a shoe', () => {
  async function beside(table: string, opens: GatewayPorts = {}) {
    const shoe = closing(await ShoeOverTcp.open());
    const gateway = await gatewayOf(table, { ...opens, shoe: shoe.port });
    await gateway.start();
    await eventually('the link', () => shoe.isHeard);
    return { shoe, gateway };
  }

  it('brings every card to the log within a second, and writes no byte to the shoe', async () => {
    const { shoe, gateway } = await beside('G1');
    shoe.says(...coupOf(1), ...coupOf(2), ...coupOf(3));
    await coups('G1', 3);
    const { delivered, devices } = await heard(gateway, 15);
    await server.caughtUp();
    expect(await findingsOf('G1')).toEqual([]);
    expect(delivered).toBeGreaterThan(15);
    expect(devices).toMatchObject([{ link: 'up', frames: { ok: 15, damaged: 0 }, lost: 0 }]);
    expect(shoe.written).toBe(0);
    expect(await gateway.end('SIGTERM')).toBe(0);
    expect(shoe.written).toBe(0);
    await server.caughtUp();
    const { body } = await server.api.send('GET', '/v1/tables/G1/record?stamps=off', reader);
    expect(body.trimEnd().split('\n').at(-1)).toContain('"text":"the gateway was stopped"');
  });

  it('a gateway that is killed in a coup leaves one outage, and nobody is accused', async () => {
    const { shoe, gateway } = await beside('G2');
    shoe.says(...coupOf(1), ...coupOf(2).slice(0, 2));
    await coups('G2', 2);
    await gateway.end('SIGKILL');
    await eventually('nobody', () => !shoe.isHeard);
    shoe.says(...coupOf(2).slice(2, 3));
    await gateway.start();
    await eventually('the link', () => shoe.isHeard);
    shoe.says(...coupOf(2).slice(3), ...coupOf(3), ...coupOf(4));
    await coups('G2', 4);
    expect(await findingsOf('G2')).toEqual(['DV-06']);
  });

  it('a gateway whose link is cut says so at once', async () => {
    const { shoe, gateway } = await beside('G3');
    shoe.says(...coupOf(1), ...coupOf(2).slice(0, 2));
    await coups('G3', 2);
    await heard(gateway, 7); // what is on its way when the link is cut may be lost
    shoe.cut();
    await eventually('the outage', async () => (await findingsOf('G3')).includes('DV-06'));
    await eventually('the link', () => shoe.isHeard);
    shoe.says(...coupOf(3), ...coupOf(4));
    await coups('G3', 4);
    expect(await findingsOf('G3')).toEqual(['DV-06']);
  });

  it('goes on while the server is away, says that it is behind, and all arrives', async () => {
    const proxy = closing(await TcpProxy.before(Number(new URL(server.url).port)));
    const shoe = closing(await ShoeOverTcp.open());
    const api = `http://127.0.0.1:${proxy.port}`;
    const gateway = await gatewayOf('G9', { shoe: shoe.port }, api);
    await gateway.start();
    await eventually('the link', () => shoe.isHeard);
    shoe.says(...coupOf(1));
    await coups('G9', 1);
    const serve = await proxy.refuse();
    proxy.cut();
    shoe.says(...coupOf(2), ...coupOf(3));
    await eventually('a delivery that waits', async () => {
      const { delivery, devices } = await gateway.status();
      return delivery.is === 'waiting' && devices[0]?.frames.ok === 15;
    });
    const words = /behind and waiting, the oldest event is \d+ s old/;
    const [code, { delivery }] = await gateway.readyz();
    expect([code, delivery]).toEqual([200, expect.stringMatching(words)]);
    expect(await gateway.command('status')).toEqual([0, expect.stringMatching(words)]);
    await serve();
    await coups('G9', 3);
    expect(await findingsOf('G9')).toEqual([]);
  });

  it('is blocked while its key is revoked, and says so', async () => {
    const { shoe, gateway } = await beside('G4');
    shoe.says(...coupOf(1));
    await coups('G4', 1);
    await server.api.send('DELETE', `/v1/keys/${keys.get('G4')}`, admin);
    shoe.says(...coupOf(2));
    await eventually('a delivery that is blocked', async () => {
      const { delivery } = await gateway.status();
      return delivery.is === 'blocked' && /key/.test(delivery.why);
    });
    const [code, { delivery }] = await gateway.readyz();
    expect([code, delivery]).toEqual([503, expect.stringMatching(/^blocked/)]);
    expect((await gateway.command('status'))[0]).toBe(1);
  });
});

describe('an event that the server refuses', () => {
  it('stops delivery until somebody sets it aside, and then everything else comes', async () => {
    const shoe = closing(await ShoeOverTcp.open());
    const gateway = await gatewayOf('G8', { shoe: shoe.port, rules: 'no-such@1' });
    await gateway.start();
    await eventually('the link', () => shoe.isHeard);
    shoe.says(...coupOf(1));
    const { event, why } = await eventually('a delivery that is blocked', async () => {
      const { delivery } = await gateway.status();
      return delivery.is === 'blocked' && delivery;
    });
    expect(why).toContain('no-such@1');
    const place = `${event?.n}.${event?.event}`;
    const [refused, reason] = await gateway.command('skip', place, '--by', 'mei.chan');
    expect([refused, reason]).toEqual([2, expect.stringContaining('--reason')]);
    const asked = ['--by', 'mei.chan', '--reason', 'a rule document that never existed'];
    const { last } = (await gateway.status()).spool;
    for (const [wrong, why] of [
      [`${last + 100}`, `line ${last + 100}: is not in the spool, whose last line is `],
      [`${event?.n}.99`, `event 99: is not in line ${event?.n}, which has `],
    ] as const)
      expect(await gateway.command('skip', wrong, ...asked)).toEqual([
        2,
        expect.stringContaining(why),
      ]);
    expect(await gateway.command('skip', place, ...asked)).toEqual([0, '']);
    await eventually('a delivery that goes on', async () => {
      const { delivery, spool } = await gateway.status();
      return delivery.is === 'fresh' && spool.sent === spool.last;
    });
    await server.caughtUp();
    const { body } = await server.api.send('GET', '/v1/tables/G8/record?stamps=off', reader);
    expect(body).toContain(`line ${event?.n}, event ${event?.event}, mei.chan: a rule document`);
    expect(body.match(/event-skipped/g)).toHaveLength(1);
    expect(body).not.toContain('shoe-opened');
    const { sent } = (await gateway.status()).spool;
    expect(await gateway.command('skip', `${sent}`, ...asked)).toEqual([
      2,
      expect.stringContaining(`line ${sent}: was delivered, as all lines to `),
    ]);
  });
});

describe('a gateway of a device on line protocol 1', () => {
  it('loses nothing and finds nothing, whatever is killed or cut', async () => {
    const gateway = await gatewayOf('G5', { when: 'line' });
    await gateway.start();
    const device = closing(new Line1OverTcp(gateway.lineAddress));
    device.says({ type: 'shoe-opened', data: { shoe: 'G5-1', decks: 8 } });
    const cards = [1, 2, 3, 4, 5, 6].map((coup) => ({ coup, reports: coupOf(coup) }));
    for (const { coup, reports } of cards) {
      device.says({ type: 'coup-opened', data: { coup } });
      for (const report of reports) device.says(eventOf(report));
      if (coup === 2) await gateway.end('SIGKILL');
      if (coup === 3) await gateway.start();
      if (coup === 4) device.cut();
    }
    await eventually('everything acknowledged', () => device.isDone);
    await coups('G5', 6);
    expect(await findingsOf('G5')).toEqual([]);
    const found = await coupsOf('G5');
    expect(found.map(({ coup }) => coup).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

/** Returns a report of a shoe as an event of line protocol 1. */
function eventOf(report: AngelEyeReport) {
  if (report.is === 'card') {
    const to = report.to === 'indicator' ? 'burn' : report.to;
    return { type: 'card-drawn', data: { card: report.card, to } } as const;
  }
  if (report.is !== 'result' || report.result === 'force-quit') throw new Error('not of a coup');
  return { type: 'outcome-declared', data: { outcome: report.result, by: 'device' } } as const;
}

describe('a look at what devices send', () => {
  it('shows bytes and their meaning, writes nothing to the device, and records nothing', async () => {
    const shoe = closing(await ShoeOverTcp.open());
    const gateway = await gatewayOf('G13', { shoe: shoe.port });
    const listening = gateway.commandUntil((said) => said.includes('"9S"'), 'listen');
    await eventually('the link', () => shoe.isHeard);
    shoe.says(...coupOf(1).slice(0, 1));
    const [code, said] = await listening;
    expect([code, shoe.written]).toEqual([0, 0]);
    expect(said).toMatch(/^G13-shoe {2}the link is there$/m);
    expect(said).toMatch(/^G13-shoe {2}05 31 44 81 B9 03 34 45 {2}ok {2}report {2}\{.*"9S".*\}$/im);
    expect(existsSync(join(gateway.folder, 'spool'))).toBe(false);
  });
});

describe('a look at what a device on line protocol 1 sends', () => {
  it('shows what each line says, also of a device that runs already and is not asked', async () => {
    const gateway = await gatewayOf('G16', { when: 'line' });
    const listening = gateway.commandUntil((said) => said.includes('malformed'), 'listen');
    let code: number | undefined;
    const ended = listening.then(([is, said]) => ((code = is), said));
    const [host = '', port] = gateway.lineAddress.split(':');
    const event = { type: 'card-drawn', data: { card: '9S', to: 'player' } } as const;
    const line = encodeLine1({ type: 'E', boot: 17, seq: 5, ms: 100, event });
    const damaged = line.replace('9S', '8S');
    const device = await eventually('a gateway that listens', () => {
      if (code !== undefined) throw new Error(`ended with ${code}`);
      return new Promise<Socket>((done, fail) => {
        const socket = connect(Number(port), host, () => done(socket)).once('error', fail);
      });
    });
    closing({ close: () => void device.destroy() });
    const wrote: Buffer[] = [];
    device.on('data', (bytes: Buffer) => wrote.push(bytes)).on('error', () => undefined);
    device.write(line + damaged + around('E,17,6,5,CD,1S,P') + '\n');
    const said = await ended;
    expect(said).toMatch(
      /^G16-line {2}24 45 2C [0-9A-F ]+ {2}ok {2}E {2}\{"boot":17,"seq":5,.*"9S".*\}$/im,
    );
    expect(said).toMatch(/ {2}damaged {2}damaged {2}\{"problem":"crc: does not fit the body"\}$/m);
    expect(said).toMatch(/ {2}ok {2}malformed {2}\{"problem":"card: /m);
    expect(wrote).toEqual([]);
  });
});

describe('the spool of a gateway', () => {
  it('is looked at beside it, and damage is named, told on the record, and survived', async () => {
    const shoe = closing(await ShoeOverTcp.open());
    const gateway = await gatewayOf('G14', { shoe: shoe.port });
    await gateway.start();
    await eventually('the link', () => shoe.isHeard);
    const [first, ...rest] = coupOf(1) as [AngelEyeReport, ...AngelEyeReport[]];
    shoe.says(first);
    // a line that has the opening of the shoe, and not of both coups
    await eventually('its line', async () => (await gateway.status()).spool.last === 2);
    shoe.says(...rest, ...coupOf(2));
    await coups('G14', 2);
    const [listed, files] = await gateway.command('spool-ls');
    expect([listed, files]).toEqual([
      0,
      expect.stringMatching(/^000000000001\.spool {2}from line 1 {2}\d+ bytes\n$/),
    ]);
    expect(await gateway.command('spool-verify')).toEqual([
      0,
      expect.stringMatching(/frames, 1\d events in 1 files\n.*\nnothing is wrong\n$/),
    ]);
    await gateway.end('SIGTERM');
    await eventually('nobody', () => !shoe.isHeard);
    const segment = join(gateway.folder, 'spool/000000000001.spool');
    const text = readFileSync(segment, 'latin1');
    writeFileSync(segment, text.replace('"n":2,', '"n":3,'), 'latin1');
    expect(await gateway.command('spool-verify')).toEqual([
      1,
      expect.stringMatching(/damage: 000000000001\.spool, byte \d+, .*\ndamaged places: 1\n$/),
    ]);
    await gateway.start();
    await eventually('the link', () => shoe.isHeard);
    shoe.says(...coupOf(3), ...coupOf(4));
    await coups('G14', 4);
    const { body } = await server.api.send('GET', '/v1/tables/G14/record?stamps=off', reader);
    const told =
      /"spool-damaged","text":"000000000001\.spool, byte \d+, \d+ bytes, lines 2 to 2, CRC [0-9a-f]{8}, set aside in (damaged-\S+\.bytes)"/;
    const [, aside = ''] = told.exec(body) ?? [body];
    expect(existsSync(join(gateway.folder, 'spool', aside))).toBe(true);
    expect(await findingsOf('G14')).toEqual(['DV-06']);
  });
});

describe('the check of a configuration with --live', () => {
  it('finds nothing wrong with a shoe that is there and a key that may write', async () => {
    const shoe = closing(await ShoeOverTcp.open());
    const gateway = await gatewayOf('G10', { shoe: shoe.port });
    const [code, said] = await gateway.command('check', '--live');
    expect(said).toContain(`${gateway.file}: nothing is wrong`);
    expect([code, shoe.written]).toEqual([0, 0]);
    await server.caughtUp();
    const { body } = await server.api.send('GET', '/v1/tables/G10/record?stamps=off', reader);
    expect(body).not.toContain('shoe-opened');
  });

  it('says what is wrong with a port, a rule document and a key, all at once', async () => {
    const gateway = await gatewayOf('G11', { shoe: await freePort(), rules: 'no-such@1' });
    const [code, said] = await gateway.command('check', '--live');
    expect(code).toBe(1);
    expect(said).toMatch(/^\/devices\/0\/port: .*the connection was refused$/m);
    expect(said).toMatch(/^\/opens\/rules: .*no-such@1/m);
    await server.api.send('DELETE', `/v1/keys/${keys.get('G11')}`, admin);
    const [, revoked] = await gateway.command('check', '--live');
    expect(revoked).toMatch(/^\/api\/keyFile: the key is unknown or revoked/m);
  });

  it('says that another process holds the port or listens at its address', async () => {
    const gateway = await gatewayOf('G12', { when: 'line' });
    await gateway.start();
    const [code, said] = await gateway.command('check', '--live');
    expect([code, said]).toEqual([1, expect.stringMatching(/^\/devices\/0\/port: /m)]);
  });
});

describe('a gateway that cannot start', () => {
  it('ends with 4 where another gateway holds the spool', async () => {
    const shoe = closing(await ShoeOverTcp.open());
    const gateway = await gatewayOf('G6', { shoe: shoe.port });
    await gateway.start();
    const [code, said] = await gateway.command('run');
    expect([code, said]).toEqual([4, expect.stringContaining('spool')]);
  });

  it('ends with 74 where the disk refuses its spool, and with 2 where its folder is a file', async () => {
    const gateway = await gatewayOf('G15', { shoe: await freePort() });
    const spoolAt = async (folder: string) => {
      const changed = { ...gateway.configuration, spool: { folder }, api: gateway.api };
      writeFileSync(gateway.file, JSON.stringify(changed));
      return gateway.command('run');
    };
    const unmounted = join(gateway.folder, 'unmounted');
    symlinkSync(join(gateway.folder, 'nowhere/spool'), unmounted);
    expect(await spoolAt(unmounted)).toEqual([
      74,
      expect.stringContaining(`${unmounted}: the spool cannot be used (ENOENT`),
    ]);
    expect((await spoolAt(gateway.file))[0]).toBe(2);
  });

  it('ends with 2 and says everything that is wrong', async () => {
    const gateway = await gatewayOf('G7', { shoe: 1 });
    writeFileSync(gateway.file, JSON.stringify({ ...gateway.configuration, tabel: 'G7' }));
    const [code, said] = await gateway.command('run');
    expect(code).toBe(2);
    expect(said).toContain('/tabel: is not a field of this document');
    expect(said).toContain('/api/keyFile');
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { MemoryLog } from '#event-log';
import { FINDING_CODES, simulate } from '#audit';
import type { FindingLine } from '#read-model';
import { audit, codes, type Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { freePort } from '../kit/processes.js';
import { startServer, type TestServer } from '../kit/server.js';
import { EmulatorProcess } from './emulator-process.js';
import { GatewayProcess, type GatewayPorts } from './gateway-process.js';

jest.setTimeout(180_000);

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

async function gatewayOf(table: string, ports: GatewayPorts): Promise<GatewayProcess> {
  const created = await server.api.send('POST', '/v1/keys', admin, {
    ...{ name: `${table}-gateway`, sources: [`device/${table}-*`], tables: [table], types: ['*'] },
  });
  const { token } = created.json<{ token: string }>();
  return closing(await GatewayProcess.of({ url: server.url, key: token }, table, ports));
}

/** Waits until the gateway has delivered everything, and returns the record of the table. */
async function recordOf(gateway: GatewayProcess): Promise<readonly Sent[]> {
  await eventually('everything delivered', async () => {
    const { delivery, spool } = await gateway.status();
    return delivery.is === 'fresh' && spool.sent === spool.last;
  });
  await server.caughtUp();
  const { table } = gateway.configuration;
  const { body } = await server.api.send('GET', `/v1/tables/${table}/record?stamps=off`, reader);
  return body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Sent);
}

async function findingsOf(table: string): Promise<string[]> {
  const path = `/v1/findings?table=${table}&status=all&limit=500`;
  const { body } = await server.api.send('GET', path, reader);
  return (JSON.parse(body) as { lines: FindingLine[] }).lines.map(({ code }) => code).sort();
}

/**
 * Returns an event without what is not known before a shoe is played. Of a shoe that is opened, the
 * configuration says all but its decks.
 */
function known({ time: _, id: _id, session: _session, sequence: _sequence, ...event }: Sent) {
  const { type, data } = event as { type: string; data: { decks?: number } };
  return type === 'shoeprint.shoe-opened.v1' ? { ...event, data: { decks: data.decks } } : event;
}
const ofDevice = (name: string) => (event: Sent) => event.source === `device/${name}`;
const linesIn = (file: string): Sent[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Sent);

/** Writes a simulated shoe of a table, with faults, and returns its file. */
function shoeFile(gateway: GatewayProcess, faults: readonly string[]): string {
  const { table } = gateway.configuration;
  const file = join(gateway.folder, 'shoe.ndjson');
  const { lines } = simulate({
    ...{ rules: BOOK.get('punto-banco@1') as never, table, shoes: 3, seed: `line-${table}` },
    ...{ bets: false, currency: 'MOP', faults },
  });
  writeFileSync(file, [...lines].join('\n'));
  return file;
}
/** The faults that a device on line protocol 1 can say: those of cards, hands and results. */
const OF_PLAY = FINDING_CODES.filter((code) => /^(TC|RS|DL|SH)-/.test(code));

const hasTerminals = existsSync('node_modules/@lydell/node-pty');
if (!hasTerminals) console.warn('@lydell/node-pty is missing: no serial line is tested');
const withTerminals = hasTerminals ? it : it.skip;

describe('a shoe on a serial line', () => {
  withTerminals('is on the log card for card, and accuses nobody', async () => {
    const shoe = closing(
      new EmulatorProcess(
        ...['angel-eye-ii-ex', '--seed', '7', '--table', 'L1', '--pty', '--speed', '1000'],
      ),
    );
    const gateway = await gatewayOf('L1', { serial: await shoe.address() });
    await gateway.start();
    expect(await shoe.ended()).toBe(0);
    const cards = (await recordOf(gateway)).filter(({ type }) => String(type).includes('card-'));
    const dealt = [...simulate7()].map((line) => JSON.parse(line) as Sent);
    const drawn = dealt.filter(({ type }) => type === 'shoeprint.card-drawn.v1');
    expect(cards.filter(({ type }) => type === 'shoeprint.card-drawn.v1').map(dataOf)).toEqual(
      drawn.map(dataOf),
    );
    // The line goes with its program, while the shoe is open: an outage, and nothing else.
    expect(await findingsOf('L1')).toEqual(['DV-06']);
  });
});

const dataOf = ({ data }: Sent): unknown => data;
const simulate7 = () =>
  simulate({
    ...{ rules: BOOK.get('punto-banco@1') as never, table: 'L1', shoes: 1, seed: '7' },
    bets: false,
  }).lines;

describe('a device on line protocol 1', () => {
  it.each([
    ['a clean table', 'L2', []],
    ['a table with every fault of play', 'L3', possible(OF_PLAY)],
  ])('brings %s as it was played', async (_, table, faults) => {
    const gateway = await gatewayOf(table, { when: 'line' });
    await gateway.start();
    const expected = join(gateway.folder, 'expected.ndjson');
    const file = shoeFile(gateway, faults);
    const device = closing(
      new EmulatorProcess(
        ...['line-1', '--events', file, '--connect', gateway.lineAddress],
        ...['--speed', '1000', '--expect', expected],
      ),
    );
    expect(await device.ended()).toBe(0);
    const record = (await recordOf(gateway)).filter(ofDevice(`${table}-line`));
    const wanted = linesIn(expected);
    expect(record.map(known)).toEqual(wanted.map(known));
    expect(record.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    const { findings } = audit(record, { end: false, once: true });
    expect(await findingsOf(table)).toEqual(codes(findings));
    if (faults.length > 0) expect(new Set(codes(findings)).size).toBeGreaterThan(10);
    else expect(findings).toEqual([]);
  });
});

/** Leaves out the faults that need bets, or other rules. */
function possible(faults: readonly string[]): string[] {
  return faults.filter((code) => {
    try {
      const asked = { rules: BOOK.get('punto-banco@1') as never, table: 'T', shoes: 3, seed: 'p' };
      return [...simulate({ ...asked, bets: false, faults: [code] }).lines].length > 0;
    } catch {
      return false; // SimulationRefusal: not without bets, or not under these rules
    }
  });
}

describe('the control of an emulator', () => {
  it('draws a card, pulls the cable, and ends', async () => {
    const control = await freePort();
    const gateway = await gatewayOf('L4', { when: 'line' });
    await gateway.start();
    const device = closing(
      new EmulatorProcess(
        ...['line-1', '--control', `127.0.0.1:${control}`, '--table', 'L4'],
        ...['--connect', gateway.lineAddress],
      ),
    );
    await device.address();
    const socket = connect(control, '127.0.0.1');
    let said = '';
    socket.setEncoding('utf8').on('data', (text) => (said += String(text)));
    const ask = async (command: string, answers: number): Promise<void> => {
      socket.write(`${command}\n`);
      await eventually(`answer ${answers}`, () => said.split('\n').length > answers);
    };
    await eventually('the device', async () => (await gateway.status()).devices[0]?.link === 'up');
    await ask('draw 9S player', 1);
    await ask('draw 1S player', 2);
    await ask('cable out', 3);
    await eventually(
      'a lost link',
      async () => (await gateway.status()).devices[0]?.link === 'down',
    );
    await ask('draw ?? banker', 4);
    await ask('cable in', 5);
    await eventually('both cards', async () => {
      const record = await recordOf(gateway);
      return record.filter(({ type }) => type === 'shoeprint.card-drawn.v1').length === 2;
    });
    expect(said).toMatch(/^ok\nrefused: card: "1S" is not a card .*\nok\nok\nok\n$/);
    socket.write('quit\n');
    expect(await device.ended()).toBe(0);
    socket.destroy();
  });
});

describe('an emulator that cannot begin', () => {
  it.each([
    [['--seed', '1', '--port', '/etc/hosts'], '--port'],
    [['--seed', '1', '--events', 'x', '--pty'], '--events and --seed'],
    [['--seed', '1', '--listen', '127.0.0.1:0', '--faults', 'none'], '"none" must be one of'],
    [['--seed', '1', '--listen', '127.0.0.1:0', '--speed', '0'], 'from 0.1 to 1000'],
    [['--seed', '1', '--listen', '127.0.0.1:0', '--connect', '127.0.0.1:1'], 'choose one of'],
    [['--listen', '127.0.0.1:0'], 'nothing to play'],
    [['--events', 'examples/malformed.ndjson', '--listen', '127.0.0.1:0'], 'malformed'],
    [['--control', '10.0.0.1:7', '--listen', '127.0.0.1:0'], 'an address of this machine'],
  ])('%j says why and ends', async (words, why) => {
    const device = closing(new EmulatorProcess('line-1', ...words));
    expect(await device.ended()).toBe(2);
    expect(device.said).toContain(why);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMULATED_SEQUENCE } from '#devices';
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

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-line-'));
let server: TestServer;
let admin: string;
let reader: string;
beforeAll(async () => {
  server = await startServer(async () => new MemoryLog());
  admin = await server.api.person('admin', { name: 'ada' });
  reader = await server.api.person('regulator');
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

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

/** Returns the codes of the findings in force: those that a later event withdrew are left out. */
async function findingsOf(table: string): Promise<string[]> {
  const path = `/v1/findings?table=${table}&status=all&limit=500`;
  const { body } = await server.api.send('GET', path, reader);
  const { lines } = JSON.parse(body) as { lines: FindingLine[] };
  return lines
    .filter(({ status }) => status !== 'withdrawn')
    .map(({ code }) => code)
    .sort();
}

/**
 * Returns the record of a gateway's table and the findings of just that record: the auditor may
 * declare a gap at any moment, which is an event and a finding.
 */
const judgedOf = (gateway: GatewayProcess) =>
  eventually('a record to which nothing was added while its findings were read', async () => {
    const record = await recordOf(gateway);
    const found = await findingsOf(gateway.configuration.table);
    return (await recordOf(gateway)).length === record.length && { record, found };
  });

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

/** Writes simulated shoes of a table, with faults, and returns the file. */
function shoesOf(table: string, shoes: number, faults: readonly string[]): string {
  const file = join(folder, `${table}.ndjson`);
  const { lines } = simulate({
    ...{ rules: BOOK.get('punto-banco@1') as never, table, shoes, seed: `line-${table}` },
    ...{ bets: false, currency: 'MOP', faults },
  });
  writeFileSync(file, [...lines].join('\n'));
  return file;
}
/** The faults that a device can say: those of cards, hands and results. */
const OF_PLAY = FINDING_CODES.filter((code) => /^(TC|RS|DL|SH)-/.test(code));

const hasTerminals = existsSync('node_modules/@lydell/node-pty');
if (!hasTerminals) console.warn('@lydell/node-pty is missing: no serial line is tested');
const withTerminals = hasTerminals ? it : it.skip;

describe('a shoe on a serial line', () => {
  withTerminals.each([
    ['a clean shoe', 'L1', []],
    ['a shoe with every fault of play', 'L5', possible('L5', 1)],
  ])('brings %s as it was played, and its end is an outage', async (_, table, faults) => {
    const expected = join(folder, `${table}-expected.ndjson`);
    const device = closing(
      new EmulatorProcess(
        ...['angel-eye-ii-ex', '--events', shoesOf(table, 1, faults), '--pty'],
        ...['--speed', '1000', '--expect', expected],
      ),
    );
    const gateway = await gatewayOf(table, { serial: await device.address() });
    await gateway.start();
    expect(await device.ended()).toBe(0);
    // The line goes with its program, while the shoe is open.
    await eventually('the outage', async () => (await findingsOf(table)).includes('DV-06'));
    const { record, found } = await judgedOf(gateway);
    const wanted = linesIn(expected).map(knownOfShoe);
    const ofShoe = record.filter(ofDevice(`${table}-shoe`)).map(knownOfShoe);
    // That it learned the reading of the check is not in the play.
    const came = ofShoe.filter(({ type }) => type !== 'shoeprint.device-setting-changed.v1');
    expect(came.pop()).toMatchObject({ type: 'shoeprint.device-offline.v1' });
    // A coup without a result, of which the next begins otherwise, looks like a lost card.
    const isCompared = ({ type }: { readonly type: string }): boolean =>
      faults.length === 0 || type === 'shoeprint.card-drawn.v1';
    expect(came.filter(isCompared)).toEqual(wanted.filter(isCompared));
    const due = codes(audit(record, { end: false, once: true }).findings);
    expect(found).toEqual(due);
    if (faults.length > 0) expect(new Set(due).size).toBeGreaterThan(5);
    else expect(due).toEqual(['DV-06']);
  });
});

/**
 * Returns what is known of an event of a shoe that is only heard: its gateway names the shoe, and
 * says all of its opening.
 */
function knownOfShoe(event: Sent) {
  const { shoe: _, ...rest } = known(event) as { readonly shoe?: string; readonly type: string };
  return rest.type === 'shoeprint.shoe-opened.v1' ? { ...rest, data: {} } : rest;
}

describe('a device on line protocol 1', () => {
  async function brings(table: string, faults: readonly string[], isSerial: boolean) {
    const expected = join(folder, `${table}-expected.ndjson`);
    const words = ['line-1', '--events', shoesOf(table, 3, faults), '--speed', '1000'];
    const emulated = (...where: readonly string[]) =>
      closing(new EmulatorProcess(...words, '--expect', expected, ...where));
    const serial = isSerial ? emulated('--pty') : undefined;
    const serialLine = await serial?.address();
    const gateway = await gatewayOf(table, {
      when: 'line',
      ...(serialLine === undefined ? {} : { serialLine }),
    });
    await gateway.start();
    const device = serial ?? emulated('--connect', gateway.lineAddress);
    expect(await device.ended()).toBe(0);
    const record = (await recordOf(gateway)).filter(ofDevice(`${table}-line`));
    const wanted = linesIn(expected);
    expect(record.map(known)).toEqual(wanted.map(known));
    expect(record.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    const { findings } = audit(record, { end: false, once: true });
    expect(await findingsOf(table)).toEqual(codes(findings));
    if (faults.length > 0) expect(new Set(codes(findings)).size).toBeGreaterThan(10);
    else expect(findings).toEqual([]);
  }

  it('brings a clean table as it was played', () => brings('L2', [], false));

  it('brings a table with every fault of play as it was played', () =>
    brings('L3', possible('L3', 3), false));

  withTerminals('brings a table with every fault of play over a serial line', () =>
    brings('L6', possible('L6', 3), true),
  );
});

/** Returns as many faults of play as these shoes can have together, without bets. */
function possible(table: string, shoes: number): string[] {
  const rules = BOOK.get('punto-banco@1') as never;
  const asked = { rules, table, shoes, seed: `line-${table}`, currency: 'MOP' };
  return OF_PLAY.reduce<string[]>((fit, code) => {
    try {
      return [...simulate({ ...asked, bets: false, faults: [...fit, code] }).lines].length > 0
        ? [...fit, code]
        : fit;
    } catch {
      return fit; // SimulationRefusal: not without bets, under these rules, or beside the others
    }
  }, []);
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

describe('an emulator whose port is only tried', () => {
  it('begins with its first frame for who stays', async () => {
    const words = ['angel-eye-ii-ex', '--seed', '7', '--listen', '127.0.0.1:0', '--speed', '1000'];
    const shoe = closing(new EmulatorProcess(...words));
    const [host = '', port] = (await shoe.address()).split(':');
    const tried = connect(Number(port), host);
    await once(tried, 'connect');
    tried.destroy();
    await once(tried, 'close');
    const stays = connect(Number(port), host);
    const [first] = (await once(stays, 'data')) as [Buffer];
    stays.destroy();
    expect(first.toString('latin1').slice(0, 2)).toBe(`\u0005${EMULATED_SEQUENCE[0]}`);
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

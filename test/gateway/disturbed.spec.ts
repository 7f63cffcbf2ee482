import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MemoryLog } from '#event-log';
import type { GatewayConfiguration } from '#gateway';
import type { FindingLine } from '#read-model';
import type { Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { freePort } from '../kit/processes.js';
import { IS_LONG } from '../kit/rounds.js';
import { startServer, type TestServer } from '../kit/server.js';
import { GatewayProcess, Line1OverTcp } from './gateway-process.js';

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

const RUBBISH_BYTES = IS_LONG ? 10_000_000 : 1_000_000;
const PIECE_BYTES = 65_536;

/** Random bytes at full speed, to each that connects and to addresses. */
class Rubbish {
  private left = RUBBISH_BYTES;
  private readonly peers = new Set<Socket>();
  private readonly server = createServer((peer) => this.joined(peer));

  get isSaid(): boolean {
    return this.left <= 0;
  }

  /** Serves it, and returns the port. */
  async served(): Promise<number> {
    const port = await freePort();
    await new Promise<void>((done) => this.server.listen(port, '127.0.0.1', done));
    return port;
  }

  /** Connects to an address. */
  sentTo(address: string): void {
    const [host = '', port] = address.split(':');
    const peer = connect(Number(port), host);
    peer.once('connect', () => this.joined(peer));
  }

  close(): void {
    for (const peer of this.peers) peer.destroy();
    this.server.close();
  }

  private joined(peer: Socket): void {
    this.peers.add(peer);
    peer.on('error', () => undefined).on('close', () => this.peers.delete(peer));
    peer.resume();
    this.say(peer);
  }

  private say(peer: Socket): void {
    while (this.left > 0) {
      this.left -= PIECE_BYTES;
      if (!peer.write(randomBytes(PIECE_BYTES))) {
        peer.once('drain', () => this.say(peer));
        return;
      }
    }
  }
}

/** A gateway of a table with a device that plays, `NAME-line`, and others of its configuration. */
async function gatewayOf(
  table: string,
  others: GatewayConfiguration['devices'] = [],
): Promise<GatewayProcess> {
  const created = await server.api.send('POST', '/v1/keys', admin, {
    ...{ name: `${table}-gateway`, sources: [`device/${table}-*`], tables: [table], types: ['*'] },
  });
  const api = { url: server.url, key: created.json<{ token: string }>().token };
  const gateway = closing(await GatewayProcess.of(api, table, { when: 'line' }));
  const whole = JSON.parse(readFileSync(gateway.file, 'utf8')) as GatewayConfiguration;
  const devices = [...whole.devices, ...others];
  writeFileSync(gateway.file, JSON.stringify({ ...whole, devices }));
  return gateway.start();
}

const CARDS = ['9S', 'KH', '4D', '7C', '2H', '5S', 'TD', 'AC'] as const;
const drawn = (card: (typeof CARDS)[number]) =>
  ({ type: 'card-drawn', data: { card, to: 'burn' } }) as const;

const DECKS = 8;
/** Closes the shoe, if there is one, and opens the next. */
function changesShoe(player: Line1OverTcp, dealt: number): void {
  if (dealt > 0) player.says({ type: 'shoe-closed', data: { reason: 'end' } });
  player.says({ type: 'shoe-opened', data: { shoe: `R1-${dealt}`, decks: DECKS } });
}

/** Returns the cards that the record has of a table, in order. */
async function cardsOf(table: string): Promise<unknown[]> {
  await server.caughtUp();
  const { body } = await server.api.send('GET', `/v1/tables/${table}/record?stamps=off`, reader);
  return body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Sent)
    .filter(({ type, source }) => type === `shoeprint.card-drawn.v1` && source === device(table))
    .map(({ data }) => (data as { card: string }).card);
}
const device = (table: string): string => `device/${table}-line`;

async function findingsOf(table: string): Promise<string[]> {
  const path = `/v1/findings?table=${table}&status=all&limit=500`;
  const { body } = await server.api.send('GET', path, reader);
  return [...new Set((JSON.parse(body) as { lines: FindingLine[] }).lines.map((f) => f.code))];
}

describe('rubbish at full speed into two ports', () => {
  it('delays nothing that another device says, and accuses nobody', async () => {
    const [shoe, line] = [closing(new Rubbish()), closing(new Rubbish())];
    const listen = `127.0.0.1:${await freePort()}`;
    const connected = { connect: `127.0.0.1:${await shoe.served()}` } as const;
    const gateway = await gatewayOf('R1', [
      { name: 'R1-shoe', protocol: 'angel-eye-ii-ex', port: connected },
      { name: 'R1-noise', protocol: 'line-1', port: { listen } },
    ] as GatewayConfiguration['devices']);
    line.sentTo(listen);
    const player = closing(new Line1OverTcp(gateway.lineAddress));
    const said: string[] = [];
    await eventually(
      'all of the rubbish',
      async () => {
        const card = CARDS[said.length % CARDS.length] as (typeof CARDS)[number];
        // then the shoe has no such card left
        if (said.length % (DECKS * CARDS.length) === 0) changesShoe(player, said.length);
        player.says(drawn(card));
        said.push(card);
        await eventually('the card acknowledged', () => player.isDone);
        return shoe.isSaid && line.isSaid;
      },
      120_000,
    );
    await eventually('everything delivered', async () => {
      const { delivery, spool } = await gateway.status();
      return delivery.is === 'fresh' && spool.sent === spool.last;
    });
    expect(await cardsOf('R1')).toEqual(said);
    expect(gateway.said).not.toMatch(/the spool takes nothing|link is lost.*R1-line/);
    expect((await findingsOf('R1')).filter((code) => !code.startsWith('DV-'))).toEqual([]);
  });
});

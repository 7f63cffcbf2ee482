import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeAngelEye, encodeLine1, type ReportedEvent } from '#devices';
import { DeskOwner, TableGateway, WallClock } from '#gateway';
import { openSpool, type Spool } from '#spool';
import type { PortListener } from '../../apps/gateway/src/ports/port.js';
import { audit, codes, type Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { configured } from './beside-table.js';
import { reportsOf, shoeOf } from './coups.js';

const CAP_BYTES = 40_000;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A gateway whose ports are the test's own, and whose spool has little room. */
class SmallGateway {
  /** What the gateway wrote to the device on line protocol 1. */
  readonly written: string[] = [];
  readonly delivered: Sent[] = [];
  private sequence = 0;
  private up = 0;
  private readonly reports = reportsOf(shoeOf('full'));
  private readonly ports: PortListener[] = [];

  private constructor(
    readonly table: TableGateway,
    readonly spool: Spool,
  ) {}

  static async open(): Promise<SmallGateway> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-full-'));
    const configuration = configured({ spool: { folder } });
    const owner = new DeskOwner(configuration, () => undefined);
    const settings = { capBytes: CAP_BYTES, segmentBytes: 8_000, keepMs: 0, retryMs: 20 };
    const spool = await openSpool({ folder, owner, status: () => null, settings });
    let random = 0;
    const table = new TableGateway({
      ...{ configuration, spool, owner, clock: new WallClock(), version: '0.1.0' },
      randomDigits: (count) => (random += 1).toString(16).padStart(count, '0'),
      say: () => undefined,
      fail: (error) => {
        throw error;
      },
    });
    const gateway = new SmallGateway(table, spool);
    for (const line of table.lines) await line.open((listener) => gateway.port(listener));
    closing.push(async () => {
      await spool.close();
      rmSync(folder, { recursive: true });
    });
    return gateway;
  }

  /** The link of the shoe, which is first, or of the line. */
  link(at: 0 | 1): PortListener {
    return this.ports[at] as PortListener;
  }

  /** The shoe reports the next coup of a simulated shoe. */
  shoeSaysCoup(): void {
    const end = this.reports.findIndex(({ is }) => is === 'result') + 1;
    for (const report of this.reports.splice(0, end)) {
      this.sequence = (this.sequence + 1) % 10;
      const asked = { sequence: `${this.sequence}`, bcc: 'from-sequence' } as const;
      this.link(0).bytes(encodeAngelEye(report, asked), (this.up += 1));
    }
  }

  lineSays(seq: number, event: ReportedEvent): void {
    const line = encodeLine1({ type: 'E', boot: 1, seq, ms: 100 * seq, event });
    this.link(1).bytes(Buffer.from(line), (this.up += 1));
  }

  lineStarts(last = 0, oldest = 0): void {
    const hello = { unit: 'U', firmware: '1', boot: 1, ms: 0, last, oldest } as const;
    this.link(1).bytes(Buffer.from(encodeLine1({ type: 'H', ...hello })), (this.up += 1));
  }

  /** Delivers everything that the spool has. */
  async deliver(): Promise<void> {
    const { last, sent } = this.spool.figures;
    for (let after = sent; after < last;) {
      const limits = { contents: 1_000, bytes: 1_000_000 };
      const lines = await this.spool.read(after, limits, new AbortController().signal);
      for (const { made } of lines)
        this.delivered.push(...made.map((text) => JSON.parse(text) as Sent));
      after = lines.at(-1)?.n ?? last;
    }
    this.spool.delivered(last);
  }

  /** Does something and waits until it is on disk, or found no room. */
  async settled(act: () => void): Promise<void> {
    const { last } = this.spool.figures;
    act();
    await eventually('a line on disk', () => {
      const { figures } = this.spool;
      return figures.last > last || figures.full !== undefined;
    });
  }

  /** Waits until the spool takes frames again, and goes on. */
  async room(): Promise<void> {
    await eventually('room', () => this.spool.figures.full === undefined);
    this.table.tick();
  }

  private port(listener: PortListener) {
    this.ports.push(listener);
    const write = (text: string): void => void this.written.push(text);
    const port = { pause: () => undefined, resume: () => undefined, close: async () => undefined };
    return Promise.resolve({ ...port, write });
  }
}

const opened: ReportedEvent = { type: 'shoe-opened', data: { shoe: 'B07-1', decks: 8 } };
const note: ReportedEvent = { type: 'device-setting-changed', data: { code: 'x', text: 'y' } };

describe('a device on line protocol 1', () => {
  it('is acknowledged only what is on disk, also if it sends it again', async () => {
    const gateway = await SmallGateway.open();
    gateway.link(1).opened('127.0.0.1:1');
    gateway.lineStarts();
    gateway.written.length = 0;
    const online: ReportedEvent = { type: 'device-online', data: { firmware: '1', missed: 0 } };
    for (let copy = 0; copy < 3; copy += 1) gateway.lineSays(1, online);
    expect([gateway.spool.figures.last, gateway.written]).toEqual([0, []]);
    await eventually('an acknowledgement', () =>
      gateway.written.some((line) => line.startsWith('$A,1,1*')),
    );
    expect(gateway.spool.figures.last).toBe(1);
  });
});

describe('a gateway whose spool is full', () => {
  it('counts what a shoe says, skips as many numbers, and accuses nobody', async () => {
    const gateway = await SmallGateway.open();
    gateway.link(0).opened(null);
    while (gateway.spool.figures.full === undefined) {
      await gateway.settled(() => gateway.shoeSaysCoup());
    }
    for (let more = 0; more < 3; more += 1) gateway.shoeSaysCoup();
    await gateway.deliver();
    await gateway.room();
    for (let more = 0; more < 4; more += 1) gateway.shoeSaysCoup();
    await eventually('what came after it', async () => {
      await gateway.deliver();
      return gateway.delivered.filter(({ type }) => String(type).includes('outcome')).length > 8;
    });
    const errors = gateway.delivered
      .filter(({ type }) => type === 'shoeprint.device-error.v1')
      .map(({ data }) => data as { code: string; text: string });
    expect(errors.map(({ code }) => code)).toEqual(['spool-full', 'frame-lost']);
    expect(errors[1]?.text).toMatch(/^\d\d lost: the spool was full$/);
    const { findings } = audit(gateway.delivered, { once: true });
    expect(codes(findings)).toEqual(['DV-04']);
  });

  it('asks a device on line protocol 1 to wait, and loses nothing of it', async () => {
    const gateway = await SmallGateway.open();
    gateway.link(1).opened('127.0.0.1:1');
    gateway.lineStarts();
    let seq = 1;
    gateway.lineSays(seq, { type: 'device-online', data: { firmware: '1', missed: 0 } });
    gateway.lineSays((seq += 1), opened);
    while (gateway.spool.figures.full === undefined) {
      await gateway.settled(() => gateway.lineSays((seq += 1), note));
    }
    await eventually('B', () => gateway.written.some((line) => line.startsWith('$B,1,')));
    const acknowledged = Math.max(
      ...gateway.written.flatMap((line) => {
        const [, number] = /^\$A,1,(\d+)\*/.exec(line) ?? [];
        return number === undefined ? [] : [Number(number)];
      }),
    );
    await gateway.deliver();
    await gateway.room();
    gateway.lineStarts(seq, acknowledged + 1);
    for (let again = acknowledged + 1; again <= seq; again += 1) gateway.lineSays(again, note);
    await eventually('the last event', async () => {
      await gateway.deliver();
      return gateway.delivered.some(({ sequence }) => sequence === seq);
    });
    const ofLine = gateway.delivered.filter(({ source }) => source === 'device/B07-line');
    expect(ofLine.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: seq }, (_, at) => at + 1),
    );
  });
});

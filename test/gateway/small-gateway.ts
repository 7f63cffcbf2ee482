import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeAngelEye, encodeLine1, type AngelEyeReport, type ReportedEvent } from '#devices';
import { DeskOwner, TableGateway, WallClock } from '#gateway';
import { openSpool, type Spool, type SpoolSettings } from '#spool';
import type { PortListener } from '../../apps/gateway/src/ports/port.js';
import type { Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { configured } from './beside-table.js';

/** A gateway between ports that are the test's own and a spool on disk, without delivery. */
export class SmallGateway {
  /** What the gateway wrote to the device on line protocol 1. */
  readonly written: string[] = [];
  readonly delivered: Sent[] = [];
  private sequence = 0;
  private readonly ports: PortListener[] = [];
  private readonly paused = new Set<PortListener>();

  private constructor(
    readonly table: TableGateway,
    readonly owner: DeskOwner,
    readonly spool: Spool,
    private readonly on: { readonly clock: WallClock; readonly folder: string },
  ) {}

  static async open(settings: Partial<SpoolSettings>, clock: WallClock): Promise<SmallGateway> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-small-'));
    const configuration = configured({ spool: { folder } });
    const owner = new DeskOwner(configuration, () => undefined);
    const spool = await openSpool({ folder, owner, status: () => null, settings });
    let random = 0;
    const table = new TableGateway({
      ...{ configuration, spool, owner, clock, version: '0.1.0' },
      randomDigits: (count) => (random += 1).toString(16).padStart(count, '0'),
      say: () => undefined,
      fail: (error) => {
        throw error;
      },
    });
    const gateway = new SmallGateway(table, owner, spool, { clock, folder });
    for (const line of table.lines) await line.open((listener) => gateway.port(listener));
    return gateway;
  }

  /** The link of the shoe, which is first, or of the line. */
  link(at: 0 | 1): PortListener {
    return this.ports[at] as PortListener;
  }

  /** Whether the port of the shoe, or of the line, is read. */
  isRead(at: 0 | 1): boolean {
    return !this.paused.has(this.link(at));
  }

  /** The shoe sends reports. */
  shoeSays(...reports: readonly AngelEyeReport[]): void {
    for (const report of reports) {
      this.sequence = (this.sequence + 1) % 10;
      const asked = { sequence: `${this.sequence}`, bcc: 'from-sequence' } as const;
      this.link(0).bytes(encodeAngelEye(report, asked), this.on.clock.up());
    }
  }

  lineSays(seq: number, event: ReportedEvent): void {
    const line = encodeLine1({ type: 'E', boot: 1, seq, ms: 100 * seq, event });
    this.link(1).bytes(Buffer.from(line), this.on.clock.up());
  }

  lineStarts(last = 0, oldest = 0): void {
    const hello = { unit: 'U', firmware: '1', boot: 1, ms: 0, last, oldest } as const;
    this.link(1).bytes(Buffer.from(encodeLine1({ type: 'H', ...hello })), this.on.clock.up());
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

  /** Takes the folder of the spool away, so that the disk refuses every new segment. */
  breakDisk(): void {
    renameSync(this.on.folder, `${this.on.folder}-away`);
  }

  mendDisk(): void {
    renameSync(`${this.on.folder}-away`, this.on.folder);
  }

  async close(): Promise<void> {
    await this.spool.close();
    rmSync(this.on.folder, { recursive: true });
  }

  private port(listener: PortListener) {
    this.ports.push(listener);
    const write = (text: string): void => void this.written.push(text);
    return Promise.resolve({
      pause: () => void this.paused.add(listener),
      resume: () => void this.paused.delete(listener),
      close: async () => undefined,
      write,
    });
  }
}

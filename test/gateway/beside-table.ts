import { readFileSync } from 'node:fs';
import {
  asciiBytes,
  encodeAngelEye,
  encodeLine1,
  line1Gateway,
  type AngelEyeReport,
  type AngelEyeState,
  type Line1GatewayState,
  type Line1GatewayTurn,
  type Observation,
  type ReportedEvent,
} from '#devices';
import {
  decoderOf,
  DeskRecord,
  NEW_DESK,
  TableDesk,
  type DeskState,
  type GatewayConfiguration,
} from '#gateway';
import type { SpoolFrame } from '#spool';
import type { Sent } from '../kit/audit.js';

const EXAMPLE = JSON.parse(
  readFileSync(new URL('../../examples/gateway.json', import.meta.url), 'utf8'),
) as GatewayConfiguration;
const SHOE = 'B07-shoe';
const LINE = 'B07-line';
/** When the monotonic clock of a table began, in milliseconds since 1970. */
const BOOTED_AT = Date.parse('2026-11-20T12:00:00Z');

/** Returns the example configuration with some parts replaced. */
export const configured = (changes: Partial<GatewayConfiguration> = {}): GatewayConfiguration => ({
  ...EXAMPLE,
  ...changes,
});

/**
 * A table with the devices of the example beside it, whose desk hears what the test lets them send.
 * Each thing happens a second after the one before it.
 */
export class BesideTable {
  up = 100;
  /** What was recorded, in order. */
  readonly frames: SpoolFrame[] = [];
  desk: TableDesk;
  private shoe: AngelEyeState;
  private line: Line1GatewayState;
  private sequence = 0;
  private readonly protocol = line1Gateway({
    listenOnly: false,
    freshDigits: () => this.randomDigits(8),
  });
  private readonly decoder;

  constructor(
    private readonly configuration = configured(),
    /** Where its random digits begin: two tables with the same ones would share their sessions. */
    private random = 0,
  ) {
    this.decoder = decoderOf(configuration.devices[0] as never);
    this.shoe = this.decoder.start;
    this.line = this.protocol.start([]);
    this.desk = this.deskFrom(NEW_DESK);
  }

  /** Everything that is to be delivered, in order. */
  get delivered(): Sent[] {
    return this.frames.flatMap(({ made }) => made.map((text) => JSON.parse(text) as Sent));
  }

  /** Returns type, source and data of what is to be delivered, from some point on. */
  said(from = 0): readonly (readonly [type: string, source: string, data: unknown])[] {
    return this.delivered
      .slice(from)
      .map(({ type, source, data }) => [
        String(type).replace(/^shoeprint\.(.*)\.v1$/, '$1'),
        String(source).replace('device/B07-', ''),
        data,
      ]);
  }

  /** The gateway dies and starts again: it has what was recorded. */
  restarts(): this {
    const record = new DeskRecord(this.configuration);
    const state = this.frames.reduce((at, frame) => record.recorded(at, frame), NEW_DESK);
    this.up += 3;
    this.shoe = this.decoder.resume(state.shoes[SHOE] ?? this.decoder.start);
    this.line = this.protocol.start(state.lines[LINE] ?? []);
    this.desk = this.deskFrom(state);
    return this;
  }

  opens(device: typeof SHOE | typeof LINE): this {
    if (device === LINE) this.turned(this.protocol.opened(this.line, this.next()));
    this.frames.push(...this.desk.opened(device, this.next()));
    return this;
  }

  loses(device: typeof SHOE | typeof LINE, reason = 'the cable was pulled'): this {
    this.shoe = device === SHOE ? this.decoder.resume(this.shoe) : this.shoe;
    this.frames.push(...this.desk.lost(device, reason, this.next()));
    return this;
  }

  /** The shoe sends reports. */
  shoeSays(...reports: readonly AngelEyeReport[]): this {
    for (const report of reports) this.shoeSends(this.frameOf(report));
    return this;
  }

  /** Returns the frame of a report under the next sequence character. */
  frameOf(report: AngelEyeReport): Uint8Array {
    this.sequence = (this.sequence + 1) % 10;
    return encodeAngelEye(report, { sequence: `${this.sequence}`, bcc: 'from-sequence' });
  }

  /** The shoe sends bytes, and is then silent for a while. */
  shoeSends(bytes: Uint8Array, silence = 0): this {
    this.listened(this.decoder.feed(this.shoe, bytes, this.next()));
    if (silence > 0) {
      this.up += silence;
      this.listened(this.decoder.feed(this.shoe, new Uint8Array(), this.up));
    }
    return this;
  }

  /** A device on line protocol 1 says who it is. */
  lineStarts({ unit = 'U1', boot = 17, last = 0, oldest = 0 } = {}): this {
    return this.lineSends(
      encodeLine1({ type: 'H', unit, firmware: '2', boot, ms: 0, last, oldest }),
    );
  }

  /** A device on line protocol 1 sends an event. */
  lineSays(seq: number, event: ReportedEvent, boot = 17): this {
    return this.lineSends(encodeLine1({ type: 'E', boot, seq, ms: 1_000 * seq, event }));
  }

  lineSends(text: string): this {
    this.turned(this.protocol.feed(this.line, asciiBytes(text), this.next()));
    return this;
  }

  private listened({
    state,
    observations,
  }: {
    readonly state: AngelEyeState;
    readonly observations: readonly Observation[];
  }): void {
    this.shoe = state;
    for (const each of observations) this.frames.push(...this.desk.hear(SHOE, each));
  }

  private turned({ state, observations }: Line1GatewayTurn): void {
    this.line = state;
    for (const each of observations) this.frames.push(...this.desk.hear(LINE, each));
  }

  private next(): number {
    this.up += 1;
    return this.up;
  }

  private randomDigits(count: number): string {
    this.random += 1;
    return this.random.toString(16).padStart(count, '0');
  }

  private deskFrom(state: DeskState): TableDesk {
    return new TableDesk(state, this.configuration, {
      wallAt: (up) => BOOTED_AT + 1_000 * up,
      randomDigits: (count) => this.randomDigits(count),
      version: '0.1.0',
    });
  }
}

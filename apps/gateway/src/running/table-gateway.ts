import type { Observation } from '#devices';
import { asError } from '#process';
import { SpoolFull, type Spool, type SpoolFrame, type SpoolNotice } from '#spool';
import type { GatewayConfiguration } from '../configuration/configuration.js';
import { TableDesk } from '../desk/desk.js';
import type { Skip } from '../desk/skip.js';
import type { DeskOwner } from './desk-owner.js';
import { DeviceLine, type LineHearing } from './device-line.js';
import { protocolSide } from './protocol-side.js';
import type { WallClock } from './wall-clock.js';

/** What a table gateway works with. */
interface TableParts {
  readonly configuration: GatewayConfiguration;
  readonly spool: Spool;
  readonly owner: DeskOwner;
  readonly clock: WallClock;
  readonly randomDigits: (count: number) => string;
  readonly version: string;
  /** Receives what happened, in words. */
  readonly say: (text: string) => void;
  /** Receives a fault of the gateway itself: the program must end. */
  readonly fail: (error: Error) => void;
}

/** What to do once frames are on disk, or found no room, and before either. */
interface Then {
  readonly stored?: () => void;
  readonly refused?: (error: SpoolFull) => void;
  readonly settled?: () => void;
}

/** A problem of the gateway itself or of a link, or its end. */
interface Trouble {
  readonly type: 'device-error' | 'device-error-cleared';
  readonly code: string;
  readonly text: string;
}

/**
 * The devices of a table between their ports and the spool. What a device says is answered only
 * once it is on disk. While the spool takes nothing, devices that keep their events are asked to
 * wait, and what the others say is counted as lost.
 */
export class TableGateway implements LineHearing {
  readonly lines: readonly DeviceLine[];
  /** How long the disk took for the last line, in seconds. */
  syncSeconds = 0;
  private readonly desk: TableDesk;
  /** Appends that are not settled. */
  private pending = 0;
  /** Troubles that found no room, by kind, and how many of the kind there were. */
  private readonly untold = new Map<
    string,
    { readonly trouble: Trouble; readonly of: string; readonly count: number }
  >();
  private full: { readonly reason: string; readonly since: number } | undefined;

  constructor(private readonly parts: TableParts) {
    const { configuration, owner, clock, randomDigits, version } = parts;
    const around = { wallAt: clock.at, randomDigits, version };
    this.desk = new TableDesk(owner.durable, configuration, around);
    this.lines = configuration.devices.map((device) => {
      const write = (text: string): void => line.write(text);
      const side = protocolSide(device, owner.durable, { write, randomDigits });
      const line: DeviceLine = new DeviceLine(device, side, this, () => clock.at(clock.up()));
      return line;
    });
  }

  opened(line: DeviceLine): void {
    const { name } = line;
    this.parts.say(`${name}: the link is there`);
    const up = this.up();
    const observations = line.side.opened(up);
    const trouble = { type: 'device-error-cleared', code: 'link-lost', text: name } as const;
    this.keep(this.desk.opened(name, up), { refused: () => this.missed(line, trouble) });
    this.heard(line, observations);
  }

  lost(line: DeviceLine, reason: string): void {
    const { name } = line;
    this.parts.say(`${name}: the link is lost: ${reason}`);
    const text = `${name}: ${reason}`;
    const trouble = { type: 'device-error', code: 'link-lost', text } as const;
    this.keep(this.desk.lost(name, reason, this.up()), {
      refused: () => this.missed(line, trouble),
    });
  }

  refused(line: DeviceLine, peer: string, reason: string): void {
    this.parts.say(`${line.name}: ${peer} was refused: ${reason}`);
  }

  heard(line: DeviceLine, observations: readonly Observation[]): void {
    if (observations.length === 0) return;
    if (this.full) return this.leave(line, observations);
    const before = this.desk.unfit;
    const frames = observations.flatMap((each) => this.desk.hear(line.name, each));
    const unfit = this.desk.unfit - before;
    const bytes = frames.reduce((sum, frame) => sum + bytesIn(frame), 0);
    line.wait(bytes);
    this.keep(frames, {
      stored: () => {
        line.lose(unfit);
        line.side.stored(observations, this.up());
      },
      refused: () => this.leave(line, observations),
      settled: () => line.wait(-bytes),
    });
  }

  /** Does what is due. Call it at least four times a second. */
  tick(): void {
    const up = this.up();
    for (const line of this.lines) line.tick(up);
    if (this.full && this.pending === 0 && this.parts.spool.figures.full === undefined) this.goOn();
  }

  /** Records a problem of the gateway itself, or its end. */
  trouble(type: Trouble['type'], code: string, text: string): void {
    this.parts.say(`${code}${type === 'device-error' ? '' : ' is over'}: ${text}`);
    this.tell({ type, code, text });
  }

  /** Follows the clock of the machine, and records each step. Call it once a second. */
  lookAtClock(): void {
    const step = this.parts.clock.compare();
    if (step !== undefined)
      this.trouble('device-error', 'clock-step', `by ${(step / 1_000).toFixed(3)} s`);
  }

  /**
   * Sets an event aside. Resolves once that is on disk, and rejects with `SpoolFull` if the disk
   * takes nothing. A spool that is full by its cap takes it: only delivery makes room.
   */
  async skip(skip: Skip): Promise<void> {
    if (this.full) {
      if (this.pending > 0) throw new SpoolFull(this.full.reason);
      this.desk.goBackTo(this.parts.owner.durable);
    }
    const frames = this.desk.skip(skip, this.up());
    await new Promise<void>((stored, refused) =>
      this.append(frames, { stored, refused, isPastCap: true }),
    );
  }

  /** Records damage in the spool: what was there may never have been delivered. */
  damaged({ damage }: Extract<SpoolNotice, { kind: 'damaged' }>): void {
    const { segment, at, bytes, from, to, file, crc } = damage;
    const lines = to === null ? `from line ${from}` : `lines ${from} to ${to}`;
    const aside = file === null ? '' : `, set aside in ${file}`;
    const text = `${segment}, byte ${at}, ${bytes} bytes, ${lines}, CRC ${crc}${aside}`;
    this.trouble('device-error', 'spool-damaged', text);
    const heard = this.lines.filter(({ isUp, side }) => isUp && !side.keepsItself);
    const names = heard.map(({ name }) => name);
    this.keep(this.desk.beginAgain(names, this.up()), {
      refused: () => heard.forEach((line) => (line.hasChanged = true)),
    });
  }

  /** Records that listening ends. Resolves once that is on disk, if there is room. */
  async stop(): Promise<void> {
    if (this.full) return;
    const frames = this.lines
      .filter(({ isUp, side }) => isUp && !side.keepsItself)
      .flatMap(({ name }) => this.desk.lost(name, 'the gateway was stopped', this.up()));
    if (frames.length === 0) return;
    await this.parts.spool.append(frames).catch((error: unknown) => {
      if (!(error instanceof SpoolFull)) throw error;
      this.parts.say(`that the gateway stops was not recorded: ${error.message}`);
    });
  }

  private up(): number {
    return this.parts.clock.up();
  }

  /** Records a trouble. What finds no room is recorded once there is some. */
  private tell(trouble: Trouble, of = ''): void {
    const { type, code, text } = trouble;
    this.keep(this.desk.trouble(type, code, text, this.up()), {
      refused: () => this.leaveUntold(trouble, of),
    });
  }

  /** Keeps the last trouble of each kind, so that they cannot become too many. */
  private leaveUntold(trouble: Trouble, of: string): void {
    const kind = `${trouble.type} ${trouble.code} ${of}`;
    const count = (this.untold.get(kind)?.count ?? 0) + 1;
    this.untold.delete(kind); // a link that is lost again comes after its return
    this.untold.set(kind, { trouble, of, count });
  }

  /** Notes that the link to a device has changed, and that there was no room to record it. */
  private missed(line: DeviceLine, trouble: Trouble): void {
    line.hasChanged = true;
    if (line.side.keepsItself) this.leaveUntold(trouble, line.name);
  }

  private keep(frames: readonly SpoolFrame[], then: Then = {}): void {
    if (frames.length === 0) {
      then.stored?.();
      then.settled?.();
      return;
    }
    if (this.full) {
      // The desk has counted what is not recorded, until `goOn`.
      then.settled?.();
      then.refused?.(new SpoolFull(this.full.reason));
      return;
    }
    this.append(frames, then);
  }

  private append(frames: readonly SpoolFrame[], then: Then & { isPastCap?: boolean }): void {
    const { isPastCap = false } = then;
    this.pending += 1;
    const settled = (): void => {
      this.pending -= 1;
      then.settled?.();
    };
    this.parts.spool
      .append(frames, { isPastCap })
      .then(({ syncMs }) => {
        this.syncSeconds = syncMs / 1_000;
        settled();
        then.stored?.();
      })
      .catch((error: unknown) => {
        settled();
        if (!(error instanceof SpoolFull)) return this.parts.fail(asError(error));
        this.becomeFull(error.message);
        then.refused?.(error);
      });
  }

  private becomeFull(reason: string): void {
    if (this.full) return;
    this.full = { reason, since: this.up() };
    this.parts.say(`the spool takes nothing: ${reason}`);
    for (const { side } of this.lines) side.busy(reason, this.parts.owner.durable, this.up());
  }

  /** Counts what cannot be recorded of a device that will not say it again. */
  private leave(line: DeviceLine, observations: readonly Observation[]): void {
    if (line.side.keepsItself) return;
    const count = (wanted: (observation: Observation) => boolean): number =>
      observations.filter(wanted).length;
    const reports = count(({ kind, fields }) => kind === 'report' && fields.events.length > 0);
    line.unrecorded += reports + count(({ kind }) => kind === 'lost');
    line.lose(reports); // what the decoder missed is counted already
  }

  /** Continues from what is durable, and records what was lost meanwhile. */
  private goOn(): void {
    const up = this.up();
    const { reason, since } = this.full ?? { reason: '', since: up };
    this.full = undefined;
    this.desk.goBackTo(this.parts.owner.durable);
    const untold = [...this.untold.values()];
    this.untold.clear();
    this.trouble('device-error', 'spool-full', `for ${Math.round(up - since)} s: ${reason}`);
    for (const { trouble, of, count } of untold) {
      const { text } = trouble;
      const last = `${text}, the last of ${count} while the spool was full`;
      this.tell({ ...trouble, text: count === 1 ? text : last }, of);
    }
    for (const line of this.lines) this.goOnWith(line, up);
  }

  private goOnWith(line: DeviceLine, up: number): void {
    const { name, unrecorded, hasChanged, isUp, side } = line;
    line.unrecorded = 0;
    line.hasChanged = false;
    if (side.keepsItself) return side.busy(null, this.parts.owner.durable, up);
    const refused = (): void => {
      line.unrecorded += unrecorded;
      line.hasChanged ||= hasChanged;
    };
    if (!isUp && hasChanged)
      this.keep(this.desk.lost(name, 'while the spool was full', up), { refused });
    else if (isUp && (unrecorded > 0 || hasChanged))
      this.keep(this.desk.unrecorded(name, unrecorded, !hasChanged, up), { refused });
  }
}

/** About how many bytes a frame takes in the spool. */
const bytesIn = ({ raw, made }: SpoolFrame): number =>
  made.reduce((sum, { length }) => sum + length, FRAME_BYTES + raw.length);
const FRAME_BYTES = 100;

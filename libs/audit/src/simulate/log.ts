import { SimulationRefusal } from './setting.js';
import type { PlannedStep } from './coup/script.js';
import { timeOf } from '../events/time.js';

/**
 * A table's log as its sources write it: devices number what they send in a session, people do not,
 * and one clock goes forward. Lines are canonical and wait in `lines` until they are taken.
 */
export class Log {
  private ms: number;
  private lines: string[] = [];
  private readonly numbers = new Map<string, Numbered>();
  private shoe: string | undefined;

  constructor(
    private readonly table: string,
    start: string,
  ) {
    const ms = timeOf(start);
    if (ms === undefined)
      throw new SimulationRefusal(
        `"${start}" is not a time of RFC 3339, such as 2026-11-20T12:00:00Z`,
      );
    this.ms = Math.floor(ms);
  }

  /** Returns the day of the log's clock in UTC, `YYYYMMDD`. */
  get day(): string {
    return new Date(this.ms).toISOString().slice(0, 10).replaceAll('-', '');
  }

  /** Makes later events name this shoe, or none. */
  name(shoe: string | undefined): void {
    this.shoe = shoe;
  }

  /** Advances the clock. */
  pause(ms: number): void {
    this.ms += ms;
  }

  /** Writes steps in order. */
  write(steps: readonly PlannedStep[]): void {
    const written = new Map<PlannedStep, Numbered>();
    for (const step of steps) {
      this.ms += step.waitMs;
      const source = step.from.startsWith('person/')
        ? step.from
        : `device/${this.table}-${step.from}`;
      const known = step.under && written.get(step.under);
      const numbered = known ?? this.next(source, step.type);
      if (!known) this.numbers.set(source, numbered);
      written.set(step, numbered);
      const data = step.dataNaming?.((other) => this.reference(written.get(other))) ?? step.data;
      if (!step.lost) this.lines.push(this.line(step.type, numbered, data));
    }
  }

  /** Returns the lines written since the last call. */
  take(): string[] {
    return this.lines.splice(0);
  }

  /** Returns the next number of a source. A device that comes online begins a session. */
  private next(source: string, type: string): Numbered {
    const { session, number } = this.numbers.get(source) ?? { session: 1, number: 0 };
    return type === 'device-online' && number > 0
      ? { source, session: session + 1, number: 1 }
      : { source, session, number: number + 1 };
  }

  private reference(written: Numbered | undefined): string {
    if (!written) throw new Error('a step refers to another that was not written before it');
    return `${written.source}#${this.idOf(written)}`;
  }

  /** People's ids include the table, because they may write at several. */
  private idOf({ source, session, number }: Numbered): string {
    const name = source.slice(source.indexOf('/') + 1);
    return source.startsWith('device/')
      ? `${name}/${session}/${number}`
      : `${name}/${this.table}/${number}`;
  }

  private line(type: string, numbered: Numbered, data: object): string {
    const { source, session, number } = numbered;
    return JSON.stringify({
      specversion: '1.0',
      type: `shoeprint.${type}.v1`,
      source,
      id: this.idOf(numbered),
      time: new Date(this.ms).toISOString(),
      table: this.table,
      shoe: this.shoe,
      ...(source.startsWith('device/') ? { session: `${session}`, sequence: number } : undefined),
      data,
    });
  }
}

/** What a source wrote: the session of a device, and the number in it. */
interface Numbered {
  readonly source: string;
  readonly session: number;
  readonly number: number;
}

import type { SpoolLine, SpoolNotice, SpoolOwner } from '#spool';
import type { GatewayConfiguration } from '../configuration/configuration.js';
import { DeskRecord, NEW_DESK, type DeskState } from '../desk/record.js';
import type { EventPosition } from '../desk/skip.js';

/** What a segment of the spool begins with. */
interface Saved {
  readonly desk: DeskState;
  /** For a person who reads the spool. It has no secret. */
  readonly configuration: unknown;
}

/** Keeps the state of the desk as far as the spool is durable. */
export class DeskOwner implements SpoolOwner {
  private desk: DeskState = NEW_DESK;
  private readonly record: DeskRecord;

  constructor(
    private readonly configuration: GatewayConfiguration,
    readonly notice: (notice: SpoolNotice) => void,
  ) {
    this.record = new DeskRecord(configuration);
  }

  /** What is durable. */
  get durable(): DeskState {
    return this.desk;
  }

  isSkipped({ n, event }: EventPosition): boolean {
    return this.desk.skipped.some((skip) => skip.n === n && skip.event === event);
  }

  restore(saved: unknown): void {
    if (saved !== null) this.desk = (saved as Saved).desk;
  }

  apply({ n: line, sent, frames }: SpoolLine): void {
    const after = frames.reduce((state, frame) => this.record.recorded(state, frame), this.desk);
    // A spool of an earlier version can have a skip of a line that had not been written.
    const skipped = after.skipped.filter(({ n }) => n > sent && n < line);
    this.desk = { ...after, skipped };
  }

  state(): Saved {
    const { api, ...configuration } = this.configuration;
    return { desk: this.desk, configuration: { ...configuration, api: { url: api.url } } };
  }
}

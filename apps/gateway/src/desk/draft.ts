import { fullName, SHAPES, type Decoder, type EventType, type Fault, type House } from '#audit';
import { afterEvent, type DeskState } from './record.js';

/** A source under a number of its own or of the gateway's. */
export interface Numbered {
  /** The name of the source: `device/` stands before it. */
  readonly name: string;
  readonly session: string;
  readonly sequence: number;
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns a time of the wall clock, in milliseconds, that RFC 3339 can write. */
export const writableTime = (ms: number): number =>
  Math.round(Math.min(LAST_MS, Math.max(FIRST_MS, ms)));

/** The contents that one frame becomes, while they are made. */
export class Draft {
  /** The contents so far, each the exact text of a line. */
  readonly made: string[] = [];

  constructor(
    /** The state after the contents so far. */
    public state: DeskState,
    private readonly of: {
      readonly table: string;
      readonly decoder: Decoder;
      readonly at: number;
    },
  ) {}

  /** The time of the events, in milliseconds of the wall clock. */
  get at(): number {
    return this.of.at;
  }

  /**
   * Adds an event. Returns the faults of one that the api would refuse, which is then not added.
   * `shoe` is needed by an event that opens one. Others name the open shoe where their type does.
   */
  add(
    type: EventType,
    data: object,
    { name, session, sequence }: Numbered,
    shoe = this.state.shoe ?? `${this.of.table}-unknown`,
  ): readonly Fault[] {
    const text = JSON.stringify({
      specversion: '1.0',
      type: fullName(type),
      source: `device/${name}`,
      id: `${name}/${session}/${sequence}`,
      time: new Date(this.of.at).toISOString(),
      table: this.of.table,
      ...(SHAPES[type].shoe ? { shoe } : {}),
      ...{ session, sequence, data },
    });
    const decoded = this.of.decoder.explain(Buffer.from(text));
    if (decoded.faults) return decoded.faults;
    const { content = text } = decoded;
    this.made.push(content);
    this.state = afterEvent(this.state, content);
    return [];
  }
}

/**
 * Returns what the contents of a gateway are checked with. Only the server knows all of its rule
 * documents: the one of the configuration is taken to be there. No device places bets.
 */
export const houseOf = (rules: string): House => ({
  hasRules: (ref) => ref === rules,
  hasBet: () => false,
  hasPolicy: () => false,
  hasDisposition: () => false,
});

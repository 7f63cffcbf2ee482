import { takeChanges } from '../../take-changes.js';
import { blockOf, Decoder } from '../../decode/decode.js';
import { canonicalContent } from '../../events/canonical.js';
import {
  referenceOf,
  type AnyEvent,
  type EventData,
  type EventType,
  type ReviewRole,
  type ReviewType,
} from '../../events/events.js';
import { houseFrom } from '../../events/house.js';
import { fullName } from '../../events/upcast.js';
import { fold, newTable } from '../../fold.js';
import type { RuleBook } from '../../history/replay.js';
import type { Item, ReviewOutcome } from '../../review/desk.js';
import type { TableState } from '../../state.js';
import type { ExpectedReview } from '../expected.js';

/** A person, in the role in which this person acts. */
export interface ReviewPerson {
  readonly name: string;
  readonly as: ReviewRole;
}

/** The data of an act on a finding, apart from what every act has. */
export type ActData<T extends ReviewType> = Omit<EventData[T], 'finding' | 'as'>;

/** An act on a finding, and what must become of it. */
export interface SimulatedAct<T extends ReviewType> {
  readonly who: ReviewPerson;
  readonly type: T;
  readonly data: ActData<T> & { readonly finding: string };
  readonly outcome: ReviewOutcome;
  /** The key of an earlier act if it is sent under the same again. */
  readonly key?: string | undefined;
}

/**
 * A simulated table's log with what people do about its findings. Folds every line, so that they
 * act on what the desk shows. Keeps the table's state, and the lines written since the last
 * `takeLines`.
 */
export class DeskLog {
  /** The clock, in milliseconds since 1970. It never goes back. */
  now = 0;
  readonly state: TableState;
  private readonly decoder: Decoder;
  private readonly encoder = new TextEncoder();
  private lines: string[] = [];
  private acts = 0;

  /** Every act is added to `expected`. */
  constructor(
    private readonly table: string,
    private readonly book: RuleBook,
    private readonly expected: ExpectedReview[],
  ) {
    this.state = newTable(table);
    this.decoder = new Decoder(houseFrom(book));
  }

  /** Reads a line of the game. Throws on one that the decoder refuses. */
  read(line: string): AnyEvent {
    const bytes = this.encoder.encode(line);
    const { event } = this.decoder.decode(blockOf(bytes, latinOf(bytes)), 0, bytes.length);
    if (!event) throw new Error(`the simulated line is malformed: ${line}`);
    return event;
  }

  /** Folds an event, and returns the ids of the findings that it raised or changed. */
  take(event: AnyEvent): string[] {
    fold(this.state, event, this.book);
    const { shoes, outside } = takeChanges(this.state);
    return [...shoes.flatMap(({ findings }) => [...findings.keys()]), ...outside.map(idOf)];
  }

  /** Returns where the review of a finding stands; undefined if the desk does not have it. */
  item(finding: string): Item | undefined {
    return this.state.desk.items.get(finding);
  }

  /** Returns whether the coup that a finding is about is still open. */
  isCoupOpen({ shoeRef, coupRef }: Item): boolean {
    const { open, before } = this.state;
    const coup = [open, before].find((shoe) => shoe?.ref === shoeRef)?.coup;
    return coup !== undefined && coup !== null && coup.ref === coupRef;
  }

  /** Returns the hexadecimal SHA-256 of a text. */
  sha256(text: string): string {
    return this.book.sha256(text);
  }

  /** Writes an act, and what must become of it. Returns its key. */
  act<T extends ReviewType>({ who, type, data, outcome, key }: SimulatedAct<T>): string {
    const { finding } = data;
    const used = key ?? `${(this.acts += 1)}`;
    const id = `${type.replace('finding-', '')}/${finding}/${used}`;
    const by = who.name;
    const event = this.write(type, `person/${by}`, id, { data: { ...data, as: who.as } });
    this.expected.push({ finding, event: referenceOf(event), type, by, outcome });
    return used;
  }

  /** Writes what a person of the floor does at a shoe. */
  floor<T extends EventType>(name: string, type: T, shoe: string, data: EventData[T]): void {
    const id = `${name}/${this.table}/${(this.acts += 1)}`;
    this.write(type, `person/${name}`, id, { shoe, data });
  }

  /** Returns the lines written since the last call. */
  takeLines(): string[] {
    return this.lines.splice(0);
  }

  private write(
    type: EventType,
    source: string,
    id: string,
    more: { readonly shoe?: string; readonly data: object },
  ): AnyEvent {
    const time = new Date(this.now).toISOString();
    const head = { specversion: '1.0', type: fullName(type), source, id, time, table: this.table };
    const line = canonicalContent({ ...head, ...more }, type, null);
    const event = this.read(line);
    this.lines.push(line);
    this.take(event);
    return event;
  }
}

const idOf = ({ found }: { readonly found: { readonly finding: { readonly id: string } } }) =>
  found.finding.id;

/** Returns bytes as ISO 8859-1, as the scanner reads them. */
const latinOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

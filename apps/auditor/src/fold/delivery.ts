import type { Heard } from '#audit';

/** What one sender, by the api's stamp, delivered for one source at a table. */
export interface Delivery {
  readonly source: string;
  /** `device/<key name>` or `person/<name>`. */
  readonly sender: string;
  events: number;
  /** Repeats with the same content, known when they came. */
  duplicates: number;
  /** Cards that were drawn and not read. */
  unread: number;
  lastReceived: string;
  changed: number;
}

/** An event as it was delivered. */
export interface DeliveredBy {
  readonly sender: string;
  readonly received: string;
  readonly isDuplicate: boolean;
  readonly mark: number;
}

/** The stamps that the api makes. Anything else was not sent through it. */
const STAMPED = /^(device|person)\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Deliveries kept of a table: more than any table has. Bounds what invented sources can add. */
const DELIVERIES_MAX = 1_024;

/** Counts what each sender delivered for each source of a table. */
export class Deliveries {
  private readonly kept = new Map<string, Map<string, Delivery>>();
  private readonly changed = new Set<Delivery>();
  private size = 0;

  constructor(saved: Iterable<Delivery> = []) {
    for (const delivery of saved) this.add(delivery);
  }

  /** Counts an event. Ignores a sender that the api does not stamp, and one too many. */
  count(event: Heard, { sender, received, isDuplicate, mark }: DeliveredBy): void {
    const delivery = this.kept.get(sender)?.get(event.source) ?? this.begin(sender, event.source);
    if (!delivery) return;
    delivery.events += 1;
    if (isDuplicate) delivery.duplicates += 1;
    else if (event.isUnread) delivery.unread += 1;
    delivery.lastReceived = received;
    delivery.changed = mark;
    this.changed.add(delivery);
  }

  /** Returns the deliveries that changed since the last call. */
  takeChanged(): Delivery[] {
    const changed = [...this.changed];
    this.changed.clear();
    return changed;
  }

  /** Returns all deliveries, to save them. */
  all(): Delivery[] {
    return [...this.kept.values()].flatMap((sources) => [...sources.values()]);
  }

  private begin(sender: string, source: string): Delivery | undefined {
    if (this.size >= DELIVERIES_MAX || !STAMPED.test(sender)) return undefined;
    const none = { events: 0, duplicates: 0, unread: 0, lastReceived: '', changed: 0 };
    return this.add({ source, sender, ...none });
  }

  private add(delivery: Delivery): Delivery {
    const { sender, source } = delivery;
    const sources = this.kept.get(sender) ?? new Map<string, Delivery>();
    this.kept.set(sender, sources.set(source, delivery));
    this.size += 1;
    return delivery;
  }
}

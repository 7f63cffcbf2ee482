import type { EventData, EventType } from '#audit';
import type { Sent } from './audit.js';

/**
 * Writes a table's log as the devices and people of one table would: a shoe and a scanner that
 * number their events, a dealer's terminal, and people. Each event is two seconds later than the
 * one before, so clocks are never too close unless a test sets `at`.
 */
export class TableLog {
  readonly events: Sent[] = [];
  private readonly numbers = new Map<string, number>();
  private ms = Date.parse('2026-11-20T12:00:00.000Z');
  /** The shoe that events name. */
  shoe = 'S1';

  constructor(readonly table = 'T1') {}

  /**
   * Appends an event. Sources are short: `shoe` and `terminal` are devices, and a text with a slash
   * is taken as it is.
   */
  add<T extends EventType>(
    source: string,
    type: T,
    data: EventData[T] = {} as EventData[T],
    with_: Sent = {},
  ): string {
    const full = source.includes('/') ? source : `device/${this.table}-${source}`;
    const isDevice = full.startsWith('device/');
    const number = (this.numbers.get(full) ?? 0) + 1;
    this.numbers.set(full, number);
    this.ms += 2000;
    const event: Sent = {
      specversion: '1.0',
      type: `shoeprint.${type}.v1`,
      source: full,
      id: `${full.split('/')[1]}/1/${number}`,
      time: new Date(this.ms).toISOString(),
      table: this.table,
      shoe: this.shoe,
      ...(isDevice ? { session: '1', sequence: number } : undefined),
      data,
      ...with_,
    };
    this.events.push(event);
    return `${full}#${event.id as string}`;
  }

  /**
   * Opens a shoe. The defaults are those of punto-banco-no-burn@1, eight decks, US dollars,
   * everything reported.
   */
  open(data: Partial<EventData['shoe-opened']> = {}): string {
    return this.add('shoe', 'shoe-opened', {
      rules: 'punto-banco-no-burn@1',
      decks: 8,
      kind: 'physical',
      currency: 'USD',
      reports: ['outcomes', 'bets', 'settlements', 'commission', 'burns', 'cut-card', 'dealers'],
      ...data,
    });
  }

  /** Signs a dealer on. */
  dealer(dealer = 'dora'): string {
    return this.add('terminal', 'dealer-signed-on', { dealer, role: 'dealer' });
  }

  /**
   * Draws cards as written: `P 9S`, `B ??` an unread card, `- 4D` to no known hand, `burn 5C`,
   * `out 7D`, with `!` after an exposed card. Returns the references of the draws.
   */
  draw(cards: string, source = 'shoe'): string[] {
    const words = cards.trim().split(/\s+/);
    const places: Record<string, EventData['card-drawn']['to']> = {
      P: 'player',
      B: 'banker',
      burn: 'burn',
      out: 'out',
      '-': null,
    };
    const drawn: string[] = [];
    let to: EventData['card-drawn']['to'] = null;
    for (const word of words) {
      if (word in places) to = places[word] as EventData['card-drawn']['to'];
      else {
        const card = word.replace('!', '');
        drawn.push(
          this.add(source, 'card-drawn', {
            card: (card === '??' ? null : card) as EventData['card-drawn']['card'],
            to,
            ...(word.endsWith('!') ? { exposed: true } : undefined),
          }),
        );
      }
    }
    return drawn;
  }
  /** Loses the next messages of a source: its numbers continue after a hole. */
  lose(source: string, count = 1): void {
    const full = source.includes('/') ? source : `device/${this.table}-${source}`;
    this.numbers.set(full, (this.numbers.get(full) ?? 0) + count);
  }
}

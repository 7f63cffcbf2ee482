import type { Reported, ReportedEvent } from '../observation.js';
import { CardIndexes, endsHands, isGameCard } from './heard.js';
import { EmulatorRefusal, type EmulatedProtocol, type ReportStep } from './step.js';
import type { EmulatedIdentity } from './emulated-device.js';
import type { Schedule } from './schedule.js';

/** The code of the error that follows a loss. */
const FRAME_LOST = 'frame-lost';

type Card = Extract<ReportedEvent, { readonly type: 'card-drawn' }>;

/** An event that a gateway must deliver, with what can be said of it beforehand. */
export interface ExpectedEvent {
  readonly type: keyof Reported;
  readonly shoe?: string;
  /** The session and the number of a device that numbers its events itself. */
  readonly session?: string;
  readonly sequence?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The names that the gateway will use. */
export interface ExpectedNames extends Pick<EmulatedIdentity, 'unit' | 'firmware' | 'boot'> {
  /** The source, such as `device/B07-line`. */
  readonly source: string;
}

/**
 * Returns the events that a perfect gateway delivers of a schedule, in their order
 * (docs/integrating/emulator.md). It follows from the record and not from our decoders. Throws
 * `EmulatorRefusal` for a schedule of which this cannot be said beforehand.
 */
export function expectedOf(
  protocol: EmulatedProtocol,
  schedule: Schedule,
  names: ExpectedNames,
): readonly ExpectedEvent[] {
  return protocol === 'line-1' ? ofLine1(schedule, names) : ofAngelEye(schedule);
}

/** Line protocol 1 loses nothing, and the device's own session and numbers are used. */
function ofLine1({ steps }: Schedule, names: ExpectedNames): readonly ExpectedEvent[] {
  const expected: ExpectedEvent[] = [];
  const { unit, firmware, source } = names;
  let { boot } = names;
  let number = 0;
  let shoe: string | undefined;
  const cards = new Map<string, string>();
  const add = (type: keyof Reported, data: ExpectedEvent['data']): void => {
    number += 1;
    const named = shoe !== undefined && !type.startsWith('device-') ? { shoe } : {};
    expected.push({ type, ...named, session: `${unit}.${boot}`, sequence: number, data });
  };
  const online = (): void => add('device-online', { firmware, missed: 0, unit });
  online();
  for (const { step } of steps) {
    if (step.is === 'power' && step.on) {
      boot += 1;
      number = 0;
      online();
    }
    if (step.is !== 'report') continue;
    const { event, reference, card } = step;
    if (event.type === 'shoe-opened') ({ shoe } = event.data);
    add(event.type, dataByLine(event, cards.get(card ?? '')));
    if (event.type === 'shoe-closed') shoe = undefined;
    const name = source.slice(source.indexOf('/') + 1);
    if (reference !== undefined)
      cards.set(reference, `${source}#${name}/${unit}.${boot}/${number}`);
  }
  return expected;
}

/** Returns the data of an event, as far as the device says it. */
function dataByLine(event: ReportedEvent, card: string | undefined): ExpectedEvent['data'] {
  if (event.type === 'shoe-opened') return { decks: event.data.decks };
  if (event.type === 'card-moved') return { event: card, to: event.data.to };
  return event.data;
}

/** What `angel-eye-ii-ex` says, and what the gateway adds to it. */
function ofAngelEye(schedule: Schedule): readonly ExpectedEvent[] {
  if (schedule.steps.some(({ step }) => step.is === 'cable'))
    throw new EmulatorRefusal(
      'expect: with the fault cut it is not known beforehand what arrives over angel-eye-ii-ex',
    );
  if (schedule.shoes > 1)
    throw new EmulatorRefusal(
      'expect: angel-eye-ii-ex does not say where a shoe ends, so the record must have one shoe',
    );
  const gateway = new PerfectGateway();
  gateway.comesOnline();
  let held: ReportStep | undefined;
  for (const { step } of schedule.steps) {
    if (step.is === 'power' && step.on) gateway.comesOnline();
    if (step.is !== 'report') continue;
    if (step.wire === 'swap') held = step;
    else {
      gateway.hears(step);
      if (held !== undefined && step.event.type !== 'coup-opened') {
        gateway.hears(held);
        held = undefined;
      }
    }
  }
  return gateway.delivered;
}

/** A gateway that hears what leaves the line, and knows what the shoe's indexes show. */
class PerfectGateway {
  readonly delivered: ExpectedEvent[] = [];
  private isOpened = false;
  private coups = 0;
  /** The index of the last card of each hand in this coup. */
  private hands: Partial<Record<'player' | 'banker', number>> = {};
  /** What the shoe counts, and the hands with a card that was lost. */
  private readonly indexes = new CardIndexes();
  private readonly missing = new Set<Card['data']['to']>();

  comesOnline(): void {
    this.indexes.beginHands();
    this.hands = {};
    this.add('device-online', { missed: null });
  }

  hears({ event, wire }: ReportStep): void {
    if (event.type === 'coup-opened' || endsHands(event)) this.indexes.beginHands();
    if (event.type === 'coup-opened') return;
    if (event.type === 'card-drawn') this.hearsCard(event, wire === 'lost');
    else this.add(event.type, dataByFrame(event));
    if (endsHands(event)) this.hands = {};
  }

  private hearsCard(event: Card, isLost: boolean): void {
    const { card, to } = event.data;
    const index = isGameCard(event) ? this.indexes.next(event.data.to) : 0;
    if (isLost) {
      this.missing.add(to);
      return;
    }
    if (this.missing.delete(to)) this.add('device-error', { code: FRAME_LOST });
    if (!this.isOpened) this.add('shoe-opened', {});
    this.isOpened = true;
    if (isGameCard(event)) this.lay(event.data.to, index);
    this.add('card-drawn', { card, to });
    if (to === 'out') this.add('device-error', { code: 'drawn-outside' });
  }

  /** Opens a coup before its first card. */
  private lay(to: 'player' | 'banker', index: number): void {
    const { player, banker } = this.hands;
    const isFirst = player === undefined && banker === undefined;
    const goesBack = index <= (this.hands[to] ?? 0);
    if (isFirst || goesBack) {
      this.coups += 1;
      this.add('coup-opened', { coup: this.coups });
    }
    this.hands = { ...(goesBack ? {} : this.hands), [to]: index };
  }

  private add(type: keyof Reported, data: ExpectedEvent['data']): void {
    this.delivered.push({ type, data });
  }
}

/** Returns the data of an event, as far as its frame says it. */
function dataByFrame({ type, data }: ReportedEvent): ExpectedEvent['data'] {
  if (type === 'outcome-declared') return { outcome: data.outcome, by: data.by };
  return 'code' in data ? { code: data.code } : data;
}

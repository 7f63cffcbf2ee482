import type { EventType } from '../events/events.js';

/** The kinds of message on which it depends what a gap of their source hides. */
export const MESSAGE_KINDS = ['play', 'cards', 'calls', 'money', 'people'] as const;
/** One of these kinds. */
export type MessageKind = (typeof MESSAGE_KINDS)[number];

const PLAY: readonly MessageKind[] = ['play'];
const CALLS: readonly MessageKind[] = ['calls'];
const MONEY: readonly MessageKind[] = ['money'];
const PEOPLE: readonly MessageKind[] = ['people'];
const NOTHING: readonly MessageKind[] = [];

const OF_TYPE: Readonly<Partial<Record<EventType, readonly MessageKind[]>>> = {
  'shoe-opened': PLAY,
  'cut-card-drawn': PLAY,
  'shoe-closed': PLAY,
  'coup-opened': PLAY,
  'bet-placed': MONEY,
  'bet-withdrawn': MONEY,
  'betting-closed': PLAY,
  'card-drawn': ['play', 'cards'],
  'card-moved': PLAY,
  'hand-called': CALLS,
  'outcome-declared': CALLS,
  'bet-settled': MONEY,
  'commission-collected': MONEY,
  'commission-waived': MONEY,
  'seat-left': MONEY,
  'coup-closed': PLAY,
  'coup-voided': PLAY,
  'dealer-signed-on': PEOPLE,
  'dealer-relieved': PEOPLE,
};

/** Returns the kinds of message that an event of a type is. */
export const kindsOf = (type: EventType): readonly MessageKind[] => OF_TYPE[type] ?? NOTHING;

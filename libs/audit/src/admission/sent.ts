import type { EventType } from '../events/events.js';

/** The kinds of message on which it depends what a gap of their source hides. */
export const SENT = ['play', 'cards', 'calls', 'money', 'people'] as const;
/** One of these kinds. */
export type Sent = (typeof SENT)[number];

const PLAY: readonly Sent[] = ['play'];
const CALLS: readonly Sent[] = ['calls'];
const MONEY: readonly Sent[] = ['money'];
const PEOPLE: readonly Sent[] = ['people'];
const NOTHING: readonly Sent[] = [];

const OF_TYPE: Readonly<Record<EventType, readonly Sent[]>> = {
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
  'supervisor-called': NOTHING,
  'surveillance-notified': NOTHING,
  'observation-corrected': NOTHING,
  'device-online': NOTHING,
  'device-offline': NOTHING,
  'device-error': NOTHING,
  'device-error-cleared': NOTHING,
  'device-setting-changed': NOTHING,
  'gap-declared': NOTHING,
};

/** Returns the kinds of message that an event of a type is. */
export const sentBy = (type: EventType): readonly Sent[] => OF_TYPE[type];

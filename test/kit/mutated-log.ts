import fc from 'fast-check';
import { canonicalLine, stamped } from '#audit';
import { CARDS } from '#baccarat';
import type { Sent } from './audit.js';

/** One change of a log: what kind, where as a share of the log, and one more choice. */
export interface Mutation {
  readonly kind: keyof typeof MUTATE;
  readonly at: number;
  readonly choice: number;
}

type Mutate = (log: Sent[], at: number, choice: number) => void;
type Data = Readonly<Record<string, unknown>>;

const dataOf = ({ data }: Sent): Data => data as Data;
const typed = (name: string): string => `shoeprint.${name}.v1`;

/** What a person or a device may report at any time. */
const ADDED: readonly (readonly [type: string, data: Data])[] = [
  ['seat-left', { seat: 1 }],
  ['seat-left', { seat: 3 }],
  ['commission-collected', { seat: 2, amount: 5 }],
  ['commission-collected', { seat: 1, amount: 0 }],
  ['commission-waived', { seat: 2, amount: 5, by: 'sam', reason: 'courtesy' }],
  ['cut-card-drawn', {}],
  ['betting-closed', {}],
  ['coup-closed', {}],
  ['coup-voided', { reason: 'error', by: 'sam' }],
  ['shoe-closed', { reason: 'end' }],
  ['shoe-closed', { reason: 'cut-card', remaining: 20 }],
  ['dealer-signed-on', { dealer: 'dan', role: 'dealer' }],
  ['dealer-relieved', { dealer: 'dora', role: 'dealer' }],
  ['dealer-signed-on', { dealer: 'carl', role: 'caller' }],
  ['supervisor-called', { reason: 'dispute' }],
  ['device-error', { code: 7 }],
  ['device-online', { missed: 2 }],
  ['device-offline', {}],
  ['hand-called', { hand: 'player', total: 0 }],
  ['card-drawn', { card: '5C', to: 'burn' }],
  ['card-drawn', { card: '5C', to: 'out' }],
  ['card-drawn', { card: '5C', to: null }],
  ['card-drawn', { card: null, to: 'player' }],
  ['card-drawn', { card: '5C', to: 'banker', exposed: true }],
];

const stake = ({ seat = 1, bet = 'player', amount = 100 }: Data): Data => ({ seat, bet, amount });
const BY_SAM = { reason: 'error', by: 'sam' };

/**
 * What may not happen just there, or means something else there: after an event of which type, and
 * what that event says.
 */
const AFTER: readonly (readonly [after: string, type: string, data: (near: Data) => Data])[] = [
  ['betting-closed', 'bet-placed', stake],
  ['betting-closed', 'bet-withdrawn', stake],
  ['bet-placed', 'bet-withdrawn', stake],
  ['bet-placed', 'bet-withdrawn', (near) => ({ ...stake(near), amount: 1_000_000 })],
  ['coup-closed', 'bet-placed', stake],
  ['coup-closed', 'betting-closed', () => ({})],
  ['coup-closed', 'cut-card-drawn', () => ({})],
  ['coup-opened', 'cut-card-drawn', () => ({})],
  ['shoe-opened', 'cut-card-drawn', () => ({})],
  ['card-drawn', 'cut-card-drawn', () => ({})],
  ['card-drawn', 'coup-closed', () => ({})],
  ['card-drawn', 'dealer-signed-on', () => ({ dealer: 'dan', role: 'dealer' })],
  ['outcome-declared', 'outcome-declared', (near) => near],
  ['outcome-declared', 'outcome-declared', (near) => ({ ...near, player: 6 })],
  ['outcome-declared', 'outcome-declared', (near) => ({ ...near, banker: 6 })],
  ['bet-settled', 'bet-settled', (near) => ({ ...near, paid: 0 })],
  ['shoe-closed', 'coup-voided', () => ({ ...BY_SAM, coup: 1 })],
  ['shoe-closed', 'seat-left', () => ({ seat: 1 })],
];

/** Types of which a log has few events, or that say much. */
const STATED = [
  ...['outcome-declared', 'outcome-declared', 'hand-called', 'bet-settled', 'bet-placed'],
  ...['coup-opened', 'shoe-closed', 'commission-collected', 'seat-left'],
];

/** Returns the next event from an index on that `wanted` accepts, or none. */
function next(log: readonly Sent[], from: number, wanted: (event: Sent) => boolean): number {
  const at = log.findIndex((event, i) => i >= from && wanted(event));
  return at >= 0 ? at : log.findIndex(wanted);
}

function otherValue(log: readonly Sent[], at: number, choice: number, field: string): unknown {
  const { type, data } = log[at] as Sent;
  const value = (data as Data)[field];
  if (field === 'card') return CARDS[choice % 52];
  if (field === 'remainingCards') return withOther(value as string[], choice);
  if (typeof value === 'number' && choice % 3 > 0)
    return choice % 3 === 1 ? value + 1 : Math.max(0, value - 1);
  const other = next(
    log,
    (at + choice) % log.length,
    (event) =>
      event.type === type && JSON.stringify(dataOf(event)[field]) !== JSON.stringify(value),
  );
  return other < 0 ? value : dataOf(log[other] as Sent)[field];
}

/** Returns a list of cards with another one among them. */
const withOther = (cards: readonly string[], choice: number): readonly string[] =>
  cards.length === 0 ? cards : cards.with(choice % cards.length, CARDS[choice % 52] as string);

/** Inserts an event at an index. Its names are those of the event `near`, as a rule the next one. */
function insert(
  log: Sent[],
  at: number,
  choice: number,
  [type, data, near = log[at] as Sent]: readonly [string, Data, Sent?],
) {
  const { session: _, sequence: __, ...envelope } = near;
  const isNumbered = choice % 2 === 0 && near.session !== undefined;
  log.splice(at, 0, {
    ...(isNumbered ? near : { ...envelope, source: choice % 3 > 0 ? 'person/sam' : near.source }),
    id: `added ${at} ${choice}`,
    type: typed(type),
    shoe: near.shoe ?? 'S1',
    data,
  });
}

/** An event says something else: what another of its type says, or an amount close by. */
function edit(log: Sent[], at: number, choice: number): void {
  const event = log[at] as Sent;
  const fields = Object.keys(dataOf(event));
  const field = fields[choice % fields.length];
  if (field === undefined) return;
  const value = otherValue(log, at, choice, field);
  log[at] = { ...event, data: { ...dataOf(event), [field]: value } };
}

/** The changes of a log, by name. Each changes the list that it is passed. */
const MUTATE = {
  edit,
  /** An event of a certain type says something else. */
  misstate(log, at, choice) {
    const type = typed(STATED[choice % STATED.length] as string);
    const stated = next(log, at, (event) => event.type === type);
    if (stated >= 0) edit(log, stated, Math.floor(choice / STATED.length));
  },
  /** Something comes where it may not. */
  near(log, at, choice) {
    const [after, type, data] = AFTER[choice % AFTER.length] as (typeof AFTER)[number];
    const before = next(log, at, (event) => event.type === typed(after));
    if (before < 0) return;
    const near = log[before] as Sent;
    insert(log, before + 1, Math.floor(choice / AFTER.length), [type, data(dataOf(near)), near]);
  },
  /** Betting is not closed, and a bet comes after the first card. */
  late(log, at, choice) {
    const closing = next(log, at, ({ type }) => type === typed('betting-closed'));
    if (closing < 0) return;
    log.splice(closing, 1);
    const card = next(log, closing, ({ type }) => type === typed('card-drawn'));
    if (card < 0) return;
    const type = choice % 4 === 0 ? 'bet-withdrawn' : 'bet-placed';
    insert(log, card + 1, 1 + 6 * choice, [type, stake({}), log[card] as Sent]);
  },
  /** A table reports no outcomes, and a coup ends before all its cards are drawn. */
  short(log, at, choice) {
    const from = next(log, at, ({ type }) => type === typed('coup-opened'));
    const to = next(log, from, ({ type }) => type === typed('coup-closed'));
    const opening = log.findIndex(({ type }) => type === typed('shoe-opened'));
    if (from < 0 || to < from || opening < 0) return;
    const { reports, ...data } = dataOf(log[opening] as Sent);
    const fewer = (reports as string[]).filter((each) => each !== 'outcomes');
    log[opening] = { ...(log[opening] as Sent), data: { ...data, reports: fewer } };
    let cards = choice % 6;
    const kept = log.slice(from, to).filter(({ type }) => {
      if (type === typed('card-drawn')) return cards-- > 0;
      return type !== typed('outcome-declared') && type !== typed('hand-called');
    });
    log.splice(from, to - from, ...kept);
  },
  /** An event leaves something out. */
  omit(log, at, choice) {
    const event = log[at] as Sent;
    const fields = Object.entries(dataOf(event));
    fields.splice(choice % (fields.length + 1), 1);
    log[at] = { ...event, data: Object.fromEntries(fields) };
  },
  /** A card is seen early, or not read. */
  expose(log, at, choice) {
    const card = next(log, at, ({ type }) => type === typed('card-drawn'));
    if (card < 0) return;
    const event = log[card] as Sent;
    const seen = choice % 3 === 0 ? { card: null } : { exposed: true };
    log[card] = { ...event, data: { ...dataOf(event), ...seen } };
  },
  /** A table reports less. */
  report(log, at, choice) {
    const opening = next(log, at, ({ type }) => type === typed('shoe-opened'));
    if (opening < 0) return;
    const event = log[opening] as Sent;
    const { limits, reports, ...data } = dataOf(event);
    const fewer = (reports as string[]).filter((_, i) => (choice & (1 << i)) === 0);
    const kept = choice % 2 === 0 && limits !== undefined ? { limits } : {};
    log[opening] = { ...event, data: { ...data, reports: fewer, ...kept } };
  },
  /** An event is never sent. */
  drop(log, at) {
    log.splice(at, 1);
  },
  /** Two events come in the other order. */
  turn(log, at, choice) {
    const [event] = log.splice(at, 1) as [Sent];
    log.splice(Math.min(log.length, at + 1 + (choice % 4)), 0, event);
  },
  /** An event is reported twice. */
  repeat(log, at, choice) {
    log.splice(at + 1, 0, { ...(log[at] as Sent), id: `repeated ${choice}` });
  },
  /** Something else is reported. */
  add(log, at, choice) {
    insert(log, at, choice, ADDED[choice % ADDED.length] as (typeof ADDED)[number]);
  },
  /** The floor corrects an event. */
  correct(log, at, choice) {
    const named = log[Math.max(0, at - 1 - (choice % 40))] as Sent;
    const by = choice % 3 > 0 ? { by: 'sam', reason: 'misread' } : {};
    const data =
      named.type === typed('card-drawn')
        ? { ...dataOf(named), card: CARDS[choice % 52] }
        : dataOf(named);
    const event = `${named.source as string}#${named.id as string}`;
    insert(log, at, 1 + 6 * choice, ['observation-corrected', { event, data, ...by }]);
  },
  /** A card is moved. */
  move(log, at, choice) {
    const card = next(log, Math.max(0, at - 12), ({ type }) => type === typed('card-drawn'));
    if (card < 0) return;
    const { source, id } = log[card] as Sent;
    const to = ['player', 'banker', 'burn', 'discard', 'next'][choice % 5];
    const event = `${source as string}#${id as string}`;
    insert(log, at, 1 + 6 * choice, ['card-moved', { event, to, by: 'sam', reason: 'error' }]);
  },
  /** A source sends without numbers for a while. */
  unnumber(log, at, choice) {
    const { source } = log[at] as Sent;
    for (let i = at; i < Math.min(log.length, at + (choice % 60)); i += 1) {
      const { session: _, sequence: __, ...event } = log[i] as Sent;
      if (event.source === source) log[i] = { ...event, id: `u ${i} ${choice}` };
    }
  },
  /** Another source reports some events. */
  source(log, at, choice) {
    const source = ['device/T1-other', 'person/sam', 'device/T1-shoe'][choice % 3];
    for (let i = at; i < Math.min(log.length, at + (choice % 5)); i += 1)
      log[i] = { ...(log[i] as Sent), source };
  },
  /** Some events name no open shoe. */
  shoe(log, at, choice) {
    const event = log[at] as Sent;
    if (event.shoe !== undefined) log[at] = { ...event, shoe: `S${choice % 3}` };
  },
  /** A number of a source is lost, or a line of a person. */
  lose(log, at) {
    log.splice(at, 1);
  },
  /** A line comes twice, now or later. */
  double(log, at, choice) {
    log.splice(Math.min(log.length, at + 1 + (choice % 30)), 0, log[at] as Sent);
  },
  /** A line comes later. */
  delay(log, at, choice) {
    const [event] = log.splice(at, 1) as [Sent];
    log.splice(Math.min(log.length, at + 1 + (choice % 90)), 0, event);
  },
  /** A number or an id comes again with another content. */
  contradict(log, at, choice) {
    const event = log[at] as Sent;
    if (event.type === typed('shoe-opened')) return;
    log.splice(Math.min(log.length, at + 1 + (choice % 20)), 0, {
      ...event,
      time: '2026-11-20T23:59:59.999Z',
    });
  },
} satisfies Record<string, Mutate>;

/** These change lines once they are numbered, so that numbers are missing or come twice. */
const AFTER_NUMBERS: ReadonlySet<string> = new Set(['lose', 'double', 'delay', 'contradict']);

/** Numbers the events of each session in their order. */
function numbered(log: readonly Sent[]): Sent[] {
  const numbers = new Map<string, number>();
  return log.map((event) => {
    if (event.session === undefined) return event;
    const key = JSON.stringify([event.source, event.session]);
    const sequence = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, sequence);
    return { ...event, sequence };
  });
}

/** How lines are written: most are canonical. */
export interface Writing {
  /** Whether the api has stamped them. */
  readonly isStamped: boolean;
  /** One line in so many is written with spaces; 0 for none. */
  readonly spaced: number;
}

/** Returns the lines of a log with changes. */
export function mutatedLines(
  events: readonly Sent[],
  mutations: readonly Mutation[],
  { isStamped, spaced }: Writing,
): string[] {
  let log = [...events];
  const mutate = (isAfter: boolean): void => {
    for (const { kind, at, choice } of mutations)
      if (AFTER_NUMBERS.has(kind) === isAfter && log.length > 0)
        MUTATE[kind](log, Math.floor(at * (log.length - 1)), choice);
  };
  mutate(false);
  log = numbered(log);
  mutate(true);
  return log.map((event, i) => {
    const line = canonicalLine(JSON.stringify(event));
    if (spaced > 0 && i % spaced === spaced - 1) return JSON.stringify(event).replace(':', ': ');
    return isStamped
      ? stamped(line, 'device/T1-gateway', `2026-11-20T12:00:00.${100 + (i % 900)}Z`)
      : line;
  });
}

/** Any change of a log. */
export const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(
    ...(Object.keys(MUTATE) as Mutation['kind'][]),
    ...(['edit', 'edit', 'add', 'misstate', 'near', 'near', 'near'] as const),
  ),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  choice: fc.nat(9_999),
});

import fc from 'fast-check';
import type { Sent } from './audit.js';
import { shortTable } from './short-table.js';

/**
 * One disturbance of a table's log: what kind, where it comes as a share of the log, how far from
 * there it reaches, and one more choice.
 */
interface Disturbance {
  readonly kind: keyof typeof DISTURB;
  readonly at: number;
  readonly reach: number;
  readonly choice: number;
}

/** A table's log of some short shoes, and what disturbs it. */
export interface RecordedDay {
  readonly rules: string;
  readonly seed: number;
  readonly bets: boolean;
  readonly shoes: number;
  readonly coups: number;
  readonly faults: readonly string[];
  /** Whether the people who signed on at the beginning stay. */
  readonly longHours: boolean;
  /** Whether one device sends everything that devices send. */
  readonly oneDevice: boolean;
  readonly disturbances: readonly Disturbance[];
}

const typeOf = ({ type }: Sent): string => (type as string).replace(/^shoeprint\.|\.v1$/g, '');
const referenceOf = ({ source, id }: Sent): string => `${source as string}#${id as string}`;

/** Returns the index at a share of a list. */
const placeIn = (log: readonly Sent[], share: number): number =>
  Math.min(log.length - 1, Math.floor(share * log.length));

type Disturb = (log: Sent[], at: number, by: Omit<Disturbance, 'kind' | 'at'>) => void;

/** Events of devices are numbered again after these have changed what a device sends. */
const BEFORE_NUMBERS: ReadonlySet<string> = new Set([
  'restart',
  'boot',
  'outage',
  'unnumbered',
  'usedAgain',
]);

const CORRECTIONS = {
  'card-drawn': ['9S', 'KD', null],
} as const;

/** What can go wrong with a log, by name. Each changes the list that it is passed. */
const DISTURB = {
  /** A device sends a part of an old buffer again. */
  replay(log, at, { reach, choice }) {
    const [source] = [log[at]?.source];
    const own = log.slice(0, at).filter((event) => event.source === source && event.sequence);
    const from = Math.floor((1 - reach) * own.length);
    const count = choice % 10 === 0 ? own.length : 1 + (choice % 20);
    log.splice(at, 0, ...own.slice(from, from + count));
  },
  /** A device sends an old number, or a person an old id, with another content. */
  contradict(log, at, { reach }) {
    const old = log[Math.floor(at * (1 - reach))] as Sent;
    if (typeOf(old) !== 'shoe-opened')
      log.splice(at, 0, { ...old, time: '2026-11-20T23:59:59.999Z' });
  },
  /** An event comes late, so that its table waits for it. */
  delay(log, at, { choice }) {
    const [event] = log.splice(at, 1) as [Sent];
    log.splice(Math.min(log.length, at + 1 + (choice % 60)), 0, event);
  },
  /** Messages of a device are lost, and some of them come too late. */
  lose(log, at, { reach, choice }) {
    const source = log[at]?.source;
    const lost = log
      .slice(at)
      .filter((event) => event.source === source && event.sequence)
      .slice(0, 1 + (choice % 3));
    for (const event of lost) log.splice(log.indexOf(event), 1);
    const [first] = lost;
    if (!first || choice % 2 === 0) return;
    const arrives = Math.min(log.length, at + 70 + Math.floor(reach * 400));
    log.splice(arrives, 0, ...lost);
    if (choice % 4 === 1) log.splice(arrives + lost.length, 0, correctionOf(first, at));
  },
  /** The floor corrects an event, perhaps of an earlier shoe. */
  correct(log, at, { reach, choice }) {
    const named = log[Math.max(0, at - 1 - Math.floor(reach * 300))] as Sent;
    log.splice(at, 0, correctionOf(named, choice));
    if (choice % 5 === 0) log.splice(at, 0, log[at] as Sent);
  },
  /** Money comes late, for the shoe before the open one or one further back. */
  lateMoney(log, at, { choice }) {
    const shoes = log
      .slice(0, at)
      .flatMap((event) => (typeOf(event) === 'shoe-opened' ? [event.shoe] : []));
    const shoe = shoes.at(-1 - (choice % 3) - 1) ?? 'S0';
    const seat = 1 + (choice % 4);
    const settled = { seat, bet: 'banker', stake: 'returned', paid: 100, commissionMarked: 5 };
    log.splice(
      at,
      0,
      choice % 2 === 0
        ? fromPerson(log, at, 'commission-collected', { shoe, seat, amount: 5 })
        : fromPerson(log, at, 'bet-settled', { shoe, ...settled }),
    );
  },
  /** A device restarts its numbers under the same session. */
  restart(log, at, { choice }) {
    boot(log, at, (session) => session, { firmware: `${choice}` });
  },
  /** A device starts a new session. */
  boot(log, at, { choice }) {
    boot(log, at, (session) => `${Number(session) + 1}`, { firmware: `${choice}` });
  },
  /** A device is offline for a while, and what it would have sent meanwhile is lost. */
  outage(log, at, { reach, choice }) {
    const { source, session, table, time } = log[at] as Sent;
    if (session === undefined) return;
    const end = at + Math.floor(reach * reach * 200);
    for (let i = Math.min(end, log.length - 1); i > at; i -= 1)
      if (log[i]?.source === source && typeOf(log[i] as Sent) !== 'shoe-opened') log.splice(i, 1);
    const back = Math.min(log.length - 1, at + Math.floor(((end - at) * choice) / 1000));
    const again = log.findIndex((event, i) => i >= back && event.source === source);
    const data = { firmware: `${choice}`, missed: [null, 3, 0, undefined][choice % 4] };
    if (again > at) boot(log, again, (name) => `${Number(name) + 1}`, data);
    const first = log.findIndex(
      (event) => event.source === source && typeOf(event) === 'device-online',
    );
    if (first >= 0 && first < at && choice % 5 > 0)
      log[first] = { ...(log[first] as Sent), data: { missed: 0 } };
    if (choice % 3 > 0)
      log.splice(at + 1, 0, {
        ...{
          specversion: '1.0',
          type: 'shoeprint.device-offline.v1',
          source,
          time,
          table,
          session,
        },
        ...{ boots: log[at]?.boots, sequence: 1, data: {} },
      });
  },
  /** A source sends an event without a number, and perhaps again. */
  unnumbered(log, at, { reach, choice }) {
    const { session: _, sequence: __, ...event } = log[at] as Sent;
    log[at] = { ...event, id: `u${choice % 7}` };
    if (choice % 2 === 0)
      log.splice(Math.min(log.length, at + Math.floor(reach * 400)), 0, log[at]);
  },
  /** A later shoe has the id of an earlier one. */
  usedAgain(log, at, { choice }) {
    const openings = log.filter((event) => typeOf(event) === 'shoe-opened');
    const later = openings.findLast((event) => log.indexOf(event) <= at);
    const earlier = openings[choice % openings.length];
    if (!later || !earlier || log.indexOf(earlier) >= log.indexOf(later)) return;
    for (const [i, event] of log.entries())
      if (event.shoe === later.shoe) log[i] = { ...event, shoe: earlier.shoe };
  },
  /** Somebody else signs on, or nobody is on duty any more. */
  duty(log, at, { choice }) {
    const role = choice % 2 === 0 ? 'dealer' : 'caller';
    const dealer = `person-${choice % 3}`;
    const type = choice % 3 === 0 ? 'dealer-relieved' : 'dealer-signed-on';
    log.splice(at, 0, fromPerson(log, at, type, { dealer, role }));
  },
} satisfies Record<string, Disturb>;

function correctionOf(named: Sent, choice: number): Sent {
  const cards = CORRECTIONS['card-drawn'];
  const data = named.data as Sent;
  const right =
    typeOf(named) === 'card-drawn' && choice % 3 > 0
      ? { ...data, card: cards[choice % cards.length] }
      : 'dealer' in data && choice % 3 > 0
        ? { ...data, dealer: 'person-7' }
        : data;
  return {
    specversion: '1.0',
    type: 'shoeprint.observation-corrected.v1',
    source: 'person/sam',
    id: `c${choice % 50}`,
    time: named.time,
    table: named.table,
    data: { event: referenceOf(named), data: right, by: 'sam', reason: 'camera' },
  };
}

const fromPerson = (
  log: readonly Sent[],
  at: number,
  type: string,
  { shoe, ...data }: Sent,
): Sent => ({
  specversion: '1.0',
  type: `shoeprint.${type}.v1`,
  source: 'person/ann',
  id: `m${at}`,
  time: (log[Math.min(at, log.length - 1)] as Sent).time,
  table: log[0]?.table,
  ...(shoe === undefined ? undefined : { shoe }),
  data,
});

/** A device comes online: its events from there on are of another session, or of another boot. */
function boot(log: Sent[], at: number, named: (session: string) => string, data: Sent): void {
  const source = log[at]?.source;
  const before = log[at]?.session as string | undefined;
  if (before === undefined) return;
  const session = named(before);
  const boots = data.firmware;
  for (const [i, event] of log.entries())
    if (i >= at && event.source === source) log[i] = { ...event, session, boots };
  const { shoe: _, ...first } = log[at] as Sent;
  log.splice(at, 0, {
    ...first,
    type: 'shoeprint.device-online.v1',
    data,
  });
}

/** Numbers what each device sends in each of its boots, and names it so. */
function numbered(log: readonly Sent[]): Sent[] {
  const numbers = new Map<string, number>();
  return log.map(({ boots, ...event }) => {
    if (event.session === undefined) return event;
    const key = JSON.stringify([event.source, event.session, boots]);
    const sequence = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, sequence);
    const id = `${event.session as string}/${boots as string}/${sequence}`;
    return { ...event, id, sequence };
  });
}

const isSignOn = (event: Sent): boolean => /^dealer-/.test(typeOf(event));

/** Returns the events of a day in log order. */
export function eventsOf(day: RecordedDay): Sent[] {
  const { longHours, oneDevice, disturbances, ...table } = day;
  const played = shortTable(table).map((event) =>
    oneDevice && event.session !== undefined ? { ...event, source: 'device/T1-all' } : event,
  );
  const opening = played.findIndex((event) => typeOf(event) === 'shoe-opened');
  let log = played.filter((event, i) => !longHours || i < opening || !isSignOn(event));
  const disturb = (isBefore: boolean): void => {
    for (const { kind, at, ...by } of disturbances)
      if (BEFORE_NUMBERS.has(kind) === isBefore) DISTURB[kind](log, placeIn(log, at), by);
  };
  disturb(true);
  log = numbered(log);
  disturb(false);
  return log;
}

const FAULTS = ['TC-05', 'TC-08', 'RS-01', 'RS-02', 'DL-06', 'PY-01', 'PY-03', 'CM-02', 'RS-07'];
const DOCUMENTS = ['punto-banco@1', 'nsw-crown@1', 'super-6@1', 'ez-baccarat@1'];

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  kind: fc.constantFrom(...(Object.keys(DISTURB) as (keyof typeof DISTURB)[])),
  at: fc.nat(9_999).map((of10000) => of10000 / 10_000),
  reach: fc.nat(9_999).map((of10000) => of10000 / 10_000),
  choice: fc.nat(999),
});

/** Generates a day of one table: lawful or faulty shoes, and a log that is disturbed. */
export const anyDay: fc.Arbitrary<RecordedDay> = fc
  .record({
    rules: fc.constantFrom(...DOCUMENTS),
    seed: fc.nat(9_999),
    bets: fc.boolean(),
    shoes: fc.integer({ min: 4, max: 7 }),
    coups: fc.integer({ min: 3, max: 6 }),
    faults: fc.constant([] as string[]),
    longHours: fc.boolean(),
    oneDevice: fc.boolean(),
    disturbances: fc.array(disturbance, { maxLength: 12 }),
  })
  .chain((day) =>
    fc.uniqueArray(fc.constantFrom(...FAULTS), { maxLength: day.bets ? 3 : 0 }).map((faults) => ({
      ...day,
      faults: day.rules === 'punto-banco@1' ? faults.slice(0, day.coups - 2) : [],
    })),
  );

import fc from 'fast-check';
import { EVENT_TYPES, fullName, SHAPES, type EventType, type Field } from '#audit';
import { CARDS } from '#baccarat';
import type { Sent } from './audit.js';
import { BOOK } from './house.js';

/**
 * The ranges of random values: narrow, so that events collide, or wide, so that every form occurs.
 */
export interface World {
  readonly tables: fc.Arbitrary<string>;
  readonly shoes: fc.Arbitrary<string>;
  readonly sources: fc.Arbitrary<string>;
  readonly sessions: fc.Arbitrary<string>;
  readonly ids: fc.Arbitrary<string>;
  readonly people: fc.Arbitrary<string>;
  readonly amounts: fc.Arbitrary<number>;
  readonly ordinals: fc.Arbitrary<number>;
  readonly bets: fc.Arbitrary<string>;
  readonly rules: fc.Arbitrary<string>;
  readonly texts: fc.Arbitrary<string>;
  readonly times: fc.Arbitrary<string>;
}

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme-ascii' }),
    fc.constantFrom('', '"', '\\', '\u2028', '\t', 'é', '庄家', '🂡'),
  )
  .filter((value) => !value.includes('\0') && !/\p{Surrogate}/u.test(value));
const name = text.filter((value) => value !== '');
const documents = [...BOOK.keys()].sort();
const bets = [...new Set([...BOOK.values()].flatMap((rules) => [...rules.bets.keys()]))].sort();
const seconds = fc
  .integer({ min: 0, max: 4_000_000_000 })
  .map((second) => new Date(second * 1000).toISOString());

/**
 * Every form that a well-formed event may have: any names and texts, numbers up to 2^53 - 1, every
 * way to write a time.
 */
export const WIDE: World = {
  tables: fc.oneof(fc.constantFrom('B07', '@house'), name),
  shoes: fc.oneof(fc.constant('B07-20261120-3'), name),
  sources: fc
    .tuple(
      fc.constantFrom('device/', 'person/', 'virtual/', 'system/'),
      fc.oneof(fc.constant('B07-shoe'), name),
    )
    .map((parts) => parts.join('')),
  sessions: name,
  ids: fc.oneof(fc.constant('B07-shoe/7/42'), name),
  people: name,
  amounts: fc.oneof(fc.maxSafeNat(), fc.nat(1000), fc.constantFrom(0, Number.MAX_SAFE_INTEGER)),
  ordinals: fc.oneof(
    fc.maxSafeNat().map((number) => Math.max(1, number)),
    fc.integer({ min: 1, max: 1000 }),
    fc.constant(Number.MAX_SAFE_INTEGER),
  ),
  bets: fc.constantFrom(...bets),
  rules: fc.constantFrom(...documents),
  texts: text,
  times: fc.oneof(
    seconds,
    seconds.map((time) => time.replace('.000Z', 'Z')),
    seconds.map((time) => time.replace('.000Z', '.123456789+05:30')),
    fc.constantFrom(
      '2026-11-20t12:00:00.123z',
      '2016-12-31T23:59:60Z',
      '0000-01-01T00:00:00Z',
      '2026-11-20T12:00:00-00:00',
    ),
  ),
};

/**
 * A small house in which nearly every event touches another: two shoes, three devices, few seats,
 * bets and references.
 */
export const NARROW: World = {
  tables: fc.constant('T1'),
  shoes: fc.constantFrom('S1', 'S1', 'S1', 'S2', 'S3'),
  sources: fc.constantFrom(
    'device/shoe',
    'device/shoe',
    'device/terminal',
    'person/dora',
    'virtual/table',
  ),
  sessions: fc.constantFrom('1', '1', '1', '2'),
  ids: fc.constantFrom(
    'a',
    'b',
    'c',
    '1/1',
    '1/2',
    '1/3',
    '1/4',
    '1/5',
    '1/6',
    '1/8',
    '1/12',
    '2/1',
  ),
  people: fc.constantFrom('dora', 'sam'),
  amounts: fc.constantFrom(0, 1, 2, 50, 100, 101, Number.MAX_SAFE_INTEGER),
  ordinals: fc.constantFrom(1, 1, 2, 3, 8),
  bets: fc.constantFrom('player', 'banker', 'banker', 'tie', 'player-pair', 'dragon-7', 'lucky-6'),
  rules: fc.constantFrom(
    'punto-banco@1',
    'nsw-crown@1',
    'nsw-crown@1',
    'macau-2011@1',
    'ez-baccarat@1',
    'super-6@1',
    'chemin-de-fer@1',
  ),
  texts: fc.constantFrom('', 'misdeal'),
  times: fc.constantFrom(
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.500Z',
    '2026-11-20T12:00:05.000Z',
    '2026-11-20T12:01:00.000Z',
  ),
};

const referenceIn = (world: World): fc.Arbitrary<string> =>
  fc.tuple(world.sources, world.ids).map(([source, id]) => `${source}#${id}`);

function valueOf(field: Field, fieldName: string, world: World): fc.Arbitrary<unknown> {
  switch (field.is) {
    case 'id':
      return fieldName === 'event'
        ? referenceIn(world)
        : fieldName === 'source'
          ? world.sources
          : fieldName === 'session'
            ? world.sessions
            : world.people;
    case 'text':
      return world.texts;
    case 'amount':
      return world.amounts;
    case 'ordinal':
      return world.ordinals;
    case 'total':
      return fc.integer({ min: 0, max: 9 });
    case 'flag':
      return fc.boolean();
    case 'card':
      return fc.constantFrom(...CARDS);
    case 'card-or-unread':
      return fc.constantFrom(...CARDS, ...CARDS, null);
    case 'count-or-unknown':
      return fc.option(world.amounts);
    case 'cards':
      return fc.array(fc.constantFrom(...CARDS), { maxLength: 8 });
    case 'rules':
      return world.rules;
    case 'bet':
      return world.bets;
    case 'currency':
      return fc.constantFrom('USD', 'MOP', 'JPY', 'KWD');
    case 'names':
      return fc.array(fc.oneof(fc.constant('natural'), world.bets, world.people), { maxLength: 3 });
    case 'limits':
      return fc.dictionary(
        world.bets,
        fc.record({ min: world.amounts, max: world.amounts }, { noNullPrototype: true }),
        { maxKeys: 3, noNullPrototype: true },
      );
    case 'object':
      return fc.oneof(
        dataIn(world, false),
        dataIn(world, false),
        fc.dictionary(fc.constantFrom('card', 'zeta', 'alpha', 'coup', '__proto__'), anyJson, {
          noNullPrototype: true,
        }),
      );
    case 'remark':
      return world.texts.map((value) => value || 'seen on video');
    case 'time':
      return world.times;
    case 'digest':
      return fc.constantFrom(...DIGESTS);
    case 'policy':
      return fc.constant('review@1');
    case 'whole':
      return fc.integer({ min: field.from, max: field.to });
    case 'code':
      return fc.oneof(
        world.texts,
        fc.maxSafeInteger().map((number) => number || 0),
      );
    case 'one-of':
      return fc.constantFrom(...field.values);
    case 'some-of':
      return fc.oneof(
        fc.subarray([...field.values]),
        fc.constant([...field.values]),
        fc.array(fc.constantFrom(...field.values), { maxLength: 3 }),
      );
  }
}

const DIGESTS = ['0', 'a', 'f'].map((digit) => digit.repeat(64));

const anyJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2 })
  .filter(
    (value) =>
      /^[^\0]*$/s.test(JSON.stringify(value)) &&
      !/\\u0000|\\ud[89a-f]|[-\d]e\+?\d{2}|\d{16}/i.test(JSON.stringify(value)),
  );

/** Generates data of one type. Each optional field may be absent. */
export function dataOf(type: EventType, world: World): fc.Arbitrary<Sent> {
  const { fields, optional } = SHAPES[type] as {
    fields: Readonly<Record<string, Field>>;
    optional: readonly string[];
  };
  const values = Object.fromEntries(
    Object.entries(fields).map(([fieldName, field]) => [
      fieldName,
      valueOf(field, fieldName, world),
    ]),
  );
  return fc.record(values, {
    requiredKeys: Object.keys(fields).filter((fieldName) => !optional.includes(fieldName)),
    noNullPrototype: true,
  });
}

const dataIn = (world: World, withCorrections: boolean): fc.Arbitrary<Sent> =>
  fc
    .constantFrom(
      ...EVENT_TYPES.filter((type) => withCorrections || type !== 'observation-corrected'),
    )
    .chain((type) => dataOf(type, world));

/**
 * Generates a well-formed event of one type, as a sender writes it: numbered or not, with
 * attributes in the order of the contract.
 */
export function anyEventOf(type: EventType, world: World = WIDE): fc.Arbitrary<Sent> {
  const isReview = SHAPES[type].by === 'reviewer';
  return fc
    .record({
      source: isReview ? world.people.map((one) => `person/${one}`) : world.sources,
      id: world.ids,
      time: world.times,
      table: world.tables,
      shoe: world.shoes,
      named: isReview ? fc.constant(false) : SHAPES[type].shoe ? fc.constant(true) : fc.boolean(),
      number: isReview
        ? fc.constant(null)
        : fc.option(fc.record({ session: world.sessions, sequence: world.ordinals })),
      data: dataOf(type, world),
    })
    .map(({ source, id, time, table, shoe, named, number, data }) => ({
      specversion: '1.0',
      type: fullName(type),
      source,
      id,
      time,
      table,
      ...(named ? { shoe } : undefined),
      ...(number ?? undefined),
      data,
    }));
}

/** Generates a well-formed event of any type. */
export const anyEvent = (world: World = WIDE): fc.Arbitrary<Sent> =>
  fc.constantFrom(...EVENT_TYPES).chain((type) => anyEventOf(type, world));

/** The types of a stream, weighted: mostly the game, sometimes everything else. */
const OFTEN: readonly EventType[] = [
  ...Array.from({ length: 14 }, () => 'card-drawn' as const),
  ...Array.from({ length: 5 }, () => 'bet-placed' as const),
  ...Array.from(
    { length: 4 },
    () =>
      [
        'coup-opened',
        'outcome-declared',
        'bet-settled',
        'observation-corrected',
        'card-moved',
        'coup-closed',
      ] as const,
  ).flat(),
  'shoe-opened',
  ...EVENT_TYPES,
];

/**
 * Generates a table's log of well-formed events that make no sense together. A device mostly sends
 * the due numbers, so that most events are admitted, and sometimes repeats, skips or contradicts
 * one.
 */
export const anyStream = (maxLength = 60, world: World = NARROW): fc.Arbitrary<Sent[]> =>
  fc
    .tuple(
      anyEventOf('shoe-opened', world),
      fc.array(
        fc.tuple(
          fc.constantFrom(...OFTEN).chain((type) => anyEventOf(type, world)),
          fc.integer({ min: 0, max: 11 }),
          fc.nat(200),
        ),
        { maxLength },
      ),
    )
    .map(([opening, rest]) => {
      const next = new Map<string, number>();
      const log: Sent[] = [];
      for (const [event, luck, which] of [[opening, 0, 0] as const, ...rest]) {
        if (luck === 11 && log.length > 0) log.push(log[which % log.length] as Sent);
        else log.push(numbered(event, next, luck));
      }
      return log;
    });

/** Returns whether two events differ but have one reference. */
export function sharesReference(events: readonly Sent[]): boolean {
  const texts = new Set(events.map((event) => JSON.stringify(event)));
  const references = new Set(events.map(({ source, id }) => `${String(source)}#${String(id)}`));
  return references.size < texts.size;
}

/** Returns whether no two coups have one reference. Senders promise that, and rows need it. */
export const hasEachCoupOnce = (events: readonly Sent[]): boolean =>
  !sharesReference(events.filter(({ type }) => type === fullName('coup-opened')));

function numbered(event: Sent, next: Map<string, number>, luck: number): Sent {
  const { source, session } = event as { source: string; session?: string };
  if (session === undefined) return event;
  const key = `${source} ${session}`;
  if (luck === 10) return event; // keeps whatever number it has
  const due = (next.get(key) ?? 0) + (luck === 9 ? 2 : 1);
  next.set(key, due);
  return { ...event, sequence: due, id: `${session}/${due}` };
}

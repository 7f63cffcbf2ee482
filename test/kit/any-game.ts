import fc from 'fast-check';
import { CARDS } from '#baccarat';
import type { EventData, EventType } from '#audit';
import type { Sent } from './audit.js';
import { TableLog } from './table.js';

type Act = (log: TableLog, refs: string[]) => void;
const seat = fc.integer({ min: 1, max: 3 });
const bet = fc.constantFrom('player', 'banker', 'banker', 'tie', 'player-pair');
const amount = fc.constantFrom(50, 100, 10_000);
const hand = fc.constantFrom('player', 'banker');

/** Returns an event with this data, from a source that may send it. */
function act<T extends EventType>(
  source: string,
  type: T,
  data: fc.Arbitrary<Record<string, unknown>>,
): fc.Arbitrary<Act> {
  return data.map(
    (fields) => (log: TableLog, refs: string[]) =>
      void refs.push(log.add(source, type, fields as unknown as EventData[T])),
  );
}

/** Returns an event that names an earlier one. */
const naming = (
  of: fc.Arbitrary<(log: TableLog, event: string, named: Sent | undefined) => string>,
): fc.Arbitrary<Act> =>
  fc.tuple(of, fc.nat(25)).map(([say, back]) => (log: TableLog, refs: string[]) => {
    const event = refs.at(-1 - back) ?? 'device/none#0';
    refs.push(
      say(
        log,
        event,
        log.events.find(({ source, id }) => `${source as string}#${id as string}` === event),
      ),
    );
  });

const card = fc.record({
  card: fc.constantFrom(...CARDS, null),
  to: fc.constantFrom('player', 'banker', null),
  exposed: fc.boolean(),
});
const hands = fc
  .tuple(
    fc.array(fc.constantFrom(...CARDS), { minLength: 4, maxLength: 4 }),
    fc.array(card, { maxLength: 2 }),
  )
  .map(([four, more]) => (log: TableLog, refs: string[]) => {
    for (const [i, each] of four.entries())
      refs.push(
        log.add('shoe', 'card-drawn', { card: each, to: i % 2 === 0 ? 'player' : 'banker' }),
      );
    for (const each of more) refs.push(log.add('shoe', 'card-drawn', each));
  });
const opensCoup = fc
  .constantFrom('normal', 'normal', 'normal', 'dummy')
  .map((kind) => (log: TableLog, refs: string[]) => {
    const last = log.events.filter(
      ({ type, shoe }) => type === 'shoeprint.coup-opened.v1' && shoe === log.shoe,
    ).length;
    refs.push(log.add('shoe', 'coup-opened', { coup: last + 1, kind: kind }));
  });
const opensShoe = fc
  .constantFrom('nsw-crown@1', 'punto-banco@1', 'macau-2011@1')
  .map((rules) => (log: TableLog, refs: string[]) => {
    log.shoe = `S${Number(log.shoe.slice(1)) + 1}`;
    refs.push(log.open({ rules }));
  });
/** Money that comes late, for the shoe before the open one. */
const reachesBack = fc
  .tuple(seat, fc.boolean())
  .map(([at, collects]) => (log: TableLog, refs: string[]) => {
    const shoe = `S${Number(log.shoe.slice(1)) - 1}`;
    if (collects)
      refs.push(log.add('terminal', 'commission-collected', { seat: at, amount: 5 }, { shoe }));
    else
      refs.push(
        log.add(
          'terminal',
          'bet-settled',
          { seat: at, bet: 'banker', stake: 'returned', paid: 100, commissionMarked: 5 },
          { shoe },
        ),
      );
  });
const corrects = naming(
  fc.tuple(card, amount, fc.boolean()).map(([right, sum, fits]) => (log, event, named) => {
    const data = named?.data as Readonly<Record<string, unknown>> | undefined;
    const now =
      !fits || !data
        ? { nonsense: 1 }
        : 'card' in data
          ? right
          : 'amount' in data
            ? { ...data, amount: sum }
            : 'kind' in data
              ? { ...data, kind: 'dummy' }
              : data;
    return log.add('person/sam', 'observation-corrected', {
      event,
      data: now,
      by: 'sam',
      reason: 'camera',
    });
  }),
);
const moves = naming(
  fc
    .constantFrom('player', 'banker', 'next', 'burn', 'discard')
    .map(
      (to) => (log, event) =>
        log.add('person/sam', 'card-moved', { event, to: to as 'next', by: 'sam' }),
    ),
);

const ACTS: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Act> }[] = [
  { weight: 6, arbitrary: opensCoup },
  { weight: 6, arbitrary: hands },
  { weight: 6, arbitrary: act('terminal', 'bet-placed', fc.record({ seat, bet, amount })) },
  { weight: 1, arbitrary: act('terminal', 'bet-withdrawn', fc.record({ seat, bet, amount })) },
  { weight: 3, arbitrary: act('terminal', 'betting-closed', fc.constant({})) },
  { weight: 2, arbitrary: act('shoe', 'card-drawn', card) },
  {
    weight: 6,
    arbitrary: act(
      'terminal',
      'outcome-declared',
      fc.record({
        outcome: fc.constantFrom('player', 'banker', 'tie'),
        by: fc.constantFrom('dealer', 'device'),
      }),
    ),
  },
  {
    weight: 6,
    arbitrary: act(
      'terminal',
      'bet-settled',
      fc.record({
        seat,
        bet,
        stake: fc.constantFrom('returned', 'taken'),
        paid: fc.constantFrom(0, 100, 50),
        commissionMarked: fc.constantFrom(0, 5),
      }),
    ),
  },
  { weight: 4, arbitrary: act('terminal', 'coup-closed', fc.constant({})) },
  {
    weight: 1,
    arbitrary: act(
      'person/sam',
      'coup-voided',
      fc.record(
        { by: fc.constantFrom('sam', 'dora'), reason: fc.constant('misdeal') },
        { requiredKeys: ['by'] },
      ),
    ),
  },
  { weight: 1, arbitrary: act('shoe', 'hand-called', fc.record({ hand, total: fc.nat(9) })) },
  {
    weight: 1,
    arbitrary: act(
      'terminal',
      'dealer-signed-on',
      fc.record({
        dealer: fc.constantFrom('dora', 'ivan'),
        role: fc.constantFrom('dealer', 'caller'),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: act('terminal', 'dealer-relieved', fc.constant({ dealer: 'dora', role: 'dealer' })),
  },
  {
    weight: 1,
    arbitrary: act(
      'terminal',
      'commission-collected',
      fc.record({ seat, amount: fc.constantFrom(5, 10) }),
    ),
  },
  {
    weight: 1,
    arbitrary: act(
      'person/sam',
      'commission-waived',
      fc.record({ seat, amount: fc.constant(5), by: fc.constant('sam') }),
    ),
  },
  { weight: 1, arbitrary: act('terminal', 'seat-left', fc.record({ seat })) },
  { weight: 1, arbitrary: act('shoe', 'cut-card-drawn', fc.constant({})) },
  {
    weight: 1,
    arbitrary: act('shoe', 'shoe-closed', fc.record({ reason: fc.constantFrom('end', 'error') })),
  },
  { weight: 2, arbitrary: opensShoe },
  { weight: 2, arbitrary: reachesBack },
  { weight: 3, arbitrary: corrects },
  { weight: 2, arbitrary: moves },
];

/**
 * Generates a table's log in which every source numbers its events without holes and everything
 * else may go wrong: coups are dealt, bet on, settled, corrected, moved and declared void at
 * random.
 */
export const anyGame = (maxLength = 60): fc.Arbitrary<Sent[]> =>
  fc.array(fc.oneof(...ACTS), { maxLength }).map((acts) => {
    const log = new TableLog();
    const refs: string[] = [log.open({ rules: 'nsw-crown@1' }), log.dealer()];
    for (const each of acts) each(log, refs);
    return log.events;
  });

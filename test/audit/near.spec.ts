import { describe, expect, it } from '@jest/globals';
import {
  chooseContext,
  findRange,
  type JudgedRange,
  type RangeAsked,
  type SettledRange,
} from '#audit';
import type { Sent } from '../kit/audit.js';
import { openingsIn, readerOf, recordsOf } from '../kit/table-records.js';
import { TableLog } from '../kit/table.js';

type During = Readonly<Record<string, (log: TableLog) => void>>;

const NAMES = ['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8', 'S9'];
/** So many that each shoe has more events than a table holds back. */
const COUPS = 10;
/** Reading begins with the opening of the second shoe. The sixth is the first of the range. */
const [START, ASKED] = ['S2', 'S7'];

/** A day of shoes, and what else happens before one (`before S6`), or after its last coup. */
function day(during: During): TableLog {
  const log = new TableLog();
  for (const name of NAMES) {
    during[`before ${name}`]?.(log);
    log.shoe = name;
    log.open({ reports: ['outcomes', 'dealers'] });
    if (name === 'S1') log.dealer();
    for (let coup = 1; coup <= COUPS; coup += 1) {
      log.add('shoe', 'coup-opened', { coup, kind: 'normal' });
      log.draw('P 9S B 2D P KH B 3C');
      log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
      log.add('terminal', 'coup-closed');
    }
    during[name]?.(log);
    log.add('terminal', 'shoe-closed', { reason: 'end' });
  }
  return log;
}

/** An event of another device or session than those of the game. */
const of = (session: string, sequence: number): Sent => ({
  ...{ session, sequence, id: `${session}/${sequence}` },
});

/** Sends again, from the first shoe, what a device said in a session. */
const again =
  (session: string, ...numbers: readonly number[]) =>
  (log: TableLog): void => {
    for (const number of numbers)
      log.events.push(
        log.events.find((e) => e.session === session && e.sequence === number) as Sent,
      );
  };

/** Lets another device say something, in order. */
const says =
  (session: string, ...numbers: readonly number[]) =>
  (log: TableLog): void => {
    for (const number of numbers) log.add('device/x', 'device-error', {}, of(session, number));
  };

/** Lets another device sign somebody on, before the dealer of the game. */
const olga = (log: TableLog): void => {
  log.add('device/x', 'device-online', { missed: 0 }, of('old', 1));
  log.add('device/x', 'dealer-signed-on', { dealer: 'olga', role: 'dealer' }, of('old', 2));
  log.dealer();
};

const signOn = (log: TableLog): void =>
  void log.add('person/ann', 'dealer-signed-on', { dealer: 'ivan', role: 'dealer' });

/** Looks for a shoe near, and for what its range needs of the log before. */
async function near(during: During) {
  const records = recordsOf(day(during).events, [1]);
  const read = readerOf(records);
  const openings = await openingsIn(records);
  const at = (name: string) => openings.find(({ shoe }) => shoe === name);
  const { record: start = 0 } = at(START) ?? {};
  const asked: RangeAsked = { of: 'shoe', ref: at(ASKED)?.ref ?? '' };
  const known = openings.filter(({ record }) => record < start);
  const from = { start, earlier: new Map(known.map(({ shoe, record }) => [shoe, record])) };
  const whole = (await findRange(read, asked, records.length)) as JudgedRange;
  const range = (await findRange(read, asked, records.length, from)) as JudgedRange;
  const shown = whole.shoe?.admitted ?? 0;
  const all: SettledRange = await chooseContext(read, whole, shown);
  const context: SettledRange = await chooseContext(read, whole, shown, from);
  return { whole, range, all, context };
}

describe('a shoe that is looked for near', () => {
  it('has the range and the context of the whole log if a dealer signed on after the start', async () => {
    const { whole, range, all, context } = await near({ S4: signOn });
    expect(range).toEqual(whole);
    expect(context).toEqual(all);
    expect([range.isSure, context.isSure]).toEqual([true, true]);
  });

  it('is in doubt if the only sign-on seen is one sent again', async () => {
    for (const numbers of [[2], [1, 2]]) {
      const { range, context } = await near({ S1: olga, S3: again('old', ...numbers) });
      expect([range.isSure, context.isSure]).toEqual([false, false]);
    }
  });

  it('is in doubt if a sign-on sent again follows the last one, after which nobody signed on', async () => {
    const { context } = await near({ S1: olga, S2: signOn, S3: again('old', 2) });
    expect(context.isSure).toBe(false);
  });

  it('is in doubt if a relief may be of somebody who was not on duty', async () => {
    const { context } = await near({
      S1: olga,
      S3: again('old', 2),
      S5: (log) =>
        void log.add('person/ann', 'dealer-relieved', { dealer: 'olga', role: 'dealer' }),
    });
    expect(context.isSure).toBe(false);
  });

  it('is in doubt if a person’s sign-on may be one sent again', async () => {
    const ivan = { dealer: 'ivan', role: 'dealer' } as const;
    const signs = (log: TableLog): void =>
      void log.add('person/ann', 'dealer-signed-on', ivan, { id: 'a1', shoe: undefined });
    const S1 = (log: TableLog): void => {
      signs(log);
      log.dealer();
    };
    const { range, context } = await near({ S1, S2: signs });
    expect([range.isSure, context.isSure]).toEqual([false, false]);
  });

  it('is in doubt if a session of the range may be one sent again', async () => {
    const S1 = (log: TableLog): void => {
      log.add('device/x', 'device-online', { missed: 0 }, of('old', 1));
      log.add('device/x', 'device-error', {}, of('old', 2));
    };
    const { all, context } = await near({ S1, S4: signOn, S6: again('old', 1, 2) });
    expect(all.context.length).toBeGreaterThan(context.context.length);
    expect(context.isSure).toBe(false);
  });

  it('is in doubt if a device came online in the range that named no shoe since', async () => {
    const { all, context } = await near({
      S1: says('old', 2),
      S4: signOn,
      S6: (log) => {
        const late = { ...of('old', 1), shoe: undefined };
        log.add('device/x', 'device-online', { missed: 0 }, late);
      },
    });
    expect(all.first).toBeLessThan(context.first); // the number was declared missing, and came late
    expect(context.isSure).toBe(false);
  });

  it('is sure if a device came online in the range and then named a shoe', async () => {
    const { all, context } = await near({
      S4: signOn,
      S6: (log) => {
        const none = { shoe: undefined };
        log.add('device/x', 'device-online', { missed: 0 }, { ...of('new', 1), ...none });
        log.add('device/x', 'device-error', {}, { ...of('new', 2), ...none });
        log.add('device/x', 'device-error', {}, of('new', 3));
      },
    });
    expect(context).toEqual(all);
    expect(context.isSure).toBe(true);
  });

  it('is in doubt if numbers are lost of a source that may have sent sign-ons before', async () => {
    const { whole, range } = await near({
      S1: (log) =>
        void log.add('device/x', 'dealer-signed-on', { dealer: 'o', role: 'dealer' }, of('a', 1)),
      S4: signOn,
      S5: (log) => {
        log.add('device/x', 'device-online', { missed: 0 }, of('b', 1));
        log.add('device/x', 'device-error', {}, of('b', 2));
        log.add('device/x', 'device-error', {}, of('b', 4));
      },
    });
    expect(whole.first).toBeLessThan(range.first);
    expect(range.isSure).toBe(false);
  });

  it('is in doubt if the first numbers of a session may be lost after the last sign-on', async () => {
    const { whole, range } = await near({
      S2: signOn,
      S3: says('a', 3),
    });
    expect(whole.first).toBeLessThan(range.first);
    expect(range.isSure).toBe(false);
  });

  it('is in doubt if a shoe’s opening is older than the shoe before', async () => {
    const time = '2026-11-20T12:00:30.000Z';
    const opening = { rules: 'punto-banco-no-burn@1', decks: 8, kind: 'physical' } as const;
    const { whole, range } = await near({
      S1: says('a', 2),
      S4: signOn,
      S6: (log) => {
        const late = { ...opening, currency: 'USD', reports: [] };
        log.add('device/x', 'shoe-opened', late, { ...of('a', 1), shoe: 'S0', time });
      },
    });
    expect(range.first).not.toBe(whole.first); // its number was declared missing: it opens nothing
    expect(range.isSure).toBe(false);
  });

  it('is in doubt if the table waits while a session is heard that may be sent again', async () => {
    const { range } = await near({
      S1: (log) => {
        says('old', 1, 2)(log);
        says('new', 1)(log);
      },
      S2: says('new', 2),
      S3: (log) => {
        says('new', 4)(log);
        again('old', 2)(log); // in the whole log a repeat, after which the table still waits
        says('new', 3)(log);
      },
      S4: signOn,
    });
    expect(range.isSure).toBe(false);
  });

  it('is in doubt if an opening may have been held back', async () => {
    const signs = (log: TableLog): void => {
      says('a', 3)(log);
      signOn(log);
    };
    for (const [name, more] of [
      ['S6', { S6: signOn }],
      ['S7', {}],
      ['S9', { S4: signOn }],
    ] as const) {
      const { whole, range } = await near({ [`before ${name}`]: signs, ...more });
      expect(range).not.toEqual(whole);
      expect(range.isSure).toBe(false);
    }
  });

  it('is in doubt if numbers seem lost after some that may be sent again', async () => {
    const { all, context } = await near({
      S1: says('a', 1, 2, 3, 4, 5),
      S2: again('a', 2, 3),
      S4: signOn,
      S5: says('a', 6),
      S6: again('a', 4),
    });
    expect(context).not.toEqual(all);
    expect(context.isSure).toBe(false);
  });

  it('is in doubt if the range repeats what was sent again before it', async () => {
    const { all, context } = await near({
      S1: says('old', 1, 2, 3, 4),
      S3: again('old', 2, 3),
      S4: signOn,
      S6: again('old', 2),
    });
    expect(context.context).not.toEqual(all.context);
    expect(context.isSure).toBe(false);
  });

  it('is in doubt about what a session said before it named a new shoe, if it named an old one', async () => {
    const { all, context } = await near({
      S1: (log) => {
        log.add('device/x', 'dealer-signed-on', { dealer: 'olga', role: 'dealer' }, of('a', 1));
        log.dealer();
      },
      S3: (log) => {
        again('a', 1)(log);
        says('a', 2)(log);
      },
    });
    expect(context.context).not.toEqual(all.context);
    expect(context.isSure).toBe(false);
  });

  it('is in doubt if a session of the range was not heard since the start', async () => {
    const { all, context } = await near({ S1: says('a', 1), S4: signOn, S6: says('a', 2) });
    expect(context.context).not.toEqual(all.context);
    expect(context.isSure).toBe(false);
  });

  it('is in doubt if a card sent again hides in which shoe its source drew last', async () => {
    const shoe = 'device/T1-shoe';
    const { whole, range } = await near({
      S1: (log) => {
        log.add(shoe, 'dealer-signed-on', { dealer: 'olga', role: 'dealer' }, of('old', 1));
        log.add(shoe, 'card-drawn', { card: '4D', to: null }, of('old', 2));
        log.add(shoe, 'card-drawn', { card: '5D', to: null }, of('old', 3));
        log.add('shoe', 'cut-card-drawn');
      },
      S2: again('old', 2),
      S4: signOn,
      S5: (log) => {
        again('old', 3)(log);
        log.add(shoe, 'device-online', { missed: null }, of('new', 1));
      },
      S6: signOn,
    });
    expect(whole).not.toEqual(range);
    expect(range.isSure).toBe(false);
  });

  it('is in doubt if a device goes offline that said in another session what it missed', async () => {
    const shoe = 'device/T1-shoe';
    const { all, context } = await near({
      S1: (log) => void log.add(shoe, 'device-online', {}, of('old', 1)),
      S3: (log) => void log.add('shoe', 'device-online', { missed: 0 }),
      S4: signOn,
      S5: again('old', 1),
      S6: (log) => void log.add('shoe', 'device-offline'),
    });
    expect(all.context).not.toEqual(context.context);
    expect(context.isSure).toBe(false);
  });
});

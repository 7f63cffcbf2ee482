import { expect, it } from '@jest/globals';
import { simulate } from '#audit';
import { startAuditor, warmUp, type RunningAuditor } from '#auditor';
import { MemoryLog } from '#event-log';
import { installedRules, rulesNamed } from '#rule-folder';
import { createDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { append, DAYS, linesOf, recordsOf } from './floor.js';

it.each(['on', 'off'] as const)(
  'what folds lawful play runs before the first record (the lane is %s)',
  (lanes) => {
    const { lane, events } = warmUp(installedRules(), lanes);
    expect(events).toBeGreaterThan(3_000);
    if (lanes === 'on') expect(lane / events).toBeGreaterThan(0.99);
    else expect(lane).toBe(0);
  },
);

it('an auditor warms up before its first record, and not again behind rows, whose takeover does the same', async () => {
  const database = await createDatabase();
  const log = new MemoryLog({ partitions: 2 });
  const said: string[] = [];
  const start = (): Promise<RunningAuditor> =>
    startAuditor({
      ...{ log, databaseUrl: database.url, book: BOOK, gamingDays: DAYS, warmsUp: true },
      journal: { info: (message) => void said.push(message), error: () => undefined },
    });
  try {
    const first = await start();
    expect(said).toContain('warmed up');
    const rules = rulesNamed(BOOK, 'punto-banco');
    const { lines } = simulate({ rules, bets: false, seed: 'T1', shoes: 1, table: 'T1' });
    await append(log, 'T1', recordsOf('T1', linesOf([...lines].slice(0, 3))));
    await eventually('the events in the rows', async () =>
      (await first.positions()).some(({ next }) => next === 3),
    );
    await first.close();
    said.length = 0;
    const second = await start();
    await eventually('all partitions', () => second.stats().following.length === 2);
    await second.close();
    expect(said).not.toContain('warmed up');
  } finally {
    await log.close();
    await database.drop();
  }
});

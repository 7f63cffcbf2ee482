import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  FINDING_CODES,
  simulateTables,
  type Finding,
  type FindingCode,
  type LedgerLine,
  type Unjudgeable,
} from '#audit';
import { KafkaLog, MemoryLog, PostgresLog, type EventLog } from '#event-log';
import type {
  CommissionLine,
  FindingLine,
  MisdealtLine,
  ShoeLine,
  ShoeWhole,
  TableLine,
} from '#read-model';
import { audited, built, file, shoeprintBeside, type Audited } from '../cli/shoeprint.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { startServer, type TestServer } from '../kit/server.js';

const PARTITIONS = 5;
const kafka = await kafkaForTests();

/**
 * Returns the lines of a floor with every fault that its rules allow, with one hour at each table.
 * Every 97th line appears twice.
 */
function floorLines(): string[] {
  const can = (rules: string, codes: readonly FindingCode[]): string[] => [
    ...simulateTables({
      rules: BOOK.get(rules) as never,
      tables: rules === 'punto-banco@1' ? ['B1', 'B2', 'B3'] : [rules.slice(0, 3)],
      faults: codes,
      shoes: 2,
      seed: `floor ${rules}`,
      bets: true,
      currency: 'MOP',
    }).lines,
  ];
  const lines = [
    ...can(
      'punto-banco@1',
      FINDING_CODES.filter((code) => !['DL-05', 'PY-05', 'PR-07'].includes(code)),
    ),
    ...can('nsw-crown@1', ['DL-05', 'PR-07', 'CM-02', 'TC-07']),
    ...can('ez-baccarat@1', ['PY-05', 'PY-03']),
  ];
  return lines.flatMap((line, i) => (i % 97 === 0 ? [line, line] : [line]));
}

const byText = <Row>(rows: readonly Row[]): string[] =>
  rows.map((row) => JSON.stringify(row, Object.keys(row as object).sort())).sort();
const findingOf = ({
  status: _s,
  withdrawnBecause: _w,
  shoeRef,
  coupRef,
  dealer: _d,
  at: _a,
  raisedAt: _r,
  review: _v,
  gamingDay: _g,
  videoHeldUntil: _h,
  ...finding
}: FindingLine): Finding => ({
  ...finding,
  ...(shoeRef !== null && { shoeRef }),
  ...(coupRef !== null && { coupRef }),
});
const whole = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort())
      : each,
  );
const wholes = (values: readonly unknown[]): string[] => values.map(whole).sort();

/** Returns the server's answers in the form of `audit --json`. */
async function told(
  server: TestServer,
  token: string,
): Promise<
  Omit<Audited, 'events' | 'reviews'> & {
    readonly events: Omit<Audited['events'], 'duplicates' | 'read'>;
  }
> {
  const tables = await server.all<TableLine>('/v1/tables', token);
  const shoes = await server.all<ShoeLine>('/v1/shoes', token);
  const findings = await server.all<FindingLine>('/v1/findings', token);
  const commission = await server.all<CommissionLine>('/v1/reports/commission?by=seat', token);
  const unjudgeable: Unjudgeable[] = [];
  for (const { ref } of shoes) {
    const answer = await server.api.send('GET', `/v1/shoes/${encodeURIComponent(ref)}`, token);
    unjudgeable.push(...answer.json<ShoeWhole>().unjudgeable);
  }
  const sum = (name: 'admitted' | 'equivocal' | 'late' | 'stray'): number =>
    tables.reduce((total, { events }) => total + (events?.[name] ?? 0), 0);
  return {
    events: {
      admitted: sum('admitted'),
      equivocal: sum('equivocal'),
      late: sum('late'),
      stray: sum('stray'),
    },
    shoes: shoes.map(({ table, shoe, rules, decks, coups, cards, closed }) => ({
      table,
      shoe,
      rules,
      decks,
      coups,
      cards,
      closed,
    })),
    findings: findings.map(findingOf),
    unjudgeable,
    commission: commission.map(
      ({ table, shoe, seat, due, taken, marked, collected, waived, outstanding }): LedgerLine => ({
        table: table as string,
        shoe: shoe as string,
        seat: seat as number,
        due,
        taken,
        marked,
        collected,
        waived,
        outstanding,
      }),
    ),
  };
}

function promises(open: (databaseUrl: string) => Promise<EventLog>): void {
  it('returns the same verdict as the command line for a file, and keeps it if the file is sent again', async () => {
    const server = await startServer(open);
    try {
      const floor = freshTopic();
      const path = file(`${floor}.ndjson`, `${floorLines().join('\n')}\n`);
      const verdict = audited(path);
      const reader = await server.api.person(['compliance', 'finance', 'admin']);
      const key = await server.api.device();
      for (const sent of ['sent', 'again'] as const) {
        await send(
          server.url,
          key,
          sent === 'sent' ? path : file(`${floor}-again.ndjson`, `${floorLines().join('\n')}\n`),
        );
        const heads = await Promise.all(
          Array.from({ length: PARTITIONS }, (_, partition) => server.api.log.head(partition)),
        );
        await eventually('the last event on the rows', async () =>
          (await server.auditor.positions()).every(
            ({ partition, next }) => next === heads[partition],
          ),
        );
        const answer = await told(server, reader);
        expect(wholes(answer.findings)).toEqual(wholes(verdict.findings));
        expect(byText(answer.shoes)).toEqual(byText(verdict.shoes));
        expect(byText(answer.commission)).toEqual(byText(verdict.commission));
        expect(wholes(answer.unjudgeable)).toEqual(wholes(verdict.unjudgeable));
        const { admitted, equivocal, late, stray } = verdict.events;
        if (sent === 'sent') expect(answer.events).toEqual({ admitted, equivocal, late, stray });
      }
      await misdealtAgrees(server, reader, verdict);
    } finally {
      await server.close();
    }
  }, 180_000);
}

/**
 * Expects the report of misdealt coups to have exactly the findings of the file whose codes and
 * coups it covers.
 */
async function misdealtAgrees(server: TestServer, token: string, verdict: Audited): Promise<void> {
  const lines = await server.all<MisdealtLine>('/v1/reports/misdealt', token);
  const expected = verdict.findings
    .filter(({ code, coup }) => /^(DL|TC|RS|SH)-/.test(code) && coup !== undefined)
    .map(({ id }) => id);
  expect(lines.flatMap(({ findings }) => findings.map(({ id }) => id)).sort()).toEqual(
    expected.sort(),
  );
}

/** Runs `shoeprint send` in a separate process, while the server answers in this one. */
async function send(url: string, key: string, path: string): Promise<void> {
  const { code, stderr } = await shoeprintBeside(['send', path, '--url', url], {
    SHOEPRINT_KEY: key,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

beforeAll(built);
describe('a server over a log in memory', () =>
  promises(async () => new MemoryLog({ partitions: PARTITIONS })));
describe('a server over a log in PostgreSQL', () =>
  promises((url) => PostgresLog.open({ url, partitions: PARTITIONS })));
describeOnKafka('a server over Kafka', 'skipped' in kafka ? kafka.skipped : undefined, () =>
  promises(() =>
    KafkaLog.open({
      brokers: ('brokers' in kafka ? kafka : { brokers: [] }).brokers,
      topic: freshTopic(),
      partitions: PARTITIONS,
      create: true,
    }),
  ),
);

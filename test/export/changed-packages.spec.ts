import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOUSE_TABLE } from '#audit';
import { KafkaLog, PostgresLog, type EventLog } from '#event-log';
import type { ExportAsked } from '#export';
import { forgedMutants } from '../evidence/forged-mutants.js';
import { missedIn } from '../evidence/missed-mutant.js';
import { plainMutants, type Mutant } from '../evidence/mutants.js';
import { hasPython, SecondVerifier, verdictOfProof } from '../evidence/second-verifier.js';
import { sourceOf, type PackageFiles } from '../evidence/site-package.js';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { IS_LONG } from '../kit/rounds.js';
import { asking, ExportHouse, filesIn, playedAt, shoesOf } from './export-house.js';

// Packages that the exporter makes of both logs, and changes of them. Every change is tried on
// packages of a made site in test/evidence/mutants.spec.ts.

const PARTITIONS = 2;
/** One of so many changes of each package is tried. */
const STEP = IS_LONG ? 7 : 97;
const kafka = await kafkaForTests();

const played = playedAt('T1', { shoes: 5 });
const shoes = shoesOf(played);
/** Returns the index of an event inside a shoe. */
const inside = (n: number): number => played.findIndex(({ shoe }) => shoe === shoes[n]) + 12;
const KEY_REVOKED = {
  ...{ specversion: '1.0', type: 'shoeprint.key-revoked.v1', source: 'person/admin', id: 'k1' },
  ...{ time: '2026-11-20T12:00:00.000Z', table: HOUSE_TABLE, data: { key: 'gateway' } },
};

/** Declares the tests of packages over one log. */
function changed(open: (databaseUrl: string) => Promise<EventLog>): void {
  let house: ExportHouse;
  let second: SecondVerifier | undefined;
  const days: string[] = [];
  beforeAll(async () => {
    second = hasPython ? new SecondVerifier() : undefined;
    house = await ExportHouse.open(open);
    await house.record('T1', played.slice(0, inside(2)));
    await house.record('T2', playedAt('T2', { seed: 4, shoes: 2 }), 1);
    await house.record(HOUSE_TABLE, [KEY_REVOKED]);
    days.push(await house.closeDay());
    await house.record('T1', played.slice(inside(2), inside(4)));
    days.push(await house.closeDay());
    await house.record('T1', played.slice(inside(4)));
    await house.settled();
  }, 120_000);
  afterAll(async () => {
    second?.close();
    await house?.close();
  });

  /** Returns the first finding of the rows. */
  async function finding(): Promise<string> {
    const [row] = await house.site.query<{ id: string }>('select id from rows.finding order by id');
    return row?.id ?? '';
  }
  const day = (n: number): string => days[n] ?? '';
  const scopes: readonly (readonly [string, () => Promise<ExportAsked['scope']>])[] = [
    ['a shoe', async () => ({ kind: 'shoe', table: 'T1', shoe: shoes[1] ?? '' })],
    ['a finding', async () => ({ kind: 'finding', finding: await finding() })],
    ['a table', async () => ({ kind: 'table', table: 'T1' })],
    ['some days', async () => ({ kind: 'table', table: 'T1', from: day(0), to: day(1) })],
    ['a day of a table', async () => ({ kind: 'day', table: 'T1', day: day(1) })],
    ['a day of all tables', async () => ({ kind: 'day', day: day(1) })],
  ];

  /** Returns what is wrong with what both verifiers say of a mutant. */
  async function missed(mutant: Mutant, like: PackageFiles): Promise<string[]> {
    const report = await house.verifiedSource(sourceOf(mutant.files));
    const other = await second?.judge(mutant.files, { key: house.keyOf('log.key').vkey }, like);
    const why = missedIn(report, mutant);
    const found = why === undefined ? [] : [why];
    // A file that steps 7 and 8 read too is reported once, by one of them.
    const proofs = [report.verdict, verdictOfProof(report)];
    if (other && !proofs.includes(other.verdict))
      found.push(`${mutant.name}: ${proofs.join(' or ')}, and ${other.verdict}`);
    return found;
  }

  it.each(scopes)(
    'of %s are intact, and no change of them is missed by either verifier',
    async (_, scopeOf) => {
      const made = await house.make(asking(await scopeOf()));
      const files = await filesIn(made.file);
      const { verdict } = await house.verifiedSource(sourceOf(files));
      expect(verdict).toBe('INTACT');
      const other = await second?.judge(files, { key: house.keyOf('log.key').vkey });
      expect(other?.verdict ?? 'INTACT').toBe('INTACT');
      let at = 0;
      let tried = 0;
      for (const mutants of [plainMutants(files), forgedMutants(files, house.keyOf('exports.key'))])
        for (const mutant of mutants) {
          at += 1;
          if (at % STEP !== 0) continue;
          tried += 1;
          expect(await missed(mutant, files)).toEqual([]);
        }
      expect(tried).toBeGreaterThan(900 / STEP);
    },
    IS_LONG ? 900_000 : 120_000,
  );
}

describe('packages of a log in PostgreSQL', () => {
  changed((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
});

describeOnKafka(
  'packages of a log in Kafka',
  'skipped' in kafka ? kafka.skipped : undefined,
  () => {
    changed(() => {
      if ('skipped' in kafka) throw new Error(kafka.skipped);
      const { brokers } = kafka;
      return KafkaLog.open({ brokers, topic: freshTopic(), partitions: PARTITIONS, create: true });
    });
  },
);

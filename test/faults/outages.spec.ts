import { afterAll, describe } from '@jest/globals';
import { Started } from '../cli/serving.js';
import { describeOnKafka, whyNoKafkaToKill } from '../kit/kafka.js';
import type { Running } from '../kit/processes.js';
import {
  auditorsKilled,
  brokersAnswersLost,
  brokersAsleep,
  brokersHalfOpen,
  caughtUpWith,
  clocksStepped,
  filled,
  leaderRefuses,
  linksSlow,
  postgresAnswersLost,
  postgresAsleep,
  postgresHalfOpen,
  rebuiltUnderFaults,
  takenOverAsLeaderWakes,
} from './outages.js';
import { expectNothingLost, rounds } from './round.js';
import { ALL, LARGE_LOG, longScenario, named, nothingStruck, scenario } from './scenarios.js';
import { sharedSystem, System } from './system.js';

const ALL_BROKERS = [1, 2, 3];
/** Brokers that slept for this long left an api that refused everything for ever. */
const SLEEP_MS = 14_000;
/** Events that auditors find when they start. They fold more than 1,000 a second on any machine. */
const BACKLOG = Number(process.env.SHOEPRINT_FAULTS_BACKLOG ?? 10_000_000);
const BACKLOG_MS_MAX = 120_000 + BACKLOG;

/** Returns how long a fault lasts: shorter in `npm test`. */
const lasting = (ms: number, shortMs: number): number => (ALL ? ms : shortMs);

const between = (least: number, most: number): number => least + Math.random() * (most - least);

describeOnKafka(
  'over three brokers of Kafka that do not answer, all comes back by itself',
  await whyNoKafkaToKill(),
  () => {
    const { system, close } = sharedSystem(() =>
      System.twoOfEach({ log: 3, isBehindProxies: true, hasOwnClocks: true }),
    );
    afterAll(close);

    scenario(system, 'when one broker sleeps, each in turn', (running) => ({
      scenario: 'one of three brokers asleep',
      roundsMin: ALL ? ALL_BROKERS.length : 1,
      strike: (_, round) =>
        brokersAsleep(running, [(round % 3) + 1], ALL ? between(10_000, 40_000) : SLEEP_MS),
    }));
    scenario(system, 'when the leader of a partition refuses connections', (running) => ({
      scenario: 'leader refuses connections',
      strike: (_, round) => leaderRefuses(running, round % 4, lasting(8_000, 4_000)),
    }));
    scenario(system, 'when connections to the brokers are half-open', (running) => ({
      scenario: 'broker connections half-open',
      strike: () => brokersHalfOpen(running, lasting(8_000, 4_000)),
    }));
    scenario(system, 'when connections to PostgreSQL are half-open', (running) => ({
      scenario: 'PostgreSQL connections half-open, log in Kafka',
      strike: () => postgresHalfOpen(running, lasting(8_000, 1_000)),
    }));
    scenario(system, 'when answers of the brokers are lost', (running) => ({
      scenario: "brokers' answers lost",
      strike: () => brokersAnswersLost(running, lasting(5_000, 1_000)),
    }));
    scenario(system, 'when all links are slow', (running) => ({
      scenario: 'slow links',
      strike: () => linksSlow(running, 150, lasting(15_000, 2_000)),
    }));
    scenario(system, 'when clocks are set an hour ahead and an hour back', (running) => ({
      scenario: 'clocks stepped',
      strike: () => clocksStepped(running, lasting(10_000, 2_000)),
    }));
    scenario(system, 'when PostgreSQL sleeps and the log is in Kafka', (running) => ({
      scenario: 'PostgreSQL asleep, log in Kafka',
      strike: () => postgresAsleep(running, lasting(60_000, 8_000)),
    }));
    scenario(system, 'when all brokers sleep', (running) => ({
      scenario: 'all brokers asleep',
      strike: () => brokersAsleep(running, ALL_BROKERS, lasting(30_000, SLEEP_MS)),
    }));
    longScenario(system, 'when a partition is taken over as its leader wakes', (running) => ({
      scenario: 'partition taken over as its leader wakes',
      strike: (_, round) => takenOverAsLeaderWakes(running, round % 4, SLEEP_MS),
    }));
    longScenario(system, 'when both auditors are killed and the log is large', async (running) => {
      await filled(running, LARGE_LOG);
      return { scenario: 'both auditors killed, large log', strike: () => auditorsKilled(running) };
    });
    if (ALL)
      named(
        'when the auditors are far behind',
        async () => {
          const running = await system();
          const ms = await caughtUpWith(running, BACKLOG, BACKLOG_MS_MAX);
          process.stderr.write(
            `${BACKLOG.toLocaleString('en')} events in the rows after ${Math.round(ms / 1_000)} s\n`,
          );
          const scenario = 'after a backlog';
          expectNothingLost(await rounds(running, { scenario, strike: nothingStruck }));
        },
        2 * BACKLOG_MS_MAX,
      );
    longScenario(system, 'when the rows are rebuilt under faults', (running) => ({
      scenario: 'rows rebuilt while an auditor and PostgreSQL are killed',
      strike: (_, round) =>
        rebuiltUnderFaults(
          running,
          () => Started.shoeprint(['rebuild', 'rows'], running.settings()),
          running.auditors[round % running.auditors.length] as Running,
        ),
    }));
  },
);

if (ALL)
  describe('over a PostgreSQL that does not answer, all comes back by itself', () => {
    const { system, close } = sharedSystem(() =>
      System.twoOfEach({ log: 'postgres', isBehindProxies: true }),
    );
    afterAll(close);

    scenario(system, 'when PostgreSQL sleeps', (running) => ({
      scenario: 'PostgreSQL asleep, log in it',
      strike: () => postgresAsleep(running, 60_000),
    }));
    scenario(
      system,
      'when connections to PostgreSQL are half-open and the log is in it',
      (running) => ({
        scenario: 'PostgreSQL connections half-open, log in it',
        strike: () => postgresHalfOpen(running, 8_000),
      }),
    );
    scenario(system, 'when answers of PostgreSQL are lost', (running) => ({
      scenario: 'answers of PostgreSQL lost, log in it',
      strike: () => postgresAnswersLost(running, 5_000),
    }));
  });

import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { describeOnKafka, whyNoKafkaToKill } from '../kit/kafka.js';
import type { Running } from '../kit/processes.js';
import { count, standing } from './count.js';
import { Load } from './load.js';
import {
  auditorsKilled,
  brokersAnswersLost,
  brokersAsleep,
  brokersHalfOpen,
  leaderRefuses,
  linksSlow,
  postgresAsleep,
  postgresHalfOpen,
} from './outages.js';
import { FalseAlarm, recoveryOf, type Struck } from './recovery.js';
import { brokerKilled, killed, memoryOf, postgresKilled } from './scenarios.js';
import { PARTITIONS, sharedSystem, System } from './system.js';

const MINUTES = Number(process.env.SHOEPRINT_SOAK_MINUTES ?? 0);
const SEED = Number(process.env.SHOEPRINT_SOAK_SEED ?? 0);
const EVERY_MS = 20_000;
/** Faults under one load. Then its tables end, everything is counted, and new tables play. */
const FAULTS_A_LOAD = 5;
/** More than the tables of one load can play. */
const SHOES = 400;
const BROKERS = [1, 2, 3];
/** A last load that does not recover, and what is counted after it. */
const OVERTIME_MS = 15 * 60_000;

/** Returns numbers from 0 to 1 that follow from a seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = seeded(SEED);
const seconds = (least: number, most: number): number =>
  Math.round((least + random() * (most - least)) * 1_000);
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const somePartition = (): number => Math.floor(random() * PARTITIONS);

type Strike = (system: System) => Promise<Struck>;

/** What may fail, by name. */
const STRIKES: readonly (readonly [string, Strike])[] = [
  ['an api killed', ({ apis }) => killed(oneOf(apis))],
  ['an auditor killed', ({ auditors }) => killed(oneOf(auditors))],
  ['both auditors killed', (system) => auditorsKilled(system)],
  ['a broker killed', (system) => brokerKilled(system, oneOf(BROKERS))],
  ['PostgreSQL killed', (system) => postgresKilled(system)],
  ['a broker asleep', (system) => brokersAsleep(system, [oneOf(BROKERS)], seconds(10, 18))],
  ['all brokers asleep', (system) => brokersAsleep(system, BROKERS, seconds(5, 15))],
  ['PostgreSQL asleep', (system) => postgresAsleep(system, seconds(5, 15))],
  ['a leader refuses', (system) => leaderRefuses(system, somePartition(), seconds(3, 8))],
  ['brokers half-open', (system) => brokersHalfOpen(system, seconds(1, 8))],
  ['PostgreSQL half-open', (system) => postgresHalfOpen(system, seconds(1, 8))],
  ["brokers' answers lost", (system) => brokersAnswersLost(system, seconds(1, 5))],
  ['slow links', (system) => linksSlow(system, seconds(0.05, 0.2), seconds(5, 15))],
];

/** Appends a line for the table of `npm run soak`. */
function report(line: object): void {
  const file = process.env.SHOEPRINT_SOAK_REPORT;
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Reports the resident megabytes of each program. */
function reportMemory(system: System, minute: number): void {
  const programs: readonly (readonly [string, readonly Running[]])[] = [
    ['api', system.apis],
    ['auditor', system.auditors],
  ];
  for (const [role, running] of programs)
    running.forEach((program, at) => {
      const bytes = program.isRunning ? memoryOf(program.pid) : undefined;
      if (bytes !== undefined)
        report({ is: 'memory', program: `${role} ${at + 1}`, minute, mb: bytes / 2 ** 20 });
    });
}

/** Lets tables play under a few faults, and counts everything. */
async function played(system: System, isOver: () => boolean, minute: () => number): Promise<void> {
  const before = await standing(system);
  const load = await Load.start(system, { shoes: SHOES });
  let scenario = 'no fault yet';
  try {
    await load.more(200);
    for (let nth = 0; nth < FAULTS_A_LOAD && !isOver(); nth += 1) {
      const until = performance.now() + EVERY_MS;
      const [name, strike] = oneOf(STRIKES);
      scenario = name;
      const struck = await strike(system);
      const [recovery] = await Promise.all([recoveryOf(system, load, struck), struck.restored]);
      report({ is: 'fault', scenario, minute: minute(), ...recovery });
      reportMemory(system, minute());
      await pause(Math.max(until - performance.now(), 0));
    }
    await load.finished();
    const { lost, twice, wrong, copies, acknowledged } = await count(system, load, before);
    report({ is: 'count', acknowledged, lost: lost.length, twice, wrong, copies });
  } catch (error) {
    system.isSpoiled = true;
    const stopped = error instanceof FalseAlarm ? error.stopped.length : 0;
    const { message } = error as Error;
    report({ is: 'failure', scenario, minute: minute(), message, stopped });
  } finally {
    await load.abandon();
  }
}

describeOnKafka(
  'a soak under faults at random',
  MINUTES > 0 ? await whyNoKafkaToKill() : '`npm run soak` plays it',
  () => {
    const { system, close } = sharedSystem(() =>
      System.twoOfEach({ log: 3, isBehindProxies: true }),
    );
    afterAll(close);

    it(
      'plays to its end',
      async () => {
        await system();
        const began = performance.now();
        const minute = () => (performance.now() - began) / 60_000;
        const isOver = () => minute() >= MINUTES;
        while (!isOver()) await played(await system(), isOver, minute);
        expect(minute()).toBeGreaterThanOrEqual(MINUTES);
      },
      MINUTES * 60_000 + OVERTIME_MS,
    );
  },
);

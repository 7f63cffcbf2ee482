import { afterAll, describe } from '@jest/globals';
import {
  appendsHang,
  appendsRefused,
  asleep,
  longScenario,
  diskFull,
  killed,
  nothingStruck,
  postgresKilled,
  postgresRestarted,
  scenario,
} from './scenarios.js';
import { sharedSystem, System } from './system.js';

describe('over the log in PostgreSQL, no event is lost or counted twice', () => {
  const { system, close } = sharedSystem(() => System.start({ log: 'postgres' }));
  afterAll(close);

  scenario(system, 'when the api is killed', (running) => ({
    scenario: 'api killed, log in PostgreSQL',
    strike: () => killed(running.api),
  }));
  scenario(system, 'when the auditor is killed', (running) => ({
    scenario: 'auditor killed, log in PostgreSQL',
    strike: () => killed(running.auditor),
  }));
  scenario(system, 'when PostgreSQL is killed', (running) => ({
    scenario: 'PostgreSQL killed, log in it',
    strike: () => postgresKilled(running),
  }));
  scenario(system, 'when PostgreSQL is restarted', (running) => ({
    scenario: 'PostgreSQL restarted, log in it',
    strike: () => postgresRestarted(running),
  }));
  scenario(system, 'when every request is delivered more than once', () => ({
    scenario: 'everything delivered again',
    load: { duplicates: true },
    strike: nothingStruck,
  }));
  longScenario(system, 'when the log rejects appends', (running) => ({
    scenario: 'appends refused, log in PostgreSQL',
    strike: (load) => appendsRefused(running, load),
  }));
  scenario(system, 'when the disk is full', (running) => ({
    scenario: 'disk full (rows, then log), log in PostgreSQL',
    strike: (load) => diskFull(running, load),
  }));
  scenario(system, 'when an append hangs and the queue is full', (running) => ({
    scenario: 'appends hang and the queue is full, log in PostgreSQL',
    strike: (load) => appendsHang(running, load),
  }));
  scenario(system, 'when an auditor sleeps, loses its partitions, and wakes', async (running) => {
    const other = running.auditors[1] ?? (await running.addAuditor());
    return { scenario: 'auditor asleep', strike: () => asleep(running, other) };
  });
});

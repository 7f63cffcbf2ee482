import { afterAll } from '@jest/globals';
import { describeOnKafka, whyNoKafkaToKill } from '../kit/kafka.js';
import {
  longScenario,
  brokerKilled,
  databaseReadOnly,
  handedOver,
  killed,
  named,
  oneOfTwoKilled,
  postgresKilled,
  replaced,
  scenario,
} from './scenarios.js';
import { expectSameTables } from './same-tables.js';
import { sharedSystem, System } from './system.js';

const skipped = await whyNoKafkaToKill();

describeOnKafka('over one broker of Kafka, no event is lost or counted twice', skipped, () => {
  const { system, close } = sharedSystem(() => System.start({ log: 1 }));
  afterAll(close);

  scenario(system, 'when the broker is killed', (running) => ({
    scenario: 'the one broker killed',
    strike: () => brokerKilled(running, 1),
  }));
  longScenario(system, 'when the api is killed', (running) => ({
    scenario: 'api killed, log in Kafka',
    strike: () => killed(running.api),
  }));
  longScenario(system, 'when the auditor is killed', (running) => ({
    scenario: 'auditor killed, log in Kafka',
    strike: () => killed(running.auditor),
  }));
  longScenario(system, 'when PostgreSQL is killed', (running) => ({
    scenario: 'PostgreSQL killed, log in Kafka',
    strike: () => postgresKilled(running),
  }));
  scenario(system, 'when an auditor is added and the old one is stopped', (running) => ({
    scenario: 'auditor added, the other ended by SIGTERM',
    strike: () => handedOver(running),
  }));
  scenario(system, 'when the auditor is killed and a new one takes its place', (running) => ({
    scenario: 'auditor killed, a new one started',
    strike: () => replaced(running),
  }));
  longScenario(system, 'when one of two auditors is killed', (running) => ({
    scenario: 'one of two auditors killed',
    strike: () => oneOfTwoKilled(running),
  }));
  longScenario(system, 'when the database refuses to be written', (running) => ({
    scenario: 'database read-only, log in Kafka',
    strike: (load) => databaseReadOnly(running, load),
  }));

  named('two apis and two auditors make the same tables as one of each', async () => {
    const one = await system();
    const two = await one.beside();
    try {
      await Promise.all([two.addApi(), two.addAuditor()]);
      await expectSameTables(one, two);
    } finally {
      await two.leave();
    }
  });
});

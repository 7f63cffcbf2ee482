import { afterAll } from '@jest/globals';
import { describeOnKafka, whyNoKafkaToKill } from '../kit/kafka.js';
import { ALL, brokerKilled, copiesMissing, longScenario, scenario } from './scenarios.js';
import { sharedSystem, System } from './system.js';

describeOnKafka(
  'over three brokers of Kafka, no event is lost or counted twice',
  // In `npm test`, the log's own test kills one of three brokers.
  ALL ? await whyNoKafkaToKill() : '`npm run faults` and `npm run test:long` play it',
  () => {
    const { system, close } = sharedSystem(() => System.start({ log: 3 }));
    afterAll(close);

    scenario(system, 'when one of them is killed', (running) => ({
      scenario: 'one of three brokers killed',
      strike: (_, round) => brokerKilled(running, (round % 3) + 1),
    }));
    longScenario(system, 'when two of them are killed and appends lack replicas', (running) => ({
      scenario: 'two of three brokers killed',
      strike: (load) => copiesMissing(running, load),
    }));
  },
);

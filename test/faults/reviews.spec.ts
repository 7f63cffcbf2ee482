import { afterAll, describe } from '@jest/globals';
import { describeOnKafka, whyNoKafkaToKill } from '../kit/kafka.js';
import type { Running } from '../kit/processes.js';
import { reviewScenario } from './review-round.js';
import type { Struck } from './recovery.js';
import { ALL, killed } from './scenarios.js';
import { sharedSystem, System, type SystemOptions } from './system.js';

const TITLE = 'twenty people rule on findings, and nothing they do is lost or counted twice';

/** Declares the rounds over a log: two apis and two auditors, one of which is killed. */
function rounds(log: SystemOptions['log'], where: string): void {
  const { system, close } = sharedSystem(() => System.twoOfEach({ log }));
  afterAll(close);

  const api = ({ apis }: System, round: number): Promise<Struck> =>
    killed(apis[round % apis.length] as Running);
  const auditor = ({ auditors }: System, round: number): Promise<Struck> =>
    killed(auditors[round % auditors.length] as Running);

  if (!ALL)
    return reviewScenario(system, 'while an api and an auditor are killed', (running) => ({
      scenario: `reviews, api and auditor killed, log in ${where}`,
      strike: async (round) => {
        const [{ at, restored }, other] = await Promise.all([
          api(running, round),
          auditor(running, round),
        ]);
        return { at, restored: Promise.all([restored, other.restored]) };
      },
    }));
  reviewScenario(system, 'while an api is killed', (running) => ({
    scenario: `reviews, api killed, log in ${where}`,
    strike: (round) => api(running, round),
  }));
  reviewScenario(system, 'while an auditor is killed', (running) => ({
    scenario: `reviews, auditor killed, log in ${where}`,
    strike: (round) => auditor(running, round),
  }));
}

describe(`over the log in PostgreSQL, ${TITLE}`, () => rounds('postgres', 'PostgreSQL'));

describeOnKafka(
  `over one broker of Kafka, ${TITLE}`,
  ALL ? await whyNoKafkaToKill() : '`npm run faults` and `npm run test:long` play it',
  () => rounds(1, 'Kafka'),
);

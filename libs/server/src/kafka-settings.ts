import type { KafkaSettings } from '#event-log';
import type { Environment } from '#process';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const TOPIC = 'shoeprint.table-events.v1';

/** Reads how to connect to the brokers and which topic is the log. Collects faults in `env`. */
export function kafkaSettings(env: Environment, partitions: number): KafkaSettings {
  const topic = env.text('KAFKA_TOPIC') ?? TOPIC;
  if (!/^[a-zA-Z0-9._-]{1,249}$/.test(topic))
    env.fault('KAFKA_TOPIC', 'must be at most 249 of a-z, A-Z, 0-9, ".", "_" and "-"');
  return {
    brokers: brokers(env),
    topic,
    partitions,
    create: true,
    ssl: env.oneOf('KAFKA_SSL', ['true', 'false'], 'false') === 'true',
    ...sasl(env),
  };
}

function brokers(env: Environment): string[] {
  const list = (env.text('KAFKA_BROKERS') ?? '')
    .split(',')
    .map((broker) => broker.trim())
    .filter(Boolean);
  if (list.length === 0)
    env.fault('KAFKA_BROKERS', 'is missing: one or more of host:port, separated by commas');
  else if (!list.every((broker) => /^(\[[0-9a-f:]+\]|[^\s:/]+):\d{1,5}$/i.test(broker)))
    env.fault('KAFKA_BROKERS', 'must be host:port, or several separated by commas');
  return list;
}

function sasl(env: Environment): Pick<KafkaSettings, 'sasl'> {
  const isSet = env.text('KAFKA_SASL_MECHANISM') !== undefined;
  const mechanism = env.oneOf('KAFKA_SASL_MECHANISM', MECHANISMS, undefined);
  const username = env.secret('KAFKA_SASL_USERNAME');
  const password = env.secret('KAFKA_SASL_PASSWORD');
  if (!isSet) {
    if (username !== undefined || password !== undefined)
      env.fault('KAFKA_SASL_MECHANISM', `is missing: one of ${MECHANISMS.join(', ')}`);
    return {};
  }
  if (username === undefined) env.fault('KAFKA_SASL_USERNAME', 'is missing');
  if (password === undefined) env.fault('KAFKA_SASL_PASSWORD', 'is missing');
  return mechanism && username !== undefined && password !== undefined
    ? { sasl: { mechanism, username, password } }
    : {};
}

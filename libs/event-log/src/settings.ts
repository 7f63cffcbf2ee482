import { readFileSync } from 'node:fs';
import type { KafkaSettings } from './kafka/client.js';
import type { PostgresLogSettings } from './postgres/postgres-log.js';

/** Which log, and how it is reached. */
export type LogSettings =
  | ({ readonly kind: 'postgres' } & PostgresLogSettings)
  | ({ readonly kind: 'kafka' } & KafkaSettings);

const KINDS = ['postgres', 'kafka'] as const;
const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const PARTITIONS = 16;
/** More than any house needs; each costs a follower's place and, in Kafka, files. */
const PARTITIONS_MAX = 1024;
const TOPIC = 'shoeprint.table-events.v1';

/**
 * Reads what concerns the log from the environment: SHOEPRINT_LOG, SHOEPRINT_PARTITIONS, DATABASE_URL, KAFKA_BROKERS, KAFKA_TOPIC,
 * KAFKA_SSL, KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD. What holds a secret may also be named as a file, NAME_FILE.
 * Says all that is wrong at once, by name and never by value; settings are there only where nothing is.
 */
export function logSettings(env: Readonly<Record<string, string | undefined>>): {
  settings?: LogSettings;
  faults: string[];
} {
  const faults: string[] = [];
  const values = new Values(env, faults);
  const kind = values.oneOf('SHOEPRINT_LOG', KINDS) ?? 'postgres';
  const partitions = values.integer('SHOEPRINT_PARTITIONS', 1, PARTITIONS_MAX) ?? PARTITIONS;
  const settings: LogSettings =
    kind === 'kafka'
      ? { kind, ...kafkaSettings(values, partitions) }
      : { kind, url: databaseUrl(values), partitions };
  return faults.length > 0 ? { faults } : { settings: Object.freeze(settings), faults };
}

function databaseUrl(values: Values): string {
  const url = values.secret('DATABASE_URL');
  if (url === undefined)
    values.fault(
      'DATABASE_URL is missing: the log is in PostgreSQL unless SHOEPRINT_LOG says kafka',
    );
  else if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    values.fault('DATABASE_URL is no URL that begins with postgres://');
  return url ?? '';
}

function kafkaSettings(values: Values, partitions: number): KafkaSettings {
  const brokers = (values.text('KAFKA_BROKERS') ?? '')
    .split(',')
    .map((broker) => broker.trim())
    .filter(Boolean);
  if (brokers.length === 0)
    values.fault('KAFKA_BROKERS is missing: one or more of host:port, separated by commas');
  else if (!brokers.every((broker) => /^(\[[0-9a-f:]+\]|[^\s:/]+):\d{1,5}$/i.test(broker)))
    values.fault('KAFKA_BROKERS is not host:port, or several separated by commas');
  const topic = values.text('KAFKA_TOPIC') ?? TOPIC;
  if (!/^[a-zA-Z0-9._-]{1,249}$/.test(topic))
    values.fault(
      'KAFKA_TOPIC is no name of a topic: at most 249 of a-z, A-Z, 0-9, ".", "_" and "-"',
    );
  const ssl = values.oneOf('KAFKA_SSL', ['true', 'false']) === 'true';
  return { brokers, topic, partitions, create: true, ssl, sasl: sasl(values) };
}

function sasl(values: Values): KafkaSettings['sasl'] {
  const mechanism = values.oneOf('KAFKA_SASL_MECHANISM', MECHANISMS);
  const username = values.secret('KAFKA_SASL_USERNAME');
  const password = values.secret('KAFKA_SASL_PASSWORD');
  if (!values.isSet('KAFKA_SASL_MECHANISM')) {
    if (username !== undefined || password !== undefined)
      values.fault(`KAFKA_SASL_MECHANISM is missing: one of ${MECHANISMS.join(', ')}`);
    return undefined;
  }
  if (username === undefined) values.fault('KAFKA_SASL_USERNAME is missing');
  if (password === undefined) values.fault('KAFKA_SASL_PASSWORD is missing');
  return mechanism && username !== undefined && password !== undefined
    ? { mechanism, username, password }
    : undefined;
}

/** Reads variables one by one, and keeps what is wrong with them. An empty one counts as not there. */
class Values {
  constructor(
    private readonly env: Readonly<Record<string, string | undefined>>,
    private readonly faults: string[],
  ) {}

  /** One fault a variable: what is wrong with NAME_FILE is why NAME is missing. */
  fault(text: string): void {
    if (
      !this.faults.some(
        (other) => other.split(' ')[0]?.replace(/_FILE$/, '') === text.split(' ')[0],
      )
    )
      this.faults.push(text);
  }

  isSet(name: string): boolean {
    return this.text(name) !== undefined;
  }

  text(name: string): string | undefined {
    return this.env[name] === '' ? undefined : this.env[name];
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    const found = allowed.find((each) => each === value);
    if (value !== undefined && found === undefined)
      this.fault(`${name} is none of ${allowed.join(', ')}`);
    return found;
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return number;
    this.fault(`${name} is no whole number from ${min} to ${max}`);
    return undefined;
  }

  /** The variable, or what stands in the file that NAME_FILE names, without the line end at its end. */
  secret(name: string): string | undefined {
    const [direct, file] = [this.text(name), this.text(`${name}_FILE`)];
    if (file === undefined) return direct;
    if (direct !== undefined) return void this.fault(`${name} and ${name}_FILE are both set`);
    try {
      const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (text !== '') return text;
      this.fault(`${name}_FILE names an empty file`);
    } catch (error) {
      this.fault(
        `${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      );
    }
    return undefined;
  }
}

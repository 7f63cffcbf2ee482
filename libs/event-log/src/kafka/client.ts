import net from 'node:net';
import tls from 'node:tls';
import kafkajs, { type Kafka, type KafkaConfig, type LogEntry, type SASLOptions } from 'kafkajs';
import { quietRequestQueue } from './request-queue.js';

/** How a Kafka is reached, and what the topic is. */
export interface KafkaSettings {
  /** host:port of some brokers; they name the others. */
  readonly brokers: readonly string[];
  readonly topic: string;
  /** How many partitions the topic has, and how many it gets when it is made. */
  readonly partitions: number;
  /** Makes the topic where it is missing, with as many copies as the cluster allows, up to three. Without, a missing topic is an error. */
  readonly create?: boolean;
  /** TLS, with the system's authorities (true) or with what is given. */
  readonly ssl?: boolean | tls.ConnectionOptions;
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  /** Bytes that may wait to be appended. */
  readonly queueBytesMax?: number;
  /** Is told in a sentence what an operator should know: a restarted reader, a broker that does not answer. */
  readonly onNotice?: (text: string) => void;
}

/** A send or fetch that takes longer has failed. */
export const REQUEST_MS_MAX = 3000;

/** kafkajs as it is used here: quiet, impatient, its own retries few, since the callers retry and know what for. */
export function kafkaClient(settings: KafkaSettings, overrides: Partial<KafkaConfig> = {}): Kafka {
  quietRequestQueue();
  return new kafkajs.Kafka({
    clientId: 'shoeprint',
    brokers: [...settings.brokers],
    sasl: settings.sasl && ({ ...settings.sasl } as SASLOptions),
    socketFactory: socketFactory(settings.ssl),
    connectionTimeout: 1000,
    authenticationTimeout: 4000,
    requestTimeout: REQUEST_MS_MAX,
    retry: { initialRetryTime: 50, maxRetryTime: 300, retries: 3 },
    logLevel: kafkajs.logLevel.ERROR,
    logCreator: () => (entry: LogEntry) => logged(entry, settings.onNotice),
    ...overrides,
  });
}

/** kafkajs leaves Nagle's delay on; with several partitions' sends on one connection it costs up to 40 ms each. */
function socketFactory(ssl: KafkaSettings['ssl']): NonNullable<KafkaConfig['socketFactory']> {
  return ({ host, port, onConnect }) => {
    const options = ssl === true ? {} : ssl;
    const servername = net.isIP(host) ? {} : { servername: host };
    const socket = options
      ? tls.connect({ host, port, ...servername, ...options }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setNoDelay(true);
    socket.setMaxListeners(0); // kafkajs lets go of a broken connection once for each request that waited on it
    socket.setKeepAlive(true, 60_000);
    return socket;
  };
}

/** The sentences of kafkajs go where ours go; what it says while a broker is away, it says many times. */
function logged({ namespace, log }: LogEntry, onNotice: KafkaSettings['onNotice']): void {
  const error = typeof log.error === 'string' ? `: ${log.error}` : '';
  onNotice?.(`kafkajs ${namespace}: ${log.message}${error}`);
}

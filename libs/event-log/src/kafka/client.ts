import net from 'node:net';
import tls from 'node:tls';
import kafkajs, { type Kafka, type KafkaConfig, type LogEntry, type SASLOptions } from 'kafkajs';
import { within } from '#process';
import { quietRequestQueue } from './request-queue.js';

/** Settings of a log in Kafka: how to connect, and which topic is the log. */
export interface KafkaSettings {
  /** `host:port` of some brokers, which name the others. */
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Number of partitions that the topic must have, or gets when it is created. */
  readonly partitions: number;
  /**
   * Creates a missing topic, with up to three replicas as the cluster allows. If not set, a missing
   * topic is an error.
   */
  readonly create?: boolean;
  /** TLS with the system's certificate authorities (`true`) or with these options. */
  readonly ssl?: boolean | tls.ConnectionOptions;
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  /** Limit of the bytes that wait to be appended. */
  readonly queueBytesMax?: number;
  /**
   * Receives each notice for an operator as a sentence, for example that a reader was restarted or
   * that a broker does not answer.
   */
  readonly onNotice?: (text: string) => void;
}

/** Timeout of a send or fetch. */
export const REQUEST_MS_MAX = 3000;
/** Longest time until a broker of the list has answered, while a log is opened. */
const CONNECT_MS_MAX = REQUEST_MS_MAX + 1000;

/**
 * Returns a kafkajs client with short timeouts and few retries: the callers retry and know what may
 * be retried.
 */
export function kafkaClient(settings: KafkaSettings, overrides: Partial<KafkaConfig> = {}): Kafka {
  quietRequestQueue();
  return new kafkajs.Kafka({
    clientId: 'shoeprint',
    brokers: [...settings.brokers],
    ...(settings.sasl && { sasl: { ...settings.sasl } as SASLOptions }),
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

/**
 * Returns a maker of clients, each of which asks the next broker of the list first. kafkajs tries
 * another broker only if it cannot connect. A proxy before a dead broker accepts connections and
 * closes them, and a sleeping broker accepts them and says nothing.
 */
export function kafkaClients(settings: KafkaSettings): () => Kafka {
  let made = 0;
  return () => kafkaClient({ ...settings, brokers: beginningAt(settings.brokers, made++) });
}

/**
 * Returns the brokers in the same order, but beginning at the first one that answers. Rejects as
 * the last one does if none answers.
 */
export async function answeringFirst(settings: KafkaSettings): Promise<readonly string[]> {
  const { brokers } = settings;
  const clients = kafkaClients(settings);
  let last: unknown = new Error('no brokers are given');
  for (const at of brokers.keys()) {
    const admin = clients().admin({ retry: { retries: 0 } });
    try {
      // kafkajs calls a broker that says nothing connected
      await within(
        CONNECT_MS_MAX,
        admin.connect().then(() => admin.describeCluster()),
      );
      return beginningAt(brokers, at);
    } catch (error) {
      last = error;
    } finally {
      void admin.disconnect().catch(() => undefined); // it may never have connected
    }
  }
  throw last;
}

const beginningAt = (brokers: readonly string[], at: number): readonly string[] => {
  const first = at % Math.max(1, brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
};

/**
 * Returns sockets without Nagle's delay, which kafkajs leaves on. With sends of several partitions
 * on one connection it costs up to 40 ms each.
 */
function socketFactory(ssl: KafkaSettings['ssl']): NonNullable<KafkaConfig['socketFactory']> {
  return ({ host, port, onConnect }) => {
    const options = ssl === true ? {} : ssl;
    const servername = net.isIP(host) ? {} : { servername: host };
    const socket = options
      ? tls.connect({ host, port, ...servername, ...options }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setNoDelay(true);
    // kafkajs disconnects a broken connection once for each request that waits on it.
    socket.setMaxListeners(0);
    socket.setKeepAlive(true, 60_000);
    return socket;
  };
}

/**
 * Passes log entries of kafkajs to `onNotice`. While a broker is down, kafkajs repeats them often.
 */
function logged({ namespace, log }: LogEntry, onNotice: KafkaSettings['onNotice']): void {
  const error = typeof log.error === 'string' ? `: ${log.error}` : '';
  onNotice?.(`kafkajs ${namespace}: ${log.message}${error}`);
}

import { join } from 'node:path';
import pg from 'pg';
import type { Role } from '#api';
import { KafkaLog, PostgresLog, type EventLog } from '#event-log';
import { UNUSED_HASH } from '../../apps/api/src/identity/credentials/passwords.js';
import { newToken } from '../../apps/api/src/identity/credentials/bearer-token.js';
import { DAYS } from '../auditor/floor.js';
import { freshTopic, kafkaBehindProxies, kafkaToKill } from '../kit/kafka.js';
import type { KafkaProxy } from '../kit/kafka-proxy.js';
import { freePort, Processes, type PostgresProcess, type Running } from '../kit/processes.js';
import { TcpProxy } from '../kit/tcp-proxy.js';
import { createProbe, leaderOf, untilDatabaseServes, untilKafkaServes } from './foreign-client.js';

export const PARTITIONS = Number(process.env.SHOEPRINT_FAULTS_PARTITIONS ?? 4);
/** Lease of a silent auditor: short with few rounds, so that they end soon. */
const LEASE_MS = Number(process.env.SHOEPRINT_FAULTS_LEASE_MS ?? 1_000);

type Cluster = Awaited<ReturnType<typeof kafkaToKill>>;

export interface SystemOptions {
  /** Where the log is: in PostgreSQL, or in this many brokers of Kafka. */
  readonly log: 'postgres' | 1 | 3;
  /** Puts a proxy before PostgreSQL and before each broker. */
  readonly isBehindProxies?: boolean;
  /** Lets a test set the clock of each program. */
  readonly hasOwnClocks?: boolean;
}

/** The proxies between the programs and what they depend on. */
interface Links {
  readonly postgres: TcpProxy;
  /** By the number of the broker, from 1. */
  readonly brokers: ReadonlyMap<number, KafkaProxy>;
}

/** Servers that a system runs on. */
interface Servers {
  readonly processes: Processes;
  readonly postgres: PostgresProcess;
  readonly cluster: Cluster | undefined;
  readonly links: Links | undefined;
  readonly hasOwnClocks: boolean;
}

/**
 * The programs as a casino runs them: built, each in its own process, over a database and a log in
 * processes of their own.
 */
export class System {
  readonly apis: Running[] = [];
  readonly auditors: Running[] = [];
  readonly sealers: Running[] = [];
  readonly urls: string[] = [];
  /** The token of a device key that may write everything, of at most 1,000 tables. */
  key = '';
  /** A session's token that may read all tables. */
  reader = '';
  /** Set when a round failed on it: what it left behind would fail the next scenario, too. */
  isSpoiled = false;
  private readonly topic = freshTopic();
  private count = 0;
  private readonly pool: pg.Pool;

  private constructor(
    private readonly servers: Servers,
    readonly databaseUrl: string,
  ) {
    this.pool = new pg.Pool({
      connectionString: databaseUrl,
      max: 3,
      connectionTimeoutMillis: 2_000,
      query_timeout: 10_000,
    });
    this.pool.on('error', () => undefined); // the tests kill the database; the next query rejects
  }

  /** Starts one api and one auditor over a fresh database and log. */
  static async start(options: SystemOptions): Promise<System> {
    const processes = await Processes.open();
    let kafka: Kafka | undefined;
    try {
      const [postgres] = await Promise.all([
        processes.postgres(),
        kafkaFor(options).then((started) => (kafka = started)),
      ]);
      const links = options.isBehindProxies && {
        postgres: await TcpProxy.before(Number(new URL(postgres.url).port)),
        brokers: kafka?.proxies ?? new Map<number, KafkaProxy>(),
      };
      const servers = {
        processes,
        postgres,
        cluster: kafka?.cluster,
        links: links || undefined,
        hasOwnClocks: options.hasOwnClocks === true,
      };
      return await new System(servers, postgres.url).begun();
    } catch (error) {
      await processes.close();
      await kafka?.cluster.stop();
      throw error;
    }
  }

  /** Starts two apis and two auditors. */
  static async twoOfEach(options: SystemOptions): Promise<System> {
    const system = await System.start(options);
    await Promise.all([system.addApi(), system.addAuditor()]);
    return system;
  }

  /**
   * Starts another system, with its own database and log on the same servers. It ends with this
   * one.
   */
  async beside(): Promise<System> {
    const name = `beside_${(this.count += 1)}`;
    await this.query(`create database ${name}`);
    const url = new URL(this.databaseUrl);
    url.pathname = `/${name}`;
    return new System(this.servers, url.href).begun();
  }

  private async begun(): Promise<System> {
    if (this.servers.cluster) await createProbe(this.servers.cluster.brokers, this.probe);
    await this.addApi();
    await this.addAuditor();
    this.key = await this.deviceKey();
    this.reader = await this.person('reader', 'surveillance');
    return this;
  }

  /** Returns a running auditor. */
  get auditor(): Running {
    return oneThatRuns(this.auditors);
  }

  /** Returns a running api. */
  get api(): Running {
    return oneThatRuns(this.apis);
  }

  get postgres(): PostgresProcess {
    return this.servers.postgres;
  }

  get kafka(): Cluster {
    if (!this.servers.cluster) throw new Error('the log of this system is not in Kafka');
    return this.servers.cluster;
  }

  get links(): Links {
    if (!this.servers.links) throw new Error('this system is not behind proxies');
    return this.servers.links;
  }

  /** Returns the node that leads a partition of the log. */
  leaderOf(partition: number): Promise<number> {
    return leaderOf(this.kafka.brokers, this.topic, partition);
  }

  /** Returns the auditors that own a partition, or all of them while none does. */
  async ownersOf(partition: number): Promise<Running[]> {
    const [row] = await this.query<{ owner: string | null }>(
      'select owner from rows.position where partition = $1',
      [partition],
    );
    const owner = row?.owner;
    if (!owner) return this.auditors;
    return this.auditors.filter(
      (auditor) => auditor.isRunning && owner.includes(`/${auditor.pid}/`),
    );
  }

  /**
   * Resolves with the moment at which a client of the tests' own was served by the database and by
   * every partition of the log.
   */
  async served(): Promise<number> {
    await Promise.all([
      untilDatabaseServes(this.programsDatabaseUrl),
      this.servers.cluster &&
        untilKafkaServes(this.servers.cluster.brokers, { log: this.topic, probe: this.probe }),
    ]);
    return performance.now();
  }

  /** All programs, whether they run or not. */
  get programs(): readonly Running[] {
    return [...this.apis, ...this.auditors, ...this.sealers];
  }

  /** Returns how programs ended that nobody asked to end. */
  get endedByThemselves(): string[] {
    return this.programs.flatMap(({ endedByItself }) => endedByItself ?? []);
  }

  async addApi(): Promise<Running> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const api = await this.servers.processes.run({
      name: `api-${this.topic}-${(this.count += 1)}`,
      main: 'apps/api/src/main.js',
      env: {
        ...this.settings(),
        SHOEPRINT_PORT: String(port),
        SHOEPRINT_ADMIN_PASSWORD: 'correct horse battery staple',
      },
      livez: `${url}/livez`,
      hasOwnClock: this.servers.hasOwnClocks,
    });
    this.apis.push(api);
    this.urls.push(url);
    return api;
  }

  async addAuditor(): Promise<Running> {
    const port = await freePort();
    const auditor = await this.servers.processes.run({
      name: `auditor-${this.topic}-${(this.count += 1)}`,
      main: 'apps/auditor/src/main.js',
      env: {
        ...this.settings(),
        SHOEPRINT_METRICS_PORT: String(port),
        SHOEPRINT_LEASE_MS: String(LEASE_MS),
      },
      livez: `http://127.0.0.1:${port}/livez`,
      hasOwnClock: this.servers.hasOwnClocks,
    });
    this.auditors.push(auditor);
    return auditor;
  }

  /** Adds a sealer, which seals every second. */
  async addSealer(): Promise<Running> {
    const port = await freePort();
    const sealer = await this.servers.processes.run({
      name: `sealer-${this.topic}-${(this.count += 1)}`,
      main: 'apps/sealer/src/main.js',
      env: {
        ...this.settings(),
        SHOEPRINT_SITE: 'shoeprint.example/faults',
        SHOEPRINT_SEAL_KEY: join(this.servers.processes.dir, 'keys', 'log.key'),
        SHOEPRINT_SEAL_SECONDS: '1',
        SHOEPRINT_METRICS_PORT: String(port),
      },
      livez: `http://127.0.0.1:${port}/livez`,
    });
    this.sealers.push(sealer);
    return sealer;
  }

  async query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(sql, values)).rows;
  }

  /** Opens the log for reading while `use` runs. */
  async withLog<T>(use: (log: EventLog) => Promise<T>): Promise<T> {
    const log = this.servers.cluster
      ? await KafkaLog.open({
          brokers: this.servers.cluster.brokers,
          topic: this.topic,
          partitions: PARTITIONS,
        })
      : await PostgresLog.open({ url: this.databaseUrl, partitions: PARTITIONS });
    return use(log).finally(() => log.close());
  }

  /** Returns the last output of the programs, to explain a failed round. */
  lastWords(): string {
    return this.programs.map((running) => `${running.name}: ${running.lastWords()}`).join('\n');
  }

  /** Stops its own programs but not the servers. */
  async leave(): Promise<void> {
    await this.pool.end();
    await Promise.all(this.programs.map((running) => running.end('SIGKILL')));
  }

  async close(): Promise<void> {
    const { processes, cluster, links } = this.servers;
    await this.pool.end();
    await processes.close();
    await cluster?.stop();
    if (links)
      await Promise.all([links.postgres, ...links.brokers.values()].map((proxy) => proxy.close()));
  }

  /** Adds an account with these roles, who sees all tables, and returns the token of its session. */
  async person(name: string, ...roles: readonly Role[]): Promise<string> {
    const { id, text, hash } = newToken('sps');
    await this.query(
      `insert into access.account (name, person, password_hash, roles, tables, created_by)
       values ($1, $1, $2, $3, '{*}', 'system/test')`,
      [name, UNUSED_HASH, roles],
    );
    await this.query(
      `insert into access.session (id, account_name, token_hash, expires_at)
       values ($1, $2, $3, now() + interval '1 day')`,
      [id, name, hash],
    );
    return text;
  }

  /** The settings of each program, and of commands on the log and the rows. */
  settings(): Record<string, string> {
    return {
      DATABASE_URL: this.programsDatabaseUrl,
      SHOEPRINT_PARTITIONS: String(PARTITIONS),
      SHOEPRINT_GAMING_DAY: JSON.stringify(DAYS),
      SHOEPRINT_HOST: '127.0.0.1',
      ...(this.servers.cluster
        ? {
            SHOEPRINT_LOG: 'kafka',
            KAFKA_BROKERS: this.servers.cluster.brokers.join(','),
            KAFKA_TOPIC: this.topic,
          }
        : { SHOEPRINT_LOG: 'postgres' }),
    };
  }

  /** A topic of the foreign client, which leaves the log as it is. */
  private get probe(): string {
    return `${this.topic}-probe`;
  }

  /** Where the programs reach the database: at the proxy, if there is one. */
  private get programsDatabaseUrl(): string {
    const url = new URL(this.databaseUrl);
    if (this.servers.links) url.port = String(this.servers.links.postgres.port);
    return url.href;
  }

  /** Returns the token of a new device key that may write everything. */
  async deviceKey(): Promise<string> {
    const { id, text, hash } = newToken('spk');
    await this.query(
      'insert into access.device_key (id, name, token_hash, sources, tables, types, created_by) values ($1, $2, $3, $4, $4, $4, $5)',
      [id, `faults-${id}`, hash, ['*'], 'system/test'],
    );
    return text;
  }
}

interface Kafka {
  readonly cluster: Cluster;
  readonly proxies?: ReadonlyMap<number, KafkaProxy>;
}

/** Starts the Kafka that a system needs, if it needs one. */
async function kafkaFor({ log, isBehindProxies }: SystemOptions): Promise<Kafka | undefined> {
  if (log === 'postgres') return undefined;
  return isBehindProxies ? kafkaBehindProxies(log) : { cluster: await kafkaToKill(log) };
}

/** A system that several scenarios share, one after the other. */
export interface SharedSystem {
  /** Returns the system: a new one at first, and after a round failed. */
  readonly system: () => Promise<System>;
  readonly close: () => Promise<void>;
}

/** Returns a system that starts with its first use. */
export function sharedSystem(start: () => Promise<System>): SharedSystem {
  let started: Promise<System> | undefined;
  const close = async (): Promise<void> => {
    const running = started;
    started = undefined;
    await (await running?.catch(() => undefined))?.close();
  };
  return {
    system: async () => {
      if ((await started?.catch(() => undefined))?.isSpoiled !== false) await close();
      return (started ??= start());
    },
    close,
  };
}

function oneThatRuns(programs: readonly Running[]): Running {
  const found = programs.find(({ isRunning }) => isRunning);
  if (!found) throw new Error('no such program is running');
  return found;
}

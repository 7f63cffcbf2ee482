import pg from 'pg';
import type { Role } from '#api';
import { KafkaLog, PostgresLog, type EventLog } from '#event-log';
import { UNUSED_HASH } from '../../apps/api/src/identity/credentials/passwords.js';
import { newToken } from '../../apps/api/src/identity/credentials/bearer-token.js';
import { DAYS } from '../auditor/floor.js';
import { freshTopic, kafkaToKill } from '../kit/kafka.js';
import { freePort, Processes, type PostgresProcess, type Running } from '../kit/processes.js';

export const PARTITIONS = 4;
/** Lease of a silent auditor: short with few rounds, so that they end soon. */
const LEASE_MS = Number(process.env.SHOEPRINT_FAULTS_LEASE_MS ?? 1_000);

type Cluster = Awaited<ReturnType<typeof kafkaToKill>>;

export interface SystemOptions {
  /** Where the log is: in PostgreSQL, or in this many brokers of Kafka. */
  readonly log: 'postgres' | 1 | 3;
}

/**
 * The programs as a casino runs them: built, each in its own process, over a database and a log in
 * processes of their own.
 */
export class System {
  readonly apis: Running[] = [];
  readonly auditors: Running[] = [];
  readonly urls: string[] = [];
  key = '';
  private readonly topic = freshTopic();
  private count = 0;
  private readonly pool: pg.Pool;

  private constructor(
    private readonly processes: Processes,
    readonly postgres: PostgresProcess,
    private readonly cluster: Cluster | undefined,
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
  static async start({ log }: SystemOptions): Promise<System> {
    const processes = await Processes.open();
    let cluster: Cluster | undefined;
    try {
      const [postgres, kafka] = await Promise.all([
        processes.postgres(),
        log === 'postgres' ? undefined : kafkaToKill(log).then((started) => (cluster = started)),
      ]);
      return await new System(processes, postgres, kafka, postgres.url).begun();
    } catch (error) {
      await processes.close();
      await cluster?.stop();
      throw error;
    }
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
    return new System(this.processes, this.postgres, this.cluster, url.href).begun();
  }

  private async begun(): Promise<System> {
    await this.addApi();
    await this.addAuditor();
    this.key = await this.deviceKey();
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

  get kafka(): Cluster {
    if (!this.cluster) throw new Error('the log of this system is not in Kafka');
    return this.cluster;
  }

  async addApi(): Promise<Running> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const api = await this.processes.run({
      name: `api-${this.topic}-${(this.count += 1)}`,
      main: 'apps/api/src/main.js',
      env: {
        ...this.settings(),
        SHOEPRINT_PORT: String(port),
        SHOEPRINT_ADMIN_PASSWORD: 'correct horse battery staple',
      },
      livez: `${url}/livez`,
    });
    this.apis.push(api);
    this.urls.push(url);
    return api;
  }

  async addAuditor(): Promise<Running> {
    const port = await freePort();
    const auditor = await this.processes.run({
      name: `auditor-${this.topic}-${(this.count += 1)}`,
      main: 'apps/auditor/src/main.js',
      env: {
        ...this.settings(),
        SHOEPRINT_METRICS_PORT: String(port),
        SHOEPRINT_LEASE_MS: String(LEASE_MS),
      },
      livez: `http://127.0.0.1:${port}/livez`,
    });
    this.auditors.push(auditor);
    return auditor;
  }

  async query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(sql, values)).rows;
  }

  /** Opens the log for reading while `use` runs. */
  async withLog<T>(use: (log: EventLog) => Promise<T>): Promise<T> {
    const log = this.cluster
      ? await KafkaLog.open({
          brokers: this.cluster.brokers,
          topic: this.topic,
          partitions: PARTITIONS,
        })
      : await PostgresLog.open({ url: this.databaseUrl, partitions: PARTITIONS });
    return use(log).finally(() => log.close());
  }

  /** Returns the last output of the programs, to explain a failed round. */
  lastWords(): string {
    return [...this.apis, ...this.auditors]
      .map((running) => `${running.name}: ${running.lastWords()}`)
      .join('\n');
  }

  /** Stops its own programs but not the servers. */
  async leave(): Promise<void> {
    await this.pool.end();
    await Promise.all([...this.apis, ...this.auditors].map((running) => running.end('SIGKILL')));
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.processes.close();
    await this.cluster?.stop();
  }

  /** Adds an account with a role, who sees all tables, and returns the token of its session. */
  async person(name: string, role: Role): Promise<string> {
    const { id, text, hash } = newToken('sps');
    await this.query(
      `insert into access.account (name, person, password_hash, roles, tables, created_by)
       values ($1, $1, $2, $3, '{*}', 'system/test')`,
      [name, UNUSED_HASH, [role]],
    );
    await this.query(
      `insert into access.session (id, account_name, token_hash, expires_at)
       values ($1, $2, $3, now() + interval '1 hour')`,
      [id, name, hash],
    );
    return text;
  }

  /** The settings of each program, and of commands on the log and the rows. */
  settings(): Record<string, string> {
    return {
      DATABASE_URL: this.databaseUrl,
      SHOEPRINT_PARTITIONS: String(PARTITIONS),
      SHOEPRINT_GAMING_DAY: JSON.stringify(DAYS),
      SHOEPRINT_HOST: '127.0.0.1',
      ...(this.cluster
        ? {
            SHOEPRINT_LOG: 'kafka',
            KAFKA_BROKERS: this.cluster.brokers.join(','),
            KAFKA_TOPIC: this.topic,
          }
        : { SHOEPRINT_LOG: 'postgres' }),
    };
  }

  private async deviceKey(): Promise<string> {
    const { id, text, hash } = newToken('spk');
    await this.query(
      'insert into access.device_key (id, name, token_hash, sources, tables, types, created_by) values ($1, $2, $3, $4, $4, $4, $5)',
      [id, 'faults', hash, ['*'], 'system/test'],
    );
    return text;
  }
}

function oneThatRuns(programs: readonly Running[]): Running {
  const found = programs.find(({ isRunning }) => isRunning);
  if (!found) throw new Error('no such program is running');
  return found;
}

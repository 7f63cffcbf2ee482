import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { checkpointText } from '#evidence';
import { KafkaLog, type EventLog } from '#event-log';
import type { KafkaCluster } from '../../scripts/kafka/cluster.mjs';
import { built } from '../cli/shoeprint.js';
import { eventually } from '../kit/eventually.js';
import { describeOnKafka, freshTopic, kafkaToKill, whyNoKafkaToKill } from '../kit/kafka.js';
import { freePort, Processes, type PostgresProcess, type Running } from '../kit/processes.js';
import { ORIGIN, Site } from '../sealer/site.js';
import { CheckpointCollector } from './checkpoint-collector.js';
import { ROUNDS } from './round.js';
import { reportRound, sealingTest } from './sealer-rounds.js';

const PARTITIONS = 2;
const ROUND_MS = 120_000;
/** The least that a lease can last. A sealer that sleeps for longer has lost it. */
const LEASE_MS = 10_000;
const TABLES = ['B1', 'B2', 'B3', 'B4', 'B5'];
const REASON = ['--reason', 'a test of faults', '--by', 'mei'];
/** Between two records: about 50 a second, so that twenty rounds of all faults can be checked. */
const PAUSE_MS = 20;
/** The size of a disk that is filled at once. */
const SMALL_KB = 64;

let processes: Processes;
let cluster: KafkaCluster;
let postgres: PostgresProcess;
let site: Site;
let collector: CheckpointCollector;
let sealers: readonly [Running, Running];

/** Appends records until it is stopped. An append that fails is sent again. */
class Appending {
  count = 0;
  private isOver = false;
  private readonly running = this.run();

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  /** Waits until so many more records are in the log. */
  async more(records: number): Promise<void> {
    const wanted = this.count + records;
    await eventually(`${records} more records`, () => this.count >= wanted, ROUND_MS);
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const table = TABLES[this.count % TABLES.length] ?? '';
      const appended = await site.append(table, `{"table":"${table}","n":${this.count}}`).then(
        () => true,
        () => false,
      );
      if (appended) this.count += 1;
      await pause(appended ? PAUSE_MS : 200);
    }
  }
}

/** Returns the settings of a sealer. Both have the same key, as a house's two machines do. */
async function sealerSettings(port: number): Promise<Record<string, string>> {
  return {
    DATABASE_URL: postgres.url,
    SHOEPRINT_LOG: 'kafka',
    KAFKA_BROKERS: cluster.brokers.join(','),
    KAFKA_TOPIC: topic,
    SHOEPRINT_PARTITIONS: String(PARTITIONS),
    SHOEPRINT_SITE: ORIGIN,
    SHOEPRINT_SEAL_KEY: site.keyFile,
    SHOEPRINT_TILES: site.tiles,
    SHOEPRINT_SEAL_SECONDS: '1',
    SHOEPRINT_SEAL_LEASE_MS: String(LEASE_MS),
    SHOEPRINT_READ_AGAIN_KB: '100000',
    SHOEPRINT_WITNESSES: JSON.stringify([collector.witness.settings]),
    SHOEPRINT_HOST: '127.0.0.1',
    SHOEPRINT_METRICS_PORT: String(port),
  };
}

async function sealer(name: string): Promise<Running> {
  const port = await freePort();
  return processes.run({
    name,
    main: 'apps/sealer/src/main.js',
    env: await sealerSettings(port),
    livez: `http://127.0.0.1:${port}/livez`,
  });
}

/** Returns whether a sealer is the active one. */
async function isActive({ readyz, isRunning }: Running): Promise<boolean> {
  if (!isRunning) return false;
  const answer = await fetch(readyz, { signal: AbortSignal.timeout(5_000) });
  return ((await answer.json()) as { active: boolean }).active;
}

/** Returns the sealer that is active, and the other one. */
const inTurn = (): Promise<readonly [Running, Running]> =>
  eventually(
    'an active sealer',
    async () => {
      const [one, two] = sealers;
      if (await isActive(one).catch(() => false)) return [one, two] as const;
      return (await isActive(two).catch(() => false)) && ([two, one] as const);
    },
    ROUND_MS,
  );

/** Waits until a checkpoint is signed that is larger than any before. */
async function anotherCheckpoint(): Promise<void> {
  const before = (await site.reader.checkpoint())?.size ?? 0;
  await eventually(
    `a checkpoint beyond size ${before}`,
    async () => ((await site.reader.checkpoint())?.size ?? 0) > before,
    ROUND_MS,
  );
}

/** Waits until a sealer raises an alarm in its log. Does `before` ahead of each look. */
const alarmed = (words: RegExp, before?: () => unknown): Promise<unknown> =>
  eventually(
    `an alarm ${words.source}`,
    () => {
      before?.();
      return sealers.some((each) => words.test(each.lastWords()));
    },
    ROUND_MS,
  );

const topic = freshTopic();
const openLog = (): Promise<EventLog> =>
  KafkaLog.open({ brokers: cluster.brokers, topic, partitions: PARTITIONS, create: true });

/** Causes a fault while records come, and mends it. `round` counts from 0. */
type Strike = (load: Appending, round: number) => Promise<void>;

const FAULTS: Readonly<Record<string, Strike>> = {
  'sealer killed': async () => {
    const [active] = await inTurn();
    await active.end('SIGKILL');
    await active.start();
  },
  'both sealers killed': async () => {
    await Promise.all(sealers.map((each) => each.end('SIGKILL')));
    await Promise.all(sealers.map((each) => each.start()));
  },
  'sealer asleep past its lease': async () => {
    const [active, other] = await inTurn();
    active.signal('SIGSTOP');
    await eventually('the other one active', () => isActive(other), ROUND_MS);
    await anotherCheckpoint();
    active.signal('SIGCONT');
  },
  'PostgreSQL killed': async () => {
    await postgres.kill();
    await postgres.start();
  },
  'broker killed': async () => {
    await cluster.kill(1);
    await cluster.restart(1);
  },
  'memory of the key lost': async () => {
    await Promise.all(sealers.map((each) => each.end('SIGKILL')));
    const last = `${site.keyFile}.last`;
    const signed = await eventually('a checkpoint of what was signed last', async () => {
      const kept = await site.reader.checkpoint();
      return kept && readFileSync(last, 'utf8') === checkpointText(collector.largest) && kept;
    }).catch(async () => (await site.reader.checkpoint()) ?? undefined);
    const remembered = readFileSync(last);
    rmSync(last);
    await sealers[0].start();
    await alarmed(/log\.key\.last is missing/);
    // A crash between the memory and the signature leaves a memory that no checkpoint has.
    const isSigned = signed?.note.startsWith(remembered.toString()) === true;
    if (isSigned) {
      writeFileSync(`${site.folder}/kept`, signed.note.replace(/\n— witness[^\n]*/g, ''));
      await site.run('trust', `${site.folder}/kept`, ...REASON);
    } else writeFileSync(last, remembered);
    await sealers[1].start();
  },
  'key unreadable': async () => {
    await Promise.all(sealers.map((each) => each.end('SIGKILL')));
    chmodSync(site.keyFile, 0o644);
    await expect(sealers[0].start()).rejects.toThrow(/other users can read the key file/);
    chmodSync(site.keyFile, 0o600);
    await Promise.all(sealers.map((each) => each.start()));
  },
  'disk of the key full': async () => {
    const keys = `${site.folder}/keys`;
    const isMounted = mountSmallDisk(keys);
    try {
      await alarmed(/retrying signature.*(ENOSPC|EISDIR)/, () => isMounted && fill(keys));
      if (isMounted) rmSync(`${keys}/filler`);
      else rmSync(`${site.keyFile}.last.next`, { recursive: true });
      await anotherCheckpoint();
    } finally {
      if (isMounted) await unmount(keys);
    }
  },
  'database restored to an older state': async (load) => {
    await backUp();
    await load.more(50);
    await anotherCheckpoint();
    await Promise.all(sealers.map((each) => each.end('SIGTERM')));
    await restoreBackUp();
    await sealers[0].start();
    await alarmed(/the database is older than its seals/);
    const { code } = await site.run('restore', site.tiles, ...REASON);
    expect(code).toBe(0);
    await sealers[1].start();
  },
};

/**
 * Moves the keys to a small disk of their own, and returns true. Where none can be mounted, a
 * folder takes the place of the file that a sealer writes next.
 */
function mountSmallDisk(keys: string): boolean {
  cpSync(keys, `${keys}.copy`, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_KB}k`, 'tmpfs', keys]);
  } catch {
    rmSync(`${keys}.copy`, { recursive: true });
    mkdirSync(`${site.keyFile}.last.next`, { recursive: true });
    return false;
  }
  cpSync(`${keys}.copy`, keys, { recursive: true });
  rmSync(`${keys}.copy`, { recursive: true });
  return true;
}

/** Takes what is left of a disk. A sealer that replaces a file meanwhile leaves room again. */
function fill(disk: string): void {
  try {
    for (;;) appendFileSync(`${disk}/filler`, Buffer.alloc(1_024));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
}

/** Moves the keys back from a disk of their own. */
async function unmount(keys: string): Promise<void> {
  await Promise.all(sealers.map((each) => each.end('SIGTERM')));
  cpSync(keys, `${keys}.copy`, { recursive: true });
  execFileSync('umount', [keys]);
  cpSync(`${keys}.copy`, keys, { recursive: true });
  rmSync(`${keys}.copy`, { recursive: true });
  await Promise.all(sealers.map((each) => each.start()));
}

/** The tables of the schema `seal`. */
async function sealedTables(): Promise<string[]> {
  const tables = await site.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'seal'::regnamespace and relkind = 'r' and relname <> 'migration'`,
  );
  return tables.map(({ name }) => name);
}

async function backUp(): Promise<void> {
  const tables = await sealedTables();
  await site.query('begin isolation level repeatable read');
  for (const name of tables) {
    await site.query(`drop table if exists backup_${name}`);
    await site.query(`create table backup_${name} as table seal.${name}`);
  }
  await site.query('commit');
}

async function restoreBackUp(): Promise<void> {
  for (const name of await sealedTables()) {
    await site.query(`truncate seal.${name}`);
    await site.query(`insert into seal.${name} select * from backup_${name}`);
  }
  await site.query('update seal.site set owner = null, lease_until = null');
}

/** Strikes while records come, and checks everything that is sealed afterwards. */
async function play(scenario: string, strike: Strike, round: number): Promise<void> {
  const load = new Appending();
  try {
    await load.more(20 + Math.floor(60 * Math.random()));
    await strike(load, round);
    await load.more(20);
    await anotherCheckpoint();
    await load.stop();
    expect(await collector.expectOneHistory()).toBeGreaterThan(0);
    reportRound(scenario, { acknowledged: load.count });
  } catch (error) {
    reportRound(scenario, { failed: String(error) });
    const words = sealers.map((each) => each.lastWords()).join('\n');
    throw new Error(`round ${round + 1}: ${String(error)}\n${words}`, { cause: error });
  } finally {
    await load.stop();
  }
}

describeOnKafka('whatever befalls a sealer under load', await whyNoKafkaToKill(), () => {
  beforeAll(async () => {
    built();
    processes = await Processes.open();
    [postgres, cluster] = await Promise.all([processes.postgres(), kafkaToKill(1)]);
    site = await Site.open(openLog, async () => ({
      url: postgres.url,
      drop: async () => undefined,
    }));
    collector = await CheckpointCollector.of(site);
    sealers = [await sealer('sealer-1'), await sealer('sealer-2')];
  }, 300_000);
  afterAll(async () => {
    await collector?.close();
    await site?.close();
    await processes?.close();
    await cluster?.stop();
  });

  for (const [scenario, strike] of Object.entries(FAULTS))
    sealingTest(scenario)(
      `${scenario}: nothing sealed is lost, and no two checkpoints contradict each other`,
      async () => {
        for (let round = 0; round < ROUNDS; round += 1) await play(scenario, strike, round);
      },
      ROUNDS * 2 * ROUND_MS,
    );
});

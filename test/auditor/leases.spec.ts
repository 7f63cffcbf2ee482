import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryLog } from '#event-log';
import { RowStore } from '#read-model';
import type { Auditor } from '../../apps/auditor/src/own/auditor.js';
import { eventually } from '../kit/eventually.js';
import { TcpProxy } from '../kit/tcp-proxy.js';
import { simulated } from '../simulate/simulated.js';
import { append, Floor, linesOf, recordsOf } from './floor.js';

/** A log that keeps a question for its heads waiting while it is silent. */
class SilentLog extends MemoryLog {
  private readonly waiting: (() => void)[] = [];
  private isSilent = false;

  override async head(partition: number): Promise<number> {
    if (this.isSilent) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return super.head(partition);
  }

  fallSilent(): void {
    this.isSilent = true;
  }

  speak(): void {
    this.isSilent = false;
    for (const goOn of this.waiting.splice(0)) goOn();
  }
}

let floor: Floor;
let log: SilentLog;
beforeEach(async () => {
  floor = await Floor.open(2);
  log = new SilentLog({ store: floor.log.store });
});
afterEach(async () => {
  log.speak();
  await floor.close();
});

const LEASE_MS = 1_000;

const linesAt = (table: string): string[] =>
  linesOf(simulated({ rules: 'punto-banco@1', seed: table, shoes: 1, table }).lines).slice(0, 200);

interface Lease {
  readonly partition: number;
  readonly owner: string | null;
  readonly generation: string;
  readonly until: string;
}

const leases = (): Promise<Lease[]> =>
  floor.query(
    'select partition, owner, generation, lease_until::text as until from rows.position order by 1',
  );
const owners = (of: readonly Lease[]): unknown =>
  of.map(({ partition, owner, generation }) => ({ partition, owner, generation }));

describe('after an outage of the database that outlasts the leases', () => {
  const LONG_LEASE_MS = 3_000;
  let proxies: TcpProxy[];
  let stores: RowStore[];
  beforeEach(async () => {
    const address = new URL(floor.database.url);
    const server = Number(address.port);
    proxies = [await TcpProxy.before(server), await TcpProxy.before(server)];
    stores = proxies.map(({ port }) => {
      address.hostname = '127.0.0.1';
      address.port = String(port);
      return RowStore.open(address.href);
    });
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  it('the auditor that is back first leaves the others their partitions, so that nothing is loaded again', async () => {
    const leaseMs = LONG_LEASE_MS;
    const auditors: Auditor[] = [];
    for (const rows of stores) auditors.push(await floor.start({ rows, leaseMs }));
    await append(floor.log, 'T1', recordsOf('T1', linesAt('T1'), [4]), 0);
    await append(floor.log, 'T2', recordsOf('T2', linesAt('T2'), [4]), 1);
    await eventually('a partition for each', () =>
      auditors.every(({ following }) => following.length === 1),
    );
    await floor.caughtUp();
    const before = owners(await leases());
    const [first, second] = await Promise.all(proxies.map((proxy) => proxy.refuse()));
    await eventually('leases that have ended, and members that are gone', async () => {
      const [seen] = await floor.query<{ ended: boolean }>(
        `select (select bool_and(lease_until < clock_timestamp()) from rows.position)
           and (select max(seen_at) < clock_timestamp() - $1 * interval '1 ms' from rows.member) as ended`,
        [leaseMs + 500],
      );
      return seen?.ended;
    });
    await first?.();
    await eventually('one that is back', async () => {
      const [seen] = await floor.query<{ back: boolean }>(
        `select bool_or(seen_at > clock_timestamp() - interval '1 s') as back from rows.member`,
      );
      return seen?.back;
    });
    await second?.();
    await eventually('both that renew their leases for long', async () => {
      const [seen] = await floor.query<{ valid: boolean }>(
        `select (select bool_and(lease_until > clock_timestamp()) from rows.position)
           and (select count(*) = 2 and min(seen_at) > clock_timestamp() - interval '2 s' from rows.member) as valid`,
      );
      return seen?.valid;
    });
    expect(owners(await leases())).toEqual(before);
    await Promise.all(auditors.map((auditor) => auditor.close()));
  });
});

describe('while the log does not answer', () => {
  it('auditors renew all leases, and no partition changes its owner', async () => {
    const [one, two] = [
      await floor.start({ log, leaseMs: LEASE_MS }),
      await floor.start({ log, leaseMs: LEASE_MS }),
    ];
    await append(floor.log, 'T1', recordsOf('T1', linesAt('T1'), [4]), 0);
    await append(floor.log, 'T2', recordsOf('T2', linesAt('T2'), [4]), 1);
    await eventually(
      'a partition for each',
      () => one.following.length === 1 && two.following.length === 1,
    );
    await floor.caughtUp();
    log.fallSilent();
    const before = await leases();
    await eventually('leases that were renewed long after they would have ended', async () => {
      const [{ renewed } = { renewed: false }] = await floor.query<{ renewed: boolean }>(
        `select bool_and(p.lease_until > b.until + $3 * interval '1 ms') as renewed
         from rows.position p join unnest($1::int[], $2::timestamptz[]) b (partition, until) using (partition)`,
        [before.map(({ partition }) => partition), before.map(({ until }) => until), 4 * LEASE_MS],
      );
      return renewed;
    });
    expect(owners(await leases())).toEqual(owners(before));
  });
});

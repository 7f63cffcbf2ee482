import { setTimeout as pause } from 'node:timers/promises';
import { consistencyProof, readSeal, sameBytes, type Seal } from '#evidence';
import {
  KeyRefused,
  LeaseLost,
  type GrowingTree,
  type Lease,
  type StoredHead,
  type SealState,
  type SiteEntry,
} from '#seal-store';
import { errorText } from '#server';
import type { SiteKeys } from '../keys/site-keys.js';
import { SigningRefused } from '../signing/checkpoint-signer.js';
import { BeginAgain } from './begin-again.js';
import type { SealerParts } from './parts.js';
import { SealingSession } from './session.js';
import { SiteLog } from './site-log.js';
import { Tables } from './tables.js';

/** How often a standby sealer asks for the lease while one lasts. */
const CLAIMS_A_LEASE = 3;
const RETRY_MS = 500;
const RETRY_MS_MAX = 10_000;
/** A session that lasted this long was healthy, so the next failure is retried soon. */
const HEALTHY_MS = 60_000;

/**
 * Stands by until no other sealer holds the lease, then seals. After any failure it begins again
 * from what the database holds, under a new generation.
 */
export class Sealer {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private lease: Lease | undefined;
  private failures = 0;

  constructor(private readonly parts: SealerParts) {
    this.running = this.run();
  }

  /** Whether this sealer is the active one. */
  get isActive(): boolean {
    return this.lease !== undefined;
  }

  /** Commits what was read, and ends the lease. */
  async close(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { store, owner, leaseMs, metrics, trouble } = this.parts;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.lookAtSeals();
        const lease = await store.claim(owner, leaseMs);
        if (lease) await this.seal(lease);
        else {
          trouble.over();
          metrics.standBy();
          await this.rest(leaseMs / CLAIMS_A_LEASE);
        }
      } catch (error) {
        await this.failed(error);
      }
    }
  }

  /** Learns when the site was sealed last, also while another sealer seals or this one cannot. */
  private async lookAtSeals(): Promise<void> {
    const last = await this.parts.reader.lastEntry('seal');
    if (last) this.parts.metrics.sealedAt(Date.parse(readSeal(last.text).time));
  }

  private async seal(lease: Lease): Promise<void> {
    const { store, reader, journal, sha256 } = this.parts;
    this.setLease(lease);
    const beganAt = performance.now();
    try {
      const state = await store.state(sha256);
      await this.assertRemembered(state.site);
      const last = await reader.lastEntry('seal');
      const heads = last ? await reader.heads(last.index) : [];
      const tables = new Tables(this.parts, state, heads);
      const lastSeal = last && checkedSeal(last, state, { heads, tables });
      const keys = await this.parts.readKeys();
      keys.tidy();
      const siteLog = await this.siteLogOf({ state, tables, lastSeal, keys });
      journal.info('sealing', { generation: lease.generation, size: state.site.size });
      const signed = await reader.checkpoint();
      if (signed) await this.parts.publish(signed);
      await this.sealAndCheck(lease, { tables, siteLog });
      await store.release(lease);
    } catch (error) {
      // A person mends that with a command, which needs the lease.
      if (error instanceof SigningRefused) await store.release(lease);
      throw error;
    } finally {
      if (performance.now() - beganAt >= HEALTHY_MS) this.failures = 0;
      this.setLease(undefined);
    }
  }

  /**
   * Throws `SigningRefused` unless the database continues what the key signed last. Of another one,
   * not even a record is hashed.
   */
  private async assertRemembered(site: GrowingTree): Promise<void> {
    const { signer, reader, origin, sha256 } = this.parts;
    const { size } = site;
    await signer.assertFollows({ origin, size, root: site.root() }, (from) =>
      consistencyProof(sha256, { from, to: size }, reader.nodes('site', size)),
    );
  }

  /** Seals, and reads the log again meanwhile. */
  private async sealAndCheck(
    lease: Lease,
    loaded: { readonly tables: Tables; readonly siteLog: SiteLog },
  ): Promise<void> {
    const over = new AbortController();
    const checking = this.parts.check.run(over.signal);
    try {
      await SealingSession.run(this.parts, lease, loaded, this.stopping.signal);
    } finally {
      over.abort();
      await checking;
    }
  }

  private async siteLogOf({
    state,
    tables,
    lastSeal,
    keys,
  }: {
    readonly state: SealState;
    readonly tables: Tables;
    readonly lastSeal: Seal | undefined;
    readonly keys: SiteKeys;
  }): Promise<SiteLog> {
    const { reader, metrics } = this.parts;
    const [statement, day, first, checkpoint] = await Promise.all([
      reader.lastEntry('keys'),
      reader.lastDaySeal(),
      reader.firstSeal(),
      reader.checkpoint(),
    ]);
    metrics.size.set(checkpoint?.size ?? 0);
    return new SiteLog(this.parts, tables, {
      tree: state.site,
      lastSeal,
      keys,
      statement: statement?.index,
      lastDay: day && { index: day.index, day: day.day, next: readSeal(day.text).next },
      firstSealed: first && readSeal(first.text).time,
      signed: checkpoint?.size ?? 0,
    });
  }

  private setLease(lease: Lease | undefined): void {
    this.lease = lease;
    this.parts.metrics.active.set(lease ? 1 : 0);
  }

  /**
   * Begins again at once after a partition was resumed, keys changed or another sealer took over.
   * Anything else is a failure and is tried again, ever more slowly.
   */
  private async failed(error: unknown): Promise<void> {
    const { journal, metrics, trouble } = this.parts;
    if (error instanceof LeaseLost) {
      journal.info('site lost to another sealer', { error: errorText(error) });
      return;
    }
    if (error instanceof BeginAgain) {
      journal.info('sealing session restarted', { why: error.message });
      return;
    }
    if (error instanceof KeyRefused) this.parts.alarms.raise('key', { detail: error.message });
    if (error instanceof SigningRefused)
      this.parts.alarms.raise(error.alarm, { detail: error.message });
    metrics.failed('session');
    trouble.failed(error);
    journal.error('retrying to seal', { error: errorText(error) });
    const waitMs = Math.min(RETRY_MS * 2 ** this.failures, RETRY_MS_MAX);
    this.failures += 1;
    await this.rest(waitMs);
  }

  private async rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined); // stopping
  }
}

/**
 * Returns the last seal. Throws `SigningRefused` if the stored heads and trees are not those that
 * it holds: what is sealed on such trees would contradict it.
 */
function checkedSeal(
  { index, text }: SiteEntry,
  state: SealState,
  { heads, tables }: { readonly heads: readonly StoredHead[]; readonly tables: Tables },
): Seal {
  const seal = readSeal(text);
  const refuse = (why: string): never => {
    throw new SigningRefused('fork', `nothing is sealed: ${why}: the database was changed`);
  };
  if (seal.number !== index || !sameBytes(tables.headsRoot, seal.heads))
    refuse(`the heads in the database are not those of seal ${index}`);
  const sealed = heads.reduce((sum, { size }) => sum + size, 0);
  const hashed = state.positions.reduce((sum, { next }) => sum + next, 0);
  const held = state.tables.reduce((sum, { tree }) => sum + tree.size, 0);
  if (hashed !== held || sealed > held)
    refuse(`the trees hold ${held} records, and the positions say ${hashed}`);
  const roots = new Map(heads.map(({ number, size, root }) => [number, { size, root }] as const));
  for (const { number = -1, tree, name } of state.tables) {
    const head = roots.get(number);
    if (head?.size === tree.size && !sameBytes(head.root, tree.root()))
      refuse(`the stored tree of table ${name} does not have the root of seal ${index}`);
  }
  return seal;
}

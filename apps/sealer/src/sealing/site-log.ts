import { consistencyProof, leafHash, sealText, utf8Of, vkeyText, type Seal } from '#evidence';
import {
  LeaseLost,
  SITE_TREE,
  TreeGrowth,
  type GrowingTree,
  type Lease,
  type NewEntry,
} from '#seal-store';
import { errorText } from '#server';
import type { SiteKeys } from '../keys/site-keys.js';
import { houseLine, SEALER } from '../monitoring/house-events.js';
import { SigningRefused } from '../signing/checkpoint-signer.js';
import { BeginAgain } from './begin-again.js';
import type { SealerParts } from './parts.js';
import { dueDay, whySeal, type SealReason } from './rhythm.js';
import type { Tables } from './tables.js';

/** How long a failed step rests before it is tried again. */
const RETRY_MS = 5_000;
/** The clocks of this machine and of the database may differ by this much. */
const CLOCK_MS_MAX = 60_000;
/** A lease must last at least this long after its last write when the key is used. */
const SIGNING_MS = 5_000;

/** A gaming day that a seal has closed. */
interface ClosedDay {
  /** Index of the seal. */
  readonly index: number;
  readonly day: string;
  readonly next: readonly number[];
}

/** What the site log continues from. */
export interface SiteLogState {
  readonly tree: GrowingTree;
  /** The last seal, and its own text as it was added; undefined before the first. */
  readonly lastSeal: Seal | undefined;
  readonly keys: SiteKeys;
  /** Index of the latest key statement; undefined in an empty site log. */
  readonly statement: number | undefined;
  /** The last gaming day that a seal has closed, and the positions of that seal. */
  readonly lastDay: ClosedDay | undefined;
  /** The time of the first seal. */
  readonly firstSealed: string | undefined;
  /** Size of the last signed checkpoint. */
  readonly signed: number;
}

/**
 * The site log as this session continues it. Adds a seal when one is due, signs the checkpoint of
 * it, and publishes that. No leaf is added before the checkpoint of the one before is signed.
 */
export class SiteLog {
  private lastSeal: Seal | undefined;
  private lastSealAt: number;
  private firstSealed: string | undefined;
  private lastDay: ClosedDay | undefined;
  private readonly statement: number | undefined;
  private signed: number;
  /** When the last write began that made the lease last longer. */
  private heldSince = -Infinity;
  private notBefore = 0;

  constructor(
    private readonly parts: SealerParts,
    private readonly tables: Tables,
    private readonly state: SiteLogState,
  ) {
    this.lastSeal = state.lastSeal;
    this.firstSealed = state.firstSealed;
    this.lastDay = state.lastDay;
    this.statement = state.statement;
    this.signed = state.signed;
    const age = state.lastSeal ? Date.now() - Date.parse(state.lastSeal.time) : Infinity;
    this.lastSealAt = performance.now() - Math.max(0, age);
  }

  /**
   * Does what is due. `commit` brings the trees up to what was read. A failure of this database
   * rejects; a key or a folder that fails is tried again later.
   */
  async advance(lease: Lease, commit: () => Promise<void>): Promise<void> {
    if (performance.now() < this.notBefore) return;
    if (this.signed < this.state.tree.size) return this.trySigning(lease);
    if (this.statement === undefined) return this.addFirstStatement(lease);
    await this.retireReplaced(lease);
    const day = this.dayDue();
    const { requests, rhythm, metrics } = this.parts;
    const standing = {
      sinceSealMs: performance.now() - this.lastSealAt,
      unsealed: this.tables.unsealed,
      isAsked: requests.isWaiting,
      day,
    };
    const reason = whySeal(standing, rhythm);
    if (reason === undefined || !(await this.isClockGood())) return;
    await commit();
    const began = performance.now();
    const seal = await this.addSeal(lease, reason, day);
    await this.trySigning(lease);
    metrics.seals.inc({ reason });
    this.parts.journal.info('sealed', {
      reason,
      number: seal.number,
      tables: seal.tables,
      records: seal.next.reduce((sum, next) => sum + next, 0),
      ms: Math.round(performance.now() - began),
      ...(day !== undefined && { day }),
    });
  }

  private dayDue(): string | undefined {
    const { rhythm, dayOf } = this.parts;
    const { firstSealed } = this;
    const lastDay = this.lastDay?.day;
    return dueDay({ nowMs: Date.now(), graceMs: rhythm.graceMs, dayOf, lastDay, firstSealed });
  }

  /** Returns whether this machine's clock agrees with the database's. Raises the alarm if not. */
  private async isClockGood(): Promise<boolean> {
    const aheadMs = await this.parts.store.clockAheadMs();
    if (Math.abs(aheadMs) <= CLOCK_MS_MAX) return true;
    this.notBefore = performance.now() + RETRY_MS;
    const detail = 'nothing is sealed: the clock of the sealer and that of the database differ';
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    this.parts.alarms.raise('clock', { detail: `${detail} by ${seconds} s` }, detail);
    return false;
  }

  /** Adds leaf 0, which names the keys of the site. */
  private async addFirstStatement(lease: Lease): Promise<void> {
    const text = this.state.keys.firstStatement;
    if (text !== undefined) await this.add(lease, { kind: 'keys', text, numbers: [], grown: [] });
    throw new BeginAgain('the site log has its first key statement');
  }

  /** Ends a rotation: retires the keys that a newer one has replaced for a whole sealed day. */
  private async retireReplaced(lease: Lease): Promise<void> {
    const { keys, tree } = this.state;
    const replaced = keys.replacedAt(this.lastDay?.index);
    if (replaced.length === 0) return;
    const statement = tree.size;
    const text = keys.retirement(statement, replaced);
    const changes = { retired: replaced.map(vkeyText) };
    const reason = `the seal of the gaming day ${this.lastDay?.day} is signed by the new key too`;
    const data = { statement, changes, reason };
    const line = houseLine({ type: 'evidence-keys-changed', by: SEALER, data });
    await this.add(lease, { kind: 'keys', text, numbers: [], grown: [] }, line);
    throw new BeginAgain('a key was retired');
  }

  private async addSeal(lease: Lease, reason: SealReason, day: string | undefined): Promise<Seal> {
    const { numbers, grown, ...sealed } = this.tables.seal();
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const before = this.lastSeal?.time ?? now;
    const seal: Seal = {
      origin: this.parts.origin,
      number: this.state.tree.size,
      time: now > before ? now : before,
      log: this.parts.sealedLogId,
      next: [...this.tables.positions],
      tables: sealed.tables,
      names: sealed.names,
      heads: sealed.heads,
      keys: this.statement ?? 0,
      ...(reason === 'day' && day !== undefined && { day }),
    };
    await this.add(lease, { kind: 'seal', text: sealText(seal), day: seal.day, numbers, grown });
    this.parts.requests.answered();
    this.lastSeal = seal;
    this.lastSealAt = performance.now();
    this.firstSealed ??= seal.time;
    if (seal.day !== undefined)
      this.closeDay({ index: seal.number, day: seal.day, next: seal.next });
    this.parts.metrics.sealedAt(Date.parse(seal.time));
    return seal;
  }

  /** Has the records of a closed day read again at once. */
  private closeDay(day: ClosedDay): void {
    const before = this.lastDay?.next;
    this.parts.check.soon(
      day.next.map((to, partition) => ({ partition, from: before?.[partition] ?? 0, to })),
    );
    this.lastDay = day;
  }

  /** Adds a leaf, and with it a line for the record of the house. */
  private async add(
    lease: Lease,
    entry: Omit<NewEntry, 'index' | 'site'>,
    line?: string,
  ): Promise<void> {
    const { store, sha256, metrics } = this.parts;
    const index = this.state.tree.size;
    const site = new TreeGrowth(SITE_TREE, this.state.tree);
    site.append(leafHash(sha256, utf8Of(entry.text)));
    const beganAt = performance.now();
    await store.addEntry(lease, { ...entry, index, site }, line);
    this.heldSince = beganAt;
    metrics.unsigned.set(this.state.tree.size - this.signed);
  }

  /** Signs the checkpoint of the whole site log, keeps it and publishes it. */
  private async sign(lease: Lease): Promise<void> {
    const { store, reader, sha256, signer, origin, metrics } = this.parts;
    const { size } = this.state.tree;
    const root = this.state.tree.root();
    if (!this.isHeld(lease)) await this.renew(lease);
    const assertHeld = (): void => {
      if (!this.isHeld(lease)) throw new Error('the lease may end before the key is used');
    };
    const prove = (from: number): Promise<Uint8Array[]> =>
      consistencyProof(sha256, { from, to: size }, reader.nodes('site', size));
    const keys = this.state.keys.signers;
    const note = await signer.sign({ origin, size, root }, { keys, prove, assertHeld });
    await store.keepCheckpoint(size, note);
    this.signed = size;
    this.parts.trouble.over();
    metrics.size.set(size);
    metrics.unsigned.set(0);
    await this.parts.publish({ size, note });
  }

  /** Whether the lease lasts for so long that no other sealer signs at the same time. */
  private isHeld(lease: Lease): boolean {
    return performance.now() - this.heldSince <= lease.ms - SIGNING_MS;
  }

  private async renew(lease: Lease): Promise<void> {
    const beganAt = performance.now();
    await this.parts.store.renew(lease);
    this.heldSince = beganAt;
  }

  /** Signs. If the key or its folder fails, it is tried again later, and nothing is sealed until then. */
  private async trySigning(lease: Lease): Promise<void> {
    try {
      await this.sign(lease);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.notBefore = performance.now() + RETRY_MS;
      this.parts.metrics.failed('sign');
      this.parts.trouble.failed(error);
      const detail = `no checkpoint is signed: ${errorText(error)}`;
      if (error instanceof SigningRefused) this.parts.alarms.raise(error.alarm, { detail });
      else this.parts.journal.error('retrying signature', { error: errorText(error) });
    }
  }
}

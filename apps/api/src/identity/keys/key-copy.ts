import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { ApiSettings } from '../../settings/api-settings.js';
import { DeviceKey, KeyTable } from '../database/access.entities.js';
import { KeyTables } from './key-tables.js';

/** How often the keys are copied. A copy is only used while the database does not answer. */
const COPY_MS = 10_000;
/** The most keys of a copy, those used last, and the most names of tables that they brought. */
const KEYS_MAX = 10_000;
const TABLES_MAX = 50_000;

/** How old the copy of the device keys is, for `/readyz`. Null if there is no copy. */
export interface KeyCopyState {
  readonly copiedAt: string | null;
  /** Until when devices can send events if the database does not answer from now on. */
  readonly usableUntil: string | null;
}

/**
 * A copy in memory of the device keys that are not revoked, and of the tables that they brought, so
 * that cards are taken while PostgreSQL is away and the log is not. A copy older than the setting
 * is not used: a key may have been revoked since.
 */
@Injectable()
export class KeyCopy implements OnApplicationBootstrap, OnModuleDestroy {
  private keys: ReadonlyMap<string, DeviceKey> = new Map();
  /** Keys that were revoked or not found since the copy under way began. */
  private readonly dropped = new Set<string>();
  /** When the copy began, on the wall clock and on the monotonic one. */
  private copied: { readonly time: number; readonly at: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private copying: Promise<void> | undefined;

  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
    private readonly tables: KeyTables,
  ) {}

  /** Makes the first copy. An api that has none takes no events without the database. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.maxAgeMs === 0) return;
    await this.refresh();
    this.timer = setInterval(() => void this.refresh(), COPY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** How long a copy, and a look-up of a key, may be used without the database, in ms. */
  get maxAgeMs(): number {
    return this.settings.keyCopyMinutes * 60_000;
  }

  /** Returns the state of the copy. */
  get state(): KeyCopyState {
    if (!this.copied) return { copiedAt: null, usableUntil: null };
    const { time } = this.copied;
    return {
      copiedAt: new Date(time).toISOString(),
      usableUntil: new Date(time + this.maxAgeMs).toISOString(),
    };
  }

  /** Returns a key of the copy, or undefined if it has none of this id or is too old. */
  find(id: string): DeviceKey | undefined {
    const isUsable =
      this.copied !== undefined && performance.now() - this.copied.at < this.maxAgeMs;
    return isUsable && !this.dropped.has(id) ? this.keys.get(id) : undefined;
  }

  /** Takes a key out of the copy, because it is revoked or not in the database. */
  drop(id: string): void {
    if (this.keys.has(id) || this.copying) this.dropped.add(id);
  }

  /** Copies the keys. Keeps the former copy if the database does not answer. Never rejects. */
  private refresh(): Promise<void> {
    this.copying ??= this.copy()
      .catch(() => undefined)
      .finally(() => (this.copying = undefined));
    return this.copying;
  }

  private async copy(): Promise<void> {
    const copied = { time: Date.now(), at: performance.now() };
    const before = new Set(this.dropped);
    const keys = await this.source.getRepository(DeviceKey).find({
      where: { revokedAt: IsNull() },
      order: { lastUsedAt: { direction: 'desc', nulls: 'last' } },
      take: KEYS_MAX,
    });
    const brought = await this.source.getRepository(KeyTable).find({ take: TABLES_MAX });
    this.keys = new Map(keys.map((key) => [key.id, key]));
    this.copied = copied;
    for (const id of before) this.dropped.delete(id);
    this.tables.learn(brought);
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource, type Repository } from 'typeorm';
import type { Identity } from '../identity.js';
import { Problem } from '../../problems/problems.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { DeviceKey, KeyTable } from '../database/access.entities.js';

/** The most names of tables in the cache. Beyond it, the key that was loaded first is dropped. */
const REMEMBERED_MAX = 100_000;

/** A table that a request is about, and the position of its first event in a batch, from 1. */
export interface TableAsked {
  readonly table: string;
  readonly position: number | undefined;
}

/** A request that waits until its tables are counted. */
interface Waiting {
  readonly asked: readonly TableAsked[];
  readonly counted: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Bounds how many tables a key brings into the record, because a sender may invent names, and each
 * table costs the auditor memory and rows for ever. A table counts when the key sends to it first,
 * and is kept in PostgreSQL, so it survives a restart and holds in every api. Tables that a key
 * lists by name do not count. People are not bound: they have the tables of their account.
 */
@Injectable()
export class KeyTables {
  private readonly remembered = new Map<string, ReadonlySet<string>>();
  /** For each key for which tables are being counted, the requests that came meanwhile. */
  private readonly waiting = new Map<string, Waiting[]>();
  private size = 0;

  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
  ) {}

  /** Returns whether the sender may write about a table without asking the database. */
  knows({ kind, id, writes }: Identity, table: string): boolean {
    return kind === 'person' || this.remembered.get(id)?.has(table) === true || writes.names(table);
  }

  /**
   * Counts the tables that are new to a key. Throws `source-not-yours`, and counts none of them, if
   * they are more than the key may still bring. Rejects if the database does not answer. Requests
   * of one key that come while others are being counted share one transaction, because a gateway
   * that serves a whole floor begins at all its tables at once.
   */
  async bring(sender: Identity, asked: readonly TableAsked[]): Promise<void> {
    if (asked.every(({ table }) => this.knows(sender, table))) return;
    await new Promise<void>((counted, failed) => {
      const request = { asked, counted, failed };
      const others = this.waiting.get(sender.id);
      if (others) others.push(request);
      else void this.countAll(sender, request);
    });
  }

  /** Remembers tables that keys are known to have brought, so that they need no look-up. */
  learn(brought: readonly KeyTable[]): void {
    const byKey = new Map<string, Set<string>>();
    for (const { keyName, table } of brought) {
      const id = identityOf(keyName);
      byKey.set(id, (byKey.get(id) ?? new Set()).add(table));
    }
    for (const [id, tables] of byKey)
      if (tables.size > (this.remembered.get(id)?.size ?? 0)) this.remember(id, tables);
  }

  /** Throws what `bring` would throw, and counts nothing. */
  async check(sender: Identity, asked: readonly TableAsked[]): Promise<void> {
    if (asked.every(({ table }) => this.knows(sender, table))) return;
    this.freshOf(sender, asked, await this.load(sender));
  }

  /** Counts for a request of a key, and then for those that came meanwhile, until none waits. */
  private async countAll(sender: Identity, first: Waiting): Promise<void> {
    for (let together = [first]; together.length > 0;) {
      const later: Waiting[] = [];
      this.waiting.set(sender.id, later);
      try {
        await this.count(sender, together);
        together = later;
      } catch (error) {
        // the database is away: those that wait do not ask it again
        for (const { failed } of [...together, ...later]) failed(error);
        break;
      }
    }
    this.waiting.delete(sender.id);
  }

  private async count(sender: Identity, together: readonly Waiting[]): Promise<void> {
    const known = this.remembered.get(sender.id) ?? (await this.load(sender));
    const bringing = together.filter(({ asked, counted, failed }) => {
      try {
        // Tables are never taken away, so what is too many by the cache is too many.
        if (this.freshOf(sender, asked, known).length > 0) return true;
        counted();
      } catch (error) {
        failed(error);
      }
      return false;
    });
    if (bringing.length > 0) await this.insert(sender, bringing);
  }

  /** Counts for each request that does not bring too many, with what other apis have counted. */
  private async insert(sender: Identity, together: readonly Waiting[]): Promise<void> {
    const keyName = nameOf(sender);
    const ends: (() => void)[] = [];
    const all = await this.source.transaction(async (manager) => {
      const [keys, brought] = [manager.getRepository(DeviceKey), manager.getRepository(KeyTable)];
      await keys.findOne({ where: { name: keyName }, lock: { mode: 'pessimistic_write' } });
      const known = await broughtBy(brought, keyName);
      const counted: string[] = [];
      for (const request of together) {
        try {
          const fresh = this.freshOf(sender, request.asked, known).map(({ table }) => table);
          for (const table of fresh) known.add(table);
          counted.push(...fresh);
          ends.push(request.counted);
        } catch (error) {
          ends.push(() => request.failed(error));
        }
      }
      if (counted.length > 0) await brought.insert(counted.map((table) => ({ keyName, table })));
      return known;
    });
    this.remember(sender.id, all);
    for (const end of ends) end();
  }

  private async load(sender: Identity): Promise<ReadonlySet<string>> {
    const all = await broughtBy(this.source.getRepository(KeyTable), nameOf(sender));
    this.remember(sender.id, all);
    return all;
  }

  /**
   * Returns the tables that a key would bring beyond those it is known to have brought. Throws
   * `source-not-yours` if they are too many.
   */
  private freshOf(
    { id, writes }: Identity,
    asked: readonly TableAsked[],
    known: ReadonlySet<string>,
  ): readonly TableAsked[] {
    const { keyTablesMax } = this.settings;
    const fresh = asked.filter(({ table }) => !known.has(table) && !writes.names(table));
    const beyond = fresh.slice(Math.max(0, keyTablesMax - known.size));
    if (beyond.length === 0) return fresh;
    throw new Problem(
      'source-not-yours',
      `${id} has brought ${known.size} tables and may bring at most ${keyTablesMax}; nothing was recorded.`,
      {
        errors: beyond.slice(0, LISTED_MAX).map(({ table, position }) => ({
          pointer: '/table',
          reason: `"${table}" would be one table more than ${id} may bring`,
          ...(position !== undefined && { position }),
        })),
      },
    );
  }

  private remember(id: string, tables: ReadonlySet<string>): void {
    this.forget(id);
    this.remembered.set(id, tables);
    this.size += tables.size;
    for (const oldest of this.remembered.keys()) {
      if (this.size <= REMEMBERED_MAX || oldest === id) break;
      this.forget(oldest);
    }
  }

  private forget(id: string): void {
    this.size -= this.remembered.get(id)?.size ?? 0;
    this.remembered.delete(id);
  }
}

/** The most tables that a refusal lists. */
const LISTED_MAX = 100;

const DEVICE = 'device/';
const identityOf = (keyName: string): string => `${DEVICE}${keyName}`;
const nameOf = ({ id }: Identity): string => id.slice(DEVICE.length);

const broughtBy = async (brought: Repository<KeyTable>, keyName: string): Promise<Set<string>> =>
  new Set(
    (await brought.find({ select: { table: true }, where: { keyName } })).map(({ table }) => table),
  );

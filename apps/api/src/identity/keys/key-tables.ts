import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
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

/**
 * Bounds how many tables a key brings into the record, because a sender may invent names, and each
 * table costs the auditor memory and rows for ever. A table counts when the key sends to it first,
 * and is kept in PostgreSQL, so it survives a restart and holds in every api. Tables that a key
 * lists by name do not count. People are not bound: they have the tables of their account.
 */
@Injectable()
export class KeyTables {
  private readonly remembered = new Map<string, ReadonlySet<string>>();
  private readonly turns = new Map<string, Promise<void>>();
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
   * of one key take turns, so that many first events of a table cost one query.
   */
  async bring(sender: Identity, asked: readonly TableAsked[]): Promise<void> {
    if (asked.every(({ table }) => this.knows(sender, table))) return;
    const count = (): Promise<void> => this.count(sender, asked);
    const turn = (this.turns.get(sender.id) ?? Promise.resolve()).then(count, (error: unknown) => {
      if (error instanceof Problem) return count();
      throw error; // the database is away: those that wait do not each ask it again
    });
    this.turns.set(sender.id, turn);
    await turn.finally(() => {
      if (this.turns.get(sender.id) === turn) this.turns.delete(sender.id);
    });
  }

  /** Throws what `bring` would throw, and counts nothing. */
  async check(sender: Identity, asked: readonly TableAsked[]): Promise<void> {
    if (asked.every(({ table }) => this.knows(sender, table))) return;
    const all = await this.load(sender);
    this.refuse(sender, this.freshOf(sender, asked), all.size);
  }

  private async count(sender: Identity, asked: readonly TableAsked[]): Promise<void> {
    if (asked.every(({ table }) => this.knows(sender, table))) return;
    const { size } = this.remembered.get(sender.id) ?? (await this.load(sender));
    const fresh = this.freshOf(sender, asked);
    if (fresh.length === 0) return;
    // Tables are never taken away, so what is too many by the cache is too many.
    this.refuse(sender, fresh, size);
    await this.insert(sender, fresh);
  }

  /** Counts tables, unless another api has counted others meanwhile and they are too many. */
  private async insert(sender: Identity, asked: readonly TableAsked[]): Promise<void> {
    const keyName = nameOf(sender);
    const all = await this.source.transaction(async (manager) => {
      const [keys, brought] = [manager.getRepository(DeviceKey), manager.getRepository(KeyTable)];
      await keys.findOne({ where: { name: keyName }, lock: { mode: 'pessimistic_write' } });
      const known = new Set((await brought.findBy({ keyName })).map(({ table }) => table));
      const fresh = asked.filter(({ table }) => !known.has(table));
      this.refuse(sender, fresh, known.size);
      if (fresh.length > 0) await brought.insert(fresh.map(({ table }) => ({ keyName, table })));
      return new Set([...known, ...fresh.map(({ table }) => table)]);
    });
    this.remember(sender.id, all);
  }

  private async load(sender: Identity): Promise<ReadonlySet<string>> {
    const brought = await this.source.getRepository(KeyTable).findBy({ keyName: nameOf(sender) });
    const all = new Set(brought.map(({ table }) => table));
    this.remember(sender.id, all);
    return all;
  }

  private freshOf(sender: Identity, asked: readonly TableAsked[]): TableAsked[] {
    return asked.filter(({ table }) => !this.knows(sender, table));
  }

  private refuse({ id }: Identity, fresh: readonly TableAsked[], brought: number): void {
    const { keyTablesMax } = this.settings;
    const beyond = fresh.slice(Math.max(0, keyTablesMax - brought));
    if (beyond.length === 0) return;
    throw new Problem(
      'source-not-yours',
      `${id} has brought ${brought} tables and may bring at most ${keyTablesMax}; nothing was recorded.`,
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

const nameOf = ({ id }: Identity): string => id.slice('device/'.length);

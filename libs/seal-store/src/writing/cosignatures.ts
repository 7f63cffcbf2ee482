import { vkeyText, type VerifierKey } from '#evidence';
import type { SealPool } from '../database/seal-pool.js';

/** Keeps the signature lines that witnesses added to checkpoints. */
export class Cosignatures {
  constructor(private readonly pool: SealPool) {}

  /**
   * Keeps the line with which a witness cosigned a checkpoint. Returns how many witnesses have
   * cosigned it.
   */
  async keep(size: number, witness: VerifierKey, line: string): Promise<number> {
    await this.pool.query(
      'keep-cosignature',
      `insert into seal.cosignature (size, witness, line) values ($1, $2, $3)
       on conflict do nothing`,
      [size, vkeyText(witness), line],
    );
    const [row] = await this.pool.query<{ count: number }>(
      'count-cosignatures',
      'select count(*) as count from seal.cosignature where size = $1',
      [size],
    );
    return row?.count ?? 0;
  }

  /** Returns the size of the last checkpoint that a witness has cosigned; 0 if none. */
  async lastBy(vkey: string): Promise<number> {
    const [row] = await this.pool.query<{ size: number }>(
      'cosigned-by',
      'select coalesce(max(size), 0) as size from seal.cosignature where witness = $1',
      [vkey],
    );
    return row?.size ?? 0;
  }

  /** Returns when a checkpoint last had so many cosignatures, RFC 3339; undefined if never. */
  async witnessedAt(quorum: number): Promise<string | undefined> {
    const [row] = await this.pool.query<{ at: string }>(
      'witnessed-at',
      `select max(at) as at from seal.cosignature
       group by size having count(*) >= $1 order by size desc limit 1`,
      [quorum],
    );
    return row?.at;
  }
}

import { crc32 } from '@node-rs/crc32';
import { asError } from '#process';
import type { SpoolDisk, SpoolFile } from './disk.js';
import type { Damage } from './entries.js';
import { digits } from './line.js';
import { chunksOf } from './segment.js';

/** Damage, and the copy of its bytes that outlives the segment. */
export interface DamageAside extends Damage {
  /** The CRC-32 of the wrong bytes as 8 hexadecimal digits. Zeros stand for unreadable bytes. */
  readonly crc: string;
  /** The file with the wrong bytes, or null if there are none or they could not be copied. */
  readonly file: string | null;
  /** Why the disk took no copy. Without it, there were no bytes or too many copies. */
  readonly error?: Error;
}

/** The most files with wrong bytes. Later damage is reported without a copy. */
const ASIDE_MAX = 64;

const NAME = /^damaged-\d{12}-\d+\.bytes$/;

const asideName = ({ segment, at }: Pick<Damage, 'segment' | 'at'>): string =>
  `damaged-${segment.replace(/\.spool$/, '')}-${at}.bytes`;

/** Keeps copies of wrong bytes beside the segments of a spool, and reports each place once. */
export class Aside {
  private readonly files: Set<string>;
  private readonly reported = new Set<string>();

  /** Knows the copies among the files of the folder. */
  constructor(
    private readonly disk: SpoolDisk,
    files: readonly SpoolFile[],
    private readonly notice: (damage: DamageAside) => void,
  ) {
    this.files = new Set(files.map(({ name }) => name).filter((name) => NAME.test(name)));
  }

  /** Copies the wrong bytes durably and reports the damage, unless this object has done so before. */
  async report(damage: Damage): Promise<void> {
    const name = asideName(damage);
    if (this.reported.has(name)) return;
    this.reported.add(name);
    this.notice(await this.copied(damage, name));
  }

  private async copied(damage: Damage, name: string): Promise<DamageAside> {
    const isKept = damage.bytes > 0 && (this.files.has(name) || this.files.size < ASIDE_MAX);
    let error: Error | undefined;
    const unlessFailed = async (change: () => Promise<void>): Promise<void> => {
      if (isKept && !error) await change().catch((thrown: unknown) => (error = asError(thrown)));
    };
    await unlessFailed(() => this.begin(name));
    let crc = 0;
    const end = damage.at + damage.bytes;
    for await (const { chunk } of chunksOf(this.disk, damage.segment, damage.at, end)) {
      crc = crc32(chunk, crc);
      await unlessFailed(() => this.disk.append(name, chunk));
    }
    await unlessFailed(() => this.disk.sync(name));
    await unlessFailed(() => this.disk.syncFolder());
    const file = isKept && !error ? name : null;
    return { ...damage, crc: digits(crc), file, ...(error && { error }) };
  }

  private async begin(name: string): Promise<void> {
    if (this.files.has(name)) await this.disk.remove(name); // perhaps an unfinished copy
    await this.disk.create(name);
    this.files.add(name);
  }
}

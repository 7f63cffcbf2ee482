import {
  blockOf,
  Decoder,
  EVENT_BYTES_MAX,
  houseFrom,
  type Block,
  type Fault,
  type LaneSetting,
  type RuleBook,
} from '#audit';
import { readLines, type LineTaker } from '../log/log-lines.js';
import { openLogFile, type LogFile } from '../log/log-source.js';
import { MalformedLines } from '../log/malformed.js';
import { EVERYONE, TableShares } from './table-shares.js';
import { LogAuditor } from './verdict.js';

/** Selects the tables of one worker: its own number, and the number of workers. */
export interface Share {
  readonly worker: number;
  readonly workers: number;
}

const NO_BLOCK = blockOf(new Uint8Array(), '');

/**
 * Reads a log once from its first line to its last. Decodes every line, and judges until one is
 * malformed.
 */
export class AuditPass implements LineTaker {
  readonly malformed = new MalformedLines();
  readonly auditor: LogAuditor;
  private readonly decoder: Decoder;
  private readonly shares: TableShares | undefined;
  /** The line that is taken. The fold keeps nothing of the object. */
  private readonly taken: { decoder: Decoder; block: Block; from: number; to: number };
  private file = '';
  private at = 0;
  private bytesDone = 0;
  private reportProgress: () => void = () => undefined;

  /**
   * With a `share`, takes only the tables of that share, writes their records to `file`, and stops
   * at the first malformed line. Without one, takes all tables and lists every malformed line.
   * `lanes` says how lines are folded.
   */
  constructor(
    book: RuleBook,
    lanes: LaneSetting,
    private readonly share?: Share,
    file?: number,
  ) {
    this.auditor = new LogAuditor(book, lanes, file);
    this.decoder = new Decoder(houseFrom(book));
    this.taken = { decoder: this.decoder, block: NO_BLOCK, from: 0, to: 0 };
    this.shares = share && new TableShares(share.workers);
  }

  /**
   * Reads the files as one log. Calls `progress` after every block with the bytes on disk read so
   * far.
   */
  async read(files: readonly LogFile[], progress?: (bytes: number) => void): Promise<void> {
    for (const file of files) {
      this.file = file.name;
      const bytes = await openLogFile(file);
      this.reportProgress = () => progress?.(this.bytesDone + bytes.used());
      await readLines(bytes, this);
      this.bytesDone += bytes.used();
      await bytes.close();
      if (!this.goesOn()) return;
    }
  }

  goesOn(): boolean {
    this.reportProgress();
    return this.share === undefined || this.malformed.count === 0;
  }

  line(block: Block, from: number, to: number, number: number): void {
    this.at += 1;
    const table = this.decoder.tableOf(block, from, to);
    if (table === undefined) return this.explain(block, from, to, number);
    if (this.malformed.count > 0 || this.shares?.ofTable(table) !== this.share?.worker) return;
    const { taken } = this;
    taken.block = block;
    taken.from = from;
    taken.to = to;
    this.auditor.take(taken, table, this.at);
  }

  /** Takes a line that is not canonical, or refuses it with every fault. */
  private explain(block: Block, from: number, to: number, number: number): void {
    const owner = this.shares?.ofLine(block.cut(from, to)) ?? this.share?.worker;
    if (owner !== EVERYONE && owner !== this.share?.worker) return;
    const { event, faults } = this.decoder.decode(block, from, to);
    if (!event) return this.refuse(number, faults);
    if (this.malformed.count > 0 || this.shares?.ofTable(event.table) !== this.share?.worker)
      return;
    this.auditor.take(event, event.table, this.at);
  }

  tooLong(number: number): void {
    this.at += 1;
    this.refuse(number, [{ pointer: '', reason: `is over ${EVENT_BYTES_MAX} bytes` }]);
  }

  private refuse(line: number, faults: readonly Fault[]): void {
    this.malformed.add(this.file, line, faults);
  }
}

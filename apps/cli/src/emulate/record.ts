import { blockOf, Decoder, houseFrom, timeOf, type AnyEvent } from '#audit';
import type { RecordedEvent } from '#devices';
import { installedRules, rulesNamed } from '#rule-folder';
import { readLines } from '../log/log-lines.js';
import { logFiles, openLogFile } from '../log/log-source.js';
import { MalformedLines, printMalformed } from '../log/malformed.js';
import { EXIT, Refusal } from '../refusal.js';
import { dealtTables } from '../simulate/simulated-tables.js';

/** The most events of a table that are played. They are kept in memory. */
const EVENTS_MAX = 1_000_000;
/** The table of a seed without a name for it. */
const TABLE = 'T1';

/** What a device is to play: a file, or shoes from a seed. */
export interface RecordAsked {
  readonly events?: string;
  readonly seed?: string;
  readonly table?: string;
  readonly rules?: string;
  readonly shoes?: number;
}

/** The record of one table. */
export interface TableRecord {
  readonly table: string;
  readonly events: readonly RecordedEvent[];
}

/**
 * Returns the record of the table that was asked for, which is empty if neither a file nor a seed
 * was. Returns undefined if a line of the file is malformed: it has then printed which ones, and
 * set the exit code. Throws `Refusal` if there is no such record.
 */
export async function recordAsked(asked: RecordAsked): Promise<TableRecord | undefined> {
  const taker = new RecordTaker(asked.table);
  if (asked.events !== undefined) return fromFile(asked.events, taker);
  const { seed, table = TABLE, rules = 'punto-banco@1', shoes = 1 } = asked;
  if (seed === undefined) return { table, events: [] };
  const { lines } = dealtTables({
    ...{ seed, shoes, tables: [table] },
    rules: rulesNamed(installedRules(), rules),
  });
  for (const line of lines) {
    const bytes = Buffer.from(line);
    taker.decode(blockOf(bytes, bytes.toString('latin1')), 0, bytes.length);
  }
  return taker.record('the seed');
}

async function fromFile(name: string, taker: RecordTaker): Promise<TableRecord | undefined> {
  const malformed = new MalformedLines();
  const [file] = logFiles([name]) as [ReturnType<typeof logFiles>[number]];
  const bytes = await openLogFile(file);
  await readLines(bytes, {
    line: (block, from, to, number) => {
      const faults = taker.decode(block, from, to);
      if (faults) malformed.add(name, number, faults);
    },
    tooLong: (number) => malformed.add(name, number, [{ pointer: '', reason: 'is too long' }]),
    goesOn: () => true,
  });
  await bytes.close();
  if (malformed.count === 0) return taker.record(name);
  process.exitCode = EXIT.refused;
  printMalformed(malformed, 'nothing was emulated');
  return undefined;
}

/** Takes the events of one table. */
class RecordTaker {
  private readonly decoder = new Decoder(houseFrom(installedRules()));
  private readonly tables = new Set<string>();
  private readonly events: RecordedEvent[] = [];

  /** `table` is the one that was asked for. */
  constructor(private readonly table: string | undefined) {}

  /** Takes a line, or returns its faults. */
  decode(...line: Parameters<Decoder['decode']>): ReturnType<Decoder['decode']>['faults'] {
    const { event, faults } = this.decoder.decode(...line);
    if (event === undefined) return faults;
    this.tables.add(event.table);
    if (event.table === (this.table ?? event.table)) this.add(event);
    return undefined;
  }

  /** Returns the record. `from` names where it comes from. */
  record(from: string): TableRecord {
    const tables = [...this.tables];
    if (this.table === undefined && tables.length > 1)
      throw new Refusal(`${from}: has the tables ${tables.join(', ')}; choose one with --table`);
    const table = this.table ?? tables[0];
    if (table === undefined || this.events.length === 0)
      throw new Refusal(`${from}: has no event${table === undefined ? '' : ` of table ${table}`}`);
    return { table, events: this.events };
  }

  private add(event: AnyEvent): void {
    if (this.events.length === EVENTS_MAX)
      throw new Refusal(`--events: has over ${EVENTS_MAX.toLocaleString('en')} events of a table`);
    this.events.push({ at: (timeOf(event.time) ?? 0) / 1_000, event });
  }
}

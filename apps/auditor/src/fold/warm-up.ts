import { Decoder, houseFrom, simulate, stamped, type LaneSetting, type RuleBook } from '#audit';
import { rulesNamed } from '#rule-folder';
import { PartitionFold } from './partition-fold.js';
import { judgingBy } from './table-run.js';

const TABLE = 'warm-up';
const SHOES = 2;
/** Events of a transaction in live play. */
const TRANSACTION = 20;
const SAVINGS_BYTES = 1024 * 1024;

/**
 * Folds two simulated shoes, an event a record as in live play, and draws their rows, which nobody
 * gets. A process that did so before its first record has compiled what folds it: its first events
 * cost about half of what they cost otherwise. Returns how many events that were, and how many of
 * them the lane took.
 */
export function warmUp(book: RuleBook, lanes: LaneSetting): { events: number; lane: number } {
  const decoder = new Decoder(houseFrom(book));
  const claimed = { partition: 0, generation: 1, next: 0, lastDigest: null };
  const fold = new PartitionFold(claimed, judgingBy(book, lanes));
  const counted = { events: 0, lane: 0 };
  const project = (): void => {
    const projection = fold.project((time) => time.slice(0, 10), SAVINGS_BYTES);
    counted.events += projection.move.events;
    counted.lane += projection.lanes.lane;
    fold.wrote(projection.move);
  };
  const rules = rulesNamed(book, 'punto-banco');
  const { lines } = simulate({ rules, bets: true, seed: TABLE, shoes: SHOES, table: TABLE });
  for (const line of lines) {
    const value = Buffer.from(stamped(line, 'device/warm-up', '2026-11-20T12:00:00Z'));
    const record = { partition: 0, offset: fold.next, key: TABLE, value };
    if (fold.take(record, decoder)) throw new Error(`the warm-up was refused: ${line}`);
    if (fold.waiting.events >= TRANSACTION) project();
  }
  project();
  return counted;
}

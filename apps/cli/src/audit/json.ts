import type { AuditedShoe } from '#audit';
import type { MalformedLines } from '../log/malformed.js';
import type { BufferedOutput } from '../terminal/page.js';
import type { ShoeRecord } from './shoe-record.js';
import type { Verdict } from './verdict.js';

/**
 * Prints the object of contract section 6, one item a line, without holding all of it in memory.
 */
export async function printJson(page: BufferedOutput, verdict: Verdict): Promise<void> {
  await page.lines(`{"events":${JSON.stringify(verdict.events)},`);
  await list(
    page,
    'shoes',
    itemsOf(verdict.records(), ({ shoe }) => (shoe ? [lineOf(shoe)] : [])),
    ',',
  );
  await list(
    page,
    'findings',
    itemsOf(verdict.records(), ({ findings }) => findings),
    ',',
  );
  await list(
    page,
    'unjudgeable',
    itemsOf(verdict.records(), ({ unjudgeable }) => unjudgeable),
    ',',
  );
  await list(
    page,
    'commission',
    itemsOf(verdict.records(), ({ ledger }) => ledger),
    ',',
  );
  await list(page, 'reviews', verdict.reviews, '}');
}

/** Prints every malformed line of refused input, one fault an item. */
export async function printRefusalJson(
  page: BufferedOutput,
  malformed: MalformedLines,
): Promise<void> {
  await page.lines(`{"refused":{"malformed":${malformed.count},`);
  await list(page, 'faults', faultsOf(malformed), '}}');
}

const lineOf = ({ table, shoe, rules, decks, coups, cards, closed }: AuditedShoe): object => ({
  table,
  shoe,
  rules,
  decks,
  coups,
  cards,
  closed,
});

function* itemsOf(
  records: Iterable<ShoeRecord>,
  items: (record: ShoeRecord) => readonly unknown[],
): Iterable<unknown> {
  for (const record of records) yield* items(record);
}

function* faultsOf(malformed: MalformedLines): Iterable<unknown> {
  for (const { file, line, faults } of malformed)
    for (const { pointer, reason } of faults) yield { file, line, pointer, reason };
}

async function list(
  page: BufferedOutput,
  name: string,
  items: Iterable<unknown>,
  after: string,
): Promise<void> {
  let last: string | undefined;
  for (const item of items) {
    await page.lines(last === undefined ? `"${name}":[` : `${last},`);
    last = JSON.stringify(item);
  }
  if (last === undefined) await page.lines(`"${name}":[]${after}`);
  else await page.lines(`${last}]${after}`);
}

import { timeOf, type Finding, type RangeShoe, type ShoeSums, type Unjudgeable } from '#audit';
import { keyOf } from '../database/schema-keys.js';
import { BET_TOTAL, COMMISSION, DEALT, LEDGER, SHOE, type ShoeRow } from '../entities/index.js';
import type { Table } from '../entities/table.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { SHOE_FACTS } from '../shoes/shoes.js';

/** A value of a row, or of what was judged. */
type Value = string | number | boolean | null;
/** What is known of a shoe, by a name in words. */
type Facts = Map<string, string>;

/**
 * Returns how the rows of a shoe differ from what was judged of it: the first difference, in words.
 * Returns undefined if they agree.
 */
export async function shoeDifference(
  read: Snapshot,
  judged: RangeShoe,
): Promise<string | undefined> {
  const { table, ref, shoe } = judged.shoe;
  const rows = await factsOfRows(read, [keyOf(ref), keyOf(table)]);
  const named = `shoe ${shoe} of table ${table}`;
  if (!rows) return `${named} has no row`;
  const records = factsOfRecords(judged);
  for (const [fact, value] of records) {
    const inRows = rows.get(fact);
    if (inRows === undefined) return `${named}: the rows lack ${fact}`;
    if (inRows !== value) return `${named}: ${fact} is ${inRows} in the rows, not ${value}`;
  }
  const extra = [...rows.keys()].find((fact) => !records.has(fact));
  return extra === undefined ? undefined : `${named}: the records do not make ${extra}`;
}

/** A shoe by the reference of its opening and its table, both as key columns store them. */
type ShoeKey = readonly [ref: string, table: string];

async function factsOfRows(read: Snapshot, key: ShoeKey): Promise<Facts | undefined> {
  const [row] = await read.rows<Pick<ShoeRow, (typeof SHOE_FACTS)[number]>>(
    `select ${SHOE.select('s', SHOE_FACTS)} from shoe s where s.ref = $1 and s."table" = $2`,
    [...key],
  );
  if (!row) return undefined;
  const facts: Facts = new Map();
  for (const field of SHOE_FACTS) facts.set(field, textOf(row[field]));
  await addSums(read, key, facts);
  const findings = await read.rows<{ readonly body: Finding }>(
    `select f.body from finding f
     where f.shoe_ref = $1 and f."table" = $2 and f.withdrawn_because is null`,
    [...key],
  );
  for (const { body } of findings) facts.set(`finding ${body.id}`, JSON.stringify(body));
  const entries = await read.rows<{ readonly body: Unjudgeable }>(
    'select u.body from unjudgeable u where u.shoe_ref = $1 and u."table" = $2',
    [...key],
  );
  addUnjudgeable(
    facts,
    entries.map(({ body }) => body),
  );
  return facts;
}

/** The columns that say of which shoe a sum is. */
const OF_SHOE: readonly string[] = ['shoeRef', 'table', 'shoe', 'currency'];

/** Returns how the sums of a table are selected, and which of their fields say which sum it is. */
function sumsOf<Row extends object>(table: Table<Row>) {
  const columns = table.written.filter(({ field }) => !OF_SHOE.includes(field));
  return {
    name: table.name,
    key: columns.filter(({ isKey }) => isKey).map(({ field }): string => field),
    select: table.select(
      'r',
      columns.map(({ field }) => field),
    ),
  };
}

const SUMS = {
  ledger: sumsOf(LEDGER),
  commission: sumsOf(COMMISSION),
  dealt: sumsOf(DEALT),
  bets: sumsOf(BET_TOTAL),
} as const satisfies Record<keyof ShoeSums, unknown>;
type Sums = ReturnType<typeof sumsOf>;

async function addSums(read: Snapshot, shoe: ShoeKey, facts: Facts): Promise<void> {
  for (const sums of Object.values(SUMS)) {
    const lines = await read.rows<Readonly<Record<string, Value>>>(
      `select ${sums.select} from ${sums.name} r where r.shoe_ref = $1 and r."table" = $2`,
      [...shoe],
    );
    for (const line of lines) addSum(facts, sums, line);
  }
}

function addSum(facts: Facts, { name, key }: Sums, line: Readonly<Record<string, Value>>): void {
  const named = key.map((field) => {
    const value = line[field] ?? null;
    return `${field} ${typeof value === 'string' ? keyOf(value) : textOf(value)}`;
  });
  for (const [field, value] of Object.entries(line))
    if (!key.includes(field))
      facts.set(`${field} of ${name.replace('_', ' ')}, ${named.join(', ')}`, textOf(value));
}

function factsOfRecords({ shoe, findings, unjudgeable, sums }: RangeShoe): Facts {
  const facts: Facts = new Map();
  for (const field of SHOE_FACTS) facts.set(field, textOf(shoe[field]));
  facts.set('shoe', keyOf(shoe.shoe));
  facts.set('openedAt', utcText(shoe.openedAt));
  if (shoe.closedAt !== null) facts.set('closedAt', utcText(shoe.closedAt));
  if (sums) addSumsOf(facts, sums);
  for (const finding of findings) facts.set(`finding ${finding.id}`, JSON.stringify(finding));
  addUnjudgeable(facts, unjudgeable);
  return facts;
}

function addSumsOf(facts: Facts, { ledger, commission, dealt, bets }: ShoeSums): void {
  for (const line of ledger) addSum(facts, SUMS.ledger, { ...line });
  for (const line of commission) addSum(facts, SUMS.commission, { ...line });
  for (const line of dealt) addSum(facts, SUMS.dealt, { ...line });
  for (const line of bets) addSum(facts, SUMS.bets, { ...line });
}

/** Adds entries without regard to their order, which rows do not keep. */
function addUnjudgeable(facts: Facts, entries: readonly Unjudgeable[]): void {
  const texts = entries.map((entry) => JSON.stringify(entry)).sort();
  for (const [at, text] of texts.entries()) facts.set(`unjudgeable entry ${at + 1}`, text);
}

/** Returns a time as rows hold it: in UTC, to the millisecond. */
function utcText(time: string): string {
  const ms = timeOf(time);
  return ms === undefined ? time : new Date(Math.floor(ms)).toISOString();
}

const textOf = (value: Value): string => (value === null ? 'nothing' : String(value));

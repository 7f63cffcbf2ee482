import type pg from 'pg';
import { contiguous } from '../contiguous.js';
import { BrokenLog, type StoredRecord } from '../port.js';
import type { Sessions } from './sessions.js';
import type { Wanted } from '../pull-follower.js';

/** A row of `FETCH`. */
interface Row {
  /** A `Head` as JSON. */
  readonly head: Buffer;
  /** The values of its records, one behind the other; null if it has none. */
  readonly values: Buffer | null;
}

/** The offset and the key of each record, and how many bytes its value has. */
type Heads = readonly [
  offsets: readonly number[],
  keys: readonly string[],
  bytes: readonly number[],
];

/** The place of a partition among those asked for, its counter if it exists, and its records. */
type Head = readonly [nth: number, next: number | null, ...Heads];

/** Most rows that one query reads of one partition. */
const RECORDS_MAX = 2000;

/**
 * Reads several partitions in one snapshot: each counter, and the records from an offset on whose
 * predecessors total less than $3 bytes. A partition that ends at its offset has no row: followers
 * ask for all their partitions at every append, and most have nothing new. The records of one come
 * together, because node-postgres takes longer for a row than we do for most records.
 */
const FETCH = `
select json_build_array(w.nth, p.next, r.offsets, r.keys, r.bytes)::text as head, r.values
from unnest($1::int[], $2::bigint[]) with ordinality as w (partition, start, nth)
left join log.partition p on p.partition = w.partition
left join lateral (
  select array_agg(s."offset" order by s."offset") as offsets,
    array_agg(s.key order by s."offset") as keys,
    array_agg(octet_length(s.value) order by s."offset") as bytes,
    string_agg(s.value, ''::bytea order by s."offset") as values
  from (
    select r."offset", r.key, r.value, sum(octet_length(r.value))
      over (order by r."offset" rows unbounded preceding) - octet_length(r.value) as before
    from log.record r
    where r.partition = w.partition and r."offset" >= w.start and r."offset" < w.start + $4
  ) s where s.before < $3::bigint
) r on p.next > w.start
where p.next is distinct from w.start
order by w.nth`;

/**
 * Values are sent as they are, not as hexadecimal text, which saves both sides half of the work. pg
 * decodes every value as UTF-8 text, even one that is requested as bytes, and bytes that are not
 * UTF-8 become U+FFFD. Such values are read again, as hexadecimal text. Everything else in a row is
 * text, because pg would misread a number that is sent as bytes.
 */
const AS_SENT = {
  getTypeParser: () => (value: Buffer) => value,
} as unknown as pg.CustomTypesConfig;
const MISREAD = Buffer.from('\ufffd');

/**
 * Returns records of each partition from its offset on: about `bytes` of each, and at least one if
 * there is one. Rejects with `BrokenLog` at a hole, and if the partition ends before its offset.
 */
export async function fetchRecords(
  sessions: Sessions,
  wanted: readonly Wanted[],
  bytes: number,
): Promise<StoredRecord[][]> {
  const values = [
    wanted.map(({ partition }) => partition),
    wanted.map(({ from }) => from),
    Math.ceil(bytes),
    RECORDS_MAX,
  ];
  const query = { name: 'log-fetch', text: FETCH, values, binary: true, types: AS_SENT };
  const rows = await sessions.query<Row>(query);
  const found = wanted.map((): StoredRecord[] => []);
  const heads = wanted.map(({ from }): number | undefined => from);
  for (const row of rows) {
    const [nth, next, ...head] = JSON.parse(row.head.toString()) as Head;
    const { partition } = wanted[nth - 1] as Wanted;
    heads[nth - 1] = next ?? undefined;
    if (row.values === null) continue;
    found[nth - 1] = row.values.includes(MISREAD)
      ? await exactly(sessions, partition, head)
      : recordsOf(partition, head, row.values);
  }
  for (const [at, { partition, from }] of wanted.entries())
    check(found[at] as StoredRecord[], partition, from, heads[at]);
  return found;
}

/** Returns records whose values lie one behind the other, as views of them. */
function recordsOf(partition: number, [offsets, keys, bytes]: Heads, values: Buffer) {
  let end = 0;
  return offsets.map((offset, at): StoredRecord => {
    const from = end;
    end += bytes[at] as number;
    return { partition, offset, key: keys[at] as string, value: values.subarray(from, end) };
  });
}

/** Reads the values of records again, byte for byte, whatever they contain. */
async function exactly(sessions: Sessions, partition: number, [offsets, keys]: Heads) {
  const rows = await sessions.query<{ value: Buffer | null }>({
    name: 'log-values',
    text: `select r.value from unnest($2::bigint[]) with ordinality as o ("offset", nth)
      left join log.record r on r.partition = $1 and r."offset" = o."offset" order by o.nth`,
    values: [partition, offsets],
  });
  return offsets.map((offset, at): StoredRecord => {
    const value = rows[at]?.value;
    if (!value)
      throw new BrokenLog(`partition ${partition} lacks offset ${offset}`, partition, offset);
    return { partition, offset, key: keys[at] as string, value };
  });
}

function check(
  records: readonly StoredRecord[],
  partition: number,
  from: number,
  head: number | undefined,
): void {
  if (head === undefined)
    throw new BrokenLog(`partition ${partition} is missing from the log`, partition, from);
  if (from > head)
    throw new BrokenLog(`partition ${partition} ends at ${head}, before ${from}`, partition, from);
  if (records.length === 0 && from < head)
    throw new BrokenLog(
      `partition ${partition} lacks offset ${from}, though it ends at ${head}`,
      partition,
      from,
    );
  contiguous(records, partition, from);
}

/**
 * Returns the offset that the partition's next record will have. Throws `RangeError` if the
 * partition does not exist.
 */
export async function headOf(sessions: Sessions, partition: number): Promise<number> {
  const [row] = await sessions.query<{ next: string }>({
    name: 'log-head',
    text: 'select next from log.partition where partition = $1',
    values: [partition],
  });
  if (!row) throw new RangeError(`partition ${partition} does not exist`);
  return Number(row.next);
}

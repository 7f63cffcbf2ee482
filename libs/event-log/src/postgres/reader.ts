import type pg from 'pg';
import { contiguous } from '../contiguous.js';
import { BrokenLog, type StoredRecord } from '../port.js';
import type { Sessions } from './sessions.js';
import type { Wanted } from '../pull-follower.js';

/**
 * A row of `FETCH`: which partition, its counter if there is such a partition and, if it has a
 * record, the offset and key, with spaces between them; and the value of the record.
 */
interface Row {
  readonly head: Buffer;
  readonly value: Buffer | null;
}

/** Most rows that one query reads of one partition. */
const RECORDS_MAX = 2000;

/**
 * Reads several partitions in one snapshot: each counter, and the records from an offset on whose
 * predecessors total less than $3 bytes. A partition that ends at its offset has no row: followers
 * ask for all their partitions at every append, and most have nothing new.
 */
const FETCH = `
select concat_ws(' ', w.nth, p.next, r."offset", r.key) as head, r.value
from unnest($1::int[], $2::bigint[]) with ordinality as w (partition, start, nth)
left join log.partition p on p.partition = w.partition
left join lateral (
  select s."offset", s.key, s.value from (
    select r."offset", r.key, r.value, sum(octet_length(r.value))
      over (order by r."offset" rows unbounded preceding) - octet_length(r.value) as before
    from log.record r
    where r.partition = w.partition and r."offset" >= w.start and r."offset" < w.start + $4
  ) s where s.before < $3::bigint
) r on p.next > w.start
where p.next is distinct from w.start
order by w.nth, r."offset"`;

/**
 * Values are sent as they are, not as hexadecimal text, which saves both sides half of the work. pg
 * decodes every value as UTF-8 text, even one that is requested as bytes, and bytes that are not
 * UTF-8 become U+FFFD. Such a value is read again, as hexadecimal text. Everything else in a row is
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
  for (const { head, value } of rows) {
    const { nth, next, offset, key } = headIn(head.toString());
    heads[nth - 1] = next;
    if (value === null) continue;
    const { partition } = wanted[nth - 1] as Wanted;
    const exact = value.includes(MISREAD) ? await valueOf(sessions, partition, offset) : value;
    found[nth - 1]?.push({ partition, offset, key, value: exact });
  }
  for (const [at, { partition, from }] of wanted.entries())
    check(found[at] as StoredRecord[], partition, from, heads[at]);
  return found;
}

/**
 * Returns what the head of a row says: the counter unless the partition is missing, the offset and
 * key only of a row with a record.
 */
function headIn(head: string): {
  readonly nth: number;
  readonly next: number | undefined;
  readonly offset: number;
  readonly key: string;
} {
  const [nth, next, offset = ''] = head.split(' ', 3) as [string, string?, string?];
  if (next === undefined) return { nth: Number(nth), next, offset: 0, key: '' };
  const key = head.slice(nth.length + next.length + offset.length + 3);
  return { nth: Number(nth), next: Number(next), offset: Number(offset), key };
}

/** Returns the value of a record byte for byte, whatever it contains. */
async function valueOf(sessions: Sessions, partition: number, offset: number): Promise<Buffer> {
  const [row] = await sessions.query<{ value: Buffer }>({
    name: 'log-value',
    text: 'select value from log.record where partition = $1 and "offset" = $2',
    values: [partition, offset],
  });
  if (!row) throw new BrokenLog(`partition ${partition} lacks offset ${offset}`, partition, offset);
  return row.value;
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

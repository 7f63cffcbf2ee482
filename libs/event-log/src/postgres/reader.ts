import { contiguous } from '../contiguous.js';
import { BrokenLog, type StoredRecord } from '../port.js';
import type { Sessions } from './sessions.js';
import type { Wanted } from '../pull-follower.js';

interface Row {
  readonly nth: number;
  readonly next: string;
  readonly offset: string | null;
  readonly key: string;
  readonly value: Buffer;
}

/** Most rows that one query reads of one partition. */
const RECORDS_MAX = 2000;

/**
 * Reads several partitions in one snapshot: each counter, and the records from an offset on whose
 * predecessors total less than $3 bytes.
 */
const FETCH = `
select w.nth::int as nth, p.next, r."offset", r.key, r.value
from unnest($1::int[], $2::bigint[]) with ordinality as w (partition, start, nth)
join log.partition p on p.partition = w.partition
left join lateral (
  select s."offset", s.key, s.value from (
    select r."offset", r.key, r.value, sum(octet_length(r.value))
      over (order by r."offset" rows unbounded preceding) - octet_length(r.value) as before
    from log.record r
    where r.partition = w.partition and r."offset" >= w.start and r."offset" < w.start + $4
  ) s where s.before < $3::bigint
) r on true
order by w.nth, r."offset"`;

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
  const rows = await sessions.query<Row>({ name: 'log-fetch', text: FETCH, values });
  const found = wanted.map((): StoredRecord[] => []);
  const heads = new Map<number, number>();
  for (const { nth, next, offset, key, value } of rows) {
    heads.set(nth - 1, Number(next));
    if (offset !== null)
      found[nth - 1]?.push({
        partition: (wanted[nth - 1] as Wanted).partition,
        offset: Number(offset),
        key,
        value,
      });
  }
  for (const [at, { partition, from }] of wanted.entries())
    check(found[at] as StoredRecord[], partition, from, heads.get(at));
  return found;
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

import { codesWhere, type FindingCode } from '#audit';
import { cursorKey, fetchedFor, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';

const OF_DEVICES = codesWhere(({ about }) => about === 'device');

/** How many findings with one code there are. */
export interface DeliveryFault {
  readonly code: FindingCode;
  readonly count: number;
}

/** What one sender delivered, and what was found about the sources that it sent for. */
export interface DeliveryLine {
  /** The stamp `receivedfrom`: `device/<key name>`. */
  readonly sender: string;
  /** How many tables and sources it sent for. */
  readonly tables: number;
  readonly sources: number;
  readonly events: number;
  readonly duplicates: number;
  readonly unread: number;
  /** Null if nothing of it was received. */
  readonly lastReceived: string | null;
  /** Standing findings about these sources as devices, by code. */
  readonly faults: readonly DeliveryFault[];
}

/** Which senders, and at which tables. */
export interface DeliveriesFilter {
  readonly senders: readonly string[];
  readonly scope?: readonly string[];
  readonly table?: string;
}

const LIST = 'deliveries';

/**
 * Returns a line for each of these senders, in their order by name, also for one that sent nothing.
 * Findings count for every sender of their source.
 */
export async function deliveries(
  read: Snapshot,
  { senders, ...filter }: DeliveriesFilter,
  paging: Paging,
): Promise<Page<DeliveryLine>> {
  const [after = ''] = paging.cursor === undefined ? [] : cursorKey(paging.cursor, LIST, ['text']);
  const named = [...new Set(senders)].filter((sender) => sender > String(after)).sort();
  const { lines, next } = pageOf(LIST, named.slice(0, fetchedFor(paging)), paging, (sender) => [
    sender,
  ]);
  const [sums, faults] = [await sumsOf(read, lines, filter), await faultsOf(read, lines, filter)];
  return {
    lines: lines.map((sender) => ({
      sender,
      ...(sums.get(sender) ?? NOTHING),
      faults: faults.get(sender) ?? [],
    })),
    next,
  };
}

type Sums = Omit<DeliveryLine, 'sender' | 'faults'>;

const NOTHING: Sums = {
  tables: 0,
  sources: 0,
  events: 0,
  duplicates: 0,
  unread: 0,
  lastReceived: null,
};

type TableFilter = Omit<DeliveriesFilter, 'senders'>;

/** Adds the conditions on a delivery called `d`. */
const ofSenders = (senders: readonly string[], filter: TableFilter): Where =>
  new Where().filter('d', filter, 'null').and('d.sender = any(?)', senders);

async function sumsOf(
  read: Snapshot,
  senders: readonly string[],
  filter: TableFilter,
): Promise<ReadonlyMap<string, Sums>> {
  const where = ofSenders(senders, filter);
  const rows = await read.rows<
    Readonly<Record<'sender' | 'tables' | 'sources' | 'events' | 'duplicates' | 'unread', string>> &
      Pick<Sums, 'lastReceived'>
  >(
    `select d.sender, count(distinct d."table") as tables,
            count(distinct d.source) as sources, sum(d.events) as events,
            sum(d.duplicates) as duplicates, sum(d.unread) as unread, max(d.last_received) as "lastReceived"
     from delivery d ${where.sql} group by d.sender`,
    where.parameters,
  );
  return new Map(
    rows.map(({ sender, lastReceived, ...counts }) => [
      sender,
      {
        tables: whole(counts.tables),
        sources: whole(counts.sources),
        events: whole(counts.events),
        duplicates: whole(counts.duplicates),
        unread: whole(counts.unread),
        lastReceived,
      },
    ]),
  );
}

/**
 * Returns the findings of the sources of each sender. The first event that such a finding names is
 * the source's own, and the event's reference begins with its source.
 */
async function faultsOf(
  read: Snapshot,
  senders: readonly string[],
  filter: TableFilter,
): Promise<ReadonlyMap<string, readonly DeliveryFault[]>> {
  const where = ofSenders(senders, filter)
    .and('f.code = any(?)', OF_DEVICES)
    .and('f.withdrawn_because is null');
  const rows = await read.rows<{ sender: string; code: FindingCode; count: string }>(
    `select d.sender, f.code, count(*) as count
     from delivery d join finding f on f."table" = d."table" and starts_with(f.body->'events'->>0, d.source || '#')
     ${where.sql} group by d.sender, f.code order by d.sender, f.code`,
    where.parameters,
  );
  const faults = new Map<string, DeliveryFault[]>();
  for (const { sender, code, count } of rows)
    faults.set(sender, [...(faults.get(sender) ?? []), { code, count: whole(count) }]);
  return faults;
}

import { DEVICE, type DeviceRow } from '../entities/index.js';
import { DEVICE_OF } from '../findings/findings-filter.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type RowQuery, type Slices, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** The columns of a device that its report shows. */
export const DEVICE_FIELDS = [
  'table',
  'source',
  'online',
  'events',
  'session',
  'lastSequence',
  'lastTime',
  'lastReceived',
  'clockOffsetLast',
  'clockOffsetLeast',
  'clockOffsetMost',
] as const;

/** A source of events at a table, with figures on how well it reports. */
export interface DeviceLine extends Pick<DeviceRow, (typeof DEVICE_FIELDS)[number]> {
  /** Holes in its numbers (DV-04). */
  readonly gaps: number;
  /** Cards drawn but not read (DV-01). */
  readonly unread: number;
  /** Repeated events with other content (DV-15). */
  readonly equivocations: number;
}

/** The sums of the lines of all pages. */
export interface DeviceTotal {
  readonly devices: number;
  readonly events: number;
  readonly gaps: number;
  readonly unread: number;
  readonly equivocations: number;
}

/** A page of the report on devices, with the totals of all pages. */
export interface DevicesReport extends Page<DeviceLine> {
  readonly total: DeviceTotal;
}

/** The filter of the report on devices. */
export interface DevicesFilter extends Omit<Filter, 'dealer'> {
  readonly source?: string;
}

const LIST = 'devices';

/**
 * Returns devices by table and source. `from` and `to` narrow only the findings that are counted; a
 * device's own figures cover all its events. Withdrawn findings do not count. Findings of void
 * coups do, because the device failed all the same. The total is the sum of the lines of all pages.
 */
export async function deviceHealth(
  read: Snapshot,
  filter: DevicesFilter,
  paging: Paging,
): Promise<DevicesReport> {
  const rows = await read.rows<DeviceLine>(...devicesQuery(filter, paging));
  return {
    ...pageOf(LIST, rows, paging, ({ table, source }) => [table, source]),
    total: await totalOf(read, filter),
  };
}

/** Yields all the lines that `deviceHealth` returns in pages. */
export const everyDevice = (read: Snapshot, filter: DevicesFilter): Slices<DeviceLine> =>
  read.slices<DeviceLine>(...devicesQuery(filter));

function devicesQuery(filter: DevicesFilter, paging?: Paging): RowQuery {
  const where = new Where();
  const counted = countedOf(where, filter);
  ofDevices(where, filter);
  if (paging?.cursor !== undefined)
    where.and(
      '(d."table", d.source) > (?, ?)',
      ...cursorKey(paging.cursor, LIST, ['text', 'text']),
    );
  return [
    `with counted as (${counted})
     select ${DEVICE.select('d', DEVICE_FIELDS)},
            coalesce(n.gaps, 0) as gaps, coalesce(n.unread, 0) as unread,
            coalesce(n.equivocations, 0) as equivocations
     from device d left join counted n on n."table" = d."table" and n.source = d.source
     ${where.sql} order by d."table", d.source ${limitOf(paging)}`,
    where.parameters,
  ];
}

/** Returns the SQL that counts the findings about each device. */
function countedOf(where: Where, { source, ...filter }: DevicesFilter): string {
  const findings = new Where(where.parameters)
    .and(`f.code in ('DV-01', 'DV-04', 'DV-15')`)
    .and('f.withdrawn_because is null')
    .filter('f', filter, 'null')
    .named('d.source = ?', source);
  return `select f."table", d.source, count(*) filter (where f.code = 'DV-04') as gaps,
                 count(*) filter (where f.code = 'DV-01') as unread,
                 count(*) filter (where f.code = 'DV-15') as equivocations
          from finding f cross join lateral ${DEVICE_OF} d ${findings.sql} group by f."table", d.source`;
}

const ofDevices = (
  where: Where,
  { source, from: _from, to: _to, ...filter }: DevicesFilter,
): Where => where.filter('d', filter, 'null').named('d.source = ?', source);

async function totalOf(read: Snapshot, filter: DevicesFilter): Promise<DeviceTotal> {
  const where = new Where();
  const counted = countedOf(where, filter);
  ofDevices(where, filter);
  const [row] = (await read.rows<Readonly<Record<keyof DeviceTotal, string>>>(
    `with counted as (${counted})
     select count(*) as devices, coalesce(sum(d.events), 0) as events,
            coalesce(sum(n.gaps), 0) as gaps, coalesce(sum(n.unread), 0) as unread,
            coalesce(sum(n.equivocations), 0) as equivocations
     from device d left join counted n on n."table" = d."table" and n.source = d.source ${where.sql}`,
    where.parameters,
  )) as [Readonly<Record<keyof DeviceTotal, string>>];
  return {
    devices: whole(row.devices),
    events: whole(row.events),
    gaps: whole(row.gaps),
    unread: whole(row.unread),
    equivocations: whole(row.equivocations),
  };
}

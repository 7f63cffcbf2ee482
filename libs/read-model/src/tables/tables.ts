import type { CoupKind, Severity } from '#audit';
import { fetchedFor, cursorKey, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { CoupDetail } from '../writing/rows.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { keyOf } from '../database/schema-keys.js';
import { Where } from '../reading/where.js';

/** A table as it stands. */
export interface TableLine {
  readonly table: string;
  /** Who deals; null where nobody has signed on. */
  readonly dealer: string | null;
  /** The time of its last event by that source's clock, and the latest at which one came in; null where there was none. */
  readonly lastEventTime: string | null;
  readonly lastReceived: string | null;
  /** The open shoe. */
  readonly shoe: TableShoe | null;
  /** The open coup, with its cards so far. */
  readonly coup: TableCoup | null;
  /** Events at this table since ever, as admission counted them; null where it is parked from its first. */
  readonly events: TableEvents | null;
  /** Where it is judged no further until somebody decides, and why. */
  readonly parked: {
    readonly partition: number;
    readonly offset: number;
    readonly line: number;
    readonly reason: string;
  } | null;
}

export interface TableShoe {
  readonly ref: string;
  readonly shoe: string;
  readonly rules: string;
  readonly decks: number;
  readonly kind: string;
  readonly currency: string;
  readonly coups: number;
  readonly cards: number;
  readonly unread: number;
  readonly openedAt: string;
  readonly gamingDay: string;
  /** Findings of this shoe that stand, and the gravest severity among them. */
  readonly findings: number;
  readonly worst: Severity | null;
}

export interface TableCoup {
  readonly ref: string;
  readonly coup: number;
  readonly kind: CoupKind;
  readonly openedAt: string;
  readonly cards: CoupDetail['cards'];
  readonly bets: CoupDetail['bets'];
}

export interface TableEvents {
  readonly read: number;
  readonly admitted: number;
  readonly duplicates: number;
  readonly equivocal: number;
  readonly late: number;
  readonly stray: number;
}

interface TableRead extends TableEvents {
  readonly key: string;
  readonly name: string;
  readonly known: boolean;
  readonly dealer: string | null;
  readonly last_event_time: Date | null;
  readonly last_received: Date | null;
  readonly ref: string | null;
  readonly shoe: string;
  readonly rules: string;
  readonly decks: number;
  readonly kind: string;
  readonly currency: string;
  readonly coups: number;
  readonly cards: number;
  readonly unread: number;
  readonly opened_at: Date;
  readonly gaming_day: string;
  readonly findings: number;
  readonly worst: Severity | null;
  readonly coup_ref: string | null;
  readonly coup: number;
  readonly coup_kind: CoupKind;
  readonly coup_opened_at: Date;
  readonly detail: CoupDetail;
  readonly parked_reason: string | null;
  readonly parked_partition: number;
  readonly parked_offset: number;
  readonly parked_line: number;
}

const LIST = 'tables';
const STANDING = 'f.shoe_ref = s.ref and f."table" = s."table" and f.withdrawn_because is null';

/** All tables that ever sent anything, by name. One that is parked stands as it stood before the event that it stopped at. */
export async function tables(
  read: Snapshot,
  { scope, table }: { readonly scope?: readonly string[]; readonly table?: string },
  paging: Paging,
): Promise<Page<TableLine>> {
  const where = new Where()
    .given('n."table" = any(?)', scope?.map(keyOf))
    .named('n."table" = ?', table);
  if (paging.cursor !== undefined)
    where.and('n."table" > ?', ...cursorKey(paging.cursor, LIST, ['text']));
  const rows = await read.rows<TableRead>(
    `select n."table" as key, n.name, t."table" is not null as known, t.dealer, t.last_event_time, t.last_received, t.read, t.admitted, t.duplicates, t.equivocal, t.late, t.stray,
            s.ref, s.shoe, s.rules, s.decks, s.kind, s.currency, s.coups, s.cards, s.unread, s.opened_at, s.gaming_day,
            (select count(*) from finding f where ${STANDING}) as findings, (select min(f.severity) from finding f where ${STANDING}) as worst,
            c.ref as coup_ref, c.coup, c.kind as coup_kind, c.opened_at as coup_opened_at, c.detail,
            p.reason as parked_reason, p.partition as parked_partition, p."offset" as parked_offset, p.line as parked_line
     from (select "table", name from table_state union select "table", name from parked) n
     left join table_state t on t."table" = n."table"
     left join parked p on p."table" = n."table"
     left join shoe s on s.ref = t.shoe_ref and s."table" = t."table" and not s.closed
     left join lateral (select * from coup c where c.shoe_ref = s.ref and c."table" = s."table" and c.state = 'open' order by c.coup desc, c.ref desc limit 1) c on true
     ${where.sql} order by n."table" limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [row.key]);
  return { lines: lines.map(tableLine), next };
}

function tableLine(row: TableRead): TableLine {
  const { read, admitted, duplicates, equivocal, late, stray } = row;
  return {
    table: row.name,
    dealer: row.dealer,
    lastEventTime: row.last_event_time?.toISOString() ?? null,
    lastReceived: row.last_received?.toISOString() ?? null,
    shoe: row.ref === null ? null : shoeOf(row, row.ref),
    coup:
      row.coup_ref === null
        ? null
        : {
            ref: row.coup_ref,
            coup: row.coup,
            kind: row.coup_kind,
            openedAt: row.coup_opened_at.toISOString(),
            cards: row.detail.cards,
            bets: row.detail.bets,
          },
    events: row.known ? { read, admitted, duplicates, equivocal, late, stray } : null,
    parked:
      row.parked_reason === null
        ? null
        : {
            partition: row.parked_partition,
            offset: row.parked_offset,
            line: row.parked_line,
            reason: row.parked_reason,
          },
  };
}

const shoeOf = (row: TableRead, ref: string): TableShoe => ({
  ref,
  shoe: row.shoe,
  rules: row.rules,
  decks: row.decks,
  kind: row.kind,
  currency: row.currency,
  coups: row.coups,
  cards: row.cards,
  unread: row.unread,
  openedAt: row.opened_at.toISOString(),
  gamingDay: row.gaming_day,
  findings: row.findings,
  worst: row.worst,
});

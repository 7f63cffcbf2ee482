import {
  DEVICE,
  FINDING,
  SHOE,
  type DeviceRow,
  type FindingRow,
  type ReviewEventRow,
} from '../entities/index.js';
import { coup, type CoupWhole } from '../coups/coup.js';
import { COUP_SELECT, coupLine, type CoupLine, type CoupRead } from '../coups/coups.js';
import { PAGE_MAX } from '../reading/cursor.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type ReadBy } from '../reading/where.js';
import { FINDING_SELECT, findingLine, type FindingLine, type FindingRead } from './findings.js';
import { findingAt, type FindingLocation } from './finding-location.js';
import { actsOn, looksAt, type HistoryAct, type Looks } from './history.js';
import type { Reviewer } from './commands.js';
import { isForTwo, mayOf, type May, type Reviewable, type ReviewSetting } from './may.js';
import type { Review } from './review.js';

/** A review with what its ruling needs, and what the reader may do. */
export interface ReviewWhole extends Review {
  /**
   * Whether a ruling needs two persons. Before there is a proposal, this is what severity, code and
   * impact say under the policy in force; a disposition or an amount may ask for two as well.
   */
  readonly two: boolean;
  /** What each command would lead to now, by the rows. A hint: the log decides. */
  readonly may: May;
}

/** How often the same was found before, and how often it was ruled to count. */
export interface SeenBefore {
  readonly findings: number;
  readonly counted: number;
}

/** Video of a finding: what a reviewer needs of it, and how long it is kept. */
export interface FindingVideo {
  /** What the last person attached; null if nobody did, or if it is not shown to the viewer. */
  readonly link: string | null;
  readonly from: string;
  readonly to: string;
  /** Until when it is kept: by the house, or for a hold that lasts longer. */
  readonly keptUntil: string;
  /** Whole days until then; 0 from then on. */
  readonly daysLeft: number;
  /** Requests to keep it longer, and what was kept, the oldest first, at most 50. */
  readonly holds: readonly HistoryAct[];
}

const OF_DEVICE = [
  'source',
  'session',
  'online',
  'lastTime',
  'lastReceived',
  'clockOffsetLast',
  'clockOffsetLeast',
  'clockOffsetMost',
] as const;
/** The device that sent what a finding is about, with its clock against the server's, in ms. */
export type FindingDevice = Pick<DeviceRow, (typeof OF_DEVICE)[number]>;

/** Everything about a finding that a reviewer needs on one screen. */
export interface FindingWhole {
  readonly finding: Omit<FindingLine, 'review'>;
  readonly review: ReviewWhole;
  /** Who was involved, at most 256. */
  readonly people: readonly string[];
  readonly device: FindingDevice | null;
  /** Null if it is about no coup. */
  readonly coup: CoupWhole | null;
  /** The currency of its shoe; null if it is about no shoe. */
  readonly currency: string | null;
  /** The coups before and after, by the references of their openings. */
  readonly neighbors: { readonly before: string | null; readonly after: string | null };
  /** The coups of its shoe, in order, for the roads: at most 1,000. */
  readonly coups: readonly CoupLine[];
  readonly video: FindingVideo;
  /** In the 30 gaming days that end with its own, without itself. */
  readonly seenBefore: { readonly dealer: SeenBefore | null; readonly table: SeenBefore };
  /** The last 50 acts, the newest first. */
  readonly history: readonly HistoryAct[];
  readonly looks: Looks;
}

/** Who reads a finding, and by which policies. */
export interface FindingReader extends ReadBy, ReviewSetting {
  readonly reviewer: Reviewer;
  /** Whether who looked is shown by name. */
  readonly seesLooks: boolean;
  readonly book: Parameters<typeof coup>[2];
}

/** The acts of a finding that are shown with it. */
const ACTS_MAX = 50;
const DAY_MS = 86_400_000;

const OF_REVIEW = [
  'id',
  'code',
  'severity',
  'impactAmount',
  'seat',
] as const satisfies readonly (keyof FindingRow)[];

type Read = FindingRead & Omit<Reviewable, 'isCoupOpen'>;

/**
 * Returns everything about a finding, or undefined if it does not exist or its table is not in the
 * scope. Throws `RulesNotInstalled` if the rules of its shoe are not installed.
 */
export async function findingWhole(
  read: Snapshot,
  id: string,
  reader: FindingReader,
): Promise<FindingWhole | undefined> {
  const location = await findingAt(read, id, reader);
  if (!location) return undefined;
  const row = await rowOf(read, id);
  const { scope, viewer } = reader;
  const by = { table: location.table, ...(scope && { scope }), ...(viewer && { viewer }) };
  const ofCoup = row.coupRef === null ? undefined : await coup(read, row.coupRef, reader.book, by);
  const { review, ...finding } = findingLine(row, viewer);
  const reviewable = { ...row, isCoupOpen: ofCoup?.state === 'open' };
  const coups = row.shoeRef === null ? [] : await coupsOf(read, row.shoeRef, location.table);
  return {
    finding,
    review: {
      ...review,
      two: isForTwo(reviewable, reader.reviewer, reader),
      may: mayOf(reviewable, reader.reviewer, reader),
    },
    people: location.people,
    device: await deviceOf(read, row, location.table),
    coup: ofCoup ?? null,
    currency: row.currency,
    neighbors: neighborsOf(coups, row.coupRef),
    coups,
    video: await videoOf(read, { ...location, ofCoup, heldUntil: row.videoHeldUntil }, reader),
    seenBefore: await seenBefore(read, row, location.table, reader),
    history: (await actsOn(read, location, reader, { order: 'newest', limit: ACTS_MAX })).lines,
    looks: await looksAt(read, location, reader.seesLooks),
  };
}

async function rowOf(read: Snapshot, id: string): Promise<Read> {
  const [row] = await read.rows<Read>(
    `select ${FINDING_SELECT}, ${FINDING.select('f', OF_REVIEW)}, ${SHOE.select('s', ['currency'])}
     from finding f left join shoe s on s.ref = f.shoe_ref and s."table" = f."table" where f.id = $1`,
    [id],
  );
  return row as Read;
}

async function coupsOf(read: Snapshot, shoeRef: string, table: string): Promise<CoupLine[]> {
  const rows = await read.rows<CoupRead>(
    `select ${COUP_SELECT} from coup c where c.shoe_ref = $1 and c."table" = $2 order by c.coup, c.ref limit ${PAGE_MAX}`,
    [shoeRef, table],
  );
  return rows.map(coupLine);
}

function neighborsOf(
  coups: readonly CoupLine[],
  ref: string | null,
): { readonly before: string | null; readonly after: string | null } {
  const at = coups.findIndex((each) => each.ref === ref);
  if (at < 0) return { before: null, after: null };
  return { before: coups[at - 1]?.ref ?? null, after: coups[at + 1]?.ref ?? null };
}

/** Returns the device that sent the coup's opening, or else the first event of the finding. */
async function deviceOf(read: Snapshot, row: Read, table: string): Promise<FindingDevice | null> {
  const reference = row.coupRef ?? row.body.events[0] ?? row.shoeRef;
  if (reference === null) return null;
  const where = new Where()
    .named('d."table" = ?', table)
    .named('d.source = ?', reference.slice(0, reference.lastIndexOf('#')));
  const [device] = await read.rows<FindingDevice>(
    `select ${DEVICE.select('d', OF_DEVICE)} from device d ${where.sql}`,
    where.parameters,
  );
  return device ?? null;
}

const VIDEO_ACTS = {
  link: ['finding-video-attached'],
  holds: ['finding-video-hold-requested', 'finding-video-held'],
} as const satisfies Record<string, readonly ReviewEventRow['type'][]>;

interface Filmed extends FindingLocation {
  readonly ofCoup: CoupWhole | undefined;
  /** The latest time until which somebody says that it was kept. */
  readonly heldUntil: string | null;
}

async function videoOf(
  read: Snapshot,
  { ofCoup, heldUntil, ...location }: Filmed,
  reader: FindingReader,
): Promise<FindingVideo> {
  const { kept, before, after } = reader.inForce.document.video;
  const began = Date.parse(ofCoup?.openedAt ?? location.at);
  const ended = Date.parse(ofCoup?.endedAt ?? ofCoup?.openedAt ?? location.at);
  const iso = (ms: number): string => new Date(ms).toISOString();
  const keptUntil = Math.max(
    Date.parse(location.at) + kept * 1000, // as the filter of the list has it
    heldUntil === null ? 0 : Date.parse(heldUntil),
  );
  const newest = { order: 'newest', limit: ACTS_MAX } as const;
  const attached = await actsOn(read, location, reader, { ...newest, types: VIDEO_ACTS.link });
  const holds = await actsOn(read, location, reader, { ...newest, types: VIDEO_ACTS.holds });
  const link = attached.lines[0]?.data.video;
  return {
    link: typeof link === 'string' ? link : null,
    from: iso(began - before * 1000),
    to: iso(ended + after * 1000),
    keptUntil: iso(keptUntil),
    daysLeft: Math.max(0, Math.floor((keptUntil - reader.now) / DAY_MS)),
    holds: holds.lines.toReversed(),
  };
}

/** The gaming days in which the same is looked for, its own included. */
const DAYS_BEFORE = 30;

async function seenBefore(
  read: Snapshot,
  { body: { id, code }, dealer, gamingDay }: Read,
  table: string,
  { scope }: ReadBy,
): Promise<FindingWhole['seenBefore']> {
  const where = new Where()
    .and('f.code = ?', code)
    .and(`f.gaming_day > ?::date - ${DAYS_BEFORE}`, gamingDay)
    .and('f.gaming_day <= ?', gamingDay)
    .and('f.withdrawn_because is null')
    .and('f.id <> ?', id)
    .filter('f', { ...(scope && { scope }) }, 'null');
  const isSame = {
    dealer: `f.dealer = ${where.parameter(dealer)}`,
    table: `f."table" = ${where.parameter(table)}`,
  };
  // without this, all findings of the code are read
  where.and(`(${isSame.dealer} or ${isSame.table})`);
  const counts = Object.entries(isSame).flatMap(([name, same]) => [
    `count(*) filter (where ${same}) as ${name}_findings`,
    `count(*) filter (where ${same} and f.review = 'ruled' and f.counts) as ${name}_counted`,
  ]);
  const [row] = await read.rows<Record<string, string>>(
    `select ${counts.join(', ')} from finding f ${where.sql}`,
    where.parameters,
  );
  const of = (name: keyof typeof isSame): SeenBefore => ({
    findings: whole(row?.[`${name}_findings`] ?? 0),
    counted: whole(row?.[`${name}_counted`] ?? 0),
  });
  return { dealer: dealer === null ? null : of('dealer'), table: of('table') };
}

import {
  deliveries,
  PAGE_MAX,
  type DeliveryLine,
  type Page,
  type Paging,
  type Slices,
  type Snapshot,
} from '#read-model';
import type { Identity } from '../identity/identity.js';
import type { KeyShown } from '../identity/keys/device-keys.js';
import type { List } from '../reading/ask-lines.js';
import { fileOf, named, type Column } from '../reading/files/columns.js';

/** What one key delivered. */
export interface KeyDelivery
  extends Omit<DeliveryLine, 'sender'>, Pick<KeyShown, 'createdBy' | 'revokedAt'> {
  /** The name of the key. */
  readonly key: string;
  /** Holes in the numbers of its sources (DV-04). */
  readonly gaps: number;
}

/** The tables to count. */
interface OfTables {
  readonly scope?: readonly string[];
  readonly table?: string;
}

/** The stamp of what a key sends is this and its name. */
const STAMP = 'device/';

/** Reads a page of what some keys delivered. */
type ReadPage = List<OfTables, Page<KeyDelivery>, KeyDelivery>['page'];

/** Returns how to read what these keys delivered, by name. */
export function deliveriesOf(
  keys: readonly KeyShown[],
): List<OfTables, Page<KeyDelivery>, KeyDelivery> {
  const byStamp = new Map(keys.map((key) => [`${STAMP}${key.name}`, key]));
  const page: ReadPage = async (read, filter, paging) => {
    const senders = [...byStamp.keys()];
    const { lines, next } = await deliveries(read, { ...filter, senders }, paging);
    return { lines: lines.map((line) => ofKey(byStamp.get(line.sender) as KeyShown, line)), next };
  };
  return { page, every: (read, filter) => everyPage(page, read, filter), file: FILE };
}

function ofKey(
  { name, createdBy, revokedAt }: KeyShown,
  { sender: _, ...line }: DeliveryLine,
): KeyDelivery {
  const gaps = line.faults.find(({ code }) => code === 'DV-04')?.count ?? 0;
  return { key: name, createdBy, revokedAt, ...line, gaps };
}

async function* everyPage(page: ReadPage, read: Snapshot, filter: OfTables): Slices<KeyDelivery> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const paging: Paging = { limit: PAGE_MAX, ...(cursor !== '' && { cursor }) };
    const { lines, next }: Page<KeyDelivery> = await page(read, filter, paging);
    yield lines;
    cursor = next;
  }
}

/** Returns the keys whose deliveries an identity sees: its own, and for an admin all of these. */
export const keysSeen = ({ id, roles }: Identity, keys: readonly KeyShown[]): KeyShown[] =>
  keys.filter(({ createdBy }) => createdBy === id || roles.includes('admin'));

const COLUMNS: readonly Column<KeyDelivery>[] = [
  ...named<KeyDelivery>(
    'key',
    'createdBy',
    'revokedAt',
    'tables',
    'sources',
    'events',
    'duplicates',
    'unread',
    'lastReceived',
    'gaps',
  ),
  {
    heading: 'faults',
    value: ({ faults }) => faults.map(({ code, count }) => `${code} ${count}`).join(' '),
  },
];

const FILE = fileOf('deliveries', COLUMNS);

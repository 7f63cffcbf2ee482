import type { Answers } from '../../api/client.js';
import { NONE, type Search } from '../../app/address.js';
import type { Policy } from '../../review/policy.js';

type Finding = Answers['FindingAnswer'];

/** What the queue can be filtered by. The names are those of `GET /v1/findings`. */
const FILTERS = [
  'severity',
  'review',
  'code',
  'table',
  'dealer',
  'mine',
  'escalated',
  'overdue',
  'lapsed',
  'regressed',
  'videoHours',
  'disposition',
  'q',
  'status',
  'from',
  'to',
  'shoeRef',
  'coupRef',
] as const;
/** The name of a filter. */
export type FilterName = (typeof FILTERS)[number];

/** What an address of the queue may say: the filters, the order, a view and the open finding. */
const NAMES: readonly string[] = [...FILTERS, 'order', 'view', 'finding', 'step'];
/** What `POST /v1/findings/take-next` cannot be filtered by: it takes what waits and is free. */
const NOT_FOR_TAKING: readonly string[] = ['review', 'mine', 'lapsed', 'disposition', 'status'];

/** The filter and the order of a queue, as texts of an address. */
export type QueueFilter = Readonly<Partial<Record<FilterName | 'order', string>>>;

/** Returns the filter in an address. */
export const filterIn = (search: Search): QueueFilter =>
  Object.fromEntries(
    [...FILTERS, 'order']
      .filter((name) => (search[name] ?? '') !== '')
      .map((name) => [name, search[name]]),
  );

/** Returns the names in an address that the queue does not know. */
export const unknownIn = (search: Search): readonly string[] =>
  Object.keys(search).filter((name) => !NAMES.includes(name));

/** Returns what is asked of the list: what waits for a ruling, the gravest first, unless asked. */
export const listQuery = (filter: QueueFilter): Readonly<Record<string, string>> => ({
  ...countQuery(filter),
  order: filter.order ?? 'queue',
});

/** Returns what is asked of the facets, which have no order. */
export const countQuery = (filter: QueueFilter): Readonly<Record<string, string>> => ({
  review: 'open,proposed',
  lapsed: 'false',
  ...asAsked(filter),
});

/** Returns a filter without its order, as the api takes it: a dealer of `''` is nobody. */
const asAsked = ({ dealer, order: _order, ...others }: QueueFilter): QueueFilter => ({
  ...others,
  ...(dealer !== undefined && { dealer: dealer === NONE ? '' : dealer }),
});

/** Returns the part of a filter that take next has. */
export const takeQuery = (filter: QueueFilter): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asAsked(filter)).filter(([name]) => !NOT_FOR_TAKING.includes(name)),
  );

/** Returns whether a filter leaves out every finding that take next could take. */
export const hasNothingToTake = ({ review, mine, lapsed, disposition, status }: QueueFilter) =>
  (review !== undefined && !among('open', review)) ||
  mine === 'true' ||
  lapsed === 'true' ||
  disposition !== undefined ||
  (status !== undefined && status !== 'standing' && status !== 'all');

/** Returns the values of a filter that is a list. */
export const valuesOf = (filter: QueueFilter, name: FilterName): readonly string[] =>
  (filter[name] ?? '').split(',').filter((value) => value !== '');

/** Returns a filter in which one value of a list is the other way: there or not. */
export function toggled(filter: QueueFilter, name: FilterName, value: string): QueueFilter {
  const values = valuesOf(filter, name);
  const next = values.includes(value)
    ? values.filter((each) => each !== value)
    : [...values, value].sort();
  return { ...filter, [name]: next.join(',') };
}

/** Who looks at the queue, and the policy in force, once it has been read. */
export interface Looker {
  readonly person: string | null;
  readonly policy: Pick<Policy, 'due' | 'video'> | undefined;
}

/** Returns whether a finding waits for its ruling for longer than the policy allows. */
export function isOverdue(
  { severity, raisedAt, review }: Pick<Finding, 'severity' | 'raisedAt' | 'review'>,
  due: Policy['due'] | undefined,
  now = Date.now(),
): boolean {
  if (!due || raisedAt === null || review.state === 'ruled' || review.lapsed) return false;
  return Date.parse(raisedAt) + due[severity] * 1_000 < now;
}

/** Returns until when the video of a finding is kept, in ms since 1970: by the house or a hold. */
export const videoEnd = (
  { at, videoHeldUntil }: Pick<Finding, 'at' | 'videoHeldUntil'>,
  { kept }: Policy['video'],
): number =>
  Math.max(Date.parse(at) + kept * 1_000, videoHeldUntil === null ? 0 : Date.parse(videoHeldUntil));

const HOUR_MS = 3_600_000;

type Test = (finding: Finding, value: string, looker: Looker) => boolean;

const among = (value: string, list: string): boolean => list.split(',').includes(value);

/** What each filter means for one finding. The server decides what the list has. */
const TESTS: Readonly<Record<FilterName, Test>> = {
  severity: ({ severity }, value) => among(String(severity), value),
  review: ({ review }, value) => among(review.state, value),
  code: ({ code }, value) => among(code, value),
  table: ({ table }, value) => table === value,
  dealer: ({ dealer }, value) => (dealer ?? '') === value,
  mine: ({ review: { claim, proposal } }, value, { person }) =>
    [claim?.by, proposal?.by].some((by) => by !== undefined && by === person) ===
    (value === 'true'),
  escalated: ({ review: { escalated } }, value) =>
    value === 'true' ? escalated !== null : escalated === value,
  overdue: (finding, value, { policy }) => isOverdue(finding, policy?.due) === (value === 'true'),
  lapsed: ({ review }, value) => review.lapsed === (value === 'true'),
  regressed: ({ review }, value) => review.regressed === (value === 'true'),
  videoHours: (finding, value, { policy }) => {
    const left = policy ? videoEnd(finding, policy.video) - Date.now() : 0;
    return left > 0 && left <= Number(value) * HOUR_MS;
  },
  disposition: ({ review: { ruling, proposal } }, value) =>
    among((ruling ?? proposal)?.disposition ?? '', value),
  q: (finding, value) =>
    value.split(/\s+/).every((word) => word === '' || hasWord(finding, word.toLowerCase())),
  status: ({ status }, value) => value === 'all' || status === value,
  from: ({ gamingDay }, value) => gamingDay >= value,
  to: ({ gamingDay }, value) => gamingDay <= value,
  shoeRef: ({ shoeRef }, value) => shoeRef === value,
  coupRef: ({ coupRef }, value) => coupRef === value,
};

const hasWord = ({ id, code, shoe, dealer, coup }: Finding, word: string): boolean =>
  id.startsWith(word) ||
  code.toLowerCase().startsWith(word) ||
  shoe.toLowerCase().includes(word) ||
  (dealer ?? '').toLowerCase().includes(word) ||
  String(coup) === word;

/** Returns whether a finding that changed would be in the queue if it were read again now. */
export function belongs(finding: Finding, filter: QueueFilter, looker: Looker): boolean {
  const asked = { status: 'standing', ...countQuery(filter) } as QueueFilter;
  return FILTERS.every((name) => {
    const value = asked[name];
    return value === undefined || TESTS[name](finding, value, looker);
  });
}

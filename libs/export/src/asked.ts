import { createHash } from 'node:crypto';
import type { JudgedTaker, RuleBook } from '#audit';
import type { PackageStatement, Replay, Sha256 } from '#evidence';
import type { EventLog } from '#event-log';
import type { SealReader } from '#seal-store';
import { ExportRefusal } from './refusal.js';
import type { ExportRows } from './rows.js';

/** What a package is made from. */
export interface ExportParts {
  readonly log: EventLog;
  readonly seals: SealReader;
  readonly rows: ExportRows;
  readonly sha256: Sha256;
  /** The installed documents. A package holds those that its records name. */
  readonly book: RuleBook;
  /**
   * Returns what judges as the verifier does, without asking for warnings: it makes them. The taker
   * takes what was judged.
   */
  readonly replay: (taker: JudgedTaker) => Replay;
  readonly gamingDays: PackageStatement['gamingDays'];
  readonly software: PackageStatement['software'];
  readonly howToVerify: string;
}

/** The scope of a package, as package.json has it. */
export type Scope = PackageStatement['scope'];

/** What a person asks for. */
export interface ExportAsked {
  /** `shoe` is the id of a shoe or the reference of its opening. Of a finding the table follows. */
  readonly scope: Scope;
  /** Sizes of checkpoints that the recipient holds. */
  readonly since: readonly number[];
  /** The formats of the reports. None are made if it is empty. */
  readonly formats: readonly ExportFormat[];
  /**
   * Whether a package is made that its own verifier does not find intact. The faults stand in it as
   * warnings.
   */
  readonly asItIs: boolean;
}

/** The formats of reports. */
export const EXPORT_FORMATS = ['csv', 'xlsx', 'pdf'] as const;
/** A format of reports. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Most checkpoints of the recipient that a request may name. */
export const SINCE_MAX = 100;
/** Most that one package proves: those, and the one that the recipient was given last. */
export const PROVED_MAX = SINCE_MAX + 1;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Throws `ExportRefusal` for a request that names too little or too much, with the field. `most`:
 * how many checkpoints it may name.
 */
export function refuseUnlessClear({ scope, since, formats }: ExportAsked, most = SINCE_MAX): void {
  refuseFields(scope);
  refuseDays(scope);
  if (since.length > most)
    throw new ExportRefusal(
      'too-many-checkpoints',
      `${since.length} checkpoints are more than ${most}`,
      'since',
    );
  const unknown = formats.find((format) => !EXPORT_FORMATS.includes(format));
  if (unknown !== undefined)
    throw new ExportRefusal(
      'unknown-format',
      `${unknown} is not one of ${EXPORT_FORMATS.join(', ')}`,
      'formats',
    );
}

const badScope = (field: string, why: string): ExportRefusal =>
  new ExportRefusal('bad-scope', why, `scope/${field}`);

function refuseFields(scope: Scope): void {
  const { must, may } = FIELDS_OF_SCOPE[scope.kind];
  for (const field of SCOPE_FIELDS) {
    const isThere = scope[field] !== undefined;
    if (must.includes(field) && !isThere)
      throw badScope(field, `a package of a ${scope.kind} must name it`);
    if (isThere && !must.includes(field) && !may.includes(field))
      throw badScope(field, `a package of a ${scope.kind} does not have it`);
  }
}

function refuseDays({ day, from, to }: Scope): void {
  for (const [field, value] of Object.entries({ day, from, to }))
    if (value !== undefined && !isDay(value)) throw badScope(field, 'must be a day, YYYY-MM-DD');
  if ((from === undefined) !== (to === undefined))
    throw badScope(
      from === undefined ? 'from' : 'to',
      'from and to must both be there, or neither',
    );
  if (from !== undefined && to !== undefined && from > to)
    throw badScope('to', `lies before ${from}`);
}

const isDay = (text: string): boolean => {
  const ms = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

const SCOPE_FIELDS = ['table', 'shoe', 'finding', 'day', 'from', 'to'] as const;
type ScopeField = (typeof SCOPE_FIELDS)[number];

/** What a scope of each kind must and may name. `from` and `to` come together. */
export const FIELDS_OF_SCOPE: Readonly<
  Record<Scope['kind'], Readonly<Record<'must' | 'may', readonly ScopeField[]>>>
> = {
  shoe: { must: ['table', 'shoe'], may: [] },
  finding: { must: ['finding'], may: ['table'] },
  table: { must: ['table'], may: ['from', 'to'] },
  day: { must: ['day'], may: ['table'] },
};

/** What the id of a package is made from. */
export interface PackageNamed {
  readonly origin: string;
  readonly scope: Scope;
  /** The number of the table; undefined for a day of all tables. */
  readonly number: number | undefined;
  /** The size of the checkpoint. */
  readonly size: number;
}

/**
 * Returns the id of a package, which is also its folder. A table or shoe whose name could be that
 * of another one on a file system blind to case, or that no folder can have, is named by its number
 * or by a part of its hash.
 */
export function packageId({ origin, scope, number, size }: PackageNamed): string {
  const { kind, table, shoe, finding, day, from, to } = scope;
  const site = origin.split('/').at(-1) ?? '';
  const parts = [SAFE_SITE.test(site) ? site : hashPart(origin), kind];
  if (table !== undefined) parts.push(SAFE.test(table) ? table : `t${number ?? ''}`);
  for (const name of [shoe, finding])
    if (name !== undefined) parts.push(SAFE.test(name) ? name : hashPart(name));
  for (const each of [day, from, to]) if (each !== undefined) parts.push(each.replaceAll('-', ''));
  return [...parts, size].join('-');
}

const SAFE = /^[A-Z0-9][A-Z0-9.-]{0,39}$/;
const SAFE_SITE = /^[A-Za-z0-9][A-Za-z0-9.-]{0,39}$/;
const hashPart = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

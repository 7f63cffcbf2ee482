import { PACKAGE_FORMAT } from '../site/receipt.js';
import { choice, count, flag, list, maybe, object, optional, text } from './forms.js';
import type { ValueOf } from './forms.js';

/** Longest line of a text file of a package, in bytes: a record of 60,000 bytes as JSON escapes it. */
export const PACKAGE_LINE_MAX = 1024 * 1024;
/** Longest JSON file of a package that is read as a whole, in bytes. */
export const JSON_BYTES_MAX = 64 * 1024 * 1024;

const TABLES_MAX = 65_536;
const PROOF_MAX = 64;
const KEYS_MAX = 1_000;

const hash = text(44, '[A-Za-z0-9+/]{43}=');
const proof = list(hash, PROOF_MAX);
const leafText = text(65_536);
const leaf = { index: count, text: leafText };
const provenLeaf = object({ ...leaf, proof });
const day = text(10, '[0-9]{4}-[0-9]{2}-[0-9]{2}');
const tableId = text(16_384);

/** data/package.json: what the package is about. */
export const packageForm = object({
  format: choice(PACKAGE_FORMAT),
  id: text(200, '[A-Za-z0-9._~-]+'),
  origin: text(1_000),
  size: count,
  scope: object({
    kind: choice('shoe', 'finding', 'table', 'day'),
    table: optional(tableId),
    shoe: optional(text(1_000)),
    finding: optional(text(1_000)),
    day: optional(day),
    from: optional(day),
    to: optional(day),
  }),
  range: object({ after: maybe(count), to: count }),
  all: flag,
  tables: list(
    object({
      table: tableId,
      name: text(49_152),
      number: count,
      first: count,
      records: count,
      events: count,
      shoes: list(text(1_000), 65_536),
    }),
    TABLES_MAX,
  ),
  rules: list(
    object({
      id: text(200, '(?:policies/)?[a-z0-9-]+@[0-9]+'),
      sha256: text(64, '[0-9a-f]{64}'),
    }),
    10_000,
  ),
  gamingDays: list(
    object({ from: day, zone: text(100), cutover: text(5, '[0-2][0-9]:[0-5][0-9]') }),
    1_000,
  ),
  unjudged: list(object({ table: tableId, record: count, line: count, released: flag }), 100_000),
  software: object({ name: text(100), version: text(100), commit: text(100), fold: count }),
  warnings: list(text(65_536), 10_000),
});
/** What a package says of itself. */
export type PackageStatement = ValueOf<typeof packageForm>;

/** A line of data/site/leaves.ndjson: a leaf of the site log. */
export const leafForm = object(leaf);
/** A leaf of the site log. */
export type SiteLeaf = ValueOf<typeof leafForm>;
/** A leaf of the site log with its inclusion proof. */
export type ProvenLeaf = ValueOf<typeof provenLeaf>;

/** data/site/proof.json: how the seals and the key statements are in the site log. */
export const siteProofForm = object({
  frontier: proof,
  consistency: list(object({ from: count, proof }), 100_000),
  keys: list(provenLeaf, KEYS_MAX),
  latest: provenLeaf,
});
/** How the seals and the key statements are in the site log. */
export type SiteProof = ValueOf<typeof siteProofForm>;

/** data/site/since.json: where the tables stood at checkpoints that the recipient holds. */
export const sinceForm = list(
  object({
    size: count,
    seal: provenLeaf,
    tables: list(
      object({ number: count, size: count, root: hash, path: proof, consistency: proof }),
      TABLES_MAX,
    ),
  }),
  10_000,
);
/** Where the tables stood at checkpoints that the recipient holds. */
export type Since = ValueOf<typeof sinceForm>;

/** A line of heads.ndjson: where a table stood at a seal. */
export const headForm = object({ seal: count, size: count, root: hash, path: optional(proof) });
/** Where a table stood at a seal. `path` is absent where every table is in the package. */
export type PackedHead = ValueOf<typeof headForm>;

/** data/tables/<number>/proof.json: how the range is in the table's tree. */
export const tableProofForm = object({
  frontier: proof,
  before: proof,
  rest: proof,
  latest: object({ size: count, root: hash, path: proof, consistency: proof }),
});
/** How the range is in the table's tree. */
export type TableProof = ValueOf<typeof tableProofForm>;

/** A line of context.ndjson and of later.ndjson: a record outside the range with its proof. */
export const provenRecordForm = object({ n: count, value: text(PACKAGE_LINE_MAX), proof });
/** A record outside the range with its inclusion proof. */
export type ProvenRecord = ValueOf<typeof provenRecordForm>;

/** The columns of records.csv. */
export const RECORD_COLUMNS = ['n', 'bytes', 'lines', 'partition', 'offset', 'check'] as const;
/** A line of records.csv: where a record is in events.ndjson and in the log. */
export interface RecordLine {
  readonly n: number;
  readonly bytes: number;
  readonly lines: number;
  readonly partition: number;
  readonly offset: number;
  /** The number that the first 8 hexadecimal digits of the leaf stand for. */
  readonly check: number;
}

/** How a file of a package is written. */
export type FileKind =
  | { readonly is: 'json' | 'lines'; readonly form: Parameters<typeof list>[0] }
  | { readonly is: 'csv'; readonly columns: readonly string[] }
  | { readonly is: 'judged' | 'note' | 'text' | 'records' | 'document' };

/** Every file of a package, in words: `<number>` is the number of a table. */
export const PACKAGE_FILES: Readonly<Record<string, FileKind>> = {
  'bagit.txt': { is: 'text' },
  'bag-info.txt': { is: 'text' },
  'manifest-sha256.txt': { is: 'text' },
  'tagmanifest-sha256.txt': { is: 'text' },
  'VERIFY.txt': { is: 'text' },
  receipt: { is: 'note' },
  'data/package.json': { is: 'json', form: packageForm },
  'data/site/checkpoint': { is: 'note' },
  'data/site/names': { is: 'text' },
  'data/site/leaves.ndjson': { is: 'lines', form: leafForm },
  'data/site/proof.json': { is: 'json', form: siteProofForm },
  'data/site/since.json': { is: 'json', form: sinceForm },
  'data/tables/<number>/events.ndjson': { is: 'records' },
  'data/tables/<number>/records.csv': { is: 'csv', columns: RECORD_COLUMNS },
  'data/tables/<number>/heads.ndjson': { is: 'lines', form: headForm },
  'data/tables/<number>/proof.json': { is: 'json', form: tableProofForm },
  'data/tables/<number>/context.ndjson': { is: 'lines', form: provenRecordForm },
  'data/tables/<number>/later.ndjson': { is: 'lines', form: provenRecordForm },
  'data/rules/<id@version>.json': { is: 'document' },
  'data/findings.ndjson': { is: 'judged' },
  'data/unjudgeable.ndjson': { is: 'judged' },
  'data/commission.csv': { is: 'judged' },
  'data/shoes.csv': { is: 'judged' },
  'data/days.csv': { is: 'judged' },
};

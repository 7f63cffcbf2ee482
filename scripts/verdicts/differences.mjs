// @ts-check
// Compares two verdicts record by record, without ids.

/** @typedef {Readonly<Record<string, unknown>>} Fields */
/**
 * The result of comparing the records of one kind: their numbers in base and head, and how many
 * ids, which fields and which records are new or differ.
 *
 * @typedef {object} Compared
 * @property {string} kind
 * @property {number} base
 * @property {number} head
 * @property {number} ids
 * @property {readonly string[]} added
 * @property {readonly string[]} differing
 */

const FINDING_ID = /^(?:[0-9a-f]{26}|[0-9a-f]{32})$/;

/** @param {unknown} value @returns {value is Fields} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @param {unknown} value */
const isIdentified = (value) => isObject(value) && isId('id', value['id']);
/** @param {string} name @param {unknown} value */
const isId = (name, value) => name === 'id' && typeof value === 'string' && FINDING_ID.test(value);

/**
 * Returns a value with sorted keys and without finding ids and the named fields.
 *
 * @param {unknown} value
 * @param {ReadonlySet<string>} ignored
 * @returns {unknown}
 */
function withoutIds(value, ignored) {
  if (Array.isArray(value)) return value.map((item) => withoutIds(item, ignored));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => !ignored.has(name) && !isId(name, field))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, withoutIds(field, ignored)]),
  );
}

/** @param {unknown} value @returns {value is Fields} */
const isFinding = (value) => isObject(value) && 'code' in value && 'severity' in value;
/**
 * Returns the path of a value. The path of a finding is its code, wherever it occurs: a field may
 * be new to one code and known to another.
 *
 * @param {unknown} value
 * @param {string} path
 */
const pathOf = (value, path) => (isFinding(value) ? `[${value['code']}]` : path);
/** @param {unknown} a @param {unknown} b */
const byText = (a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/**
 * Adds the paths of every field in a value to `paths`. The items of a list share one path.
 *
 * @param {unknown} value
 * @param {string} path
 * @param {Set<string>} paths
 */
function addPaths(value, path, paths) {
  if (Array.isArray(value)) for (const item of value) addPaths(item, path, paths);
  else if (isObject(value))
    for (const [name, field] of Object.entries(value)) {
      const at = `${pathOf(value, path)}/${name}`;
      paths.add(at);
      addPaths(field, at, paths);
    }
}

/**
 * Returns a value without the fields at the given paths. A list of findings is sorted, because its
 * order may follow the ids.
 *
 * @param {unknown} value
 * @param {string} path
 * @param {ReadonlySet<string>} left
 * @returns {unknown}
 */
function withoutPaths(value, path, left) {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutPaths(item, path, left));
    return value.some(isFinding) ? items.sort(byText) : items;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(
        ([name, field]) => /** @type {const} */ ([name, `${pathOf(value, path)}/${name}`, field]),
      )
      .filter(([, at]) => !left.has(at))
      .map(([name, at, field]) => [name, withoutPaths(field, at, left)]),
  );
}

/**
 * Compares the records of one kind as multisets. A field is new if no record of the base has it
 * (for a finding: no finding of that code). New fields are only named. Every other difference
 * counts.
 *
 * @param {string} kind
 * @param {readonly unknown[]} base
 * @param {readonly unknown[]} head
 * @param {{ ignored?: ReadonlySet<string>, known?: Set<string> }} [options] `known`: the paths that
 *   the base has had so far.
 * @returns {Compared}
 */
export function compareRecords(kind, base, head, { ignored = new Set(), known = new Set() } = {}) {
  const [before, after] = [base, head].map((side) => side.map((each) => withoutIds(each, ignored)));
  for (const record of before ?? []) addPaths(record, '', known);
  /** @type {Set<string>} */
  const paths = new Set();
  for (const record of after ?? []) addPaths(record, '', paths);
  const added = new Set([...paths].filter((path) => !known.has(path)));
  /** @type {Map<string, number>} */
  const balance = new Map();
  const count = (/** @type {unknown} */ record, /** @type {number} */ by) => {
    const text = JSON.stringify(record);
    balance.set(text, (balance.get(text) ?? 0) + by);
  };
  for (const record of before ?? []) count(withoutPaths(record, '', added), -1);
  for (const record of after ?? []) count(withoutPaths(record, '', added), 1);
  const differing = [...balance].flatMap(([text, sum]) =>
    sum === 0
      ? []
      : [`${kind}: ${sum < 0 ? 'base only' : 'head only'} (${Math.abs(sum)}): ${text}`],
  );
  return {
    kind,
    base: base.length,
    head: head.length,
    ids: changedIds(base, head),
    added: [...added],
    differing: differing.sort(),
  };
}

/**
 * Counts the findings of the head whose id the base does not have.
 *
 * @param {readonly unknown[]} base
 * @param {readonly unknown[]} head
 */
function changedIds(base, head) {
  const known = new Set(idsIn(base));
  return idsIn(head).filter((id) => !known.has(id)).length;
}

/** @param {readonly unknown[]} records */
const idsIn = (records) =>
  records.flatMap((record) =>
    isObject(record) && isIdentified(record) ? [/** @type {string} */ (record['id'])] : [],
  );

/**
 * Returns where findings do not match one to one by code, table, shoe, coup and events, and where
 * ids repeat.
 *
 * @param {readonly Fields[]} base
 * @param {readonly Fields[]} head
 * @returns {string[]}
 */
export function unmatched(base, head) {
  const keyOf = (/** @type {Fields} */ { code, table, shoe, coup, events }) =>
    JSON.stringify([code, table, shoe, coup ?? null, events]);
  const differing = compareRecords('finding by place', base.map(keyOf), head.map(keyOf)).differing;
  const ids = idsIn(head);
  const repeated = ids.length - new Set(ids).size;
  return repeated === 0 ? [...differing] : [...differing, `finding: ${repeated} ids repeat`];
}

/**
 * Parses CSV (RFC 4180) with a header row into records.
 *
 * @param {string} text
 * @returns {Fields[]}
 */
export function parseCsv(text) {
  /** @type {string[][]} */
  const rows = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/gy;
  let row = [];
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [all, value = '', end] = match;
    if (all === '' && row.length === 0) break;
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end !== ',') {
      rows.push(row);
      row = [];
    }
    if (end === '') break;
  }
  const [header = [], ...lines] = rows;
  return lines.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])));
}

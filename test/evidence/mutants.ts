import { PACKAGE_FILES, type FileKind, type FileForm } from '#evidence';
import { createHash } from 'node:crypto';
import type { PackageFiles } from './site-package.js';

/** What the verifier must say of a mutant: these verdicts, and this file first. */
interface Expected {
  readonly verdicts: readonly string[];
  /** The file of one of the faults. */
  readonly file?: string;
  /** The first fault is at this record, or at the seal that is the first to hold it. */
  readonly record?: number | undefined;
  readonly seal?: number | undefined;
}

/** A package that was changed in one place. */
export interface Mutant {
  readonly name: string;
  readonly files: PackageFiles;
  readonly expected: Expected;
}

const ALTERED: readonly string[] = ['ALTERED'];
/** package.json that is not of its form makes no package at all. */
const verdictsOf = (path: string): readonly string[] =>
  path === 'data/package.json' ? ['ALTERED', 'UNREADABLE'] : ALTERED;

/** Two files that no manifest lists are missing under another name; others are unlisted too. */
const RENAMED = (path: string): readonly string[] =>
  path === 'data/package.json' ? ['UNREADABLE'] : ['ALTERED', 'INCOMPLETE'];

/** Returns the declaration of a file of a package. */
export function kindOf(path: string): FileKind {
  const [kind] = Object.entries(PACKAGE_FILES).flatMap(([pattern, each]) => {
    const text = pattern
      .replaceAll('.', '\\.')
      .replace('<number>', '\\d+')
      .replace('<id@version>', '[a-z0-9@/-]+');
    return new RegExp(`^${text}$`).test(path) ? [each] : [];
  });
  if (!kind) throw new Error(`${path} is not declared`);
  return kind;
}

const withFile = (files: PackageFiles, path: string, bytes: Uint8Array | string): PackageFiles =>
  new Map(files).set(path, Buffer.from(bytes));

/** Yields every file cut, removed, emptied, doubled and renamed, and an unlisted one added. */
function* fileMutants(files: PackageFiles): Generator<Mutant> {
  for (const [path, bytes] of files) {
    const expected = { verdicts: verdictsOf(path), file: path };
    const changed = (what: string, content: Uint8Array): Mutant => ({
      name: `${path} ${what}`,
      files: withFile(files, path, content),
      expected,
    });
    if (bytes.length > 0) {
      yield changed('cut by a byte', bytes.subarray(0, -1));
      yield changed('cut in half', bytes.subarray(0, bytes.length >> 1));
      yield changed('emptied', new Uint8Array(0));
      yield changed('doubled', Buffer.concat([bytes, bytes]));
    }
    yield changed('with a line more', Buffer.concat([bytes, Buffer.from('x\n')]));
    const without = new Map(files);
    without.delete(path);
    yield {
      name: `${path} removed`,
      files: without,
      expected: {
        verdicts: path === 'data/package.json' ? ['UNREADABLE'] : ['INCOMPLETE'],
        file: path,
      },
    };
    yield {
      name: `${path} renamed`,
      files: new Map(without).set(`${path}x`, bytes),
      expected: { verdicts: RENAMED(path), file: path },
    };
  }
  for (const path of ['data/x', 'x', 'data/tables/9/events.ndjson', 'data/rules/x@1.json'])
    yield {
      name: `${path} added`,
      files: withFile(files, path, 'x\n'),
      expected: { verdicts: ALTERED, file: path },
    };
}

/** Yields every file with one bit changed in bytes of every class: letters, digits, signs, others. */
function* bitMutants(files: PackageFiles): Generator<Mutant> {
  const classes = [/[a-zA-Z]/, /[0-9]/, /[{}[\]":,]/, /\n/, /[^\x00-\x7f]/, /[-+=/. ]/];
  for (const [path, bytes] of files)
    for (const each of classes) {
      const places = [...bytes.keys()].filter((at) =>
        each.test(String.fromCharCode(bytes[at] ?? 0)),
      );
      for (const at of [places[0], places[places.length >> 1], places.at(-1)]) {
        if (at === undefined) continue;
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
        yield {
          name: `${path} bit ${at % 8} of byte ${at}`,
          files: withFile(files, path, changed),
          expected: { verdicts: verdictsOf(path), file: path },
        };
      }
    }
}

/** Yields values that differ from a value of a form: longer, shorter, other, doubled, null. */
function* otherValues(value: unknown): Generator<[what: string, value: unknown]> {
  yield ['null', null];
  yield ['another type', typeof value === 'string' ? 7 : 'x'];
  if (typeof value === 'number') {
    yield ['one more', value + 1];
    if (value > 0) yield ['one less', value - 1];
    yield ['a fraction', value + 0.5];
    yield ['negative', -value - 1];
  } else if (typeof value === 'string') {
    yield ['longer', `${value}x`];
    if (value !== '') yield ['shorter', value.slice(0, -1)];
    yield ['other', value.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) || 'A'];
  } else if (typeof value === 'boolean') yield ['the contrary', !value];
  else if (Array.isArray(value)) {
    yield ['empty', value.length > 0 ? [] : ['x']];
    if (value.length > 0) yield ['doubled', [...value, value.at(-1)]];
    if (value.length > 0) yield ['without the last', value.slice(0, -1)];
    if (value.length > 1) yield ['in another order', [...value.slice(1), value[0]]];
  }
}

/**
 * Yields a value of a form with each of its fields changed, from the declaration of the form, so
 * that a new field is covered without being remembered.
 */
function* fieldMutants(
  form: FileForm<unknown>,
  value: unknown,
  at = '',
): Generator<[what: string, value: unknown]> {
  for (const [what, other] of otherValues(value))
    if (JSON.stringify(other) !== JSON.stringify(value)) yield [`${at || '/'} ${what}`, other];
  if (form.is === 'maybe' && value !== null) yield* inside(form.of, value, at);
  else yield* inside(form, value, at);
}

function* inside(
  form: FileForm<unknown>,
  value: unknown,
  at: string,
): Generator<[what: string, value: unknown]> {
  if (form.is === 'list' && Array.isArray(value) && value.length > 0) {
    const picked = new Set([0, value.length - 1]);
    for (const i of picked)
      for (const [what, other] of fieldMutants(form.of, value[i], `${at}/${i}`))
        yield [what, value.with(i, other)];
  }
  if (form.is !== 'object' || typeof value !== 'object' || value === null) return;
  const object = value as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(form.fields)) {
    const { [name]: own, ...others } = object;
    if (own === undefined) {
      yield [`${at}/${name} added`, { ...object, [name]: 'x' }];
      continue;
    }
    yield [`${at}/${name} absent`, others];
    yield [`${at}/${name} doubled`, { ...object, [`${AGAIN}${name}`]: own }];
    if (Object.keys(object).at(-1) !== name)
      yield [`${at}/${name} last`, { ...others, [name]: own }];
    for (const [what, other] of fieldMutants(field, own, `${at}/${name}`))
      yield [what, Object.fromEntries(Object.entries({ ...object, [name]: other }))];
  }
  yield [`${at}/unknown added`, { ...object, unknown: 1 }];
}

/** Stands before the name of a field that an object has a second time. No object can say so. */
const AGAIN = '\u0000';
const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll('"\\u0000', '"');

/** Yields a file of JSON or CSV with every field changed, as its declaration says. */
export function* formMutants(path: string, text: string): Generator<[what: string, text: string]> {
  const kind = kindOf(path);
  if (kind.is === 'json') {
    for (const [what, value] of fieldMutants(kind.form, JSON.parse(text)))
      yield [what, `${jsonOf(value)}\n`];
    return;
  }
  const lines = text.split('\n').slice(0, -1);
  const joined = (changed: readonly string[]): string =>
    changed.map((line) => `${line}\n`).join('');
  for (const i of new Set([0, lines.length >> 1, lines.length - 1])) {
    const line = lines[i];
    if (line === undefined) continue;
    yield [`line ${i + 1} dropped`, joined(lines.toSpliced(i, 1))];
    yield [`line ${i + 1} doubled`, joined(lines.toSpliced(i, 0, line))];
    const next = lines[i + 1];
    if (next !== undefined && next !== line)
      yield [`lines ${i + 1} and ${i + 2} swapped`, joined(lines.toSpliced(i, 2, next, line))];
    if (kind.is === 'lines')
      for (const [what, value] of fieldMutants(kind.form, JSON.parse(line)))
        yield [`line ${i + 1} ${what}`, joined(lines.with(i, jsonOf(value)))];
    if (kind.is === 'csv') yield* cellMutants(lines, i, joined);
  }
}

function* cellMutants(
  lines: readonly string[],
  i: number,
  joined: (lines: readonly string[]) => string,
): Generator<[what: string, text: string]> {
  const cells = (lines[i] ?? '').split(',');
  for (const [column, cell] of cells.entries()) {
    const number = Number(cell);
    const others = [
      `${cell}0`,
      `0${cell}`,
      '',
      'x',
      `-${cell}`,
      Number.isInteger(number) ? String(number + 1) : 'y',
    ];
    for (const other of new Set(others))
      if (other !== cell)
        yield [
          `line ${i + 1} cell ${column} ${other}`,
          joined(lines.with(i, cells.with(column, other).join(','))),
        ];
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Mends what is not sealed after a change: the size of the payload, and the manifests. */
export function rehashed(files: PackageFiles): PackageFiles {
  const mended = new Map(files);
  const payload = [...mended].filter(([path]) => path.startsWith('data/'));
  const list = (entries: readonly [string, Uint8Array][]): Buffer =>
    Buffer.from(
      [...entries]
        .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`)
        .join(''),
    );
  const bytes = payload.reduce((sum, [, content]) => sum + content.length, 0);
  const info = Buffer.from(mended.get('bag-info.txt') ?? []).toString();
  mended.set(
    'bag-info.txt',
    Buffer.from(info.replace(/Payload-Oxum: .*/, `Payload-Oxum: ${bytes}.${payload.length}`)),
  );
  mended.set('manifest-sha256.txt', list(payload));
  const tags = ['bag-info.txt', 'bagit.txt', 'manifest-sha256.txt', 'VERIFY.txt'];
  const tagged = [...mended].filter(([path]) => tags.includes(path));
  mended.set('tagmanifest-sha256.txt', list(tagged));
  return mended;
}

/** Yields every declared field of every file changed, as it is, without mending a hash. */
export function* plainMutants(files: PackageFiles): Generator<Mutant> {
  yield* fileMutants(files);
  yield* bitMutants(files);
  for (const [path, bytes] of files) {
    if (['text', 'note', 'records', 'document', 'judged'].includes(kindOf(path).is)) continue;
    for (const [what, text] of formMutants(path, Buffer.from(bytes).toString()))
      yield {
        name: `${path} ${what}`,
        files: withFile(files, path, text),
        expected: { verdicts: verdictsOf(path), file: path },
      };
  }
}

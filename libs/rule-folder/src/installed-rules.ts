import { hash as digestOf } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lint, readRules, type LintProblem, type RuleDocument, type Rules } from '#baccarat';
import { lintPolicy, readPolicy, RuleBook, type Policy, type PolicyDocument } from '#audit';
import { asError, fileRefusal, packageFolder, Refusal } from '#process';

/** The file names of rule documents and policies: `id@version.json`. */
const DOCUMENT = /^([a-z0-9-]+@[0-9]+)\.json$/;

/** A document that is ready for use. */
interface Read {
  readonly ref: string;
  readonly hash: string;
  readonly document: { readonly id: string; readonly version: number };
}

/** A kind of document that a folder of rules holds. */
interface Kind<Document extends Read> {
  readonly name: string;
  /** Where the documents lie in the folder. The manifest names them with it. */
  readonly under: '' | 'policies/';
  readonly lint: (json: unknown) => { readonly problems: readonly LintProblem[] };
  readonly read: (json: unknown, hash: string, text: string) => Document;
}

const RULES: Kind<Rules> = {
  name: 'rule document',
  under: '',
  lint,
  read: (json, hash, text) => readRules(json as RuleDocument, hash, text),
};
const POLICIES: Kind<Policy> = {
  name: 'review policy',
  under: 'policies/',
  lint: lintPolicy,
  read: (json, hash, text) => readPolicy(json as PolicyDocument, hash, text),
};

/**
 * Returns the published rule documents and review policies, each checked against
 * rules/manifest.json, and those of the other folders, whose policies are in a folder `policies`.
 * Throws `Refusal` for a published document that was changed, removed, or added without being
 * pinned, and for any other document that is rejected by its linter or whose name is taken.
 */
export function installedRules(folders: readonly string[] = []): RuleBook {
  const book = published(join(packageFolder(), 'rules'));
  for (const folder of folders) {
    const rules = ofFolder(RULES, folder);
    const policies = ofFolder(POLICIES, folder);
    if (rules.length + policies.length === 0)
      throw new Refusal(
        `${folder}: no rule document (id@version.json) in this folder, and no review policy in its folder policies`,
      );
    install(book, rules, folder);
    install(book.policies, policies, join(folder, POLICIES.under));
  }
  return book;
}

/** Adds documents of a folder. One that is there already must have the same content. */
function install<Document extends Read>(
  book: Map<string, Document>,
  documents: readonly Document[],
  folder: string,
): void {
  for (const document of documents) {
    const { ref, hash } = document;
    const known = book.get(ref);
    if (known && known.hash !== hash)
      throw new Refusal(
        `${join(folder, ref)}.json: ${ref} is already installed with other content`,
      );
    book.set(ref, document);
  }
}

function published(folder: string): RuleBook {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Readonly<
    Record<string, string>
  >;
  const rules = pinned(RULES, folder, manifest);
  const policies = pinned(POLICIES, folder, manifest);
  return new RuleBook(sha256, rules, policies);
}

/** Returns the published documents of a kind. Each has its hash in the manifest. */
function pinned<Document extends Read>(
  { name, under, read }: Kind<Document>,
  folder: string,
  manifest: Readonly<Record<string, string>>,
): Map<string, Document> {
  const found = new Map<string, Document>();
  for (const ref of documentsIn(folder, under)) {
    const bytes = readFileSync(join(folder, under, `${ref}.json`));
    const hash = sha256(bytes);
    if (!Object.hasOwn(manifest, `${under}${ref}`))
      throw new Refusal(`${name} ${ref} is in rules/${under} but not in rules/manifest.json`);
    if (manifest[`${under}${ref}`] !== hash)
      throw new Refusal(
        `the file of the published ${name} ${ref} has changed, so it cannot be used`,
      );
    const text = bytes.toString('utf8');
    found.set(ref, read(JSON.parse(text), hash, text));
  }
  const gone = Object.keys(manifest)
    .filter((key) => key.startsWith(POLICIES.under) === (under === POLICIES.under))
    .map((key) => key.slice(under.length))
    .filter((ref) => !found.has(ref));
  if (gone.length > 0)
    throw new Refusal(`the file of the published ${name} ${gone.join(', ')} is missing`);
  return found;
}

/** Returns the documents of a kind in a folder of the house. */
function ofFolder<Document extends Read>(kind: Kind<Document>, folder: string): Document[] {
  return documentsIn(folder, kind.under).map((ref) => {
    const file = join(folder, kind.under, `${ref}.json`);
    const { json, hash, text } = readJson(file);
    const [problem] = kind.lint(json).problems;
    if (problem)
      throw new Refusal(
        `${file}: ${problem.pointer || '/'} ${problem.problem}; "shoeprint rules lint" lists every problem`,
      );
    const document = kind.read(json, hash, text);
    if (document.ref !== ref)
      throw new Refusal(
        `${file}: the file name must match the document's id and version, ${document.ref}`,
      );
    return document;
  });
}

/** Returns the names of the documents of a kind in a folder, which may lack a folder of policies. */
function documentsIn(folder: string, under: Kind<Read>['under']): string[] {
  if (under !== '' && !existsSync(join(folder, under))) return [];
  try {
    return readdirSync(join(folder, under))
      .flatMap((name) => DOCUMENT.exec(name)?.[1] ?? [])
      .sort();
  } catch (error) {
    throw fileRefusal(folder, error);
  }
}

/** A JSON file: its value, its text, and the SHA-256 of its bytes. */
interface JsonFile {
  readonly json: unknown;
  readonly text: string;
  readonly hash: string;
}

/** Reads a JSON file. Throws `Refusal` if the file cannot be read or is not JSON. */
export function readJson(file: string): JsonFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw fileRefusal(file, error);
  }
  try {
    const text = bytes.toString('utf8');
    return { json: JSON.parse(text) as unknown, text, hash: sha256(bytes) };
  } catch (error) {
    throw new Refusal(`${file}: not JSON (${asError(error).message})`);
  }
}

const sha256 = (bytes: Buffer | string): string => digestOf('sha256', bytes);

/**
 * Returns a rule document of the book by `id@version`, or by `id` alone for its latest version.
 * Throws `Refusal` for an unknown name, listing the known ones.
 */
export const rulesNamed = (book: RuleBook, name: string): Rules => latest(RULES, book, name);

/** Returns a review policy of the book, as `rulesNamed` does. */
export const policyNamed = (book: RuleBook, name: string): Policy =>
  latest(POLICIES, book.policies, name);

function latest<Document extends Read>(
  kind: Kind<Document>,
  book: ReadonlyMap<string, Document>,
  name: string,
): Document {
  const versions = [...book.values()].filter(
    ({ ref, document }) => ref === name || document.id === name,
  );
  const found = versions.sort((a, b) => b.document.version - a.document.version)[0];
  if (!found)
    throw new Refusal(`unknown ${kind.name} ${name}; installed: ${[...book.keys()].join(', ')}`);
  return found;
}

import { hash as digestOf } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lint, readRules, type RuleDocument, type Rules } from '#baccarat';
import { RuleBook } from '#audit';
import { fileRefusal, packageFolder, Refusal } from '#process';

/** The file names of rule documents: `id@version.json`. */
const DOCUMENT = /^([a-z0-9-]+@[0-9]+)\.json$/;

/**
 * Returns the published rule documents, each checked against rules/manifest.json, and those of the
 * other folders. Throws `Refusal` for a published document that was changed, removed, or added
 * without being pinned, and for any other document that `lint` rejects or whose name is taken.
 */
export function installedRules(folders: readonly string[] = []): RuleBook {
  const book = published(join(packageFolder(), 'rules'));
  for (const folder of folders) {
    for (const rules of ofFolder(folder)) {
      const known = book.get(rules.ref);
      if (known && known.hash !== rules.hash)
        throw new Refusal(
          `${join(folder, rules.ref)}.json: ${rules.ref} is already installed with other content`,
        );
      book.set(rules.ref, rules);
    }
  }
  return book;
}

function published(folder: string): RuleBook {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Readonly<
    Record<string, string>
  >;
  const book = new RuleBook(sha256);
  for (const ref of documentsIn(folder)) {
    const bytes = readFileSync(join(folder, `${ref}.json`));
    const hash = sha256(bytes);
    if (!Object.hasOwn(manifest, ref))
      throw new Refusal(`rule document ${ref} is in rules/ but not in rules/manifest.json`);
    if (manifest[ref] !== hash)
      throw new Refusal(
        `the file of the published rule document ${ref} has changed, so it cannot be used`,
      );
    book.set(ref, readRules(JSON.parse(bytes.toString('utf8')) as RuleDocument, hash));
  }
  const gone = Object.keys(manifest).filter((ref) => !book.has(ref));
  if (gone.length > 0)
    throw new Refusal(`the file of the published rule document ${gone.join(', ')} is missing`);
  return book;
}

function ofFolder(folder: string): Rules[] {
  const refs = documentsIn(folder);
  if (refs.length === 0)
    throw new Refusal(`${folder}: no rule document (id@version.json) in this folder`);
  return refs.map((ref) => {
    const file = join(folder, `${ref}.json`);
    const { json, hash } = readJson(file);
    const [problem] = lint(json).problems;
    if (problem)
      throw new Refusal(
        `${file}: ${problem.pointer || '/'} ${problem.problem}; "shoeprint rules lint" lists every problem`,
      );
    const rules = readRules(json as RuleDocument, hash);
    if (rules.ref !== ref)
      throw new Refusal(
        `${file}: the file name must match the document's id and version, ${rules.ref}`,
      );
    return rules;
  });
}

function documentsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => DOCUMENT.exec(name)?.[1] ?? [])
      .sort();
  } catch (error) {
    throw fileRefusal(folder, error);
  }
}

/**
 * Reads a JSON file and the SHA-256 of its bytes. Throws `Refusal` if the file cannot be read or is
 * not JSON.
 */
export function readJson(file: string): { readonly json: unknown; readonly hash: string } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw fileRefusal(file, error);
  }
  try {
    return { json: JSON.parse(bytes.toString('utf8')) as unknown, hash: sha256(bytes) };
  } catch (error) {
    throw new Refusal(`${file}: not JSON (${(error as Error).message})`);
  }
}

const sha256 = (bytes: Buffer | string): string => digestOf('sha256', bytes);

/**
 * Returns a document of the book by `id@version`, or by `id` alone for its latest version. Throws
 * `Refusal` for an unknown name, listing the known ones.
 */
export function rulesNamed(book: RuleBook, name: string): Rules {
  const versions = [...book.values()].filter(
    ({ ref, document }) => ref === name || document.id === name,
  );
  const found = versions.sort((a, b) => b.document.version - a.document.version)[0];
  if (!found)
    throw new Refusal(`unknown rule document ${name}; installed: ${[...book.keys()].join(', ')}`);
  return found;
}

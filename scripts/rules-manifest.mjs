// A published rule document or review policy never changes: rules/manifest.json pins the SHA-256 of
// each file's bytes, under its path without ".json".
//   node scripts/rules-manifest.mjs          checks every document; exits with 1 if one differs
//   node scripts/rules-manifest.mjs --add    pins documents that are not in the manifest yet, and
//                                            never changes a pinned hash
// `--rules DIR` selects another folder than rules/.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    add: { type: 'boolean', default: false },
    rules: { type: 'string', default: 'rules' },
  },
});
const manifestFile = join(values.rules, 'manifest.json');
/** @type {Record<string, string>} */
const manifest = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {};
/** @type {string[]} */
const problems = [];
/** @type {[string, string][]} */
const added = [];

const documents = ['', 'policies/'].flatMap((under) => {
  const folder = join(values.rules, under);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => /^[a-z0-9-]+@[0-9]+\.json$/.test(name))
    .map((name) => `${under}${name.slice(0, -'.json'.length)}`);
});
for (const ref of documents) {
  const bytes = readFileSync(join(values.rules, `${ref}.json`));
  const hash = createHash('sha256').update(bytes).digest('hex');
  /** @type {{ id: string, version: number }} */
  const { id, version } = JSON.parse(bytes.toString('utf8'));
  if (`${id}@${version}` !== basename(ref))
    problems.push(`${ref}.json calls itself ${id}@${version}`);
  else if (!Object.hasOwn(manifest, ref)) {
    if (values.add) added.push([ref, hash]);
    else problems.push(`${ref} is not in the manifest; publish it with --add`);
  } else if (manifest[ref] !== hash)
    problems.push(`${ref} is published and its file has changed; give the change a new version`);
}
for (const ref of Object.keys(manifest)) {
  if (!documents.includes(ref)) problems.push(`${ref} is published and its file is gone`);
}

if (problems.length > 0) {
  for (const problem of problems) console.error(`rules: ${problem}`);
  process.exit(1);
}
if (added.length > 0) {
  const pinned = Object.fromEntries(
    [...Object.entries(manifest), ...added].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeFileSync(manifestFile, `${JSON.stringify(pinned, null, 2)}\n`);
}
console.log(
  `rules: ${documents.length} documents, ${added.length > 0 ? `${added.length} added: ${added.map(([ref]) => ref).join(', ')}` : 'all as published'}`,
);

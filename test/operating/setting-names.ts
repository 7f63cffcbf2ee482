import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The modules that read environment variables: those named settings in apps and libraries. */
const sources = (): string[] =>
  ['apps', 'libs']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((name) => /settings[^/]*\.ts$/.test(name) && !name.endsWith('.spec.ts'))
    .map((name) => readFileSync(name, 'utf8'));

/**
 * Matches an environment variable as the settings write it: quoted, or as a member of the
 * variables.
 */
const VARIABLE =
  /['"`]([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)['"`]|\b(?:env|variables)\.([A-Z][A-Z0-9_]*)\b/g;
/** Matches a variable of one word, which is quoted where the environment is asked for it. */
const OF_ONE_WORD = /\benv\.\w+(?:<[^(]*>)?\('([A-Z]+)'/g;
/** Matches a variable that may be in a file instead. */
const SECRET = /\bsecret\w*\((?:\w+, )?'([A-Z][A-Z0-9_]*)'/g;

const found = (pattern: RegExp): Set<string> =>
  new Set(
    sources().flatMap((text) =>
      [...text.matchAll(pattern)].map((match) => (match[1] ?? match[2]) as string),
    ),
  );

/** The names of secrets. Each may also be in a file, which the name with _FILE points to. */
export const secretNames = (): Set<string> => found(SECRET);

/** The names of all environment variables that the server reads. */
export function settingNames(): Set<string> {
  const names = new Set([...found(VARIABLE), ...found(OF_ONE_WORD)]);
  if (names.size === 0) throw new Error('no module of settings reads an environment variable');
  return new Set([...names, ...[...secretNames()].map((name) => `${name}_FILE`)]);
}

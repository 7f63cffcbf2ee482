import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';

const TEXT = readFileSync('Dockerfile', 'utf8');
const INSTRUCTIONS = TEXT.replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line));
const LAST_STAGE = INSTRUCTIONS.slice(
  INSTRUCTIONS.findLastIndex((line) => line.startsWith('FROM ')),
);

/**
 * The paths that the build can see: the exceptions in .dockerignore, which excludes everything
 * else.
 */
const IGNORE = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const SEEN = IGNORE.filter((line) => line.startsWith('!')).map((line) => line.slice(1));

/** The paths that instructions copy from the repository. */
const copied = INSTRUCTIONS.filter(
  (line) => line.startsWith('COPY ') && !line.includes('--from='),
).flatMap((line) => line.split(/\s+/).slice(1, -1));

describe('Dockerfile', () => {
  it('passes its linter', () => {
    expect(validate(TEXT)).toEqual([]);
  });

  it('builds on the Node version that the repository names', () => {
    const version = readFileSync('.nvmrc', 'utf8').trim();
    for (const line of INSTRUCTIONS.filter((from) => from.startsWith('FROM ')))
      expect(line).toMatch(new RegExp(`^FROM node:${version}-slim( AS |$)`));
  });

  it('copies only files that exist and that .dockerignore allows', () => {
    expect(IGNORE[0]).toBe('*');
    for (const path of copied) {
      expect({ path, there: existsSync(path) }).toEqual({ path, there: true });
      expect({
        path,
        seen: SEEN.some((seen) => path.replace(/\/$/, '') === seen || path.startsWith(`${seen}/`)),
      }).toEqual({ path, seen: true });
    }
  });

  it("has the rule documents, the topic's description, the examples and the commonest passwords, which the programs read, in the package's own folders", () => {
    const last = LAST_STAGE.join('\n');
    expect(last).toMatch(/^COPY rules rules$/m);
    expect(last).toMatch(/^COPY docs\/api-examples.json docs\/asyncapi.yaml docs\/$/m);
    expect(last).toMatch(/^COPY apps\/api\/commonest-passwords.txt apps\/api\/$/m);
    expect(last).toMatch(/^COPY --from=build \/build\/dist dist$/m);
  });

  it('runs as an unprivileged user, without build tools, and leaves health checks to the orchestrator', () => {
    expect(LAST_STAGE.filter((line) => line.startsWith('USER '))).toEqual(['USER node']);
    expect(LAST_STAGE.filter((line) => /^(RUN|HEALTHCHECK) /.test(line))).toEqual([]);
    expect(TEXT).toMatch(/npm ci --omit=dev --omit=optional/);
  });

  it('has every package that the api, the auditor, the sealer and the command line import', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    const missing = [
      ...importedPackages(
        'apps/api/src',
        'apps/auditor/src',
        'apps/sealer/src',
        'apps/cli/src',
        'libs',
      ),
    ].filter((name) => !Object.hasOwn(dependencies, name));
    expect(missing).toEqual([]);
  });
});

/** Returns the packages that the sources of these folders import, without type imports. */
function importedPackages(...folders: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const folder of folders) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
    )) {
      for (const [, specifier] of readFileSync(join(folder, file), 'utf8').matchAll(
        /^(?:import|export) (?!type\b)[^;]*?from '([^']+)';|^import '([^']+)';/gm,
      )) {
        if (specifier && !/^[.#]|^node:/.test(specifier))
          names.add(
            specifier
              .split('/')
              .slice(0, specifier.startsWith('@') ? 2 : 1)
              .join('/'),
          );
      }
    }
  }
  return new Set([...names].filter((name) => !builtinModules.includes(name)));
}

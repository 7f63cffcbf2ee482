import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from '@jest/globals';
import { built } from './shoeprint.js';

beforeAll(built);

/** A module that a program imports first, which refuses the libraries that only servers need. */
function refusing(libraries: readonly string[]): string {
  const hook = `export const load = (url, context, next) => {
    const found = /node_modules\\/(${libraries.join('|')})\\//.exec(url);
    if (found) throw new Error('loads ' + found[1]);
    return next(url, context);
  };`;
  const asUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  return asUrl(`import { register } from 'node:module'; register(${JSON.stringify(asUrl(hook))});`);
}

/** Runs `shoeprint --version` without these libraries. */
function versionWithout(...libraries: readonly string[]) {
  const program = fileURLToPath(new URL('../../apps/cli/bin/shoeprint.js', import.meta.url));
  const words = ['--import', refusing(libraries), program, '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it('starts without the libraries of servers, databases and pages, which take long to load', () => {
  expect(versionWithout('typeorm', 'kafkajs', 'pg', '@nestjs', 'fastify', 'pdfmake')).toEqual({
    ...{ status: 0, stderr: '' },
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  expect(versionWithout('commander').stderr).toContain('loads commander');
});

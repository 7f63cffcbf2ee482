import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const folder = fileURLToPath(new URL('.', import.meta.url));
const python = spawnSync('python3', ['--version']).status === 0;
if (!python)
  process.stderr.write('python3 is missing: the second verifier of packages is not tested here\n');

/** Runs a Python test module beside this file and returns its exit code and what it printed. */
function runTests(module: string): Promise<[number | null, string]> {
  const child = spawn('python3', ['-W', 'ignore', '-m', 'unittest', module], {
    cwd: folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  let printed = '';
  child.stdout.on('data', (text) => (printed += String(text)));
  child.stderr.on('data', (text) => (printed += String(text)));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve([code, printed]));
  });
}

(python ? it : it.skip).each([
  [
    'reproduces the worked example and finds every package that was not changed intact',
    'test_verify',
  ],
  [
    'finds every change that a hash, a seal or a signature covers, and survives bad input',
    'test_mutants',
  ],
])(
  'verify.py %s',
  async (_, module) => {
    const [code, printed] = await runTests(module);
    expect(code === 0 ? '' : printed).toBe('');
    expect(printed).toMatch(/\nRan \d+ tests in [^]*\nOK\n$/);
  },
  600_000,
);

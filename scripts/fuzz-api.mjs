// Tests a server with the sample day against its own OpenAPI document, with schemathesis, which
// must be on the PATH (`pip install schemathesis`). Arguments go to it:
//   npm run fuzz:api -- --max-examples 200 --include-operation-id listCoups
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startSampleServer } from './sample-server.mjs';

const server = await startSampleServer();
try {
  const token = await server.signIn();
  const answer = await fetch(`${server.url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'fuzz',
      sources: ['device/*', 'virtual/*', 'person/*'],
      tables: ['*'],
      types: ['*'],
    }),
  });
  const key = /** @type {{ token: string }} */ (await answer.json());
  /**
   * Returns what the first line of a list is asked for by in an address: its id, or the reference
   * of its opening.
   * @param {string} list
   */
  const firstOf = async (list) => {
    const read = await fetch(`${server.url}/v1/${list}?limit=1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { lines } = /** @type {{ lines: readonly [{ id?: string, ref?: string }] }} */ (
      await read.json()
    );
    return encodeURIComponent(lines[0].id ?? lines[0].ref ?? '');
  };
  process.exitCode = await schemathesis({
    SHOEPRINT_TOKEN: token,
    SHOEPRINT_SPARE_TOKEN: await server.signIn(),
    SHOEPRINT_KEY: key.token,
    SHOEPRINT_FINDING: await firstOf('findings'),
    SHOEPRINT_COUP: await firstOf('coups'),
    SHOEPRINT_SHOE: await firstOf('shoes'),
    SHOEPRINT_HOOKS: fileURLToPath(new URL('fuzz-api/hooks.py', import.meta.url)),
  });
} finally {
  await server.stop();
}

/**
 * Runs schemathesis and returns its exit code.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
function schemathesis(env) {
  const config = fileURLToPath(new URL('fuzz-api/schemathesis.toml', import.meta.url));
  const child = spawn(
    'schemathesis',
    [
      ...['--config-file', config, 'run', `${server.url}/docs-json`],
      ...['--continue-on-failure', ...process.argv.slice(2)],
    ],
    { env: { ...process.env, ...env }, stdio: 'inherit' },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

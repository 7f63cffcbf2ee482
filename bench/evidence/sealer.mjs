// A sealer in a process of its own.
import { join } from 'node:path';
import { run } from '../server/stack.mjs';

/** The name of the site. */
const ORIGIN = 'shoeprint.example/bench';

/**
 * Starts a sealer over the log that `env` names. It keeps its keys and tiles in `folder`, and makes
 * those that are absent. Resolves once it seals.
 * @param {Readonly<Record<string, string>>} env
 * @param {string} folder
 */
export async function startSealer(env, folder) {
  const sealer = run('sealer', {
    ...env,
    SHOEPRINT_SITE: ORIGIN,
    SHOEPRINT_SEAL_KEY: join(folder, 'log.key'),
    SHOEPRINT_TILES: join(folder, 'tiles'),
    SHOEPRINT_METRICS_PORT: '0',
  });
  await sealer.said((line) => (line.includes('"sealer started"') ? true : undefined));
  return sealer;
}

// Runs a sealer that kills its own process at a step: `node killed-sealer.mjs before
// SealStore.addEntry 2` kills it before the second call of `addEntry`. The settings are in the
// variable SEALER, as JSON.
import { openLog } from '#event-log';
import { SealStore } from '#seal-store';
import { startSealer } from '#sealer';
import { SILENT } from '#server';
import { TileFolder } from '#built/apps/sealer/src/publishing/tile-folder';
import { CheckpointSigner } from '#built/apps/sealer/src/signing/checkpoint-signer';
import { LastSigned } from '#built/apps/sealer/src/signing/last-signed';
import { Witness } from '#built/apps/sealer/src/witnesses/witness';

const [when, step = '', nth] = process.argv.slice(2);
const [name, method = ''] = step.split('.');
const owner = [SealStore, CheckpointSigner, LastSigned, TileFolder, Witness].find(
  (each) => each.name === name && method in each.prototype,
);
if (!owner) throw new Error(`no part of a sealer has the step ${step}`);

const kill = () => process.kill(process.pid, 'SIGKILL');
/** @type {(...args: unknown[]) => unknown} */
const original = Reflect.get(owner.prototype, method);
let calls = 0;
/** @type {(this: unknown, ...args: unknown[]) => unknown} */
const deadly = function (...args) {
  calls += 1;
  if (calls < Number(nth)) return original.apply(this, args);
  if (when === 'before') kill();
  const result = original.apply(this, args);
  if (!(result instanceof Promise)) kill();
  return Promise.resolve(result).then(kill);
};
Reflect.set(owner.prototype, method, deadly);

/**
 * @type {Omit<import('#sealer').StartSealer, 'log'>
 *   & { log: import('#event-log').LogSettings }}
 */
const { log: where, ...site } = JSON.parse(process.env.SEALER ?? '');
await startSealer({ ...site, log: await openLog(where), journal: SILENT });

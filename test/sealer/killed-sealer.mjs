// Runs a sealer that kills its own process at a step: `node killed-sealer.mjs before addEntry 2`
// kills it before the second call of `addEntry`. The settings are in the variable SEALER, as JSON.
import { PostgresLog } from '#event-log';
import { SealStore } from '#seal-store';
import { startSealer } from '#sealer';
import { SILENT } from '#server';
import { TileFolder } from '#built/apps/sealer/src/publishing/tile-folder';
import { LastSigned } from '#built/apps/sealer/src/signing/last-signed';

const [when, step, nth] = process.argv.slice(2);
const owner = [SealStore, LastSigned, TileFolder].find(
  ({ prototype }) => (step ?? '') in prototype,
);
if (!owner) throw new Error(`no part of a sealer has the step ${step}`);

const kill = () => process.kill(process.pid, 'SIGKILL');
/** @type {(...args: unknown[]) => unknown} */
const original = Reflect.get(owner.prototype, step ?? '');
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
Reflect.set(owner.prototype, step ?? '', deadly);

const { databaseUrl, partitions, settings, gamingDays } = JSON.parse(process.env.SEALER ?? '');
const log = await PostgresLog.open({ url: databaseUrl, partitions });
await startSealer({ log, databaseUrl, settings, gamingDays, journal: SILENT });

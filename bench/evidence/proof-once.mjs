// Verifies a package once, as `shoeprint verify` does, and prints what was found, the processor
// time in seconds and the peak memory in KiB. Without `whole`: steps 1 to 6, without judging again.
//   node bench/evidence/proof-once.mjs PACKAGE VKEY [whole]
import { keepHeapsSmall } from '#process';
import { openPackage } from '#built/apps/cli/src/verify/package-files';
import { readVkey, verifyPackage } from '#evidence';
import { nodePlatform } from '#evidence/node';

const [path = '', vkey = '', how = ''] = process.argv.slice(2);
const { sha256 } = nodePlatform;
keepHeapsSmall();

/** Returns the judges. The proof does not load them. */
async function judges() {
  const { gamingDays } = await import('#read-model/gaming-days');
  const { packageReplay } = await import('#replay');
  return packageReplay({ published: {}, sha256, gamingDays, warnings: 'checked' });
}

const replay = how === 'whole' ? await judges() : undefined;
const opened = await openPackage(path);
const key = readVkey(sha256, vkey);
const trust = { keys: [key], checkpoints: [], witnesses: [], quorum: 0 };
const { faults, counts } = await verifyPackage(opened.source, trust, replay, nodePlatform);
await opened.close();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const early = replay ? faults : faults.filter(({ step }) => step < 7);
console.log(JSON.stringify({ early, counts, cpu: (userCPUTime + systemCPUTime) / 1e6, maxRSS }));

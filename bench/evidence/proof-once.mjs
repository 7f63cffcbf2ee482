// Verifies steps 1 to 6 of a package once, as `shoeprint verify` does without judging again, and
// prints the verdict, the processor time in seconds and the peak memory in KiB.
//   node bench/evidence/proof-once.mjs FOLDER VKEY
import { openPackage } from '#built/apps/cli/src/verify/package-files';
import { readVkey, verifyPackage } from '#evidence';
import { nodePlatform } from '#evidence/node';

const [folder = '', vkey = ''] = process.argv.slice(2);
const opened = await openPackage(folder);
const key = readVkey(nodePlatform.sha256, vkey);
const trust = { keys: [key], checkpoints: [], witnesses: [], quorum: 0 };
const { faults, counts } = await verifyPackage(opened.source, trust, undefined, nodePlatform);
await opened.close();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const early = faults.filter(({ step }) => step < 7);
console.log(JSON.stringify({ early, counts, cpu: (userCPUTime + systemCPUTime) / 1e6, maxRSS }));

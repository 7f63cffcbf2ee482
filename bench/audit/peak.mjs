// Audits one file as the command line does, and prints the peak resident memory of this process in
// KiB.
import { runCommandLine } from '#built/apps/cli/src/program';

const write = process.stdout.write.bind(process.stdout);
/** @type {(chunk: unknown, encoding?: string | (() => void), done?: () => void) => boolean} */
const drop = (_chunk, encoding, done) => {
  if (typeof encoding === 'function') encoding();
  done?.();
  return true;
};
process.stdout.write = drop;
await runCommandLine([process.execPath, 'shoeprint', 'audit', '--json', String(process.argv[2])]);
write(String(process.resourceUsage().maxRSS));

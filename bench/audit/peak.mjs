// Audits one file as the command line does, and prints the peak resident memory of this process in
// KiB.
import { runProgram } from '../../dist/apps/cli/src/program.js';

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk, ...rest) => {
  const done = rest.at(-1);
  if (typeof done === 'function') done();
  return true;
};
await runProgram([process.execPath, 'shoeprint', 'audit', '--json', process.argv[2]]);
write(String(process.resourceUsage().maxRSS));

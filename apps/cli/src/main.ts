import { runCommandLine } from './program.js';

await runCommandLine(process.argv);

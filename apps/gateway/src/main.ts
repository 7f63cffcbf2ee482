import { keepHeapsSmall } from '#process';

// Before the program is loaded, because heaps that grow meanwhile stay large.
keepHeapsSmall();
const { runProgram } = await import('./program.js');
await runProgram(process.argv.slice(2));

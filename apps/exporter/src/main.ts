import { keepHeapsSmall } from '#process';

// Before the program is loaded, because heaps that grow meanwhile stay large.
keepHeapsSmall();
await import('./program.js');

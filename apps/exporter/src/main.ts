import { keepHeapsSmall } from '#process';

/**
 * What is held while a package is made is a third of a heap that may double: a fifth of the
 * processor time goes to collecting it again and again if it may only grow by a third.
 */
const GROWTH_PERCENT = 100;

// Before the program is loaded, because heaps that grow meanwhile stay large.
keepHeapsSmall(GROWTH_PERCENT);
await import('./program.js');

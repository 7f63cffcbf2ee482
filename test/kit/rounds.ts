/** Whether this is `npm run test:long`. */
export const IS_LONG = process.env.SHOEPRINT_TEST_LONG !== undefined;

/** Returns how often to run a long property: a quarter of `full` in `npm test`, `full` in `npm run test:long`. */
export const rounds = (full: number): number => (IS_LONG ? full : Math.ceil(full / 4));

/** Returns how often to run a long property: a quarter of `full` in `npm test`, `full` in `npm run test:long`. */
export const rounds = (full: number): number =>
  process.env.SHOEPRINT_TEST_LONG === undefined ? Math.ceil(full / 4) : full;

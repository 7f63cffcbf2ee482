// The parts of the benchmark of reviews, and its options.

/** The last version before findings could be reviewed. */
const BEFORE = '87881f763599480301ca22dfc6ea5612012659e4';

/**
 * How many seconds each part may take: about twice what it takes on two cores that other work
 * shares.
 */
export const LIMITS_S = /** @type {const} */ ({
  compare: 420,
  rulings: 150,
  desk: 150,
  memory: 180,
  commands: 240,
  'take-next': 300,
  reads: 420,
});

/** What the name of several parts stands for. */
export const FOLD = /** @type {const} */ (['compare', 'rulings', 'desk', 'memory']);

/** For `parseArgs`. `run.mjs` says what each is for. */
export const OPTIONS = /** @type {const} */ ({
  log: { type: 'string', default: 'standalone' },
  findings: { type: 'string' },
  rate: { type: 'string', default: '2000' },
  seconds: { type: 'string', default: '20' },
  rounds: { type: 'string', default: '9' },
  before: { type: 'string', default: BEFORE },
  profile: { type: 'string' },
});

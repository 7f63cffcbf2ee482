// A process that holds a spool, for tests that kill it: `node gateway.mjs hold|append FOLDER`.
// Prints `open` or `held`. With `append` it then appends frames without an end, delivers some, and
// prints the number of each one that was acknowledged.
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { openSpool, SpoolHeld } from '#spool';

const [how, folder = ''] = process.argv.slice(2);
const say = (/** @type {string | number} */ word) => void writeSync(1, `${word}\n`);

/** @type {(content: string) => number} */
const idOf = (content) => {
  /** @type {{ id: number }} */
  const { id } = JSON.parse(content);
  return id;
};

/** The frames so far: their number is the name of the next one. */
let count = 0;
/** @type {import('#spool').SpoolOwner} */
const owner = {
  restore: (state) => {
    const { ids } = /** @type {{ ids: number[] }} */ (state ?? { ids: [] });
    all.push(...ids);
  },
  apply: ({ frames }) => {
    for (const { made } of frames) all.push(...made.map(idOf));
  },
  state: () => ({ ids: all, lines: [] }),
  notice: (notice) => {
    throw new Error(`an unexpected notice: ${JSON.stringify(notice)}`);
  },
};
/** @type {number[]} */
const all = [];

const settings = { segmentBytes: 20_000, keepMs: 1e12 };
const spool = await openSpool({ folder, owner, status: () => ({ count }), settings }).catch(
  (/** @type {unknown} */ error) => {
    if (!(error instanceof SpoolHeld)) throw error;
    say('held');
    process.exit(4);
  },
);
say('open');
count = (all.at(-1) ?? 0) + 1_000; // what a killed process had in flight is never used again
while (how === 'append') {
  count += 1;
  const id = count;
  const frame = {
    at: Date.now(),
    up: performance.now() / 1_000,
    port: 'shoe',
    raw: '',
    integrity: /** @type {const} */ ('ok'),
    made: [JSON.stringify({ id })],
  };
  void spool.append([frame]).then(() => say(id));
  if (id % 3 === 0) await turn();
  if (id % 50 === 0) {
    await spool.append([{ ...frame, made: [] }]);
    spool.delivered(spool.figures.last);
  }
}

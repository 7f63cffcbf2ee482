// Reads files of lines as an export does, in a process that does nothing else, and measures how
// long each slice takes and for how long it holds the event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  everyCoup,
  everyShoeReport,
  everyTable,
  openSnapshot,
  readModelDataSource,
} from '#read-model';
import { COUP_COLUMNS, TABLE_COLUMNS } from '#built/apps/api/src/lists/list-columns';
import { fileOf } from '#built/apps/api/src/reading/files/columns';
import { Export } from '#built/apps/api/src/reading/files/export';
import { linesFile } from '#built/apps/api/src/reading/files/lines-file';
import { SHOE_COLUMNS } from '#built/apps/api/src/reports/columns';

/** What was measured, in words. @typedef {{ found: string }} SlicesFound */

const TURNS = 8;

/** @typedef {import('#read-model').Snapshot} Snapshot */

/**
 * Returns how one file is read: its name, its lines, and its text.
 * @template Line
 * @param {string} name
 * @param {(read: Snapshot, filter: object) => import('#read-model').Slices<Line>} every
 * @param {readonly import('#built/apps/api/src/reading/files/columns').Column<Line>[]} columns
 */
const file = (name, every, columns) => ({
  name,
  begin: async (/** @type {import('#read-model').OpenSnapshot} */ snapshot) =>
    Export.begin(
      linesFile({
        snapshot,
        slices: every(snapshot.read, {}),
        name,
        sheet: fileOf(name, columns).seenBy(true),
        form: { format: 'csv', bom: false },
        rest: () => nextTurn(),
        free: () => undefined,
      }),
    ),
});
const FILES = [
  file('coups', everyCoup, COUP_COLUMNS),
  file('shoes', everyShoeReport, SHOE_COLUMNS),
  file('tables', everyTable, TABLE_COLUMNS),
];

/** @param {{ databaseUrl: string }} order */
async function measured({ databaseUrl }) {
  const rows = await readModelDataSource(databaseUrl).initialize();
  const held = monitorEventLoopDelay({ resolution: 1 });
  const found = [];
  for (const { name, begin } of FILES)
    for (let turn = 1; turn <= TURNS; turn += 1) {
      held.reset();
      held.enable();
      const cpu = process.cpuUsage();
      const began = performance.now();
      const whole = await begin(await openSnapshot(rows));
      let parts = 0;
      for await (const _part of whole.send()) parts += 1;
      held.disable();
      const ms = performance.now() - began;
      const { user, system } = process.cpuUsage(cpu);
      if (turn === 1 || turn === TURNS)
        found.push(
          `${name}, turn ${turn}: ${parts} slices, each ${(ms / parts).toFixed(1)} ms and ${((user + system) / 1000 / parts).toFixed(1)} ms of the processor; the event loop was held p99 ${(held.percentile(99) / 1e6).toFixed(1)} ms, at most ${(held.max / 1e6).toFixed(1)} ms`,
        );
    }
  await rows.destroy();
  process.send?.({ found: found.join('\n  ') });
}

process.once('message', (/** @type {{ databaseUrl: string }} */ order) => void measured(order));
process.on('disconnect', () => process.exit(0));

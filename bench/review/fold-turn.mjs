// Folds a file with a build of Shoeprint as `audit` does, and prints the processor time of the
// second time in ms, and the findings. Arguments: the folder of the build, and the file.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eachLine } from '../audit/lines.mjs';

const [, , root = '', file = ''] = process.argv;
const of = (/** @type {string} */ lib) =>
  pathToFileURL(join(root, 'dist', 'libs', lib, 'src', 'index.js')).href;
/** @type {typeof import('#audit')} */
const audit = await import(of('audit'));
/** @type {typeof import('#rule-folder')} */
const { installedRules } = await import(of('rule-folder'));
const book = installedRules();
const hasLanes = 'tableOf' in audit.Decoder.prototype;

function findings() {
  const decoder = new audit.Decoder(audit.houseFrom(book));
  /** @type {Map<string, import('#audit').TableState>} */
  const tables = new Map();
  let count = 0;
  let events = 0;
  const take = (/** @type {import('#audit').Changes | undefined} */ changes) => {
    if (!changes) return;
    for (const shoe of audit.rowsOf(changes).shoes) {
      count += shoe.findings().length;
      shoe.ledger();
    }
  };
  /** @type {(bytes: Buffer) => import('#audit').Block} */
  const blockOf = (bytes) => audit.blockOf(bytes, bytes.toString('latin1'));
  eachLine(file, blockOf, (block, from, to) => {
    // a build without the fast path folds objects alone
    const name = hasLanes ? decoder.tableOf(block, from, to) : undefined;
    const { event, faults } = name === undefined ? decoder.decode(block, from, to) : {};
    if (faults) throw new Error(`malformed: ${JSON.stringify(faults)}`);
    const table = name ?? event?.table ?? '';
    let state = tables.get(table);
    if (!state) tables.set(table, (state = audit.newTable(table)));
    audit.fold(state, event ?? { decoder, block, from, to }, book, {
      mark: events,
      received: null,
    });
    take(audit.takeFinalChanges(state));
    events += 1;
  });
  for (const state of tables.values()) {
    audit.endOfLog(state, book);
    take(audit.takeChanges(state));
  }
  return count;
}

findings();
const before = process.cpuUsage();
const count = findings();
const { user } = process.cpuUsage(before);
console.log(JSON.stringify({ ms: user / 1000, findings: count }));

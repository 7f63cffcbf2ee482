// Measures how the memory of a server grows with the shoes that were played:
// `npm run bench:memory`. An api and an auditor over PostgreSQL judge the shoes of a few tables.
// Options: --tables n --shoes n (of each table) --heap MB (default: as the server starts by itself)
//   --cards (without bets) --node flag: a flag of Node for the auditor, may be repeated.
import { parseArgs } from 'node:util';
import { simulateTables } from '#audit';
import { heapArgument } from '#process';
import { positionsFrom } from '#read-model';
import { installedRules, rulesNamed } from '#rule-folder';
import { reached } from './bulk.mjs';
import { load, megabytes } from './children.mjs';
import { Connection, request } from './connection.mjs';
import { startMachine, startServer } from './stack.mjs';

const REQUEST_BYTES = 2 * 1024 * 1024;
/** After which shares of the shoes the memory is read. */
const SHARES = [0.02, 0.1, 0.25, 0.5, 0.75, 1];
const OPENED = '"shoeprint.shoe-opened.v1"';

const { values } = parseArgs({
  options: {
    tables: { type: 'string', default: '8' },
    shoes: { type: 'string', default: '480' },
    heap: { type: 'string' },
    cards: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [] },
  },
});
const tables = Array.from({ length: Number(values.tables) }, (_, n) => `M${n}`);
const shoes = Number(values.shoes);
const heap = heapArgument(values.heap === undefined ? {} : { SHOEPRINT_HEAP_MB: values.heap });

/** @type {() => Generator<{ body: Buffer, events: number, opened: number }>} */
function* bodies() {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const game = { rules, tables, shoes, seed: 'memory', bets: !values.cards };
  let [piece, bytes, events, opened] = [/** @type {string[]} */ ([]), 0, 0, 0];
  for (const line of simulateTables(game).lines) {
    piece.push(line);
    bytes += line.length + 1;
    events += 1;
    if (line.includes(OPENED)) opened += 1;
    if (bytes < REQUEST_BYTES) continue;
    yield { body: Buffer.from(piece.join('\n')), events, opened };
    [piece, bytes] = [[], 0];
  }
  yield { body: Buffer.from(piece.join('\n')), events, opened };
}

/** @type {(server: import('./stack.mjs').Server) => Promise<void>} */
async function measure({ port, token, pids, databaseUrl }) {
  const connection = new Connection(port);
  await connection.opened;
  const began = performance.now();
  const shares = [...SHARES];
  const all = tables.length * shoes;
  let last = { events: 0, opened: 0, heads: new Map() };
  const report = async () => {
    await reached(databaseUrl, last.heads);
    const [api, auditor] = ['api', 'auditor'].map((name) => {
      const [now, most] = /** @type {const} */ (['VmRSS', 'VmHWM']).map((field) =>
        Math.round(megabytes(pids[name], field)),
      );
      return `${name} ${now} (${most})`;
    });
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(
      `${Math.round((100 * last.opened) / all)} % of the shoes, ${last.events} events, ${seconds} s, load ${load()}: MB now (at most) ${api}, ${auditor}`,
    );
  };
  for (const { body, events, opened } of bodies()) {
    const { status, position, why } = await connection.post(
      request(token, 'application/x-ndjson', body),
    );
    if (status !== 202) throw new Error(`answered ${status} ${why}`);
    const heads = new Map([...last.heads, ...positionsFrom(position)]);
    last = { events, opened, heads };
    if (opened >= (shares[0] ?? 2) * all) {
      shares.shift();
      await report();
    }
  }
  await report();
  connection.close();
}

console.log(`${tables.length} tables, ${shoes} shoes each; ${heap} ${values.node.join(' ')}`);
const machine = await startMachine({ kafka: false });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void machine.stop().finally(() => process.exit(1)));
try {
  const server = await startServer(machine, 'postgres', (app) => [
    heap,
    ...(app === 'auditor' ? values.node : []),
  ]);
  await measure(server);
  await server.stop();
} finally {
  await machine.stop();
}
process.exit(0);

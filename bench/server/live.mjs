// Measures from scan to visible, at a steady rate: from just before an event's request is sent
// until its rows are there.
import { asked, cpuFrom, letGo, load, othersFrom, started } from './children.mjs';
import { costs, reached, sum } from './bulk.mjs';
import { startServer } from './stack.mjs';

/**
 * Runs the same load for this long first, while Node and the broker compile hot code. Reported
 * separately as `first`.
 */
const WARM_S = 12;
const PLAN = [
  { perSecond: 200, seconds: 10, tables: 60, connections: 64 },
  { perSecond: 2000, seconds: 15, tables: 600, connections: 256 },
  { perSecond: 6000, seconds: 12, tables: 1000, connections: 256 },
];

export async function liveRound(machine, log, plan, flags) {
  const { perSecond, seconds } = plan;
  const server = await startServer(machine, log, flags);
  const { child: observer } = await started('observer.mjs', { databaseUrl: server.databaseUrl });
  const { child: sender } = await started('live-sender.mjs', {
    ...plan,
    seconds: seconds + WARM_S,
    port: server.port,
    token: server.token,
  });
  const others = othersFrom();
  const cpu = cpuFrom(server.pids);
  const sent = await asked(sender, 'go');
  if (sent.failed > 0)
    process.stderr.write(`${sent.failed} requests failed: ${sent.failures.join(' | ')}\n`);
  const heads = {};
  for (let i = 0; i < sent.next.length; i += 1)
    heads[sent.partition[i]] = Math.max(heads[sent.partition[i]] ?? 0, sent.next[i]);
  await reached(server.databaseUrl, heads);
  const used = cpu();
  const foreign = others(sum(used) + sent.cpuMs);
  const { seen } = await asked(observer, 'tell');
  letGo(observer);
  letGo(sender);
  await server.stop();
  const from = perSecond * WARM_S;
  const visible = visibleAt(sent, seen);
  const events = sent.next.length;
  const rate = ((events - from - 1) / (maxOf(sent.sent) - sent.sent[from])) * 1000;
  return {
    rate,
    failed: sent.failed,
    load: `${load()}, others had ${foreign} % of the machine`,
    acknowledged: quantiles(differences(sent.answered, sent.sent, from)),
    visible: quantiles(differences(visible, sent.sent, from)),
    first: quantiles(differences(visible.slice(0, from), sent.sent, 0)),
    fromDue: quantiles(differences(visible, sent.due, from)),
    perEvent: Object.fromEntries(
      Object.entries({ ...used, sender: sent.cpuMs }).map(([name, ms]) => [
        name,
        (ms * 1000) / events,
      ]),
    ),
  };
}

const maxOf = (values) => values.reduce((most, value) => Math.max(most, value), 0);

/** Returns when each event's position was first seen as reached. */
function visibleAt({ partition, next }, seen) {
  const steps = new Map();
  for (let i = 0; i < seen.length; i += 3) {
    const list = steps.get(seen[i + 1]) ?? [];
    list.push({ at: seen[i], next: seen[i + 2] });
    steps.set(seen[i + 1], list);
  }
  return partition.map((p, i) => {
    if (next[i] === 0) return NaN; // its request failed
    const list = steps.get(p);
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].next >= next[i]) high = middle;
      else low = middle + 1;
    }
    return list[low]?.at ?? NaN;
  });
}

const differences = (later, earlier, from) =>
  Array.from(later.slice(from), (value, i) => value - earlier[from + i])
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b);
const quantiles = (sorted) => ({
  p50: sorted[sorted.length >> 1],
  p99: sorted[Math.floor(sorted.length * 0.99)],
  max: sorted.at(-1),
});
const ms = ({ p50, p99, max }) => `${p50.toFixed(1)} / ${p99.toFixed(1)} / ${max.toFixed(1)}`;

export async function live(machine, { logs, rounds, rates, flags, until }) {
  for (const plan of PLAN.filter(
    ({ perSecond }) => rates === undefined || rates.includes(perSecond),
  )) {
    for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1) {
      for (const log of logs) {
        const {
          rate,
          visible,
          first,
          acknowledged,
          fromDue,
          failed,
          load: at,
          perEvent,
        } = await liveRound(machine, log, plan, flags);
        console.log(
          `live | ${log} | ${plan.perSecond}/s, ${plan.tables} tables | sent ${rate.toFixed(0)}/s${failed ? `, ${failed} failed` : ''} | visible p50/p99/max ${ms(visible)} ms | acknowledged ${ms(acknowledged)} | visible from when due ${ms(fromDue)} | visible in the first ${WARM_S} s ${ms(first)} | load ${at}`,
        );
        console.log(`  ${costs(perEvent)}`);
      }
    }
  }
}

// Measures from scan to visible, at a steady rate: from just before an event's request is sent
// until its rows are there.
import { quantile } from '../measure.mjs';
import { asked, cpuFrom, letGo, load, othersFrom, started } from './children.mjs';
import { costs, reached, sum } from './bulk.mjs';
import { startServer } from './stack.mjs';

/** @typedef {import('./stack.mjs').Machine} Machine */
/** @typedef {import('./stack.mjs').LogName} LogName */
/** @typedef {import('./stack.mjs').Flags} Flags */

/**
 * Runs the same load for this long first, while Node and the broker compile hot code. Reported
 * separately as `first`.
 */
const WARM_S = 12;
/** @typedef {import('./live-sender.mjs').LivePlan} LivePlan */
/** @typedef {import('./live-sender.mjs').LiveSent['events'][number]} SentEvent */
/** @typedef {{ p50: number, p99: number, max: number }} Quantiles */

/** @type {readonly LivePlan[]} */
const PLAN = [
  { perSecond: 200, seconds: 10, tables: 60, connections: 64 },
  { perSecond: 2000, seconds: 15, tables: 600, connections: 256 },
  { perSecond: 6000, seconds: 12, tables: 1000, connections: 256 },
];

/** @type {(machine: Machine, log: LogName, plan: LivePlan, flags: Flags) => Promise<string[]>} */
async function liveRound(machine, log, plan, flags) {
  const { perSecond, seconds } = plan;
  const server = await startServer(machine, log, flags);
  const observer = await started('observer', { databaseUrl: server.databaseUrl });
  const sender = await started('live-sender', {
    ...plan,
    seconds: seconds + WARM_S,
    port: server.port,
    token: server.token,
  });
  const others = othersFrom();
  const cpu = cpuFrom(server.pids);
  const sent = await asked(sender);
  if (sent.failed > 0)
    process.stderr.write(`${sent.failed} requests failed: ${sent.failures.join(' | ')}\n`);
  await reached(server.databaseUrl, headsOf(sent.events));
  const used = { ...cpu(), sender: sent.cpuMs };
  const foreign = others(sum(used));
  const { seen } = await asked(observer);
  letGo(observer);
  letGo(sender);
  await server.stop();
  const visible = visibleAt(seen);
  const warm = sent.events.slice(0, perSecond * WARM_S);
  const events = sent.events.slice(perSecond * WARM_S);
  const [begun = 0] = events.map((event) => event.sent);
  const ended = events.reduce((most, event) => Math.max(most, event.sent), 0);
  const acknowledged = quantiles(events, (event) => event.answered - event.sent);
  const shown = quantiles(events, (event) => visible(event) - event.sent);
  const fromDue = quantiles(events, (event) => visible(event) - event.due);
  const first = quantiles(warm, (event) => visible(event) - event.sent);
  const rate = ((events.length - 1) / (ended - begun)) * 1000;
  return [
    `live | ${log} | ${perSecond}/s, ${plan.tables} tables | sent ${rate.toFixed(0)}/s${sent.failed ? `, ${sent.failed} failed` : ''} | visible p50/p99/max ${ms(shown)} ms | acknowledged ${ms(acknowledged)} | visible from when due ${ms(fromDue)} | visible in the first ${WARM_S} s ${ms(first)} | load ${load()}, others had ${foreign} % of the machine`,
    `  ${costs(used, sent.events.length)}`,
  ];
}

/** @type {(events: readonly SentEvent[]) => Map<number, number>} */
export function headsOf(events) {
  /** @type {Map<number, number>} */
  const heads = new Map();
  for (const { partition, next } of events)
    heads.set(partition, Math.max(heads.get(partition) ?? 0, next));
  return heads;
}

/**
 * Returns a function that returns when an event's position was first seen as reached; NaN if it
 * never was.
 * @param {Float64Array} seen
 * @returns {(event: SentEvent) => number}
 */
export function visibleAt(seen) {
  /** @type {Map<number, { at: number, next: number }[]>} */
  const steps = new Map();
  for (let i = 0; i < seen.length; i += 3) {
    const [at = NaN, partition = NaN, next = NaN] = seen.subarray(i, i + 3);
    const list = steps.get(partition) ?? [];
    list.push({ at, next });
    steps.set(partition, list);
  }
  return ({ partition, next }) => {
    if (next === 0) return NaN; // its request failed
    const list = steps.get(partition) ?? [];
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle]?.next ?? Infinity) >= next) high = middle;
      else low = middle + 1;
    }
    return list[low]?.at ?? NaN;
  };
}

/** @type {(events: readonly SentEvent[], msOf: (event: SentEvent) => number) => Quantiles} */
export function quantiles(events, msOf) {
  const sorted = Float64Array.from(events.map(msOf).filter((each) => !Number.isNaN(each))).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) };
}

/** @type {(quantiles: Quantiles) => string} */
export const ms = ({ p50, p99, max }) =>
  `${p50.toFixed(1)} / ${p99.toFixed(1)} / ${max.toFixed(1)}`;

/**
 * Runs the load at each rate on the named logs, and prints a line for each round.
 * @param {Machine} machine
 * @param {import('./stack.mjs').Asked & { rates?: readonly number[] }} asked
 */
export async function live(machine, { logs, rounds, rates, flags, until }) {
  for (const plan of PLAN.filter(({ perSecond }) => rates?.includes(perSecond) ?? true))
    for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1)
      for (const log of logs)
        for (const line of await liveRound(machine, log, plan, flags)) console.log(line);
}

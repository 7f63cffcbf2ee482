// From command to answer: claim, comment, propose and sign on the embedded server, one at a time,
// beside nothing and beside live play.
import { setTimeout as pause } from 'node:timers/promises';
import { clock } from '../measure.mjs';
import { asked, cpuFrom, letGo, load, othersFrom, started } from '../server/children.mjs';
import { sum } from '../server/bulk.mjs';
import { startServer } from '../server/stack.mjs';
import { people, playFaulty, quantiles } from './floor.mjs';

/** @typedef {import('./person.mjs').Person} Person */
/** @typedef {import('../server/stack.mjs').Server} Server */

/** How long live play may lag behind before it is no longer waited for. */
const GRACE_S = 5;
/** So many that no session is held up by its pace. */
const PAIRS = 12;
/** The first findings are ruled on while Node compiles hot code. Not counted. */
const WARM = 40;
const WARM_S = 12;
const FAULTS = 30;

const VERBS = /** @type {const} */ (['claim', 'comment', 'propose', 'sign']);
/** @typedef {Record<typeof VERBS[number], number[]>} Times */

/**
 * Rules on a finding as two people do, and adds how long each command took.
 * @param {string} id
 * @param {Person} proposer
 * @param {Person} signer
 * @param {Times} times
 */
async function rule(id, proposer, signer, times) {
  const claimed = await proposer.command(`${id}/claim`, { lease: 600 });
  const { evidence } = claimed.body.review;
  const commented = await proposer.command(`${id}/comment`, { text: 'seen on video' });
  const proposed = await proposer.command(`${id}/propose`, {
    ...{ disposition: 'no-error', policy: 'review@1', evidence, note: 'the call was right' },
  });
  const signed = await signer.command(`${id}/sign`, { proposal: proposed.body.ref, evidence });
  if (signed.body.review.state !== 'ruled') throw new Error(`${id} is not ruled`);
  for (const [n, { ms }] of [claimed, commented, proposed, signed].entries())
    times[VERBS[n] ?? 'claim'].push(ms);
}

/**
 * Rules on findings one after another until `until` says so, and prints how long the commands took.
 * @param {string} name
 * @param {string[]} ids taken from its end
 * @param {readonly Person[]} all
 * @param {(done: number) => boolean} until
 */
async function ruleOn(name, ids, all, until) {
  /** @type {Times} */
  const times = { claim: [], comment: [], propose: [], sign: [] };
  for (let done = 0; !until(done); done += 1) {
    const id = ids.pop();
    const [proposer, signer] = [all[done % PAIRS], all[PAIRS + (done % PAIRS)]];
    if (id === undefined || !proposer || !signer) throw new Error(`${name}: no finding is left`);
    await rule(id, proposer, signer, times);
  }
  return times;
}

/** @type {(name: string, times: Times, aimMs: number, beside: string) => void} */
function report(name, times, aimMs, beside) {
  for (const verb of VERBS) console.log(`  ${name} | ${verb} | ${quantiles(times[verb]).text}`);
  const all = quantiles(VERBS.flatMap((verb) => times[verb]));
  console.log(
    `commands | ${name} | all | ${all.text} | aim p95 ${aimMs} ms: ${all.p95 <= aimMs ? 'reached' : 'not reached'} | ${beside}`,
  );
}

/**
 * Measures commands on a server over `log`.
 * @param {import('../server/stack.mjs').Machine} machine
 * @param {import('./floor.mjs').ReviewAsked & { rate: number, seconds: number }} asked
 */
export async function commands(machine, { log, findings, rate, seconds, flags }) {
  const server = await startServer(machine, log, flags);
  const ids = await playFaulty(server, {
    tables: Math.ceil((WARM + findings * 4) / FAULTS),
    faults: FAULTS,
  });
  const all = await people(
    server,
    Array.from({ length: 2 * PAIRS }, () => ['*']),
  );
  await ruleOn('warm', ids, all, (done) => done === WARM);
  const cpu = cpuFrom(server.pids);
  const others = othersFrom();
  const idle = await ruleOn('idle', ids, all, (done) => done === findings);
  report(
    `${log}, idle`,
    idle,
    150,
    `others ${others(sum(cpu()))} % of the machine, load ${load()}`,
  );

  await besideLivePlay(server, ids, all, { log, rate, seconds });
  for (const person of all) person.close();
  await server.stop();
}

/**
 * Measures the same beside a steady load of single events.
 * @param {Server} server
 * @param {string[]} ids
 * @param {readonly Person[]} all
 * @param {{ log: string, rate: number, seconds: number }} asked
 */
async function besideLivePlay(server, ids, all, { log, rate, seconds }) {
  const sender = await started('live-sender', {
    ...{ port: server.port, token: server.token, perSecond: rate, seconds: WARM_S + seconds },
    ...{ tables: 600, connections: 256, graceS: GRACE_S },
  });
  const sending = asked(sender);
  await pause(WARM_S * 1000);
  const used = cpuFrom({ ...server.pids, sender: sender.child.pid ?? NaN });
  const othersBeside = othersFrom();
  const from = clock();
  const beside = await ruleOn('beside', ids, all, () => clock() - from > seconds * 900);
  const to = clock();
  const cpu = used();
  const foreign = othersBeside(sum(cpu));
  const sent = await sending;
  letGo(sender);
  if (sent.failed > 0)
    process.stderr.write(`${sent.failed} requests failed: ${sent.failures.join(' | ')}\n`);
  const inTime = sent.events.filter(
    ({ next, answered }) => next > 0 && answered >= from && answered < to,
  ).length;
  const spent = Object.entries(cpu).map(
    ([name, ms]) => `${name} ${((ms / inTime) * 1000).toFixed(0)}`,
  );
  report(
    `${log}, beside live play`,
    beside,
    300,
    `${Math.round((inTime / (to - from)) * 1000)} events/s were taken of ${rate} asked, ${sent.failed} failed | processor us an event, commands included: ${spent.join(', ')} | others ${foreign} % of the machine, load ${load()}`,
  );
}

// Sends one event a request over kept-alive connections at a steady rate: an open loop, in which a
// source waits for the acknowledgement of its last event before it sends the next. Reports when
// each event was due, sent and acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import { simulate } from '#audit';
import { installedRules, rulesNamed } from '#rule-folder';
import { positionsFrom } from '#read-model';
import { clock } from '../measure.mjs';
import { Connection, request } from './connection.mjs';

/** @typedef {{ perSecond: number, seconds: number, tables: number, connections: number }} LivePlan */
/**
 * `graceS`: the sender stops so many seconds after the last event was due, even if not all events
 * were sent and answered. Without it, it waits for every answer.
 * @typedef {LivePlan & { port: number, token: string, graceS?: number }} LiveOrder
 */
/**
 * An event and what became of it: when it was due, sent and answered, and the position that the
 * answer named.
 * @typedef {object} Sent
 * @property {string} source
 * @property {Buffer} bytes
 * @property {number} due
 * @property {number} sent
 * @property {number} answered
 * @property {number} partition
 * @property {number} next 0 if its request failed or was not answered
 */
/** @typedef {{ events: Omit<Sent, 'source' | 'bytes'>[], failures: string[], failed: number, cpuMs: number }} LiveSent */

/**
 * Returns the tables' first events in the order of play: one of every table in turn.
 * @param {LiveOrder} order
 * @returns {Sent[]}
 */
function script({ tables, perSecond, seconds, token }) {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const count = perSecond * seconds;
  const each = Math.ceil(count / tables);
  const played = Array.from({ length: tables }, (_, t) => {
    const table = `L${t}`;
    const { lines } = simulate({ rules, bets: true, shoes: 3, seed: `live-${t}`, table });
    const first = [];
    for (const line of lines) if (first.push(line) === each) break;
    return first;
  });
  return Array.from({ length: count }, (_, i) => {
    const line = played[i % tables]?.[Math.floor(i / tables)];
    if (line === undefined)
      throw new Error(`three shoes have not ${each} events: take more tables`);
    return {
      source: /"source":"([^"]*)"/.exec(line)?.[1] ?? '',
      bytes: request(token, 'application/cloudevents+json', Buffer.from(line)),
      due: 0,
      sent: 0,
      answered: 0,
      partition: 0,
      next: 0,
    };
  });
}

class Sending {
  #events;
  #perSecond;
  #free;
  /** @type {Sent[]} */
  #waiting = [];
  /**
   * The events that wait for the answer to one of their source.
   * @type {Map<string, Sent[]>}
   */
  #busy = new Map();
  #answered = 0;
  #graceMs;
  /** @type {string[]} */
  failures = [];

  /**
   * @param {readonly Sent[]} events
   * @param {LiveOrder} order
   * @param {readonly Connection[]} connections
   */
  constructor(events, { perSecond, graceS = Infinity }, connections) {
    this.#events = events;
    this.#perSecond = perSecond;
    this.#graceMs = graceS * 1000;
    this.#free = [...connections];
  }

  async run() {
    const began = clock() + 100;
    for (const [i, event] of this.#events.entries())
      event.due = began + (i * 1000) / this.#perSecond;
    for (const event of this.#events) {
      while (event.due > clock()) await pause(1);
      this.#offer(event);
    }
    const until = clock() + this.#graceMs;
    while (this.#answered < this.#events.length && clock() < until) await pause(5);
  }

  /**
   * Sends an event when it is its source's turn.
   * @param {Sent} event
   */
  #offer(event) {
    const queue = this.#busy.get(event.source);
    if (queue) queue.push(event);
    else {
      this.#busy.set(event.source, []);
      this.#dispatch(event);
    }
  }

  /** @param {Sent} event */
  #dispatch(event) {
    const connection = this.#free.pop();
    if (!connection) {
      this.#waiting.push(event);
      return;
    }
    event.sent = clock();
    connection.send(event.bytes, (status, position, why) => {
      event.answered = clock();
      this.#answered += 1;
      if (status === 202)
        for (const [partition, next] of positionsFrom(position))
          Object.assign(event, { partition, next });
      else this.failures.push(`${status} ${why}`);
      this.#free.push(connection);
      const next = this.#busy.get(event.source)?.shift();
      if (next) this.#waiting.push(next);
      else this.#busy.delete(event.source);
      const first = this.#waiting.shift();
      if (first) this.#dispatch(first);
    });
  }
}

/** @param {LiveOrder} order */
async function prepare(order) {
  const events = script(order);
  const open = Array.from({ length: order.connections }, () => new Connection(order.port));
  await Promise.all(open.map(({ opened }) => opened));
  const send = async () => {
    const cpu = process.cpuUsage();
    const sending = new Sending(events, order, open);
    await sending.run();
    const { user, system } = process.cpuUsage(cpu);
    /** @type {LiveSent} */
    const sent = {
      events: events.map(({ source: _source, bytes: _bytes, ...event }) => event),
      failures: sending.failures.slice(0, 3),
      failed: sending.failures.length,
      cpuMs: (user + system) / 1000,
    };
    process.send?.(sent);
    for (const connection of open) connection.close();
  };
  process.once('message', () => void send());
  process.send?.('ready');
}

process.once('message', (/** @type {LiveOrder} */ order) => void prepare(order));

// Sends one event a request over kept-alive connections at a steady rate: an open loop, in which a
// source waits for the acknowledgement of its last event before it sends the next. Reports when
// each event was due, sent and acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import { simulate } from '#audit';
import { installedRules, rulesNamed } from '#rule-folder';
import { Connection, positionsOf, request } from './connection.mjs';

const clock = () => Number(process.hrtime.bigint()) / 1e6;

/** Returns the tables' first events in the order of play: one of every table in turn. */
function script(tables, count, token) {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const each = Math.ceil(count / tables);
  const played = Array.from({ length: tables }, (_, t) => {
    const lines = [];
    for (const line of simulate({ rules, bets: true, shoes: 1, seed: `live-${t}`, table: `L${t}` })
      .lines)
      if (lines.push(line) === each) break;
    return lines;
  });
  const events = [];
  for (let i = 0; i < count; i += 1) {
    const line = played[i % tables][Math.floor(i / tables)];
    if (line === undefined) throw new Error(`a shoe has not ${each} events: take more tables`);
    events.push({
      source: /"source":"([^"]*)"/.exec(line)[1],
      bytes: request(token, 'application/cloudevents+json', Buffer.from(line)),
    });
  }
  return events;
}

class Sending {
  /**
   * Four numbers an event: due, sent, acknowledged, and the index of its partition and offset in
   * `positions`.
   */
  constructor(events, perSecond, connections) {
    Object.assign(this, {
      events,
      perSecond,
      free: [...connections],
      waiting: [],
      busy: new Map(),
      sent: 0,
      answered: 0,
      failures: [],
    });
    const n = events.length;
    this.times = {
      due: new Float64Array(n),
      sent: new Float64Array(n),
      answered: new Float64Array(n),
      partition: new Float64Array(n),
      next: new Float64Array(n),
    };
  }

  async run() {
    const { events, perSecond, times } = this;
    const began = clock() + 100;
    for (let i = 0; i < events.length; i += 1) times.due[i] = began + (i * 1000) / perSecond;
    for (let i = 0; i < events.length;) {
      const now = clock();
      for (; i < events.length && times.due[i] <= now; i += 1) this.offer(i);
      await pause(1);
    }
    while (this.answered < events.length) await pause(5);
    return { ...times, failures: this.failures.slice(0, 3), failed: this.failures.length };
  }

  /** Sends an event when it is its source's turn. */
  offer(i) {
    const { source } = this.events[i];
    const queue = this.busy.get(source);
    if (queue) queue.push(i);
    else {
      this.busy.set(source, []);
      this.dispatch(i);
    }
  }

  dispatch(i) {
    const connection = this.free.pop();
    if (!connection) return void this.waiting.push(i);
    this.times.sent[i] = clock();
    connection.send(this.events[i].bytes, (status, position, why) =>
      this.done(i, connection, status, position, why),
    );
  }

  done(i, connection, status, position, why) {
    const { times } = this;
    times.answered[i] = clock();
    this.answered += 1;
    if (status === 202)
      [{ partition: times.partition[i], next: times.next[i] }] = positionsOf(position);
    else this.failures.push(`${status} ${why}`);
    this.free.push(connection);
    const { source } = this.events[i];
    const queue = this.busy.get(source);
    const next = queue.shift();
    if (next === undefined) this.busy.delete(source);
    else this.waiting.push(next);
    const first = this.waiting.shift();
    if (first !== undefined) this.dispatch(first);
  }
}

process.once('message', async ({ port, token, perSecond, seconds, tables, connections }) => {
  const events = script(tables, perSecond * seconds, token);
  const open = Array.from({ length: connections }, () => new Connection(port));
  await Promise.all(open.map(({ opened }) => opened));
  process.once('message', async () => {
    const cpu = process.cpuUsage();
    const result = await new Sending(events, perSecond, open).run();
    const { user, system } = process.cpuUsage(cpu);
    process.send({ ...result, cpuMs: (user + system) / 1000 });
    for (const connection of open) connection.close();
  });
  process.send('ready');
});

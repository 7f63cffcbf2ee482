// A device on line protocol 1 that sends as fast as it is acknowledged, or at a pace.
import { connect } from 'node:net';
import { simulate } from '#audit';
import { encodeLine1, parseLine } from '#devices';
import { installedRules, rulesNamed } from '#rule-folder';
import { clock } from '../measure.mjs';

/** @import { ReportedEvent } from '#devices' */

/** What a device may send before it is acknowledged. */
const WINDOW = 8;
/** How long a gateway may acknowledge nothing of what was sent. */
const SILENT_MS = 60_000;
const LOOK_MS = 1_000;
const SAID = ['coup-opened', 'card-drawn', 'outcome-declared', 'coup-closed'];

/**
 * Returns lawful play of one shoe after the other, without end.
 * @returns {Generator<ReportedEvent, never>}
 */
export function* played() {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const { lines } = simulate({ rules, seed: 'gateway', shoes: 1, bets: false });
  /** @type {ReportedEvent[]} */
  const shoe = [...lines]
    .map((line) => /** @type {{ source: string, type: string, data: object }} */ (JSON.parse(line)))
    .filter(({ source }) => source.endsWith('-shoe'))
    .map(({ type, data }) => ({ type: type.replace(/^shoeprint\.|\.v1$/g, ''), data }))
    .filter(({ type }) => SAID.includes(type))
    .map((event) => /** @type {ReportedEvent} */ (/** @type {unknown} */ (event)));
  for (let number = 1; ; number += 1) {
    yield { type: 'shoe-opened', data: { shoe: `bench-${number}`, decks: 8 } };
    yield* shoe;
    yield { type: 'shoe-closed', data: { reason: 'cut-card' } };
  }
}

/**
 * Returns reports of a device beside the shoe, without end.
 * @returns {Generator<ReportedEvent, never>}
 */
export function* reports() {
  for (;;) {
    yield { type: 'device-error', data: { code: '3', text: 'a card was read twice' } };
    yield { type: 'device-error-cleared', data: { code: '3' } };
  }
}

/** A device that is connected to a gateway, or to the bare script. */
export class LineDevice {
  /** When each number was sent, and when it was acknowledged, by the shared clock. */
  sentAt = new Map();
  /** @type {number[]} */
  latencies = [];
  acked = 0;
  made = 0;
  limit = 0;
  #sent = 0;
  /** Whether it has said who it is. Lines before that are not taken. */
  #isKnown = false;
  #text = '';
  /** @type {string[]} */
  #waiting = [];
  /** @type {(() => void) | undefined} */
  #reached;

  /**
   * @param {number} port
   * @param {Generator<ReportedEvent, never>} events
   * @param {number} boot
   */
  constructor(port, events, boot) {
    this.events = events;
    this.boot = boot;
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1').on('data', (text) => this.#hear(String(text)));
    this.socket.on('error', () => undefined);
    this.#make({ type: 'device-online', data: { firmware: 'bench' } });
  }

  /**
   * Sends so many events more, as fast as they are acknowledged, and resolves with the seconds that
   * this took. Rejects if none is acknowledged for a minute.
   * @param {number} count
   */
  async send(count) {
    const from = clock();
    this.limit = this.acked + count;
    /** @type {Promise<void>} */
    const done = new Promise((resolve) => (this.#reached = resolve));
    /** @type {NodeJS.Timeout | undefined} */
    let looking;
    const silence = new Promise((_resolve, reject) => {
      let [at, acked] = [from, this.acked];
      looking = setInterval(() => {
        if (this.acked > acked) [at, acked] = [clock(), this.acked];
        if (clock() - at > SILENT_MS)
          reject(
            new Error(`${this.acked} of ${this.limit} events were acknowledged, then no more`),
          );
      }, LOOK_MS);
    });
    this.#push();
    await Promise.race([done, silence]).finally(() => clearInterval(looking));
    return (clock() - from) / 1_000;
  }

  close() {
    this.socket.destroy();
  }

  #make(/** @type {ReportedEvent} */ event) {
    const seq = (this.made += 1);
    const ms = Math.floor(clock());
    this.#waiting.push(encodeLine1({ type: 'E', boot: this.boot, seq, ms, event }));
  }

  #push() {
    let text = '';
    while (this.#isKnown && this.#sent < Math.min(this.limit, this.acked + WINDOW)) {
      if (this.#sent === this.made) this.#make(this.events.next().value);
      text += this.#waiting[this.#sent - this.acked] ?? '';
      this.#sent += 1;
      if (!this.sentAt.has(this.#sent)) this.sentAt.set(this.#sent, clock());
    }
    if (text !== '') this.socket.write(text, 'latin1');
  }

  #hear(/** @type {string} */ text) {
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() ?? '';
    for (const each of lines) {
      const parsed = parseLine(each);
      if (parsed.is !== 'line') continue;
      const { line } = parsed;
      if (line.type === 'Q') this.#hello();
      else if (line.type === 'A' && line.seq > this.acked) this.#acknowledged(line.seq);
    }
    this.#push();
    if (this.limit > 0 && this.acked >= this.limit) this.#reached?.();
  }

  #acknowledged(/** @type {number} */ seq) {
    const now = clock();
    for (let n = this.acked + 1; n <= seq; n += 1) {
      this.latencies.push(now - this.sentAt.get(n));
      this.sentAt.delete(n);
    }
    this.#waiting.splice(0, seq - this.acked);
    this.acked = seq;
    this.#sent = Math.max(this.#sent, seq);
  }

  #hello() {
    const ms = Math.floor(clock());
    const { boot, made: last, acked } = this;
    const hello = { ...{ unit: `U${boot}`, firmware: 'bench' }, ...{ boot, ms, last } };
    this.#isKnown = true;
    this.socket.write(encodeLine1({ type: 'H', ...hello, oldest: acked + 1 }), 'latin1');
    this.#sent = acked; // a gateway that asks took nothing of what it did not acknowledge
  }
}

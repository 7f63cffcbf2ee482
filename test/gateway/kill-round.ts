import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { simulate } from '#audit';
import { listSpool } from '#spool';
import { FolderDisk } from '../../libs/spool/src/segments/disk.js';
import { entriesOf, positionOf } from '../../libs/spool/src/segments/entries.js';
import { standing } from '../faults/count.js';
import type { System } from '../faults/system.js';
import { audit, codes, type Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { TcpProxy } from '../kit/tcp-proxy.js';
import { EmulatorProcess } from './emulator-process.js';
import { GatewayProcess } from './gateway-process.js';

/** What is struck in a round. */
const TARGETS = ['gateway', 'api', 'auditor', 'link to the device', 'link to the api'] as const;
type Target = (typeof TARGETS)[number];

/** One round: a shoe by one protocol, and what is struck while it is dealt. */
export interface Round {
  readonly number: number;
  readonly protocol: 'line-1' | 'angel-eye-ii-ex';
  /** Faults of play that the shoe has. */
  readonly faults: readonly string[];
  /** `after`: milliseconds since the strike before, or since the first card. */
  readonly strikes: readonly { readonly target: Target; readonly after: number }[];
}

/** A shoe at this speed is dealt in about four seconds. */
const SPEED = '600';
const STRIKE_MS_MAX = 1_500;
/** A request without an answer is sent again after a minute. */
const DELIVERED_MS_MAX = 100_000;
const FAULTS = ['TC-05', 'RS-02', 'RS-09', 'DL-06', 'SH-02', 'DL-16'];

const plans = fc.record({
  faults: fc.uniqueArray(fc.constantFrom(...FAULTS), { maxLength: 3 }),
  strikes: fc.array(
    fc.record({
      target: fc.constantFrom(...TARGETS),
      after: fc.integer({ min: 0, max: STRIKE_MS_MAX }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

/** Returns a round. The same number and seed make the same one. */
export function roundOf(number: number, seed: number): Round {
  const [plan] = fc.sample(plans, { seed: seed + number, numRuns: 1 });
  const { faults, strikes } = plan as Pick<Round, 'faults' | 'strikes'>;
  const isLine = number % 2 === 0;
  // what a device that is only heard says of faults, only a run without strikes could tell
  return isLine
    ? { number, protocol: 'line-1', faults, strikes }
    : { number, protocol: 'angel-eye-ii-ex', faults: [], strikes };
}

/** What came of a round. */
export interface Played {
  /** What is wrong, in words. */
  readonly wrong: readonly string[];
  /** Events that the log has more than once. Admission counts each once. */
  readonly copies: number;
  readonly cards: number;
  /** Cards that were dealt and not recorded. */
  readonly missed: number;
}

/** Plays a round at a table of its own, and compares what was recorded with what was dealt. */
export async function play(system: System, round: Round, reader: string): Promise<Played> {
  const bench = new Bench(system, round, reader);
  try {
    return await bench.play();
  } finally {
    await bench.close();
  }
}

const drawn = (events: readonly Sent[]): Sent[] =>
  events.filter(({ type }) => type === 'shoeprint.card-drawn.v1');
const cardsOf = (events: readonly Sent[]): string[] =>
  drawn(events).map(({ data }) => JSON.stringify(data));
const nameOf = ({ source, id }: Sent): string => `${source as string}#${id as string}`;
const linesIn = (text: string): Sent[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Sent);

class Bench {
  private readonly table: string;
  private readonly open: { close(): void | Promise<void> }[] = [];
  private readonly back = new Map<Target, Promise<unknown>>();
  private gateway!: GatewayProcess;
  private apiLink!: TcpProxy;
  private deviceLink!: TcpProxy;

  constructor(
    private readonly system: System,
    private readonly round: Round,
    private readonly reader: string,
  ) {
    this.table = `K${round.number}`;
  }

  async play(): Promise<Played> {
    const port = Number(new URL(this.system.urls[0] as string).port);
    this.apiLink = this.closing(await TcpProxy.before(port));
    const { dealt, device, expected } =
      this.round.protocol === 'line-1' ? await this.line() : await this.shoe();
    await this.strike();
    const code = await device.ended();
    await this.deviceLink.close(); // its side of the link would seem to be a device
    await this.delivered();
    const { record, found } = await this.recordAndFindings();
    const once = [...new Map(record.map((event) => [nameOf(event), event])).values()];
    const due = expected?.();
    const wrong = [
      ...(code === 0 ? [] : [`the device ended with ${code}: ${device.said}`]),
      ...differentCopies(record),
      ...(due ? this.differsFrom(due, once) : await this.saysMore(dealt, once)),
      ...isJudgedOtherwise({ record, found }, once, due),
    ];
    const cards = drawn(once).length;
    return {
      wrong,
      copies: record.length - once.length,
      cards,
      missed: drawn(dealt).length - cards,
    };
  }

  async close(): Promise<void> {
    for (const each of this.open.splice(0)) await each.close();
  }

  private closing<T extends { close(): void | Promise<void> }>(each: T): T {
    this.open.unshift(each);
    return each;
  }

  /** Connects a device on line protocol 1, which keeps its events, and lets it deal. */
  private async line() {
    this.gateway = this.closing(await GatewayProcess.of(this.api(), this.table, { when: 'line' }));
    await this.gateway.start();
    this.deviceLink = this.closing(
      await TcpProxy.before(Number(this.gateway.lineAddress.split(':')[1])),
    );
    const { faults, number } = this.round;
    const events = join(this.gateway.folder, 'shoe.ndjson');
    const expects = join(this.gateway.folder, 'expected.ndjson');
    const rules = BOOK.get('punto-banco@1') as never;
    const asked = { rules, table: this.table, shoes: 1, seed: `kill-${number}`, faults };
    const text = [...simulate({ ...asked, bets: false }).lines].join('\n');
    writeFileSync(events, text);
    const device = this.closing(
      new EmulatorProcess(
        ...['line-1', '--events', events, '--connect', `127.0.0.1:${this.deviceLink.port}`],
        ...['--speed', SPEED, '--expect', expects],
      ),
    );
    await this.isHeard();
    return { dealt: linesIn(text), device, expected: () => linesIn(readFileSync(expects, 'utf8')) };
  }

  /** Connects to a shoe that is only heard. It begins to deal when the gateway is there. */
  private async shoe() {
    const seed = String(this.round.number);
    const device = this.closing(
      new EmulatorProcess(
        ...['angel-eye-ii-ex', '--seed', seed, '--table', this.table, '--listen', '127.0.0.1:0'],
        ...['--speed', SPEED],
      ),
    );
    this.deviceLink = this.closing(
      await TcpProxy.before(Number((await device.address()).split(':')[1])),
    );
    const ports = { shoe: this.deviceLink.port };
    this.gateway = this.closing(await GatewayProcess.of(this.api(), this.table, ports));
    await this.gateway.start();
    await this.isHeard();
    const rules = BOOK.get('punto-banco@1') as never;
    const { lines } = simulate({ rules, table: this.table, shoes: 1, seed, bets: false });
    return { dealt: linesIn([...lines].join('\n')), device, expected: undefined };
  }

  private api() {
    return { url: `http://127.0.0.1:${this.apiLink.port}`, key: this.system.key };
  }

  private isHeard(): Promise<unknown> {
    return eventually('a device that is heard', async () => {
      const { devices } = await this.gateway.status();
      return (devices[0]?.frames.ok ?? 0) > 0;
    });
  }

  private async strike(): Promise<void> {
    for (const { target, after } of this.round.strikes) {
      await pause(after);
      await this.back.get(target);
      if (target === 'link to the api') this.apiLink.cut();
      else if (target === 'link to the device') this.deviceLink.cut();
      else if (target === 'gateway') this.back.set(target, this.killGateway());
      else this.back.set(target, this.kill(this.system[target]));
    }
    await Promise.all(this.back.values());
  }

  private async killGateway(): Promise<void> {
    await this.gateway.end('SIGKILL');
    await this.gateway.start();
  }

  private async kill(program: System['api']): Promise<void> {
    await program.end('SIGKILL');
    await program.start();
  }

  private async delivered(): Promise<void> {
    await eventually(
      'everything delivered',
      async () => {
        const { delivery, spool } = await this.gateway.status();
        return delivery.is === 'fresh' && spool.sent === spool.last;
      },
      DELIVERED_MS_MAX,
    ).catch((error: unknown) => {
      throw new Error(`the gateway said: ${this.gateway.said.slice(-2_000)}`, { cause: error });
    });
  }

  /**
   * Returns the record, and the findings of just that record: an auditor may declare a gap at any
   * moment, which is an event and a finding.
   */
  private recordAndFindings(): Promise<Judged> {
    return eventually(
      'a record to which nothing was appended while its findings were read',
      async () => {
        const record = await this.record();
        await standing(this.system);
        const found = await this.findings();
        return (await this.record()).length === record.length && { record, found };
      },
      DELIVERED_MS_MAX,
    );
  }

  private async record(): Promise<Sent[]> {
    const path = `/v1/tables/${this.table}/record?stamps=off`;
    return linesIn(await (await this.ask(path)).text());
  }

  private async ask(path: string): Promise<Response> {
    const headers = { authorization: `Bearer ${this.reader}` };
    const answer = await fetch(`${this.system.urls[0]}${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  /** Returns how the events of a device that keeps them differ from those that are due. */
  private differsFrom(expected: readonly Sent[], recorded: readonly Sent[]): string[] {
    const own = recorded.filter(({ source }) => source === `device/${this.table}-line`);
    const wanted = expected.map(({ id, type, data }) =>
      JSON.stringify([id, type, known(type, data)]),
    );
    const came = own.map(({ id, type, data }) => JSON.stringify([id, type, known(type, data)]));
    const at = wanted.findIndex((each, i) => came[i] !== each);
    if (at >= 0) return [`event ${at + 1}: ${came[at]} is not ${wanted[at]}`];
    return came.length > wanted.length ? [`${came.length - wanted.length} events too many`] : [];
  }

  /**
   * Returns what is wrong with the cards of a shoe that is only heard: more than were dealt, in
   * another order, or fewer than the spool has.
   */
  private async saysMore(dealt: readonly Sent[], recorded: readonly Sent[]): Promise<string[]> {
    const cards = cardsOf(dealt);
    let from = 0;
    for (const card of cardsOf(recorded)) {
      const at = cards.indexOf(card, from);
      if (at < 0) return [`${card} was not dealt after ${from} cards`];
      from = at + 1;
    }
    const known = new Set(recorded.map(nameOf));
    const lost = (await this.spooled()).filter((event) => !known.has(nameOf(event)));
    return lost.map((event) => `${nameOf(event)} was synced and is not recorded`);
  }

  /** Returns the events that were made of what was heard and synced. */
  private async spooled(): Promise<Sent[]> {
    const folder = join(this.gateway.folder, 'spool');
    const segments = await listSpool(folder);
    const position = positionOf(1, segments);
    const events: Sent[] = [];
    for await (const entry of position ? entriesOf(new FolderDisk(folder), segments, position) : [])
      if (entry.kind === 'line')
        for (const { made } of entry.line.frames)
          events.push(...made.map((line) => JSON.parse(line) as Sent));
    return events;
  }

  private async findings(): Promise<string[]> {
    const answer = await this.ask(`/v1/findings?table=${this.table}&status=all&limit=500`);
    const { lines } = (await answer.json()) as { lines: readonly { readonly code: string }[] };
    return lines.map(({ code }) => code).sort();
  }
}

/** The record of a table, and the codes of the findings that the server has of it, sorted. */
interface Judged {
  readonly record: readonly Sent[];
  readonly found: readonly string[];
}

/** Returns how the findings of the server differ from those due, and from those of the record. */
function isJudgedOtherwise(
  { record, found }: Judged,
  once: readonly Sent[],
  expected: readonly Sent[] | undefined,
): string[] {
  const judged = codes(audit(record, { end: false, once: true }).findings);
  const wrong =
    found.join() === judged.join()
      ? []
      : [`the server found ${found.join()}, the record has ${judged.join()}`];
  const ofOutage = (code: string): boolean => code === 'DV-04' || code === 'DV-06';
  const due = expected ? codes(audit(undisturbed(expected, once), { end: false }).findings) : [];
  const others = expected ? found : found.filter((code) => !ofOutage(code));
  if (others.join() !== due.join()) wrong.push(`found ${others.join()}, due were ${due.join()}`);
  return wrong;
}

const OPENED = 'shoeprint.shoe-opened.v1';

/** Of a shoe that is opened, the configuration says all but its decks. */
const known = (type: unknown, data: unknown): unknown =>
  type === OPENED ? (data as { decks: number }).decks : data;

/**
 * Returns the events of an undisturbed run, by the play of the device. What nobody can know before
 * is added: times two seconds apart, and the opening, of which the configuration of the gateway
 * says all but the decks.
 */
function undisturbed(expected: readonly Sent[], recorded: readonly Sent[]): Sent[] {
  const opening = recorded.find(({ type }) => type === OPENED);
  return expected.map((event, at) => ({
    ...event,
    time: new Date(BEGIN_MS + at * 2_000).toISOString(),
    data: event.type === OPENED ? opening?.data : event.data,
  }));
}
const BEGIN_MS = Date.parse('2026-11-24T20:00:00Z');

/** Returns events of one name with two contents. */
function differentCopies(record: readonly Sent[]): string[] {
  const known = new Map<string, string>();
  return record.flatMap((event) => {
    const [name, content] = [nameOf(event), JSON.stringify(event)];
    const other = known.get(name);
    known.set(name, content);
    return other === undefined || other === content ? [] : [`${name} has two contents`];
  });
}

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { openApiDocument, ROLES } from '#api';
import { Started } from '../cli/serving.js';
import { eventually } from '../kit/eventually.js';
import { describeOnKafka, whyNoKafkaToKill } from '../kit/kafka.js';
import type { Running } from '../kit/processes.js';
import { StreamReader } from '../kit/stream-reader.js';
import { answerTo, everyRequest, type Known, type RouteAnswer } from './every-route.js';
import { newTables, simulated } from './load.js';
import { ALL, named } from './scenarios.js';
import { System } from './system.js';

/**
 * The longest that any route waits for a dependency that hangs (docs/operating/time-limits.md), in
 * milliseconds: 1 s for a token, 1 s of silence and 4 s for a question in PostgreSQL; 9 s for a
 * read in Kafka. An append has a limit of its own.
 */
const LIMIT_MS = { PostgreSQL: 6_000, Kafka: 9_000 } as const;
const APPEND_MS = 8_000;
/** When `/readyz` must have turned at the latest, and how long one probe may take. */
const READYZ_TURNS_MS = 10_000;
const PROBE_MS = 4_000;
/** What any limit may be missed by: a timer is not exact, and all routes are asked at once. */
const SLACK_MS = 1_000;
/** How long `/livez`, which waits for nothing, may take on a machine that also runs other tests. */
const BUSY_MS = 10_000;
const BACK_MS = 40_000;
/** The screens of a large house: one at each table, and as many again. */
const SCREENS = 1_200;

type Dependency = keyof typeof LIMIT_MS;
type Undo = () => unknown;

describeOnKafka('while a dependency hangs', await whyNoKafkaToKill(), () => {
  let system: System;
  let known: Known;
  const document = openApiDocument();
  const lines = simulated(newTables(1)[0] as string, 1, ['TC-05@1']);

  beforeAll(async () => {
    system = await System.start({ log: 1, isBehindProxies: true });
    await system.addSealer();
    known = await knownAt(system, lines);
  }, 120_000);
  afterAll(() => system.close());

  const url = (): string => system.urls[0] as string;
  const get = (path: string, headers: Record<string, string> = {}): Promise<RouteAnswer> =>
    answerTo(
      url(),
      {
        operation: path,
        method: 'GET',
        path,
        headers: { authorization: `Bearer ${known.person}`, ...headers },
        body: undefined,
      },
      BACK_MS,
    );

  /**
   * Asks a program for its probes until it has said that it is not ready and `until` resolves.
   * Every one must be answered in time.
   */
  async function probed(program: Running, until: Promise<unknown>): Promise<Probed> {
    const from = performance.now();
    const seen = { name: program.name, busyMs: 0, slowestMs: 0, turnedMs: Infinity };
    let isOver = false;
    until.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await eventually(
      `${program.name} not ready`,
      async () => {
        const [alive, ready] = await Promise.all([probe(program.livez), probe(program.readyz)]);
        expect(alive.status).toBe(200);
        seen.busyMs = Math.max(seen.busyMs, alive.ms);
        seen.slowestMs = Math.max(seen.slowestMs, ready.ms);
        if (ready.status === 503) seen.turnedMs = Math.min(seen.turnedMs, performance.now() - from);
        return isOver && seen.turnedMs < Infinity;
      },
      BACK_MS,
    );
    return seen;
  }

  const probe = (at: string): Promise<RouteAnswer> =>
    answerTo(at, { operation: at, method: 'GET', path: at, headers: {}, body: undefined }, BACK_MS);

  /** Returns up to which entry the sealer has signed the log of the site. */
  async function sealed(): Promise<number> {
    const [sealer] = system.sealers;
    const answer = await fetch(sealer?.readyz as string, { signal: AbortSignal.timeout(BACK_MS) });
    return ((await answer.json()) as { size: number }).size;
  }

  /**
   * Every loop goes on: what is sent now is judged, told to readers, on the house's record and
   * sealed.
   */
  async function worksAgain(stream: StreamReader, keyName: string | undefined): Promise<void> {
    for (const { name, readyz } of system.programs)
      await eventually(`${name} ready`, async () => (await probe(readyz)).status === 200, BACK_MS);
    const sent = stream.told.length;
    const signed = await sealed();
    const { table } = known;
    const line = lines.next().value as string;
    const position = await eventually(
      'an acknowledgement',
      async () => {
        const answer = await fetch(new URL('/v1/events', url()), {
          method: 'POST',
          headers: {
            authorization: `Bearer ${known.device}`,
            'content-type': 'application/cloudevents+json',
          },
          body: line,
          signal: AbortSignal.timeout(BACK_MS),
        });
        return answer.status === 202 && answer.headers.get('log-position');
      },
      BACK_MS,
    );
    await eventually(
      'its row',
      async () =>
        (await get(`/v1/tables?table=${table}`, { 'min-position': position })).status === 200,
      BACK_MS,
    );
    await eventually('news of it on the stream', () => stream.told.length > sent, BACK_MS);
    await eventually('a seal of it', async () => (await sealed()) > signed, BACK_MS);
    if (keyName !== undefined)
      await eventually(
        'the act on the house record',
        async () => (await get('/v1/house-events?limit=200')).body.includes(keyName),
        BACK_MS,
      );
  }

  const hangs = (title: string, dependency: Dependency, hang: () => Undo | Promise<Undo>): void =>
    named(`every route, probe and loop keeps its limit when ${title}`, async () => {
      const stream = new StreamReader(url(), known.person);
      await eventually('the stream', () => stream.status === 200);
      const requests = everyRequest(await document, {
        ...known,
        event: lines.next().value as string,
      });
      const undo = await hang();
      let keyName: string | undefined;
      try {
        const asked = Promise.all(requests.map((request) => answerTo(url(), request, BACK_MS)));
        const probes = await Promise.all(system.programs.map((program) => probed(program, asked)));
        const answers = await asked;
        expect(probes.filter(isLate)).toEqual([]);
        const late = lateness(probes[0] as Probed);
        const limit = ({ operation }: RouteAnswer): number =>
          operation === 'appendEvents'
            ? Math.min(APPEND_MS, LIMIT_MS[dependency])
            : LIMIT_MS[dependency];
        expect(answers.filter((answer) => answer.ms > limit(answer) + late)).toEqual([]);
        expect(answers.filter(({ status }) => status === 500 || status <= 0)).toEqual([]);
        keyName = keyOf(answers);
      } finally {
        await undo();
        if (system.endedByThemselves.length > 0) process.stderr.write(system.lastWords());
      }
      expect(system.endedByThemselves).toEqual([]);
      await worksAgain(stream, keyName);
      stream.cut();
    });

  hangs('PostgreSQL accepts connections and says nothing', 'PostgreSQL', () =>
    system.links.postgres.hold(),
  );
  hangs('Kafka accepts connections and says nothing', 'Kafka', () => broker().hold());
  named('an api that stands still has room for the connections of all screens', async () => {
    const sockets: Socket[] = [];
    let connected = 0;
    system.api.signal('SIGSTOP');
    try {
      const { hostname, port } = new URL(url());
      for (let n = 0; n < SCREENS; n += 1) {
        const socket = connect(Number(port), hostname, () => (connected += 1));
        sockets.push(socket.on('error', () => undefined));
      }
      await eventually(`room for ${SCREENS} screens`, () => connected === SCREENS, BACK_MS);
    } finally {
      for (const socket of sockets) socket.destroy();
      system.api.signal('SIGCONT');
    }
    await eventually('an answer', async () => (await probe(system.api.livez)).status === 200);
  });

  if (ALL) {
    hangs('connections to PostgreSQL are half-open', 'PostgreSQL', () =>
      system.links.postgres.silence(),
    );
    hangs('connections to Kafka are half-open', 'Kafka', () => broker().silence());
    hangs('PostgreSQL sleeps', 'PostgreSQL', () => {
      system.postgres.signal('SIGSTOP');
      return () => system.postgres.signal('SIGCONT');
    });
    hangs('the broker sleeps', 'Kafka', async () => {
      await system.kafka.kill(1, 'SIGSTOP');
      return () => system.kafka.kill(1, 'SIGCONT');
    });
    named('a command of the command line gives up on an api that sleeps', async () => {
      system.api.signal('SIGSTOP');
      try {
        const asked = Started.shoeprint(['parked', '--url', url()], {
          SHOEPRINT_TOKEN: known.person,
        });
        expect(await asked.ended).toBe(2);
        expect(asked.said).toContain('cannot be reached');
      } finally {
        system.api.signal('SIGCONT');
      }
    });
  }

  function broker() {
    const proxy = system.links.brokers.get(1);
    if (!proxy) throw new Error('no proxy is before the broker');
    return proxy;
  }
});

/** What was seen of a program's probes while a dependency hung. Times are in milliseconds. */
interface Probed {
  readonly name: string;
  /** The slowest answer of `/livez`, which waits for nothing: how busy the machine was. */
  readonly busyMs: number;
  /** The slowest answer of `/readyz`. */
  readonly slowestMs: number;
  /** When it first said that the program is not ready. */
  readonly turnedMs: number;
}

/** Returns by how much a program may miss a limit, on a machine as busy as it then was. */
const lateness = ({ busyMs }: Probed): number => SLACK_MS + 2 * busyMs;

const isLate = (probed: Probed): boolean =>
  probed.busyMs > BUSY_MS ||
  probed.slowestMs > PROBE_MS + lateness(probed) ||
  probed.turnedMs > READYZ_TURNS_MS + lateness(probed);

/** Returns the name of the device key that was made, if it was. */
function keyOf(answers: readonly RouteAnswer[]): string | undefined {
  const made = answers.find(({ operation }) => operation === 'createKey');
  return made?.status === 201 ? (JSON.parse(made.body) as { name: string }).name : undefined;
}

/** Plays a game until it has a finding, and returns what requests are about. */
async function knownAt(system: System, lines: Iterator<string>): Promise<Known> {
  const base = system.urls[0] as string;
  const person = await system.person('everything', ...ROLES);
  const read = async (path: string): Promise<{ lines: Record<string, string>[] }> =>
    (await (
      await fetch(new URL(path, base), { headers: { authorization: `Bearer ${person}` } })
    ).json()) as { lines: Record<string, string>[] };
  let table = '';
  for (let closed = 0; closed < 2;) {
    const event = lines.next().value as string;
    table = (JSON.parse(event) as { table: string }).table;
    if (event.includes('coup-closed')) closed += 1;
    const answer = await fetch(new URL('/v1/events', base), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${system.key}`,
        'content-type': 'application/cloudevents+json',
      },
      body: event,
    });
    if (answer.status !== 202) throw new Error(await answer.text());
  }
  const finding = await eventually(
    'a finding',
    async () => (await read(`/v1/findings?table=${table}`)).lines[0],
  );
  const { id = '', coupRef = '', shoeRef = '' } = finding;
  return { person, device: system.key, finding: id, coupRef, shoeRef, table, event: '' };
}

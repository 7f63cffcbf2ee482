import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  angelEye,
  asciiBytes,
  BCC_READINGS,
  encodeAngelEye,
  encodeLine1,
  feedDevice,
  line1Gateway,
  powerUp,
  recordEvent,
  type AngelEyeReport,
  type Line1GatewayState,
  type Observation,
  type ReportedEvent,
} from '#devices';
import { IS_LONG } from '../kit/rounds.js';
import { anyLine } from './any-line.js';
import { joined, type Listening } from './bytes.js';
import { seeded, type Chance } from './chance.js';

/** Streams for each decoder in `npm run test:long`, and in `npm test`. */
const STREAMS = IS_LONG ? 1_000_000 : 2_000;

/** A million streams take most of an hour on a small machine. */
const LIMIT_MS = IS_LONG ? 7_200_000 : 60_000;

const RANKS = 'A23456789TJQK';
const CARDS = [...'SHDC'].flatMap((suit) => [...RANKS].map((rank) => `${rank}${suit}`));
type CardReport = AngelEyeReport & { readonly is: 'card' };

/** Returns a card at a place. */
const card = (to: CardReport['to'], index: number, name: string | null): CardReport => ({
  is: 'card',
  to,
  index,
  card: name as CardReport['card'],
});

function anyReport(chance: Chance): AngelEyeReport {
  const [index, byte] = [Math.floor(chance.upTo(16)), 128 + Math.floor(chance.upTo(128))];
  return chance.oneOf<AngelEyeReport>([
    card(chance.oneOf(['player', 'banker', 'burn', 'indicator']), index, chance.oneOf(CARDS)),
    card('player', index % 4, null),
    { is: 'card-outside', mode: chance.oneOf(['lock', 'error', 'setting']), index, card: null },
    { is: 'burn-count', payload: [0xd0 | index, byte] },
    {
      is: 'result',
      result: chance.oneOf(['player', 'banker', 'tie', 'force-quit']),
      playerPair: byte > 200,
      bankerPair: byte < 150,
    },
    { is: chance.oneOf(['cut-card', 'started', 'standby']) },
    { is: chance.oneOf(['error', 'error-cleared']), number: index, inErrorMode: byte > 180 },
    { is: 'lock', state: index },
    { is: 'preset', address: [byte, byte], value: [byte, 128, 129, 130] },
    { is: 'retransmission', payload: [byte] },
    { is: 'other', letter: chance.oneOf(['Q', 'x', 'D']), payload: [byte, byte, byte] },
  ]);
}

/** Returns bytes that a shoe might send: reports, repeats, replies, noise. */
function anyShoeBytes(chance: Chance): Uint8Array {
  const bcc = chance.oneOf(BCC_READINGS);
  const chunks: Uint8Array[] = [];
  for (let left = chance.upTo(8); left > 0; left -= 1) {
    const sequence = chance.oneOf([...'0123456789ABCDEF~']);
    const frame = encodeAngelEye(anyReport(chance), { sequence, bcc });
    const noise = anyBytes(chance, [2, 3, 5, 6, 21, 0x31, 0x44, 0x81]);
    const reply = Uint8Array.from([2, 79, 80, 3, 49, 66, 6, 21, 49]);
    chunks.push(chance.oneOf([frame, frame, joined([frame, frame, frame]), noise, reply]));
  }
  return mutated(joined(chunks), chance);
}

/** Returns a few bytes, most of them those that mean something. */
const anyBytes = (chance: Chance, meaningful: readonly number[]): Uint8Array =>
  Uint8Array.from({ length: Math.floor(chance.upTo(90)) }, () =>
    chance.upTo(1) < 0.7 ? chance.oneOf(meaningful) : Math.floor(chance.upTo(256)),
  );

/** Returns bytes of which some were dropped, changed or added. */
function mutated(bytes: Uint8Array, chance: Chance): Uint8Array {
  const share = chance.oneOf([0, 0.01, 0.1]);
  const changed = [...bytes].flatMap((byte) => {
    if (chance.upTo(1) >= share) return [byte];
    const other = Math.floor(chance.upTo(256));
    return chance.oneOf([[], [other], [byte ^ 5], [byte, other]]);
  });
  return Uint8Array.from(changed);
}

/** Feeds bytes at one time, cut at some places or not at all. */
function fed<S>(decoder: Listening<S>, bytes: Uint8Array, cuts: readonly number[]) {
  let state = decoder.start;
  const observations: Observation[] = [];
  for (const [at, from] of [0, ...cuts].entries()) {
    const turn = decoder.feed(state, bytes.slice(from, cuts[at] ?? bytes.length), 7);
    state = turn.state;
    observations.push(...turn.observations);
  }
  return { state, observations };
}

const anyCuts = (bytes: Uint8Array, chance: Chance): readonly number[] =>
  Array.from({ length: Math.floor(chance.upTo(5)) }, () =>
    Math.floor(chance.upTo(bytes.length + 1)),
  ).sort((one, other) => one - other);

/** Expects a decoder to be total: any cut gives the same, as plain JSON of a bounded size. */
function expectTotal<S>(
  decoder: Listening<S>,
  any: (chance: Chance) => Uint8Array,
  { from, stateMax }: { readonly from: number; readonly stateMax: number },
): number {
  let observations = 0;
  for (let seed = from; seed < from + STREAMS; seed += 1) {
    const chance = seeded(seed);
    const bytes = any(chance);
    const whole = fed(decoder, bytes, []);
    const text = JSON.stringify(whole);
    const cuts = anyCuts(bytes, chance);
    if (JSON.stringify(fed(decoder, bytes, cuts)) !== text)
      throw new Error(`seed ${seed}: other observations where it is cut at ${cuts.join(', ')}`);
    if (JSON.stringify(whole.state).length > stateMax)
      throw new Error(
        `seed ${seed}: the state has ${JSON.stringify(whole.state).length} characters`,
      );
    if (seed % 16 === 0 && !isDeepStrictEqual(JSON.parse(text), whole))
      throw new Error(`seed ${seed}: not plain JSON`);
    observations += whole.observations.length;
  }
  return observations;
}

/** Returns the gateway's side as a decoder: the lines that it writes go nowhere. */
function gatewayDecoder(): Listening<Line1GatewayState> {
  const gateway = line1Gateway({ listenOnly: false, freshDigits: () => '0badcafe' });
  return {
    start: gateway.opened(gateway.start([]), 0).state,
    feed: (state, bytes, up) => gateway.feed(state, bytes, up),
  };
}

/** Returns bytes that a device might send: hellos, events, other lines, noise. */
function anyDeviceBytes(chance: Chance): Uint8Array {
  const texts: string[] = [];
  for (let left = 1 + chance.upTo(9); left > 0; left -= 1) {
    const [boot, seq] = [1 + Math.floor(chance.upTo(3)), 1 + Math.floor(chance.upTo(6))];
    const event: ReportedEvent = {
      type: 'card-drawn',
      data: { card: chance.oneOf(['9S', 'KD', null]), to: chance.oneOf(['player', 'banker']) },
    };
    const hello = { type: 'H', unit: chance.oneOf(['U', 'V']), firmware: '1', boot } as const;
    const noise = anyBytes(chance, [...asciiBytes('$*,\r\nE%0A')]);
    texts.push(
      chance.oneOf([
        encodeLine1({ ...hello, ms: 5, last: seq, oldest: Math.max(0, seq - 2) }),
        encodeLine1({ type: 'E', boot, seq, ms: 10 * seq, event }),
        encodeLine1({ type: 'E', boot, seq: seq + 1, ms: 10 * seq, event }),
        encodeLine1({ type: 'I', boot, ms: 50, last: seq }),
        String.fromCharCode(...noise),
        chance.oneOf(KNOWN),
      ]),
    );
  }
  return mutated(asciiBytes(texts.join('')), chance);
}
const KNOWN = fc.sample(anyLine, { numRuns: 200, seed: 16 }).map(encodeLine1);

describe('the decoder of angel-eye-ii-ex', () => {
  it.each([
    { sequence: 'unknown', bcc: 'learn', pairs: false } as const,
    { sequence: '0123456789ABCDEF', bcc: 'from-sequence', pairs: true } as const,
  ])(
    'observes the same however its bytes are cut, in bounded memory: %j',
    (settings) => {
      const found = expectTotal(angelEye(settings), anyShoeBytes, { from: 1, stateMax: 8000 });
      expect(found).toBeGreaterThan(STREAMS);
    },
    LIMIT_MS,
  );

  it('keeps every byte in exactly one observation', () => {
    const decoder = angelEye({ sequence: 'unknown', bcc: 'learn', pairs: false });
    for (let seed = 1; seed <= STREAMS / 8; seed += 1) {
      const bytes = anyShoeBytes(seeded(seed));
      const { state, observations } = fed(decoder, bytes, []);
      const kept = observations.map(({ raw }) => raw).join('') + hexOf(state.open);
      if (kept !== hexOf(bytes)) throw new Error(`seed ${seed}: ${kept} is not ${hexOf(bytes)}`);
    }
  });

  it('reads every report back as it was encoded', () => {
    for (let seed = 1; seed <= STREAMS / 8; seed += 1) {
      const chance = seeded(seed);
      const [report, bcc] = [anyReport(chance), chance.oneOf(BCC_READINGS)];
      const decoder = angelEye({ sequence: 'unknown', bcc, pairs: true });
      const frame = encodeAngelEye(report, { sequence: '7', bcc });
      const { observations } = fed(decoder, frame, []);
      expect(observations.at(-1)?.integrity).toBe('ok');
      expect(cardsOf(observations).every((name) => name === cardName(report))).toBe(true);
    }
  });

  it.each(BCC_READINGS)(
    'makes no other card of one damaged byte, held to %s',
    (bcc) => {
      const decoder = angelEye({ sequence: 'unknown', bcc, pairs: false });
      let tried = 0;
      for (const [at, name] of (IS_LONG ? CARDS : CARDS.slice(0, 6)).entries())
        for (const to of ['player', 'banker', 'burn'] as const) {
          const sequence = '0123456789ABCDEF'.charAt(at % 16);
          const frame = encodeAngelEye(card(to, 1 + (at % 3), name), { sequence, bcc });
          const next = encodeAngelEye({ is: 'standby' }, { sequence: 'z', bcc });
          for (const damaged of everyDamage(frame)) {
            tried += 1;
            const { observations } = fed(decoder, joined([damaged, next]), []);
            if (cardsOf(observations).some((found) => found !== `${name} ${to}`))
              throw new Error(`${hexOf(damaged)} becomes ${cardsOf(observations).join(', ')}`);
          }
        }
      expect(tried).toBeGreaterThan(30_000);
    },
    LIMIT_MS,
  );
});

describe('the gateway side of line protocol 1', () => {
  it(
    'observes the same however its bytes are cut, in bounded memory',
    () => {
      const found = expectTotal(gatewayDecoder(), anyDeviceBytes, { from: 1, stateMax: 20_000 });
      expect(found).toBeGreaterThan(STREAMS);
    },
    LIMIT_MS,
  );

  it('keeps bounded memory of long lines, long sessions and many units', () => {
    const decoder = gatewayDecoder();
    let { start: state } = decoder;
    const feed = (text: string): void => {
      ({ state } = decoder.feed(state, asciiBytes(text), 9));
      expect(JSON.stringify(state).length).toBeLessThan(20_000);
    };
    const hello = { type: 'H', firmware: '1', boot: 1, ms: 0, last: 0, oldest: 0 } as const;
    const event: ReportedEvent = { type: 'card-drawn', data: { card: null, to: null } };
    for (let unit = 1; unit <= 40; unit += 1) feed(encodeLine1({ ...hello, unit: `U${unit}` }));
    for (let seq = 1; seq <= 500; seq += 1)
      feed(encodeLine1({ type: 'E', boot: 1, seq, ms: seq, event }));
    feed(`$E${',1'.repeat(50_000)}`);
    expect(state.memory.map(({ unit }) => unit)).toHaveLength(8);
    expect(state.memory[0]?.taken).toBe(500);
  });

  it('makes no other card of one damaged byte', () => {
    const decoder = gatewayDecoder();
    const hello = encodeLine1({
      type: 'H',
      unit: 'U',
      firmware: '1',
      boot: 17,
      ms: 0,
      last: 0,
      oldest: 0,
    });
    const { state } = decoder.feed(decoder.start, asciiBytes(hello), 1);
    for (const name of IS_LONG ? CARDS : ['9S', 'KD']) {
      const event = { type: 'card-drawn', data: { card: name, to: 'player' } } as ReportedEvent;
      const line = asciiBytes(encodeLine1({ type: 'E', boot: 17, seq: 1, ms: 160115, event }));
      for (const damaged of everyDamage(line)) {
        const { observations } = decoder.feed(state, joined([damaged, asciiBytes('$\n')]), 2);
        if (cardsOf(observations).some((found) => found !== `${name} player`))
          throw new Error(`${hexOf(damaged)} becomes ${cardsOf(observations).join(', ')}`);
      }
    }
  });
});

describe('the device side of line protocol 1', () => {
  it(
    'takes any bytes, in bounded memory',
    () => {
      const power = { unit: 'U', firmware: '1', boot: 2, memory: [], missed: 0 } as const;
      for (let seed = 1; seed <= STREAMS / 8; seed += 1) {
        const chance = seeded(seed);
        let { state } = powerUp(power, 0);
        for (let up = 1; up < 20; up += 1) {
          state = recordEvent(state, { type: 'cut-card-drawn', data: {} }, up).state;
          state = feedDevice(state, anyGatewayBytes(chance), up).state;
          if (JSON.stringify(state).length > 20_000) throw new Error(`seed ${seed}: too large`);
        }
      }
    },
    LIMIT_MS,
  );
});

/** Returns bytes that a gateway might send: good lines, lines of others, noise. */
function anyGatewayBytes(chance: Chance): Uint8Array {
  const [boot, seq] = [1 + Math.floor(chance.upTo(3)), 1 + Math.floor(chance.upTo(25))];
  const texts = Array.from({ length: Math.floor(chance.upTo(4)) }, () =>
    chance.oneOf([
      encodeLine1({ type: 'Q' }),
      encodeLine1({ type: 'A', boot, seq }),
      encodeLine1({ type: 'N', boot, seq, reason: chance.oneOf(['GAP', 'CRC', 'FORM']) }),
      encodeLine1({ type: 'B', boot, reason: 'spool' }),
      chance.oneOf(KNOWN),
      '$'.padEnd(Math.floor(chance.upTo(400)), 'x'),
    ]),
  );
  return mutated(asciiBytes(texts.join('')), chance);
}

const hexOf = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString('hex');

/** Returns every way in which one byte can be another. */
function* everyDamage(bytes: Uint8Array): Generator<Uint8Array> {
  for (const [at, byte] of bytes.entries())
    for (let other = 0; other < 256; other += 1)
      if (other !== byte) yield bytes.map((each, i) => (i === at ? other : each));
}

/** Returns each card that was drawn, and to where. */
const cardsOf = (observations: readonly Observation[]): readonly string[] =>
  observations
    .flatMap((each) => (each.kind === 'report' ? each.fields.events : []))
    .flatMap(({ type, data }) => (type === 'card-drawn' ? [`${data.card} ${data.to}`] : []));

function cardName(report: AngelEyeReport): string {
  if (report.is === 'card-outside') return `${report.card} out`;
  if (report.is !== 'card') return '';
  return `${report.card} ${report.to === 'indicator' ? 'burn' : report.to}`;
}

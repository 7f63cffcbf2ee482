import { Decoder, houseFrom, simulateTables, timeOf, type AnyEvent } from '#audit';
import {
  angelEye,
  emulatedDevice,
  line1Gateway,
  readFaults,
  scheduleOf,
  type AngelEyeSettings,
  type EmulatedProtocol,
  type Observation,
  type RecordedEvent,
  type Schedule,
} from '#devices';
import { installedRules, rulesNamed } from '#rule-folder';
import type { Delivered } from '../kit/expected-delivery.js';

const book = installedRules();
const decoder = new Decoder(houseFrom(book));

/** Returns lines of a log as the emulator takes them. */
export const recordOf = (lines: Iterable<string>): readonly RecordedEvent[] =>
  [...lines].map((line) => {
    const { event, faults } = decoder.explain(Buffer.from(line));
    if (event === undefined) throw new Error(`${line}: ${JSON.stringify(faults)}`);
    return recorded(event);
  });

const recorded = (event: AnyEvent): RecordedEvent => ({
  at: (timeOf(event.time) ?? NaN) / 1000,
  event,
});

/** Returns the record of a simulated table. */
export const simulatedRecord = (seed: string, shoes = 1): readonly RecordedEvent[] =>
  recordOf(
    simulateTables({
      rules: rulesNamed(book, 'punto-banco@1'),
      ...{ seed, shoes, tables: ['B07'], bets: true },
    }).lines,
  );

/** Returns the schedule of a record with faults such as `lost=3`. */
export const scheduled = (
  protocol: EmulatedProtocol,
  events: readonly RecordedEvent[],
  ...faults: readonly string[]
): Schedule => scheduleOf({ protocol, events, faults: readFaults(faults), seed: '7' });

/** The names of the emulated device. */
export const NAMES = { unit: 'U', firmware: '1.2', boot: 17, source: 'device/B07-shoe' };

/** What came of a schedule. */
interface Played {
  readonly delivered: readonly Delivered[];
  readonly observations: readonly Observation[];
  readonly bytes: number;
}

/** Plays a schedule to the decoder of `angel-eye-ii-ex`, and does what a gateway adds. */
export function playAngelEye(
  schedule: Schedule,
  sequence: AngelEyeSettings['sequence'] = 'unknown',
): Played {
  const device = emulatedDevice('angel-eye-ii-ex', { ...NAMES, seed: '7', ...schedule });
  const protocol = angelEye({ sequence, bcc: 'learn', pairs: false });
  const observations: Observation[] = [];
  let { start: state } = protocol;
  let [up, bytes, isConnected] = [0, 0, true];
  const hear = (chunk: Uint8Array): void => {
    const fed = protocol.feed(state, chunk, up);
    state = fed.state;
    bytes += chunk.length;
    observations.push(...fed.observations);
  };
  for (const { at, step } of schedule.steps) {
    for (up = Math.max(up, at - 2); up < at; up += 0.5) hear(new Uint8Array());
    up = at;
    if (step.is === 'cable') isConnected = step.in;
    for (const { bytes: sent, pause } of device.take(step, up)) {
      up += pause;
      if (isConnected) hear(sent);
    }
  }
  up += 2;
  hear(new Uint8Array());
  return { delivered: deskOf(observations), observations, bytes };
}

/** What a gateway makes of a shoe that opens coups, in the least possible way. */
function deskOf(observations: readonly Observation[]): readonly Delivered[] {
  const delivered: Delivered[] = [];
  const online = { type: 'device-online', data: { missed: null } };
  let [coups, isOpened] = [0, false];
  const openShoe = (): void => {
    if (!isOpened) delivered.push({ type: 'shoe-opened', data: {} });
    isOpened = true;
  };
  delivered.push(online);
  for (const { kind, fields } of observations) {
    if (kind === 'started') delivered.push(online);
    if (kind === 'lost') delivered.push({ type: 'device-error', data: { code: 'frame-lost' } });
    if (kind === 'coup-begins') {
      openShoe();
      coups += 1;
      delivered.push({ type: 'coup-opened', data: { coup: coups } });
    }
    if (kind !== 'report') continue;
    for (const event of fields.events) {
      if (event.type === 'card-drawn') openShoe();
      delivered.push({ type: event.type, data: { ...event.data } });
    }
  }
  return delivered;
}

/** How much faster than at a table the line is played. */
const SPEED = 20;
const TICK = 0.02;

/** Plays a schedule to the gateway's side of line protocol 1, whose disk is fast. */
export function playLine1(schedule: Schedule): Played {
  const device = emulatedDevice('line-1', { ...NAMES, seed: '7', ...schedule });
  const protocol = line1Gateway({ listenOnly: false, freshDigits: () => '00000001' });
  const line = new PlayedLine(device, protocol);
  line.play(schedule);
  return { delivered: line.delivered(), observations: line.observations, bytes: line.bytes };
}

/** Both sides of line protocol 1, with a cable that takes half a tick. */
class PlayedLine {
  readonly observations: Observation[] = [];
  bytes = 0;
  private up = 0;
  private isConnected = true;
  private state;

  constructor(
    private readonly device: ReturnType<typeof emulatedDevice>,
    private readonly protocol: ReturnType<typeof line1Gateway>,
  ) {
    this.state = protocol.start([]);
  }

  play({ steps }: Schedule): void {
    this.took(this.protocol.opened(this.state, 0));
    this.hear(this.device.start(0));
    for (const { at, step } of steps) {
      while (this.up < at / SPEED) this.tick();
      if (step.is === 'cable') this.isConnected = step.in;
      this.hear(this.device.take(step, this.up));
    }
    const until = this.up + 60;
    while (this.device.waiting() > 0 && this.up < until) this.tick();
  }

  /** What a table desk makes of it. */
  delivered(): readonly Delivered[] {
    let shoe: string | undefined;
    return this.observations.flatMap((observation): Delivered[] => {
      const { kind, fields, session = '', deviceNumber } = observation;
      if (kind === 'lost') return [{ type: 'device-error', data: { code: 'frame-lost' } }];
      const [event] = kind === 'report' ? fields.events : [];
      if (event === undefined) return [];
      if (event.type === 'shoe-opened') ({ shoe } = event.data);
      const numbered = { type: event.type, session, sequence: deviceNumber };
      const named = shoe === undefined || event.type.startsWith('device-') ? {} : { shoe };
      if (event.type === 'shoe-closed') shoe = undefined;
      return [{ ...numbered, ...named, data: dataOf(event, session) }];
    });
  }

  private tick(): void {
    this.up += TICK;
    this.hear(this.device.feed(new Uint8Array(), this.up));
    this.took(this.protocol.feed(this.state, new Uint8Array(), this.up));
  }

  private hear(sent: ReturnType<(typeof this.device)['feed']>): void {
    for (const { bytes, pause } of sent) {
      this.up += pause;
      this.bytes += bytes.length;
      if (this.isConnected) this.took(this.protocol.feed(this.state, bytes, this.up));
    }
  }

  private took({ state, observations, write }: ReturnType<(typeof this.protocol)['feed']>): void {
    this.state = state;
    this.observations.push(...observations);
    for (const line of write)
      if (this.isConnected)
        this.hear(this.device.feed(Uint8Array.from(Buffer.from(line)), this.up));
    for (const { kind, session = '', deviceNumber } of observations)
      if (kind === 'report' && typeof deviceNumber === 'number')
        this.took(this.protocol.stored(this.state, { session, number: deviceNumber }, this.up));
  }
}

/** Returns the data as a table desk writes it: a moved card is named by its event. */
function dataOf(
  { type, data }: { readonly type: string; readonly data: object },
  session: string,
): Delivered['data'] {
  if (type !== 'card-moved') return data as Delivered['data'];
  const { number, ...others } = data as { readonly number: number };
  return { event: `device/B07-shoe#B07-shoe/${session}/${number}`, ...others };
}

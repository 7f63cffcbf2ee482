import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { DeliveryState } from '../delivery/delivery.js';
import type { DeviceSnapshot, GatewaySnapshot } from './snapshot.js';

const STATES = ['fresh', 'behind', 'waiting', 'blocked'] as const satisfies DeliveryState['is'][];

/** A value of a metric, perhaps with labels. */
type Value = readonly [number, Readonly<Record<string, string>>?];

/** What a metric is, and its values at a moment. `now` is in milliseconds since 1970. */
interface Measure {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly values: (snapshot: GatewaySnapshot, now: number) => readonly Value[];
}

const ofDevices =
  (values: (device: DeviceSnapshot) => readonly Value[]): Measure['values'] =>
  ({ devices }) =>
    devices.flatMap((device) =>
      values(device).map(([value, labels]): Value => [value, { device: device.name, ...labels }]),
    );

/** What grows from the start of the gateway on. */
const COUNTERS: readonly Measure[] = [
  {
    name: 'shoeprint_gateway_frames_total',
    help: 'Frames heard, by device and by whether their own checks held',
    labels: ['device', 'integrity'],
    values: ofDevices(({ frames }) =>
      Object.entries(frames).map(([integrity, count]): Value => [count, { integrity }]),
    ),
  },
  {
    name: 'shoeprint_gateway_lost_total',
    help: 'Frames not heard, without room or refused, by device: their numbers are skipped',
    labels: ['device'],
    values: ofDevices(({ lost }) => [[lost]]),
  },
  {
    name: 'shoeprint_gateway_delivered_total',
    help: 'Events that the api has answered 202',
    values: ({ delivered }) => [[delivered]],
  },
];

const GAUGES: readonly Measure[] = [
  {
    name: 'shoeprint_gateway_spool_records',
    help: 'Lines of the spool that are not delivered',
    values: ({ spool }) => [[spool.last - spool.sent]],
  },
  {
    name: 'shoeprint_gateway_spool_bytes',
    help: 'The size of the spool on disk, with what is delivered and kept',
    values: ({ spool }) => [[spool.bytes]],
  },
  {
    name: 'shoeprint_gateway_spool_full',
    help: '1 while the spool takes no frames, else 0',
    values: ({ spool }) => [[spool.full === undefined ? 0 : 1]],
  },
  {
    name: 'shoeprint_gateway_spool_oldest_seconds',
    help: 'Age of the oldest undelivered frame; 0 if none waits',
    values: ({ spool: { oldestAt } }, now) => [
      [oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1_000],
    ],
  },
  {
    name: 'shoeprint_gateway_sync_seconds',
    help: 'How long the disk took for the last line',
    values: ({ spool }) => [[spool.syncSeconds]],
  },
  {
    name: 'shoeprint_gateway_delivery_state',
    help: '1 for the state that delivery is in, and 0 for the others',
    labels: ['state'],
    values: ({ delivery }) =>
      STATES.map((state): Value => [delivery.is === state ? 1 : 0, { state }]),
  },
  {
    name: 'shoeprint_gateway_link_up',
    help: '1 while the device has a link, else 0',
    labels: ['device'],
    values: ofDevices(({ link }) => [[link === 'up' ? 1 : 0]]),
  },
  {
    name: 'shoeprint_gateway_clock_offset_seconds',
    help: 'How far the wall clock has moved against the monotonic clock since the start',
    values: ({ clock }) => [[clock.offsetSeconds]],
  },
];

/** Returns the metrics of a gateway and of its process. Reads a snapshot whenever they are asked for. */
export function gatewayRegistry(snapshot: () => GatewaySnapshot): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  for (const { name, help, labels = [], values } of COUNTERS)
    new Counter({
      ...{ name, help, registers, labelNames: [...labels] },
      collect() {
        this.reset();
        for (const [value, at = {}] of values(snapshot(), Date.now())) this.inc(at, value);
      },
    });
  for (const { name, help, labels = [], values } of GAUGES)
    new Gauge({
      ...{ name, help, registers, labelNames: [...labels] },
      collect() {
        for (const [value, at = {}] of values(snapshot(), Date.now())) this.set(at, value);
      },
    });
  return registry;
}

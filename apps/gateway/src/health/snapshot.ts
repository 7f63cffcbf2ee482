import type { SpoolFigures } from '#spool';
import type { DeliveryState } from '../delivery/delivery.js';
import type { EventPosition } from '../desk/skip.js';

/** A device, as the gateway sees it. Times are milliseconds since 1970. */
export interface DeviceSnapshot {
  readonly name: string;
  readonly protocol: string;
  readonly link: 'up' | 'down';
  /** Why the link is down. */
  readonly why?: string;
  /** When bytes came last, or null. */
  readonly heardAt: number | null;
  /** Frames since the start, by whether their own checks held. */
  readonly frames: Readonly<Record<'ok' | 'damaged' | 'none', number>>;
  /**
   * Frames that are lost since the start: not heard, without room in the spool, or of an event that
   * the api would refuse.
   */
  readonly lost: number;
  /** What a person should look at. */
  readonly problem?: string;
}

/** A gateway at one moment. */
export interface GatewaySnapshot {
  readonly table: string;
  readonly version: string;
  readonly delivery: DeliveryState;
  /** Events delivered since the start. */
  readonly delivered: number;
  readonly spool: SpoolFigures & {
    /** When the oldest undelivered frame came, or null. */
    readonly oldestAt: number | null;
    /** How long the disk took for the last line. */
    readonly syncSeconds: number;
  };
  readonly devices: readonly DeviceSnapshot[];
  /** Why the last requests to skip an event were refused, by the names of their files. */
  readonly refusedSkips: Readonly<Record<string, string>>;
  readonly clock: {
    /** Whether the system says that its clock follows another, or null if it does not say. */
    readonly synchronised: boolean | null;
    readonly offsetSeconds: number;
  };
}

/** A gateway in words, for `/readyz`. */
interface Readiness {
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reasons: readonly string[];
  readonly table: string;
  readonly version: string;
  readonly delivery: string;
  readonly spool: string;
  readonly devices: Readonly<Record<string, string>>;
  readonly clock: string;
}

/**
 * Returns a gateway in words. It is not ready while the spool is full, delivery is blocked, or no
 * device has a link. `now` is in milliseconds since 1970.
 */
export function readinessOf(snapshot: GatewaySnapshot, now: number): Readiness {
  const { table, version, delivery, spool, devices } = snapshot;
  const ofDelivery = deliveryWords(delivery, now);
  const reasons = [
    ...(spool.full === undefined ? [] : [`the spool takes no frames: ${spool.full}`]),
    ...(delivery.is === 'blocked' ? [`delivery is ${ofDelivery}`] : []),
    ...(devices.some(({ link }) => link === 'up') ? [] : ['no device has a link']),
  ];
  return {
    ready: reasons.length === 0,
    reasons,
    table,
    version,
    delivery: ofDelivery,
    spool: spoolWords(spool),
    devices: Object.fromEntries(devices.map((device) => [device.name, deviceWords(device, now)])),
    clock: clockWords(snapshot.clock),
  };
}

function deliveryWords(state: DeliveryState, now: number): string {
  if (state.is === 'fresh') return 'fresh';
  const position = state.is === 'blocked' ? positionWords(state.event) : '';
  const why = state.is === 'behind' ? '' : `: ${state.why}`;
  const is = state.is === 'waiting' ? 'behind and waiting' : state.is;
  return `${is}${position}, the oldest event is ${agoOf(state.oldestAt, now)} old${why}`;
}

const positionWords = (event: EventPosition | undefined): string =>
  event === undefined ? '' : ` at event ${event.event} of line ${event.n}`;

function spoolWords({ last, sent, bytes, full, syncSeconds }: GatewaySnapshot['spool']): string {
  const state = full === undefined ? 'takes frames' : `full: ${full}`;
  return `${state}; lines to ${last}, delivered to ${sent}; ${bytes} bytes; the last sync took ${seconds(syncSeconds)}`;
}

function deviceWords(device: DeviceSnapshot, now: number): string {
  const { protocol, link, why, heardAt, frames, lost, problem } = device;
  const heard = heardAt === null ? 'heard nothing yet' : `heard ${agoOf(heardAt, now)} ago`;
  const counts = `${frames.ok + frames.none} frames, ${frames.damaged} damaged, ${lost} lost`;
  const parts = [`${protocol}, link ${link}${why === undefined ? '' : ` (${why})`}`, heard, counts];
  return [...parts, ...(problem === undefined ? [] : [problem])].join('; ');
}

function clockWords({ synchronised, offsetSeconds }: GatewaySnapshot['clock']): string {
  const words = {
    true: 'synchronized',
    false: 'not synchronized',
    null: 'not known to be synchronized',
  };
  return `${words[`${synchronised}`]}; moved by ${seconds(offsetSeconds)} since the start`;
}

const seconds = (amount: number): string => `${Number(amount.toPrecision(3))} s`;

/** Returns how long ago a time is. A clock may have been set back since. */
const agoOf = (at: number, now: number): string =>
  `${Math.max(0, Math.round((now - at) / 1_000))} s`;

import type { AnyEvent } from '#audit';
import { millisOf } from './times.js';

/** What is kept of a device at a table besides what the fold judges; counted over every line that came from it. */
export interface Device {
  readonly source: string;
  events: number;
  session: string | null;
  lastSequence: number | null;
  lastTime: string;
  lastReceived: string | null;
  /** Received minus its own clock, in milliseconds. */
  clockOffset: { last: number; least: number; most: number } | null;
  online: boolean | null;
  changed: number;
}

export const newDevice = (source: string): Device => ({
  source,
  events: 0,
  session: null,
  lastSequence: null,
  lastTime: '',
  lastReceived: null,
  clockOffset: null,
  online: null,
  changed: 0,
});

/** Whether a source is a device, real or virtual. */
export const isDevice = (source: string): boolean =>
  source.startsWith('device/') || source.startsWith('virtual/');

/** Counts an event of the device, which the api received at `received`. */
export function hear(
  device: Device,
  event: AnyEvent,
  received: string | null,
  changed: number,
): void {
  device.events += 1;
  device.lastTime = event.time;
  device.changed = changed;
  if (event.session !== undefined) {
    device.session = event.session;
    device.lastSequence = event.sequence ?? null;
  }
  if (event.type === 'device-online') device.online = true;
  else if (event.type === 'device-offline') device.online = false;
  if (received === null) return;
  device.lastReceived = received;
  const offset = millisOf(received) - millisOf(event.time);
  const known = device.clockOffset;
  if (!known) device.clockOffset = { last: offset, least: offset, most: offset };
  else {
    known.last = offset;
    if (offset < known.least) known.least = offset;
    if (offset > known.most) known.most = offset;
  }
}

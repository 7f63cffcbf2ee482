import type { Heard } from '#audit';
import { millisBetween } from './times.js';

/**
 * What is kept of a device at a table, next to the fold's state. Counts every line that it sent.
 */
export interface Device {
  readonly source: string;
  events: number;
  session: string | null;
  lastSequence: number | null;
  lastTime: string;
  lastReceived: string | null;
  /** Receipt time minus the device's own time, in milliseconds. */
  clockOffset: { last: number; least: number; most: number } | null;
  online: boolean | null;
  changed: number;
}

/** Returns a device that has sent nothing yet. */
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

/** Returns whether a source is a device, physical or virtual. */
export const isDevice = (source: string): boolean =>
  source.startsWith('device/') || source.startsWith('virtual/');

/** Counts an event of the device, with its time and when the api received it. */
export function hear(
  device: Device,
  event: Heard,
  { time, received }: { readonly time: string; readonly received: string | null },
  changed: number,
): void {
  device.events += 1;
  device.lastTime = time;
  device.changed = changed;
  if (event.session !== undefined) {
    device.session = event.session;
    device.lastSequence = event.sequence;
  }
  if (event.type === 'device-online') device.online = true;
  else if (event.type === 'device-offline') device.online = false;
  if (received === null) return;
  device.lastReceived = received;
  const offset = millisBetween(time, received);
  const known = device.clockOffset;
  if (!known) device.clockOffset = { last: offset, least: offset, most: offset };
  else {
    known.last = offset;
    if (offset < known.least) known.least = offset;
    if (offset > known.most) known.most = offset;
  }
}

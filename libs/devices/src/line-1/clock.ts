/** Seconds in which the least delay of a line is looked for. */
const WINDOW = 60;

/** What relates the clock of a boot to ours, as plain JSON. */
export interface BootClock {
  /** For each second with a line: the least (arrival - ms) in it, in milliseconds. */
  readonly delays: readonly (readonly [second: number, least: number])[];
  /** The `ms` of the last event that was taken. */
  readonly lastMs: number;
}

/** No line was heard yet. */
export const NO_CLOCK: BootClock = { delays: [], lastMs: 0 };

/** Takes a line of a boot. `up` is when it came, in seconds, and `ms` what it says. */
export function heardLine(clock: BootClock, up: number, ms: number): BootClock {
  const second = Math.floor(up);
  const delay = up * 1000 - ms;
  const others = clock.delays.filter(([at]) => at !== second && at > up - WINDOW);
  const [, least = delay] = clock.delays.find(([at]) => at === second) ?? [];
  return { ...clock, delays: [...others, [second, Math.min(least, delay)]] };
}

/**
 * Returns when an event happened by our clock, in seconds: its `ms` and the least delay of this
 * boot's lines in the last minute, so never after its arrival. An event whose `ms` is below that of
 * the event before it happened when it arrived: the device's counter began again.
 */
export function eventTime(
  clock: BootClock,
  up: number,
  ms: number,
): { readonly at: number; readonly clock: BootClock } {
  if (ms < clock.lastMs) return { at: up, clock: heardLine({ delays: [], lastMs: ms }, up, ms) };
  const heard = heardLine(clock, up, ms);
  const least = Math.min(...heard.delays.map(([, delay]) => delay));
  return { at: Math.min(up, (ms + least) / 1000), clock: { ...heard, lastMs: ms } };
}

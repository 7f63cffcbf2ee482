import { heardLine, NO_CLOCK } from './clock.js';
import {
  change,
  currentUnit,
  lose,
  observe,
  sayBusyOrStored,
  type Came,
  type Work,
} from './gateway-work.js';
import type { EventLine, Hello } from './line.js';
import type { UnitMemory } from './memory.js';

/** Takes an `H`: its session becomes the current one, and what is durable of it is acknowledged. */
export function takeHello(work: Work, hello: Hello, came: Came): void {
  const { unit, firmware, boot } = hello;
  const before = work.state.memory.find((each) => each.unit === unit);
  const goesOn = before?.boot === boot && hello.last >= before.taken;
  const reused = before !== undefined && !goesOn && boot <= before.highest;
  const session = goesOn ? before.session : newSession(work, hello, reused);
  const isNews = session !== work.state.session || before?.firmware !== firmware;
  if (session !== work.state.session) enter(work, session);
  change(work, { asking: false, wait: null });
  if (isNews) observe(work, 'session', { unit, firmware, boot, reused }, came);
  else observe(work, 'read-past', {}, came);
  change(work, { clock: heardLine(work.state.clock, came.up, hello.ms) });
  acceptForgotten(work, hello);
  sayBusyOrStored(work);
}

/** Makes a session the current one. */
function enter(work: Work, session: string): void {
  const { memory, stored } = work.state;
  // A unit that is forgotten leaves no number behind.
  const sessions = [...memory.map((each) => each.session), session];
  const kept = new Map(sessions.map((each) => [each, stored[each] ?? 0]));
  change(work, { session, stored: Object.fromEntries(kept), clock: NO_CLOCK, wait: null });
}

const newSession = (
  { settings }: Work,
  { unit, boot }: Pick<Hello, 'unit' | 'boot'>,
  reused: boolean,
): string => `${unit}.${boot}${reused ? `~${settings.freshDigits()}` : ''}`;

/** Numbers that the device no longer keeps will never come. */
function acceptForgotten(work: Work, { last, oldest }: Hello): void {
  const unit = currentUnit(work);
  const kept = oldest === 0 ? last + 1 : oldest;
  if (unit && kept > unit.taken + 1) lose(work, kept - unit.taken - 1, 'number');
}

/** A device that cannot hear is not asked. Its unit is the last known, and the boot is new. */
export function takeUnannounced(work: Work, { boot, seq, ms }: EventLine, { up }: Came): void {
  const unit = currentUnit(work);
  if (!work.settings.listenOnly || unit === undefined || unit.boot === boot) return;
  const hello = { type: 'H', ...unit, boot, ms, last: seq - 1, oldest: 0 } as const;
  takeHello(work, hello, { raw: '', up });
}

/** Another `ON` under a known boot: the device uses the boot again. */
export function beginReused(work: Work, unit: UnitMemory, { up }: Came): void {
  const { firmware, boot } = unit;
  enter(work, newSession(work, unit, true));
  const fields = { unit: unit.unit, firmware, boot, reused: true };
  observe(work, 'session', fields, { raw: '', up });
}

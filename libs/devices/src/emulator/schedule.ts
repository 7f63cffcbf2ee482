import { Chance } from './chance.js';
import { planFaults, type FaultAsked, type FaultPlan } from './faults.js';
import { sayable, type RecordedEvent, type Said, type Sayable } from './recorded.js';
import {
  EmulatorRefusal,
  type EmulatedProtocol,
  type ReportStep,
  type ScheduledStep,
} from './step.js';

/** A counter of 32 bits wraps after this many milliseconds. */
const WRAP_MS = 2 ** 32;
/** Seconds between the last report and what happens after it. */
const AFTER_LAST = 1;

/** What a device is to play. */
export interface Emulation {
  readonly protocol: EmulatedProtocol;
  /** The record of one table, in its order. */
  readonly events: readonly RecordedEvent[];
  readonly faults: readonly FaultAsked[];
  /** The same events, faults and seed make the same schedule. */
  readonly seed: string;
}

/** What happens to an emulated device, in its order. */
export interface Schedule extends Pick<Sayable, 'leftOut'> {
  readonly steps: readonly ScheduledStep[];
  /** Whether the device sends every message three times. */
  readonly repeats: boolean;
  /** The shoes that the record names. */
  readonly shoes: number;
}

/**
 * Returns what happens to a device that plays a record with faults. Throws `EmulatorRefusal` if the
 * record has no card that the device can report, or if a fault has no place in it.
 */
export function scheduleOf({ protocol, events, faults, seed }: Emulation): Schedule {
  const { said, leftOut } = sayable(protocol, events);
  if (!said.some(({ step }) => step.event.type === 'card-drawn'))
    throw new EmulatorRefusal('events: the record has no card that the device can report');
  const plan = planFaults(protocol, said, faults, new Chance(`faults ${seed}`));
  const steps = said.flatMap((each, at) => stepsAt(said, plan, at));
  const named = new Set(said.flatMap(({ shoe }) => shoe ?? []));
  return { ...withKnownCards(steps, leftOut), repeats: plan.repeats, shoes: named.size };
}

/** Returns a report with what happens before and after it. */
function stepsAt(said: readonly Said[], plan: FaultPlan, place: number): readonly ScheduledStep[] {
  const { at } = said[place] as Said;
  const before = said[place - 1]?.at ?? at;
  const after = said[place + 1]?.at ?? at + 2 * AFTER_LAST;
  const steps: ScheduledStep[] = [];
  if (plan.reboots.has(place)) {
    steps.push({ at: before + (at - before) / 3, step: { is: 'power', on: false } });
    steps.push({ at: before + ((at - before) * 2) / 3, step: { is: 'power', on: true } });
  }
  if (plan.cuts.has(place)) steps.push({ at: (before + at) / 2, step: { is: 'cable', in: false } });
  if (plan.clocks.has(place)) steps.push({ at, step: { is: 'clock', ms: WRAP_MS - 1 } });
  if (plan.clocks.has(place - 1)) steps.push({ at, step: { is: 'clock', ms: 0 } });
  steps.push({ at, step: faulty(said[place] as Said, plan, place) });
  if ([...plan.cuts.values()].includes(place))
    steps.push({ at: (at + after) / 2, step: { is: 'cable', in: true } });
  return steps;
}

function faulty({ step }: Said, plan: FaultPlan, place: number): ReportStep {
  const wire = plan.wire.get(place);
  const { event } = step;
  const said =
    event.type === 'card-drawn' && plan.misread.has(place)
      ? { ...step, event: { ...event, data: { ...event.data, card: null } } }
      : step;
  return wire === undefined ? said : { ...said, wire };
}

/** Leaves out moves of cards that the device did not report since it has power. */
function withKnownCards(
  steps: readonly ScheduledStep[],
  before: ReadonlyMap<string, number>,
): Pick<Schedule, 'steps' | 'leftOut'> {
  const known = new Set<string>();
  const kept: ScheduledStep[] = [];
  for (const each of steps) {
    const { step } = each;
    if (step.is === 'power') known.clear();
    if (step.is !== 'report' || step.card === undefined || known.has(step.card)) kept.push(each);
    if (step.is === 'report' && step.reference !== undefined) known.add(step.reference);
  }
  const unknown = steps.length - kept.length;
  if (unknown === 0) return { steps, leftOut: before };
  const leftOut = new Map(before).set('card-moved', (before.get('card-moved') ?? 0) + unknown);
  return { steps: kept, leftOut };
}

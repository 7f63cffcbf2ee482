import type { Chance } from './chance.js';
import { isGameCard } from './heard.js';
import type { Said } from './recorded.js';
import { EmulatorRefusal, type EmulatedProtocol, type WireFault } from './step.js';

/** What can go wrong with an emulated device. docs/integrating/emulator.md describes each. */
export const EMULATOR_FAULTS = [
  'misread',
  'double',
  'lost',
  'swap',
  'cut',
  'reboot',
  'clock',
  'repeat',
  'rubbish',
  'slow',
] as const;
/** The name of a fault. */
type EmulatorFault = (typeof EMULATOR_FAULTS)[number];

/** The most often that a fault can be asked for in one shoe. */
const COUNT_MAX = 100;
/** The reports that a cut lasts for, at least and at most. */
const CUT_MIN = 2;
const CUT_MAX = 8;

/** A fault, and how often it happens in each shoe. */
export interface FaultAsked {
  readonly fault: EmulatorFault;
  readonly count: number;
}

/** What goes wrong, by the place of the report concerned. */
export interface FaultPlan {
  readonly wire: ReadonlyMap<number, WireFault>;
  readonly misread: ReadonlySet<number>;
  /** The power is away between the report before this one and this one. */
  readonly reboots: ReadonlySet<number>;
  /** The cable is out from before the first report until after the last one. */
  readonly cuts: ReadonlyMap<number, number>;
  /** The counter of milliseconds stands before its wrap at this report, and wraps at the next. */
  readonly clocks: ReadonlySet<number>;
  /** Every message comes three times. */
  readonly repeats: boolean;
}

/** Reads faults such as `lost` and `lost=3`. Throws `EmulatorRefusal` for any other text. */
export function readFaults(texts: readonly string[]): readonly FaultAsked[] {
  const asked = texts.map(readFault);
  const twice = asked.find(({ fault }, at) => asked.findIndex((one) => one.fault === fault) < at);
  if (twice) throw new EmulatorRefusal(`faults: ${twice.fault} is named twice`);
  return asked;
}

function readFault(text: string): FaultAsked {
  const [name = '', count] = text.split('=', 2);
  const fault = EMULATOR_FAULTS.find((each) => each === name);
  if (fault === undefined)
    throw new EmulatorRefusal(`faults: "${name}" must be one of ${EMULATOR_FAULTS.join(', ')}`);
  if (count === undefined && !text.includes('=')) return { fault, count: 1 };
  if (fault === 'repeat')
    throw new EmulatorRefusal('faults: repeat takes no count, because it is about every message');
  const number = /^[1-9][0-9]{0,2}$/.test(text.slice(name.length + 1)) ? Number(count) : NaN;
  if (!(number <= COUNT_MAX))
    throw new EmulatorRefusal(
      `faults: the count of ${fault} must be a whole number from 1 to ${COUNT_MAX}`,
    );
  return { fault, count: number };
}

/** The faults that need much room come first, so that they find it. */
const PLANNED = [
  'reboot',
  'cut',
  'clock',
  'lost',
  'swap',
  'misread',
  'double',
  'rubbish',
  'slow',
] as const;

/**
 * Chooses where each fault happens in each shoe. No report has two of them. Throws
 * `EmulatorRefusal` if a shoe has too few places for a fault, or if the protocol cannot have it.
 */
export function planFaults(
  protocol: EmulatedProtocol,
  said: readonly Said[],
  asked: readonly FaultAsked[],
  chance: Chance,
): FaultPlan {
  const plan = new Planning(protocol, said, chance);
  for (const fault of PLANNED) {
    const count = asked.find((each) => each.fault === fault)?.count ?? 0;
    if (count > 0 && fault === 'clock' && protocol !== 'line-1')
      throw new EmulatorRefusal(`faults: ${protocol} has no clock`);
    for (const shoe of count > 0 ? shoesOf(said) : [])
      for (let done = 0; done < count; done += 1) plan.place(fault, shoe);
  }
  return { ...plan.found, repeats: asked.some(({ fault }) => fault === 'repeat') };
}

const shoesOf = (said: readonly Said[]): ReadonlySet<string | undefined> => {
  const named = new Set(said.map(({ shoe }) => shoe));
  if (named.size > 1) named.delete(undefined);
  return named;
};

/** The choice of places under way. */
class Planning {
  readonly found = {
    wire: new Map<number, WireFault>(),
    misread: new Set<number>(),
    reboots: new Set<number>(),
    cuts: new Map<number, number>(),
    clocks: new Set<number>(),
  };
  /** Reports that have a fault, or that another fault rests on. */
  private readonly taken = new Set<number>();

  constructor(
    private readonly protocol: EmulatedProtocol,
    private readonly said: readonly Said[],
    private readonly chance: Chance,
  ) {}

  place(fault: (typeof PLANNED)[number], shoe: string | undefined): void {
    const choices = this.said.flatMap((each, at) => {
      const concerned = each.shoe === shoe ? this.concerned(fault, at) : undefined;
      return concerned?.every((one) => this.isFree(one, shoe)) ? [concerned] : [];
    });
    const chosen = choices[this.chance.below(choices.length)];
    if (chosen === undefined)
      throw new EmulatorRefusal(
        `faults: ${fault} has no place left in shoe ${shoe ?? 'without a name'}`,
      );
    for (const one of chosen) this.taken.add(one);
    this.note(fault, chosen);
  }

  private isFree(at: number, shoe: string | undefined): boolean {
    return at >= 0 && this.said[at]?.shoe === shoe && !this.taken.has(at);
  }

  private note(fault: (typeof PLANNED)[number], concerned: readonly number[]): void {
    const [first = 0] = concerned;
    const last = concerned.at(-1) ?? first;
    if (fault === 'misread') this.found.misread.add(first);
    else if (fault === 'reboot') this.found.reboots.add(last);
    else if (fault === 'cut') this.found.cuts.set(first, last);
    else if (fault === 'clock') this.found.clocks.add(first);
    else this.found.wire.set(first, fault);
  }

  /**
   * Returns the reports that a fault at this place would concern, the first of them at `at`, or
   * undefined if it cannot be there.
   */
  private concerned(fault: (typeof PLANNED)[number], at: number): readonly number[] | undefined {
    const type = this.typeAt(at);
    const isMessage = this.protocol === 'line-1' || type !== 'coup-opened';
    switch (fault) {
      case 'reboot':
        return this.typeAt(at + 1) === 'coup-opened' && this.endsCoup(at)
          ? [at, at + 1]
          : undefined;
      case 'cut': {
        const length = CUT_MIN + this.chance.below(CUT_MAX - CUT_MIN + 1);
        return Array.from({ length }, (_, each) => at + each);
      }
      case 'clock':
        return [at, at + 1];
      case 'lost':
        return this.protocol === 'line-1' ? [at] : this.shownBy(at);
      case 'swap':
        return this.canSwap(at) ? [at, at + 1] : undefined;
      case 'misread':
        return this.isReadCard(at) ? [at] : undefined;
      default:
        return isMessage ? [at] : undefined;
    }
  }

  private typeAt(at: number): string | undefined {
    return this.said[at]?.step.event.type;
  }

  private endsCoup(at: number): boolean {
    const type = this.typeAt(at);
    return type === 'coup-closed' || type === 'outcome-declared' || type === 'coup-voided';
  }

  private isReadCard(at: number): boolean {
    const event = this.said[at]?.step.event;
    return event?.type === 'card-drawn' && event.data.card !== null;
  }

  /**
   * Returns a card and the next one of its hand, whose index shows that the card is missing, or
   * undefined if no later card of the coup does. Only then is a loss known without knowing in which
   * order the device numbers its frames.
   */
  private shownBy(at: number): readonly number[] | undefined {
    const event = this.said[at]?.step.event;
    if (event === undefined || !isGameCard(event)) return undefined;
    for (let later = at + 1; isGameCardAt(this.said, later); later += 1) {
      const next = this.said[later]?.step.event;
      if (next?.type === 'card-drawn' && next.data.to === event.data.to) return [at, later];
    }
    return undefined;
  }

  /** Cards of one hand cannot change places in `angel-eye-ii-ex`: their indexes would go back. */
  private canSwap(at: number): boolean {
    const [one, next] = [this.said[at]?.step.event, this.said[at + 1]?.step.event];
    if (one === undefined || next === undefined) return false;
    if (this.protocol === 'line-1') return true;
    return isGameCard(one) && isGameCard(next) && one.data.to !== next.data.to;
  }
}

const isGameCardAt = (said: readonly Said[], at: number): boolean => {
  const event = said[at]?.step.event;
  return event !== undefined && isGameCard(event);
};

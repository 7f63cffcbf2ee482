import { seeded } from './chance.js';
import type { Faults, LineModel } from './line-1-model.js';

/** Returns the faults of a run. All of them follow from its seed. */
export function faultsOf(seed: number): Faults {
  const chance = seeded(seed ^ 0x5eed);
  return {
    bytes: 0.001 + chance.upTo(0.009),
    deviceCuts: chance.upTo(4),
    gatewayCuts: chance.upTo(4),
    linkLosses: chance.upTo(4),
    busyTimes: chance.upTo(3),
    keepsMemory: chance.upTo(1) < 0.7,
  };
}

/** Returns what is wrong after a run, in words. */
export function wrongOf(model: LineModel, isDone: boolean): readonly string[] {
  const stored = model.stored();
  const numbers = stored.map(({ session, seq }) => `${session}/${seq}`);
  const events = new Map(stored.map(({ event }, at) => [numbers[at], event]));
  const rank = (number: string): number => {
    const [boot = 0, seq = 0] = (number.match(/\d+/g) ?? []).map(Number);
    return boot * 1e6 + seq;
  };
  const made = model.made.map((each) => ({ ...each, number: `U.${each.boot}/${each.seq}` }));
  const forgotten = made.filter(({ isForgotten }) => isForgotten);
  return [
    ...(isDone ? [] : ['stuck: something was never delivered']),
    ...new Set(model.wrong),
    ...numbers.filter((number, at) => numbers.indexOf(number) !== at).map((n) => `${n} came twice`),
    ...numbers
      .filter((number, at) => at > 0 && rank(number) < rank(numbers[at - 1] as string))
      .map((number) => `${number} is out of order`),
    ...made
      .filter(({ number, isForgotten }) => !isForgotten && !events.has(number))
      .map(({ number }) => `${number} is lost`),
    ...made.flatMap(({ number, event }) => {
      const taken = events.get(number);
      const isSame = taken === undefined || taken.includes(JSON.stringify(event.data).slice(1, -1));
      return isSame ? [] : [`${number} is another event: ${taken}`];
    }),
    ...forgotten
      .filter(({ boot }) => !made.some((each) => each.boot > boot && saysMissed(each)))
      .map(({ number }) => `${number} is lost, and no later ON says so`),
    ...model.durable.filter(({ kind }) => kind === 'lost').map((each) => JSON.stringify(each)),
  ];
}

/** Returns whether an event says that something may have been missed. */
const saysMissed = ({ event, isForgotten }: LineModel['made'][number]): boolean =>
  !isForgotten && event.type === 'device-online' && event.data.missed !== 0;

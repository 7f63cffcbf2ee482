import { EVENT_TYPES, type EventType } from './events.js';

/** Today's version of every event type. */
const TODAY = 1;

/** Turns the data of one version into that of the next; pure, total, and never changed once published. */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/**
 * Steps from old versions, by the full name of the version that each starts from. Empty while every type is at its
 * first version: a type's second version adds its v1 here, and recorded v1 lines stay as they are.
 */
const UPCASTS: ReadonlyMap<string, Upcast> = new Map();

const NAMES = new Map<string, EventType>(
  EVENT_TYPES.map((type) => [`shoeprint.${type}.v${TODAY}`, type]),
);

/** The full name of a type at today's version: `shoeprint.card-drawn.v1`. */
export const fullName = (type: EventType): string => `shoeprint.${type}.v${TODAY}`;

/** The type that a full name means, at any known version; `undefined` for an unknown type or version. */
export function knownType(name: string, upcasts = UPCASTS): EventType | undefined {
  const today = NAMES.get(name);
  if (today !== undefined || !upcasts.has(name)) return today;
  return knownType(nextVersion(name), upcasts);
}

/** The data of an event of the full name `name`, brought to today's version step by step. */
export function upcast(
  name: string,
  data: Readonly<Record<string, unknown>>,
  upcasts = UPCASTS,
): Readonly<Record<string, unknown>> {
  const step = upcasts.get(name);
  return step ? upcast(nextVersion(name), step(data), upcasts) : data;
}

const nextVersion = (name: string): string =>
  name.replace(/\d+$/, (version) => String(Number(version) + 1));

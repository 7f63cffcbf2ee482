import { EVENT_TYPES, type EventType } from './events.js';

/** The current version of every event type. */
const TODAY = 1;

/**
 * Converts the data of one version to that of the next. Pure, total, and never changed once
 * published.
 */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/**
 * Conversions from old versions, by the full name of the version that each starts from. Empty while
 * every type is at its first version. A type's second version adds its v1 here, and recorded v1
 * lines stay as they are.
 */
const UPCASTS: ReadonlyMap<string, Upcast> = new Map();

const NAMES = new Map<string, EventType>(
  EVENT_TYPES.map((type) => [`shoeprint.${type}.v${TODAY}`, type]),
);

/** Returns the full name of a type at the current version: `shoeprint.card-drawn.v1`. */
export const fullName = (type: EventType): string => `shoeprint.${type}.v${TODAY}`;

/**
 * Returns the type of a full name, at any known version, or `undefined` for an unknown type or
 * version.
 */
export function knownType(name: string, upcasts = UPCASTS): EventType | undefined {
  const today = NAMES.get(name);
  if (today !== undefined || !upcasts.has(name)) return today;
  return knownType(nextVersion(name), upcasts);
}

/** Converts the data of an event with the full name `name` to the current version, step by step. */
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

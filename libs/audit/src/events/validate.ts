import { isCard, isRecord, pointerTo } from '#baccarat';
import { isCurrency } from './currency.js';
import { EVENT_TYPES, SHAPES, type EventType, type Field } from './events.js';
import type { Fault } from '../decode/json-text.js';
import { timeOf } from './time.js';
import { knownType, upcast } from './upcast.js';

/** The parts of a house that an event's form depends on. */
export interface House {
  /** Returns whether a rule document `id@version` is installed. */
  hasRules(ref: string): boolean;
  /** Returns whether a bet id is one of the contract's, or of an installed document's. */
  hasBet(id: string): boolean;
  /** Returns whether a review policy `review@version` is installed. */
  hasPolicy(ref: string): boolean;
  /** Returns whether an installed review policy has a disposition. */
  hasDisposition(ref: string, code: string): boolean;
}

const REQUIRED = ['specversion', 'type', 'source', 'id', 'time', 'table', 'data'] as const;
const ATTRIBUTES = new Set<string>([
  ...REQUIRED,
  'shoe',
  'session',
  'sequence',
  'datacontenttype',
  'traceparent',
  'tracestate',
]);
/** The most characters of a text that a person writes about a finding. */
export const REMARK_MAX = 4000;
const REMARK = new RegExp(`^[^]{1,${REMARK_MAX}}$`, 'u');

/** The most bytes of an event's content. */
export const EVENT_BYTES_MAX = 16_384;

/** Returns whether a text is a source: one of the four kinds, with a name. */
export const isSource = (text: string): boolean => /^(device|person|virtual|system)\/./s.test(text);

/**
 * Returns every fault in the form of one event (contract section 2), by JSON pointer. Empty if the
 * event is well-formed. Checks the form only: what is wrong about the game is recorded and judged
 * later. `stamps` says whether the api's stamps are allowed.
 */
export function faultsOf(value: unknown, house: House, stamps: 'accepted' | 'refused'): Fault[] {
  if (!isRecord(value))
    return [{ pointer: '', reason: `an event must be a JSON object, not ${nameOf(value)}` }];
  const faults: Fault[] = [];
  for (const name of REQUIRED)
    if (!Object.hasOwn(value, name)) faults.push({ pointer: `/${name}`, reason: 'is required' });
  for (const [name, given] of Object.entries(value)) {
    const reason = attributeFault(name, given, stamps);
    if (reason !== undefined) faults.push({ pointer: pointerTo('', name), reason });
  }
  if (Object.hasOwn(value, 'session') !== Object.hasOwn(value, 'sequence')) {
    const missing = Object.hasOwn(value, 'session') ? 'sequence' : 'session';
    faults.push({
      pointer: `/${missing}`,
      reason: 'is required: session and sequence come together',
    });
  }
  const known = typeof value.type === 'string' ? knownType(value.type) : undefined;
  if (known === undefined) return faults;
  if (SHAPES[known].shoe && !Object.hasOwn(value, 'shoe'))
    faults.push({ pointer: '/shoe', reason: `is required on ${known}` });
  if (SHAPES[known].by === 'reviewer') faults.push(...reviewFaults(known, value));
  if (Object.hasOwn(value, 'data')) {
    const data = isRecord(value.data) ? upcast(value.type as string, value.data) : value.data;
    faults.push(...dataFaults(known, data, house, '/data'));
  }
  return faults;
}

/** Returns the faults of the attributes that what a person does about a finding must not have. */
function reviewFaults(type: EventType, { source, ...given }: Readonly<Record<string, unknown>>) {
  const faults: Fault[] = [];
  if (typeof source === 'string' && isSource(source) && !source.startsWith('person/'))
    faults.push({ pointer: '/source', reason: `must be person/… on ${type}` });
  for (const name of ['shoe', 'session', 'sequence'])
    if (Object.hasOwn(given, name))
      faults.push({ pointer: `/${name}`, reason: `is not an attribute of ${type}` });
  return faults;
}

/**
 * Returns every fault in the data of an event of type `type`, at the current version. Pointers
 * begin with `at`.
 */
export function dataFaults(type: EventType, data: unknown, house: House, at = ''): Fault[] {
  if (!isRecord(data)) return [{ pointer: at, reason: `must be an object, not ${nameOf(data)}` }];
  const { fields, optional } = SHAPES[type] as {
    fields: Readonly<Record<string, Field>>;
    optional: readonly string[];
  };
  const faults: Fault[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const pointer = `${at}/${name}`;
    if (!Object.hasOwn(data, name)) {
      if (!optional.includes(name)) faults.push({ pointer, reason: 'is required' });
    } else faults.push(...fieldFaults(field, data[name], house, pointer));
  }
  for (const name of Object.keys(data)) {
    if (!Object.hasOwn(fields, name))
      faults.push({ pointer: pointerTo(at, name), reason: `is not a field of ${type}` });
  }
  const { policy, disposition } = data;
  if (type === 'finding-ruling-proposed' && faults.length === 0)
    if (!house.hasDisposition(policy as string, disposition as string))
      faults.push({
        pointer: `${at}/disposition`,
        reason: `is not a disposition of ${policy as string}`,
      });
  return faults;
}

function attributeFault(
  name: string,
  given: unknown,
  stamps: 'accepted' | 'refused',
): string | undefined {
  switch (name) {
    case 'specversion':
      return given === '1.0' ? undefined : 'must be "1.0"';
    case 'type':
      if (typeof given !== 'string') return `must be a string, not ${nameOf(given)}`;
      return knownType(given)
        ? undefined
        : `"${excerpt(given)}" is not a known type and version (one of shoeprint.${EVENT_TYPES[0]}.v1, …)`;
    case 'source':
      return typeof given === 'string' && isSource(given)
        ? undefined
        : 'must be device/…, person/…, virtual/… or system/…';
    case 'id':
    case 'table':
    case 'shoe':
    case 'session':
      return idFault(given);
    case 'time':
      return timeFault(given);
    case 'sequence':
      return wholeFault(given, 1);
    case 'data':
      return undefined;
    case 'datacontenttype':
      return given === 'application/json' ? undefined : 'must be "application/json"';
    case 'traceparent':
    case 'tracestate':
      return typeof given === 'string' ? undefined : `must be a string, not ${nameOf(given)}`;
    case 'receivedfrom':
      return stamps === 'refused'
        ? 'is stamped by the api, and refused from a sender'
        : idFault(given);
    case 'receivedtime':
      return stamps === 'refused'
        ? 'is stamped by the api, and refused from a sender'
        : timeFault(given);
    default:
      return ATTRIBUTES.has(name) ? undefined : 'is not an attribute of an event';
  }
}

function fieldFaults(field: Field, given: unknown, house: House, pointer: string): Fault[] {
  switch (field.is) {
    case 'limits':
      return limitsFaults(given, house, pointer);
    case 'cards':
      return listFaults(given, pointer, (item) => (isCard(item) ? undefined : cardFault(item)));
    case 'names':
      return listFaults(given, pointer, idFault);
    case 'some-of':
      return listFaults(given, pointer, (item) =>
        typeof item === 'string' && field.values.includes(item)
          ? undefined
          : `must be one of ${listed(field.values)}`,
      );
    default: {
      const reason = valueFault(field, given, house);
      return reason === undefined ? [] : [{ pointer, reason }];
    }
  }
}

function valueFault(field: Field, given: unknown, house: House): string | undefined {
  switch (field.is) {
    case 'id':
      return idFault(given);
    case 'text':
      return typeof given === 'string' ? undefined : `must be a string, not ${nameOf(given)}`;
    case 'code':
      return typeof given === 'string' || Number.isSafeInteger(given)
        ? undefined
        : `must be a string or a whole number, not ${nameOf(given)}`;
    case 'amount':
      return wholeFault(given, 0);
    case 'ordinal':
      return wholeFault(given, 1);
    case 'total':
      return wholeFault(given, 0, 9);
    case 'flag':
      return typeof given === 'boolean' ? undefined : `must be true or false, not ${nameOf(given)}`;
    case 'card':
      return isCard(given) ? undefined : cardFault(given);
    case 'card-or-unread':
      return given === null || isCard(given)
        ? undefined
        : `${cardFault(given)}, or null for an unread card`;
    case 'count-or-unknown':
      return countFault(given);
    case 'object':
      return isRecord(given) ? undefined : `must be an object, not ${nameOf(given)}`;
    case 'remark':
      return typeof given === 'string' && REMARK.test(given)
        ? undefined
        : `must be a string of 1 to ${REMARK_MAX} characters`;
    case 'time':
      return timeFault(given);
    case 'digest':
      return typeof given === 'string' && /^[0-9a-f]{64}$/.test(given)
        ? undefined
        : 'must be a SHA-256, 64 lowercase hexadecimal digits';
    case 'policy':
      return installedFault(given, house.hasPolicy(given as string), 'an installed review policy');
    case 'whole':
      return wholeFault(given, field.from, field.to);
    case 'currency':
      return typeof given === 'string' && isCurrency(given)
        ? undefined
        : 'must be a currency code of ISO 4217, such as "MOP"';
    case 'rules':
      return installedFault(given, house.hasRules(given as string), 'an installed rule document');
    case 'bet':
      return betFault(given, house);
    case 'one-of':
      return field.values.includes(given as string | null)
        ? undefined
        : `must be one of ${listed(field.values)}`;
    case 'limits':
    case 'cards':
    case 'names':
    case 'some-of':
      return undefined; // fieldFaults checks these
  }
}

function betFault(given: unknown, house: House): string | undefined {
  if (typeof given !== 'string') return `must be a bet id, not ${nameOf(given)}`;
  return house.hasBet(given) ? undefined : `"${excerpt(given)}" is not a bet id`;
}

function countFault(given: unknown): string | undefined {
  const reason = given === null ? undefined : wholeFault(given, 0);
  return reason && `${reason} (or null if it is not known)`;
}

const installedFault = (given: unknown, isKnown: boolean, what: string): string | undefined =>
  typeof given !== 'string'
    ? `must be "id@version", not ${nameOf(given)}`
    : isKnown
      ? undefined
      : `"${excerpt(given)}" is not ${what}`;

function limitsFaults(given: unknown, house: House, pointer: string): Fault[] {
  if (!isRecord(given))
    return [{ pointer, reason: `must be an object of bet ids, not ${nameOf(given)}` }];
  return Object.entries(given).flatMap(([bet, limit]) => {
    const at = pointerTo(pointer, bet);
    if (!house.hasBet(bet)) return [{ pointer: at, reason: 'is not a bet id' }];
    if (!isRecord(limit))
      return [{ pointer: at, reason: `must be {min, max}, not ${nameOf(limit)}` }];
    const faults: Fault[] = [];
    for (const name of ['min', 'max']) {
      const reason = Object.hasOwn(limit, name) ? wholeFault(limit[name], 0) : 'is required';
      if (reason !== undefined) faults.push({ pointer: `${at}/${name}`, reason });
    }
    for (const name of Object.keys(limit))
      if (name !== 'min' && name !== 'max')
        faults.push({ pointer: pointerTo(at, name), reason: 'is not a field of a limit' });
    return faults;
  });
}

function listFaults(
  given: unknown,
  pointer: string,
  faultOf: (item: unknown) => string | undefined,
): Fault[] {
  if (!Array.isArray(given)) return [{ pointer, reason: `must be a list, not ${nameOf(given)}` }];
  return given.flatMap((item, i) => {
    const reason = faultOf(item);
    return reason === undefined ? [] : [{ pointer: `${pointer}/${i}`, reason }];
  });
}

function idFault(given: unknown): string | undefined {
  if (typeof given !== 'string') return `must be a string, not ${nameOf(given)}`;
  return given === '' ? 'must not be empty' : undefined;
}

function timeFault(given: unknown): string | undefined {
  if (typeof given !== 'string') return `must be a time of RFC 3339, not ${nameOf(given)}`;
  return timeOf(given) === undefined
    ? `"${excerpt(given)}" is not a time of RFC 3339, such as 2026-11-20T12:00:00.123Z`
    : undefined;
}

function wholeFault(
  given: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): string | undefined {
  if (typeof given !== 'number') return `must be a whole number, not ${nameOf(given)}`;
  if (!Number.isInteger(given)) return `${given} is not a whole number`;
  if (given < least) return `${given} is below ${least}`;
  return given > most
    ? `${given} is above ${most === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : most}`
    : undefined;
}

const cardFault = (given: unknown): string =>
  `${typeof given === 'string' ? `"${excerpt(given)}"` : nameOf(given)} is not a card (expected rank and suit, such as "9S" or "TD")`;
const listed = (values: readonly (string | null)[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ');
const excerpt = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return String(value);
  return `a ${typeof value}`;
}

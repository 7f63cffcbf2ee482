import { SHAPES, type AnyEvent, type EventType } from './events.js';
import { memberText, minify } from '../decode/json-text.js';
import { fullName } from './upcast.js';

type Json = Readonly<Record<string, unknown>>;

/** The attributes of an event's content, in canonical order. */
const CONTENT = [
  'specversion',
  'type',
  'source',
  'id',
  'time',
  'table',
  'shoe',
  'session',
  'sequence',
] as const;

/**
 * Returns the content of a well-formed event: its canonical line without the api's stamps.
 * Attributes and data fields are in the order of contract section 2, without spaces. `text` is the
 * event as sent, `null` if JSON.stringify writes the same: if a correction carries data of another
 * type, its members keep the sender's order, which only the text has. `data` is its canonical data,
 * if the caller has it.
 */
export function canonicalContent(
  value: Json,
  type: EventType,
  text: string | null,
  data = canonicalData(type, value, text),
): string {
  const parts: string[] = [];
  for (const name of CONTENT)
    if (Object.hasOwn(value, name)) parts.push(`"${name}":${JSON.stringify(value[name])}`);
  return `{${parts.join(',')},"data":${data}}`;
}

/**
 * Returns the content of an event as it was recorded, written back from what the fold holds. It
 * does not depend on how a sender ordered or spaced the event.
 */
export function contentOf(event: AnyEvent): string {
  const { type, source, id, time, table, shoe, session, sequence } = event;
  const data = canonicalData(type, event as unknown as Json, null);
  const ofShoe = shoe === undefined ? '' : `,"shoe":${quoted(shoe)}`;
  const ofSession = session === undefined ? '' : `,"session":${quoted(session)}`;
  const numbered = sequence === undefined ? '' : `,"sequence":${sequence}`;
  return `{"specversion":"1.0","type":"${fullName(type)}","source":${quoted(source)},"id":${quoted(id)},"time":${quoted(time)},"table":${quoted(table)}${ofShoe}${ofSession}${numbered},"data":${data}}`;
}

/** Returns what JSON.stringify writes. Most texts need no escape, and are written much faster. */
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
const PLAIN = /^[ !#-[\]-~]*$/;

/** Returns the data of a well-formed event as in its canonical line. */
export function canonicalData(type: EventType, value: Json, text: string | null): string {
  const data = value.data as Json;
  let members = '';
  for (const { name, is, begins } of FIELDS.get(type) as readonly Field[]) {
    if (!Object.hasOwn(data, name)) continue;
    const given = data[name];
    let written: string;
    if (typeof given === 'string') written = quoted(given);
    else if (is === 'limits') written = limitsText(given as Json);
    else if (is === 'object' && text !== null)
      written = minify(memberText(memberText(text, 'data') as string, name) as string);
    else written = JSON.stringify(given);
    members += (members === '' ? '' : ',') + begins + written;
  }
  return `{${members}}`;
}

/** A field of an event's data, and the text before its value. */
interface Field {
  readonly name: string;
  readonly is: string;
  readonly begins: string;
}

/** The fields of the data of each type, in canonical order. */
const FIELDS: ReadonlyMap<string, readonly Field[]> = new Map(
  Object.entries(SHAPES).map(([type, { fields }]) => [
    type,
    Object.entries(fields).map(([name, { is }]) => ({ name, is, begins: `"${name}":` })),
  ]),
);

const limitsText = (limits: Json): string =>
  `{${Object.entries(limits)
    .map(([bet, limit]) => `${JSON.stringify(bet)}:${JSON.stringify(limit, ['min', 'max'])}`)
    .join(',')}}`;
